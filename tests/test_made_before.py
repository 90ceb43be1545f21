"""A pool and a run that an earlier version has made stay what they are: `tests/data/made_before` holds one of each.

The pool has the seeds 0 to 39, scored at the fast tier; the run is a tournament of three bots in two games.
"""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from antemill.axes.scores import axis_version
from antemill.axes.table import AXES
from antemill.engine.builder.generate import builder_hash
from antemill.tournament.cli.entry import run

MADE = Path(__file__).parent / "data" / "made_before"
OPEN = "UPDATE items SET status = 'planned', row = '{}', transcript = NULL WHERE position % 3 = 0"  # a third is left


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


def test_a_pool_needs_neither_building_nor_scoring(document: Said, tmp_path: Path) -> None:
    assert json.loads((MADE / "pool" / "pool.json").read_text())["builder"] == builder_hash()
    (versions,) = (MADE / "pool" / "scores" / "fast").glob("*/axes.json")
    assert json.loads(versions.read_text()) == {axis: axis_version(axis) for axis in AXES}
    built = document("pool", "build", "pool", "--seeds", "0:40")
    assert (built["candidates"], built["accepted"]) == (40, 4)
    assert document("pool", "score", "pool", "--tier", "fast")["scored"] == 0
    assert contents(tmp_path / "pool") == contents(MADE / "pool")


def test_a_pool_built_and_scored_from_nothing_is_the_same(document: Said, tmp_path: Path) -> None:
    document("pool", "build", "fresh", "--seeds", "0:40")
    document("pool", "score", "fresh", "--tier", "fast")
    made, fresh = contents(MADE / "pool"), contents(tmp_path / "fresh")
    assert sorted(made) == sorted(fresh)
    for name in [name for name in made if name.endswith(".parquet")]:
        assert pq.read_table(tmp_path / "fresh" / name).equals(pq.read_table(MADE / "pool" / name)), name


def test_a_run_goes_on_with_the_same_matches(document: Said, tmp_path: Path) -> None:
    assert document("tournament", "status", "cup")["done"] == 36
    with closing(sqlite3.connect(tmp_path / "cup" / "run.sqlite", isolation_level=None)) as store:
        store.execute(OPEN)
    assert document("tournament", "status", "cup")["done"] == 24
    document("tournament", "resume", "cup")
    document("tournament", "analyze", "cup", "--bootstrap", "2")
    assert document("tournament", "status", "cup")["done"] == 36
    columns = ["game", "play_seed", "run", "alice", "bob", "margin", "moves_alice", "moves_bob"]
    now = pq.read_table(tmp_path / "cup" / "slots.parquet", columns=columns)
    assert now.equals(pq.read_table(MADE / "cup" / "slots.parquet", columns=columns))
