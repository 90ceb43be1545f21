"""The lists of statistics: what they say is what is written, printed, shown on pages and documented."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc
import pytest

from antemill.tournament.cards import report
from antemill.tournament.cards import tables as cards
from antemill.tournament.duel import tables as duels
from antemill.tournament.evaluation import tables as evaluations
from antemill.tournament.pages.arrange import arranged
from antemill.tournament.skate import tables as skates
from antemill.tournament.statistics.analysis import Analysis, examine, statistic
from antemill.tournament.statistics.contents import STATISTICS
from antemill.tournament.statistics.figures import BESIDE, FIGURES
from antemill.tournament.statistics.outputs import results, write
from antemill.tournament.statistics.sheets import Sheet, count, text
from antemill.tournament.statistics.statistic import Statistic, Statistics, on_page, tables_of
from tests.differing import assert_same
from tests.tournament.statistics.planted import play, truth
from tests.tournament.statistics.test_analyze import write_axes

DOCS = Path(__file__).resolve().parents[3] / "docs"
LISTS: dict[str, tuple[Statistics[Any], ...]] = {
    "statistics.md": (STATISTICS, cards.STATISTICS),
    "duels.md": (duels.STATISTICS,),
    "skate.md": (skates.STATISTICS,),
    "eval.md": (evaluations.STATISTICS,),
}


def documented(one: Statistic[Any]) -> str:
    """The row of the documentation."""
    return f"| `{one.name}` | {one.what} | {one.paper} |".replace("|  |", "| |")


def assert_documented(file: str, page: str) -> None:
    """That a page lists all tables of its analysis, in their order."""
    lines = page.splitlines()
    begin = lines.index("| file | what | paper |") + 2
    want = [documented(one) for part in LISTS[file] for one in part]
    assert_same(lines[begin : lines.index("", begin)], want)


@pytest.mark.parametrize("file", LISTS)
def test_the_documentation_has_every_table_in_its_order(file: str) -> None:
    assert_documented(file, (DOCS / file).read_text("utf-8"))


def test_a_new_table_needs_its_function_and_a_row_of_the_documentation(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It is then written, printed, on the page in its group, and the page of the documentation is complete."""
    registered = [*STATISTICS.registered]
    monkeypatch.setattr(STATISTICS, "_registered", registered)

    @statistic("matches_by_game", "how often each game was played", group="Games", printed=True, after="reversals")
    def matches_by_game(a: Analysis) -> Sheet:
        """A new table."""
        counts = np.bincount(a.e.table.game, minlength=len(a.e.games))
        rows = list(zip(a.e.games, counts.tolist(), strict=True))
        return Sheet("matches_by_game", "Matches by game", [text("game", "game"), count("n", "matches")], rows)

    assert STATISTICS.names[-1] == "matches_by_game"
    assert "matches_by_game" in STATISTICS.printed
    found = results(play(truth(4, 8, seed=1), runs=2, seed=2), None, 20)
    assert str(tmp_path / "tables" / "matches_by_game.md") in write(found, tmp_path).tables
    assert "## Matches by game" in (tmp_path / "tables.md").read_text()
    pages = on_page(cards.STATISTICS, STATISTICS)
    groups = arranged(pages, found.sheets, found.charts, BESIDE, found.left_out, ())
    assert [one.title for group in groups if group.title == "Games" for one in group.sections][-1] == "Matches by game"
    page = (DOCS / "statistics.md").read_text("utf-8")
    with pytest.raises(AssertionError, match="matches_by_game"):
        assert_documented("statistics.md", page)
    before = documented(registered[[one.name for one in registered].index("reversals")])
    row = "| `matches_by_game` | how often each game was played | |"
    assert_documented("statistics.md", page.replace(before, f"{before}\n{row}"))


def test_every_group_of_the_page_has_tables() -> None:
    assert all(report.GROUPS.values())
    assert {name for names in report.GROUPS.values() for name in names} == {*STATISTICS.names, *cards.STATISTICS.names}


def test_the_documentation_names_every_figure() -> None:
    text = (DOCS / "statistics.md").read_text("utf-8")
    assert [name for name in FIGURES if f"`{name}`" not in text[text.index("| figure | what | paper |") :]] == []


def test_every_table_has_the_name_that_the_list_gives_it() -> None:
    t = truth(4, 8, seed=1)
    found = examine(play(t, runs=2, seed=2, whole=True), None, 20, references=["m3"])
    for one in STATISTICS:
        for sheet in tables_of(one, found):
            assert fnmatchcase(sheet.name, one.name)


def test_every_interval_is_explained_in_the_note_of_its_table() -> None:
    t = truth(4, 12, seed=1)
    found = examine(play(t, runs=2, seed=2, whole=True), None, 20, references=["m3"])
    bounded = [sheet for sheet in STATISTICS.tables(found) if any("low" in one.key for one in sheet.columns)]
    assert len(bounded) > 8
    assert [sheet.name for sheet in bounded if not re.search("intervals?", sheet.note)] == []


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


def listed() -> Statistics[int]:
    found = Statistics[int]("First", "Second")

    def sheet(name: str) -> Sheet:
        return Sheet(name, name, [], [])

    @found("a", "one", group="First", printed=True)
    def _one(_found: int) -> Sheet:
        return sheet("a")

    @found("b_*", "several", group="Second")
    def _several(count: int) -> Iterable[Sheet]:
        return (sheet(f"b_{i}") for i in range(count))

    @found("d", "behind the first", group="First", after="a")
    def _behind(_found: int) -> Sheet:
        return sheet("d")

    @found("e", "behind that", group="First")
    def _next(_found: int) -> Sheet:
        return sheet("e")

    @found("c", "none", group="First", after="d", below="a")
    def _none(_found: int) -> None:
        return None

    return found


def test_a_statistic_is_a_table_several_or_none() -> None:
    assert [one.name for one in listed().tables(2)] == ["a", "d", "e", "b_0", "b_1"]
    assert listed().printed == {"a"}


def test_files_and_page_have_their_own_order() -> None:
    assert listed().names == ["a", "d", "c", "e", "b_*"]
    assert on_page(listed()) == {"First": ["a", "c", "d", "e"], "Second": ["b_*"]}


def test_two_of_a_name_and_an_unknown_group_or_place_are_refused() -> None:
    found = listed()
    with pytest.raises(ValueError, match="two statistics called 'a'"):
        found("a", "again", group="First")
    with pytest.raises(ValueError, match="the group 'Third' of 'z' is none of First, Second"):
        found("z", "elsewhere", group="Third")
    found("z", "lost", group="First", after="nothing")(lambda _found: None)
    with pytest.raises(ValueError, match="no such statistic: 'z' follows 'nothing'"):
        list(found)
