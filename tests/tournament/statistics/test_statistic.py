"""The lists of statistics: what they say is what is written, printed and documented."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from antemill.tournament.duel import tables as duels
from antemill.tournament.skate import tables as skates
from antemill.tournament.statistics.analysis import examine
from antemill.tournament.statistics.contents import STATISTICS
from antemill.tournament.statistics.pictures import BESIDE, FIGURES
from antemill.tournament.statistics.sheets import Sheet
from antemill.tournament.statistics.statistic import Statistic, printed_names, tables_of
from tests.tournament.statistics.planted import play, truth

DOCS = Path(__file__).resolve().parents[3] / "docs"


def documented(one: Statistic[Any]) -> str:
    """The row of the documentation."""
    return f"| `{one.name}` | {one.what} | {one.paper} |".replace("|  |", "| |")


@pytest.mark.parametrize(
    ("file", "statistics"),
    [("statistics.md", STATISTICS), ("duels.md", duels.STATISTICS), ("skate.md", skates.STATISTICS)],
)
def test_the_documentation_has_every_table_in_its_order(file: str, statistics: tuple[Statistic[Any], ...]) -> None:
    want = [documented(one) for one in statistics]
    lines = (DOCS / file).read_text("utf-8").splitlines()
    begin = lines.index("| file | what | paper |") + 2
    found = lines[begin : lines.index("", begin)]
    assert found == want


def test_the_documentation_names_every_figure() -> None:
    text = (DOCS / "statistics.md").read_text("utf-8")
    assert [name for name in FIGURES if f"`{name}`" not in text[text.index("Figures: ") :]] == []


def test_every_table_has_the_name_that_the_list_gives_it() -> None:
    t = truth(4, 8, seed=1)
    found = examine(play(t, runs=2, seed=2, whole=True), None, 20, references=["m3"])
    for one in STATISTICS:
        for sheet in tables_of([one], found):
            assert fnmatchcase(sheet.name, one.name)


def test_every_interval_is_explained_in_the_note_of_its_table() -> None:
    t = truth(4, 12, seed=1)
    found = examine(play(t, runs=2, seed=2, whole=True), None, 20, references=["m3"])
    bounded = [sheet for sheet in tables_of(STATISTICS, found) if any("low" in one.key for one in sheet.columns)]
    assert len(bounded) > 8
    assert [sheet.name for sheet in bounded if not re.search("intervals?", sheet.note)] == []


def test_every_figure_stands_beside_a_table_that_there_is() -> None:
    names = {one.name for one in STATISTICS}
    assert set(FIGURES) == set(BESIDE)
    assert set(BESIDE.values()) <= names


def test_a_statistic_is_a_table_several_or_none() -> None:
    def sheet(name: str) -> Sheet:
        return Sheet(name, name, [], [])

    listed: list[Statistic[int]] = [
        Statistic("a", "one", lambda _found: sheet("a"), printed=True),
        Statistic("b_*", "several", lambda found: [sheet(f"b_{i}") for i in range(found)]),
        Statistic("c", "none", lambda _found: None),
    ]
    assert [one.name for one in tables_of(listed, 2)] == ["a", "b_0", "b_1"]
    assert printed_names(listed) == {"a"}
