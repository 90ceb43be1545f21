"""`pool verify`, and what `pool build` and `pool score` say of damage; one process at a time in a pool."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from antemill.tournament.cli.entry import run
from antemill.tournament.pool.layout import open_pool, save_pool
from antemill.tournament.pool.lock import NAME, working
from antemill.tournament.pool.verify import verify_pool
from tests.tournament.pool.pool_jobs import files_of, scored_pool

QUICK = ("--workers", "1")


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    """A copy of a finished pool with fast scores, in a folder whose name needs quotes."""
    shutil.copytree(scored_pool(), tmp_path / "a pool")
    return tmp_path / "a pool"


def found(capsys: pytest.CaptureFixture[str], pool: Path, code: int) -> Any:
    assert run(["pool", "verify", str(pool), "--json"]) == code
    out, err = capsys.readouterr()
    assert err.count("\n") == (1 if code else 0)
    return json.loads(out)


def mend(line: str) -> None:
    """Run a command line of several commands in a shell."""
    rest = line.replace("antemill ", f"{shlex.quote(sys.executable)} -m antemill ")
    subprocess.run(["sh", "-c", rest], check=True, capture_output=True)


def mend_here(line: str) -> None:
    """Run it as a shell would, with our commands in this process."""
    for command in line.split(" && "):
        words = shlex.split(command)
        if words[0] == "antemill":
            assert run(words[1:]) == 0
        else:
            subprocess.run(words, check=True, capture_output=True)


def one(pool: Path, pattern: str) -> Path:
    (path,) = pool.glob(pattern)
    return path


def test_a_whole_pool_is_well(pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = files_of(pool)
    assert found(capsys, pool, 0) == {"pool": str(pool), "files": 4, "problems": [], "repair": None, "hint": ""}
    assert run(["pool", "verify", str(pool)]) == 0
    assert "All is well: 4 files" in capsys.readouterr().out
    assert files_of(pool) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "how"),
    [
        ("candidates/*", "changed"),
        ("games/*", "short"),
        ("scores/fast/*/*.parquet", "gone"),
        ("scores/fast/*/axes.json", "short"),
    ],
)
def test_what_is_printed_repairs(pool: Path, what: str, how: str, capsys: pytest.CaptureFixture[str]) -> None:
    before, path = files_of(pool), one(pool, what)
    content = path.read_bytes()
    if how == "gone":
        path.unlink()
    else:
        middle = 200 if what == "candidates/*" else len(content) // 2  # in a page, whose bytes have a checksum
        flipped = bytes([content[middle] ^ 255])
        path.write_bytes(content[:middle] if how == "short" else content[:middle] + flipped + content[middle + 1 :])
    said = found(capsys, pool, 2)
    assert [problem["file"] for problem in said["problems"]] == [path.relative_to(pool).as_posix()]
    assert said["problems"][0]["damaged"] == (how != "gone")
    (mend if how == "changed" else mend_here)(said["repair"])
    capsys.readouterr()
    assert files_of(pool) == before
    assert not found(capsys, pool, 0)["problems"]


def test_build_and_score_say_what_is_damaged_and_how_to_repair_it(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = one(pool, "games/*")
    path.write_bytes(path.read_bytes()[:1000])
    repair = f"rm -- '{path}' && antemill pool build '{pool}' --seeds 0:100"
    assert run(["pool", "build", str(pool), "--seeds", "0:100", *QUICK]) == 2
    err = capsys.readouterr().err
    assert path.relative_to(pool).as_posix() in err
    assert err.endswith(f"repair it with `{repair}`.\n")
    assert run(["pool", "score", str(pool), "--tier", "precise", *QUICK]) == 2
    assert f"repair it with `{repair} && antemill pool score" in capsys.readouterr().err  # which has begun
    assert str(verify_pool(pool).repair).startswith(repair)


# ------------------------------------------------------------------------------------------------ two processes

_HOLD = """
import sys
from antemill.tournament.pool.lock import working
with working(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def another_process(pool: Path) -> Iterator[int]:
    """A process that holds the pool meanwhile; its number."""
    command = [sys.executable, "-c", _HOLD, str(pool)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process.pid
        process.stdin.close()
        assert process.wait() == 0


def test_the_games_of_another_builder_are_made_by_that_one(pool: Path) -> None:
    one(pool, "games/*").unlink()
    assert str(verify_pool(pool).repair).endswith("--seeds 0:100")
    save_pool(open_pool(pool), builder="another")
    assert verify_pool(pool).repair is None


def test_the_second_process_in_a_pool_changes_nothing(pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = files_of(pool)
    with another_process(pool) as number:
        for command in (
            ["pool", "build", str(pool), "--seeds", "0:200", *QUICK],
            ["pool", "score", str(pool), "--tier", "precise", *QUICK],
            ["run", "--seeds", "0:200", "--out", str(pool), *QUICK],
            ["pool", "verify", str(pool)],
        ):
            assert run(command) == 2
            out, err = capsys.readouterr()
            assert out == ""
            assert "is working here" in err
            assert err.count("\n") == 1
            assert f"process {number}" in err or command[1] == "verify"
        there = files_of(pool)
        assert there.pop(NAME) == f"process {number}".encode()
        assert there == before
        assert run(["pool", "stats", str(pool)]) == 0  # reading is possible meanwhile
    assert files_of(pool) == before
    assert run(["pool", "build", str(pool), "--seeds", "0:100", *QUICK]) == 0
    assert files_of(pool) == before


def test_a_killed_process_holds_nothing(pool: Path) -> None:
    with another_process(pool) as _:
        pass
    (pool / NAME).write_text("process 1")  # what one leaves that is killed
    with working(pool):
        pass
    assert not (pool / NAME).exists()
