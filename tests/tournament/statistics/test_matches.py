"""Reading slot tables: columns, codes, clusters, and what is refused (N6)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from antemill.engine.errors import UsageError
from antemill.tournament.statistics.matches import SlotTable, read_slots, slot_table
from tests.tournament.statistics import planted

ROWS = pa.table(
    {
        "game": [7, 7, 7, 7, 3],
        "run": [0, 0, 1, 0, 0],
        "alice": ["x", "y", "x", "x", "z"],
        "bob": ["y", "x", "y", "z", "x"],
        "margin": [2, -1, 0, 4, 5],
    }
)


def changed(**columns: list[object]) -> pa.Table:
    return pa.table({**ROWS.to_pydict(), **columns})


def test_names_ascend_and_codes_are_positions() -> None:
    table = slot_table(ROWS)
    assert table.models == ("x", "y", "z")
    assert table.games == ("3", "7")
    assert table.game.tolist() == [1, 1, 1, 1, 0]
    assert table.alice.tolist() == [0, 1, 0, 0, 2]
    assert table.low.tolist() == [0, 0, 0, 0, 0]
    assert table.high.tolist() == [1, 1, 1, 2, 2]
    assert table.weight.tolist() == [1.0] * 5


def test_a_cluster_is_the_four_tuple() -> None:
    """N6: game, unordered pair and run; the seats do not matter, nor does a run number used by another pair."""
    table = slot_table(ROWS)
    assert table.cluster.tolist() == [1, 1, 2, 3, 0]
    assert table.clusters == 4


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_files_give_the_table_they_hold(tmp_path: Path, suffix: str) -> None:
    rows = planted.play(planted.truth(3, 2, seed=1), runs=2, seed=2, whole=True)
    path = tmp_path / f"slots{suffix}"
    write = {".csv": pyarrow.csv.write_csv, ".parquet": pyarrow.parquet.write_table}[suffix]
    write(rows, path)
    want, got = slot_table(rows), read_slots(path)
    assert (got.models, got.games) == (want.models, want.games)
    for name in ("game", "alice", "bob", "margin", "cluster", "weight"):
        np.testing.assert_array_equal(getattr(got, name), getattr(want, name))


def test_rows_of_weight_zero_are_left_out() -> None:
    table = slot_table(changed(weight=[1, 1, 1, 2, 0]))
    assert table.games == ("7",)
    assert len(table.margin) == 4


def test_a_part_of_the_rows_forgets_unused_names() -> None:
    table = slot_table(ROWS).without_models(["y"])
    assert table.models == ("x", "z")
    assert table.cluster.tolist() == [1, 0]
    assert slot_table(ROWS).only_games(["3"]).models == ("x", "z")


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (ROWS.drop_columns(["run", "margin"]), "no column 'run', 'margin'"),
        (ROWS.slice(0, 0), "no results"),
        (changed(weight=[0, 0, 0, 0, 0]), "no results"),
        (changed(weight=[1, 1, -1, 1, 1]), "row 3 has a negative weight"),
        (changed(weight=[1, 1, None, 1, 1]), "row 3 has no finite number in 'weight'"),
        (changed(margin=["1", "2", "three", "4", "5"]), "'margin' has text in it"),
        (changed(margin=[1.0, float("nan"), 1.0, 1.0, 1.0]), "row 2 has no finite number in 'margin'"),
        (changed(margin=[1.0, 1.0, 1.0, float("inf"), 1.0]), "row 4 has no finite number in 'margin'"),
        (changed(margin=[True, False, True, True, True]), "'margin' holds bool"),
        (changed(alice=["x", None, "x", "x", "z"]), "row 2 has no 'alice'"),
        (changed(bob=["y", "x", "x", "z", "x"]), "row 3 pits 'x' against itself"),
    ],
)
def test_bad_tables_are_refused_with_a_sentence(rows: pa.Table, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        slot_table(rows)


@pytest.mark.parametrize("choose", [lambda t: t.without_models(["w"]), lambda t: t.only_games(["9"])])
def test_unknown_names_are_refused(choose: object) -> None:
    assert callable(choose)
    table: SlotTable = slot_table(ROWS)
    with pytest.raises(UsageError, match="in the results; there are"):
        choose(table)
