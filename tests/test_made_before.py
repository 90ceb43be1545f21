"""A pool and a run that an earlier version has made: `tests/data/made_before` holds one of each.

The pool has the seeds 0 to 39, scored at the fast tier, in an earlier form of files; the same games are drawn. The run
is a tournament of three bots in two games.
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from antemill.tournament.cli.entry import run

MADE = Path(__file__).parent / "data" / "made_before"


def contents(folder: Path) -> dict[str, bytes]:
    """What the files of a folder hold, by their names."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


Said = Callable[..., dict[str, Any]]


@pytest.fixture
def document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., dict[str, Any]]:
    """What a command says in JSON, in a folder with copies of what was made before."""
    shutil.copytree(MADE, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)

    def said(*words: str) -> Any:
        assert run([*words, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return said


@pytest.mark.parametrize("command", ["build --seeds 0:40", "score", "select -o five.parquet", "stats", "verify"])
def test_a_pool_of_an_earlier_version_is_refused_and_left_as_it_is(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(MADE, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    name, *options = command.split()
    assert run(["pool", name, "pool", *options]) == 2
    said = capsys.readouterr().err
    assert said.startswith("antemill: ")
    assert "pool.json" in said
    assert "version" in said
    assert said.count("\n") == 1
    assert contents(tmp_path / "pool") == contents(MADE / "pool")


def test_a_pool_built_and_scored_from_nothing_has_the_same_content(document: Said, tmp_path: Path) -> None:
    """Candidates, games and scores are equal to the last bit. The version of the axes, words of rulebooks, names of
    constructs and normal forms differ."""
    document("pool", "build", "fresh", "--seeds", "0:40")
    document("pool", "score", "fresh", "--tier", "fast")
    tables = ("candidates/*.parquet", "games/*.parquet", "scores/fast/*/*.parquet")
    for pattern in tables:
        (made,), (fresh,) = (MADE / "pool").glob(pattern), (tmp_path / "fresh").glob(pattern)
        assert made.name == fresh.name
        wanted, found = (_without_words(pq.read_table(path)) for path in (made, fresh))
        assert wanted.num_rows > 0
        assert found.equals(wanted), pattern


def _without_words(table: pa.Table) -> pa.Table:
    others = ("axes_version", "rulebook_length", "canonical_digest")
    return table.drop_columns([name for name in table.column_names if name in others or name.startswith("has_")])


@pytest.mark.parametrize("command", ["status", "start", "analyze", "list"])
def test_a_run_of_an_earlier_version_is_refused_and_left_as_it_is(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(MADE, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    assert run([command, "cup"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("antemill: cup/run.sqlite has version 1, this antemill reads version 2")
    assert said.count("\n") == 1
    kept = contents(tmp_path / "cup")
    assert {name: kept[name] for name in contents(MADE / "cup")} == contents(MADE / "cup")
