"""Damage to a pool: each file cut, lost, changed in any part, or swapped is one sentence with the line that repairs."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from antemill.engine.errors import StorageError
from antemill.tournament.cli.entry import run
from antemill.tournament.pool import work
from antemill.tournament.pool.damage import verify_pool
from antemill.tournament.pool.layout import complete_pool, open_pool
from antemill.tournament.pool.lock import NAME, working
from antemill.tournament.pool.select import select_games
from antemill.tournament.pool.split import split_pool
from antemill.tournament.pool.stats import examine_pool
from tests.tournament.pool.pool_jobs import files_of, scored_pool

QUICK = ("--workers", "1")
FOLDERS = ("candidates/*", "games/*", "repeats/*", "scores/fast/*/*.parquet", "scores/fast/*/again/*")
Change = Callable[[bytes], bytes | None]


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    """A copy of a finished pool with fast scores, in a folder whose name needs quotes."""
    shutil.copytree(scored_pool(), tmp_path / "a pool")
    return tmp_path / "a pool"


def flipped(place: Callable[[int], int]) -> Change:
    """A change of one byte, at a place that hangs on the size of the file."""

    def change(data: bytes) -> bytes:
        at = place(len(data))
        return data[:at] + bytes([data[at] ^ 0x15]) + data[at + 1 :]

    return change


CHANGES: dict[str, Change] = {
    "gone": lambda _: None,
    "empty": lambda _: b"",
    "cut": lambda data: data[: len(data) // 2],
    "changed at the start": flipped(lambda _: 1),
    "changed in the data": flipped(lambda size: size // 5),
    "changed in the footer": flipped(lambda size: size - 200),
    "changed at the end": flipped(lambda size: size - 6),
}


def one(pool: Path, pattern: str) -> Path:
    return sorted(pool.glob(pattern))[0]


def verified(capsys: pytest.CaptureFixture[str], pool: Path, code: int) -> Any:
    assert run(["pool", "verify", str(pool), "--json"]) == code
    out, err = capsys.readouterr()
    assert err.count("\n") == (1 if code else 0)
    return json.loads(out)


def mend_here(line: str) -> None:
    """Run a line of commands in this process."""
    for command in line.split(" && "):
        program, *words = shlex.split(command)
        if program == "rm":
            for path in words[1:]:
                Path(path).unlink()
        else:
            assert run([*words, *(QUICK if words[1] != "verify" else ())]) == 0


def test_a_good_pool_is_well_and_left_alone(pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = files_of(pool)
    found = verified(capsys, pool, 0)
    assert (found["files"], found["problems"], found["repair"], found["sentence"]) == (len(before), [], None, "")
    assert run(["pool", "verify", str(pool)]) == 0
    assert f"All is well: {len(before)} files" in capsys.readouterr().out
    assert files_of(pool) == before


@pytest.mark.parametrize("what", FOLDERS)
@pytest.mark.parametrize("how", CHANGES)
def test_what_is_printed_repairs(pool: Path, what: str, how: str, capsys: pytest.CaptureFixture[str]) -> None:
    before, path = files_of(pool), one(pool, what)
    changed = CHANGES[how](path.read_bytes())
    path.unlink() if changed is None else path.write_bytes(changed)
    said = verified(capsys, pool, 2)
    assert [problem["file"] for problem in said["problems"]] == [path.relative_to(pool).as_posix()]
    assert said["problems"][0]["damaged"] == (how != "gone")
    mend_here(said["repair"])
    capsys.readouterr()
    assert files_of(pool) == before


@pytest.mark.parametrize("what", ["candidates/*", "games/*", "scores/fast/*/*.parquet"])
def test_swapped_files_are_both_repaired(pool: Path, what: str, capsys: pytest.CaptureFixture[str]) -> None:
    before, (first, second) = files_of(pool), sorted(pool.glob(what))
    first.write_bytes(before[second.relative_to(pool).as_posix()])
    second.write_bytes(before[first.relative_to(pool).as_posix()])
    said = verified(capsys, pool, 2)
    assert {problem["file"] for problem in said["problems"]} >= {
        path.relative_to(pool).as_posix() for path in (first, second)
    }
    assert "it holds the seeds 64:100" in said["sentence"]
    mend_here(said["repair"])
    capsys.readouterr()
    assert files_of(pool) == before


def test_scores_of_another_tier_or_version_are_noticed(pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, path = files_of(pool), one(pool, "scores/fast/*/*.parquet")
    (other := pool / "scores" / "precise" / path.parent.name).mkdir(parents=True)
    shutil.copy(path, other)
    said = verified(capsys, pool, 2)
    assert f"it holds the scores fast/{path.parent.name}" in said["sentence"]
    with pytest.raises(StorageError, match=r"precise.*it holds the scores fast"):
        examine_pool(pool, "precise")
    shutil.rmtree(pool / "scores" / "precise")
    assert files_of(pool) == before


def test_every_byte_counts(pool: Path) -> None:
    """Also those that no reader needs."""
    path = one(pool, "repeats/*")
    good = path.read_bytes()
    for place in range(len(good)):
        path.write_bytes(good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :])
        with pytest.raises(StorageError):
            _ = complete_pool(pool).repeats
    path.write_bytes(good)
    assert not verify_pool(pool).problems


def test_all_commands_say_the_same(pool: Path, tmp_path: Path) -> None:
    paths = one(pool, "candidates/*"), one(pool, "games/*")
    for path in paths:
        path.write_bytes(path.read_bytes()[:1000])
    want = verify_pool(pool).sentence
    repair = f"rm -- '{paths[0]}' '{paths[1]}' && antemill pool build '{pool}' --seeds 0:100"
    assert re.fullmatch(
        rf"the pool in .* is damaged .*candidates/.* and 1 more: .*: repair it with `{re.escape(repair)}`\.", want
    )
    commands: dict[str, Callable[[], object]] = {
        "select": lambda: select_games(pool),
        "stats": lambda: examine_pool(pool),
        "split": lambda: split_pool(pool, tmp_path / "split", (0.8, 0.1, 0.1)),
    }
    for name, command in commands.items():
        with pytest.raises(StorageError) as raised:
            command()
        assert str(raised.value) == want, name
    shutil.rmtree(pool / "scores")
    for score in (["pool", "score", str(pool), *QUICK], ["pool", "score", str(pool), "--workers", "2"]):
        assert run(score) == 2


# ------------------------------------------------------------------------------------------------ pool.json


@pytest.mark.parametrize("how", ["gone", "{", "[]", "", "cut"])
def test_pool_json_can_be_lost(pool: Path, how: str, capsys: pytest.CaptureFixture[str]) -> None:
    before, path = files_of(pool), pool / "pool.json"
    if how == "gone":
        path.unlink()
        assert run(["pool", "stats", str(pool)]) == 0
    else:
        path.write_bytes(before["pool.json"][:100] if how == "cut" else how.encode())
        for command in ("stats", "score"):
            assert run(["pool", command, str(pool)]) == 2
            err = capsys.readouterr().err
            assert "pool.json: it is damaged" in err
            assert f"rm -- '{path}' && antemill pool verify" in err
        mend_here(verified(capsys, pool, 2)["repair"])
    assert files_of(pool) == before


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("complexity", [0.0, 0.5]),
        ("gate", {"most_rare_phases": 0.15}),
        ("caps", {"cards": 52}),
        ("builder", "feedbeef"),
        ("accept", 3),
        ("cell", 32),
        ("seeds", [0, 90]),
    ],
)
def test_an_edited_pool_json_is_noticed(
    pool: Path, name: str, value: object, capsys: pytest.CaptureFixture[str]
) -> None:
    before, path = files_of(pool), pool / "pool.json"
    settings = json.loads(path.read_text())
    settings[name] = settings[name] | value if isinstance(value, dict) and settings[name] else value
    path.write_text(json.dumps(settings))
    said = verified(capsys, pool, 2)
    assert [problem["file"] for problem in said["problems"]] == ["pool.json"]
    if name != "seeds":  # a smaller pool is unfinished, as its repeats are not known
        with pytest.raises(StorageError, match=re.escape(said["sentence"])):
            select_games(pool)
    mend_here(said["repair"])
    capsys.readouterr()
    assert files_of(pool) == before


def test_the_pool_of_another_version_is_mended_by_that_one(pool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one(pool, "games/*").unlink()
    assert str(verify_pool(pool).repair).endswith("--seeds 0:100")
    monkeypatch.setattr(work, "builder_hash", lambda: "another")
    found = verify_pool(pool)
    assert (found.repair, "another antemill has built this pool" in found.sentence) == (None, True)


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
    assert open_pool(pool).settings.seeds == (0, 100)
