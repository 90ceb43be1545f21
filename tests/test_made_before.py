"""A pool and a run that an earlier version has made: `tests/data/made_before` holds one of each.

The pool has the seeds 0 to 39, scored at the fast tier, by builder d354ce55323b4225. Later builders have other digests,
since names of their code have changed, and draw the same games. The run is a tournament of three bots in two games.
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from antemill.axes.scores import axis_version
from antemill.axes.table import AXES
from antemill.engine.builder.generate import builder_hash
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


def test_a_pool_of_an_earlier_builder_is_recognised(
    document: Said, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is not mixed with games of this builder, and its games are scored."""
    builder = json.loads((MADE / "pool" / "pool.json").read_text())["builder"]
    assert builder == "d354ce55323b4225" != builder_hash()
    assert run(["pool", "build", "pool", "--seeds", "0:40"]) == 2
    said = capsys.readouterr().err
    assert f"the pool in pool has games by builder {builder}, not {builder_hash()}: use another folder" in said
    assert contents(tmp_path / "pool") == contents(MADE / "pool")
    assert document("pool", "score", "pool", "--tier", "fast")["scored"] == 4
    kept = {name: data for name, data in contents(tmp_path / "pool").items() if name in contents(MADE / "pool")}
    assert kept == contents(MADE / "pool")


def test_a_pool_built_and_scored_from_nothing_has_the_same_content(document: Said, tmp_path: Path) -> None:
    """Candidates, games and scores are equal to the last bit. The version of the axes and words of rulebooks differ."""
    document("pool", "build", "fresh", "--seeds", "0:40")
    document("pool", "score", "fresh", "--tier", "fast")
    tables = ("candidates/*.parquet", "games/*.parquet", "scores/fast/*/*.parquet")
    for pattern in tables:
        (made,), (fresh,) = (MADE / "pool").glob(pattern), (tmp_path / "fresh").glob(pattern)
        assert made.name == fresh.name
        wanted, found = (_without_words(pq.read_table(path)) for path in (made, fresh))
        assert wanted.num_rows > 0
        assert found.equals(wanted), pattern
    (versions,) = (tmp_path / "fresh" / "scores" / "fast").glob("*/axes.json")
    assert json.loads(versions.read_text()) == {axis: axis_version(axis) for axis in AXES}


def _without_words(table: pa.Table) -> pa.Table:
    return table.drop_columns([name for name in table.column_names if name in ("axes_version", "rulebook_length")])


@pytest.mark.parametrize("command", ["status", "start", "analyze", "list"])
def test_a_run_of_an_earlier_version_is_refused_and_left_as_it_is(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(MADE, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    assert run([command, "cup"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("antemill: cup/calls.sqlite is not a call store of this version")
    assert said.count("\n") == 1
    kept = contents(tmp_path / "cup")
    assert {name: kept[name] for name in contents(MADE / "cup")} == contents(MADE / "cup")
