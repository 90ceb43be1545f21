"""The lists of statistics: what they say is what is written, printed, shown on pages and documented."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest

from antemill.tournament.statistics.analysis import examine
from antemill.tournament.statistics.contents import STATISTICS
from antemill.tournament.statistics.figures import BESIDE, FIGURES
from antemill.tournament.statistics.statistic import Statistic, tables_of
from tests.tournament.statistics.planted import play, truth
from tests.tournament.statistics.test_analyze import write_axes


def documented(one: Statistic[Any]) -> str:
    """The row of the documentation."""
    return f"| `{one.name}` | {one.what} | {one.paper} |".replace("|  |", "| |")


def test_every_table_has_the_name_that_the_list_gives_it() -> None:
    t = truth(4, 8, seed=1)
    found = examine(play(t, runs=2, seed=2, whole=True), None, 20, references=["m3"])
    for one in STATISTICS:
        for sheet in tables_of(one, found):
            assert fnmatchcase(sheet.name, one.name)


def test_every_figure_stands_beside_a_table_that_there_is() -> None:
    assert set(FIGURES) == set(BESIDE)
    assert set(BESIDE.values()) <= {*STATISTICS.names}


def test_jaggedness_of_subsets_leaves_out_models_and_no_axis(tmp_path: Path) -> None:
    """Each column is the jaggedness that an analysis finds in the matches among the other models alone."""
    t = truth(8, 18, seed=1)
    rows, axes = play(t, runs=2, seed=2), write_axes(tmp_path / "axes.parquet", t)
    whole = examine(rows, axes, 20)
    (sheet,) = [sheet for sheet in STATISTICS.tables(whole) if sheet.name == "jaggedness_subsets"]
    best, worst = whole.e.models[:3], whole.e.models[-3:]
    for key, gone in (("baseline", ()), ("drop_top3", best), ("drop_bottom3", worst), ("middle", (*best, *worst))):
        there = pc.invert(pc.or_(*(pc.is_in(rows[seat], pc.cast(list(gone), "string")) for seat in ("alice", "bob"))))
        rest = examine(rows.filter(there), axes, 20)
        want = dict(zip(rest.e.models, rest.jagged.values.tolist(), strict=True))
        found = dict(zip(sheet.column("model"), sheet.column(key), strict=True))
        assert {name: value for name, value in found.items() if value is not None} == pytest.approx(want)
        assert set(found) - set(want) == set(gone)


# ---------------------------------------------------------------------------------------------- the list itself
