"""What was found, arranged: everything once, nothing empty, and why something is missing."""

import pytest

from antemill.tournament.charts.chart import Chart, Panel
from antemill.tournament.pages.arrange import arranged, says_something
from antemill.tournament.statistics.sheets import Cell, Column, Missing, Placed, Sheet

NUMBERS = [Column("who", "who", "text"), Column("n", "n", "count"), Column("x", "x")]


def sheet(name: str, *cells: Cell, heat: float = 0.0) -> Sheet:
    columns = [*NUMBERS[:2], Column("x", "x", heat=heat)]
    return Sheet(name, f"Title of {name}", columns, [["a", 0, cell] for cell in cells])


def chart(title: str) -> Chart:
    return Chart(title, (Panel(10, 10, (), title),))


@pytest.mark.parametrize(
    ("cell", "want"), [(0.0, True), (Placed("∞ above b"), True), (Missing("too few"), False), (None, False)]
)
def test_a_table_of_estimates_says_something_if_there_is_one(cell: Cell, want: bool) -> None:
    assert says_something(sheet("s", None, cell)) is want


def test_a_table_of_counts_says_something() -> None:
    assert says_something(Sheet("s", "S", NUMBERS[:2], [["a", 0]]))
    assert not says_something(Sheet("s", "S", NUMBERS[:2], []))
    assert not says_something(Sheet("s", "S", NUMBERS[:2], [["a", None]]))


def test_columns_without_a_figure_are_named_with_their_reason_instead() -> None:
    columns = [Column("who", "who", "text"), Column("x", "x"), Column("low", "low", group="95%"), Column("p", "p")]
    few = Missing("too few matches")
    full = Sheet("full", "Full", columns, [["a", 1.0, few, few], ["b", 2.0, few, 0.5]])
    blank = Sheet("blank", "Blank", [*columns[:2], Column("z", "z")], [["a", Placed("∞ above b"), few]])
    [group, *_] = arranged({"One": ("full", "blank")}, [full, blank], {}, {}, {}, [])
    first, second = (one.html for one in group.sections)
    assert "Not known here: <em>95% low</em> (too few matches)." in first
    assert first.count("<button") == 3
    assert "Not known here: <em>z</em> (too few matches)." in second
    assert "∞ above b" in second


def test_every_table_and_figure_has_one_place() -> None:
    sheets = [sheet("z", 1.0), sheet("against_a", 2.0), sheet("b", Missing("too few")), sheet("against_b", 3.0)]
    sheets += [sheet("shaded", 4.0, heat=1.0), sheet("c", None)]
    charts = {name: chart(f"Figure {name}") for name in ("of z", "of nothing", "of b", "of shaded")}
    beside = {"of z": "z", "of b": "b", "of shaded": "shaded"}
    groups = arranged(
        {"One": ("against_*", "b", "shaded"), "Two": ("z", "c")},
        sheets,
        charts,
        beside,
        {"radar": "no slopes"},
        [("p", "what p is")],
    )
    found = {group.title: [one.name for one in group.sections] for group in groups if group.sections}
    assert found["One"] == ["against-a", "against-b", "shaded"]
    assert found["Two"] == ["z"]
    assert found["Figures"] == ["of-nothing"]  # the table of b has nothing to say, and so has its figure
    notes = {one.title: one.html for group in groups for one in group.sections if group.title == "Notes"}
    assert "what p is" in notes["How to read the intervals"]
    missing = notes["What could not be estimated"]
    assert "Title of b" in missing
    assert "Too few." in missing
    assert "Figure: radar" in missing
    assert "No slopes." in missing
    whole = "".join(one.html for group in groups for one in group.sections)
    assert whole.count("<strong>Figure of z.") == 1
    assert "Figure of shaded" not in whole  # the shaded table is the figure


@pytest.mark.parametrize(
    ("cell", "explained"),
    [
        (Placed("∞ above b"), True),
        (Placed("∞ below b (+3 in its own group)"), True),
        (Placed("∞"), False),
        (Placed("no result connects it with ∞ above b"), False),
        (1.0, False),
    ],
)
def test_places_beyond_all_figures_are_explained_where_there_are_some(cell: Cell, explained: bool) -> None:
    groups = arranged({"All": ("s",)}, [sheet("s", cell)], {}, {}, {}, [])
    said = "".join(one.html for group in groups if group.title == "Notes" for one in group.sections)
    assert ("the best on top" in said) is explained


def test_a_table_that_no_group_has_is_refused() -> None:
    with pytest.raises(ValueError, match="no group of the page has the table 's'"):
        arranged({"One": ("t",)}, [sheet("s", 1.0)], {}, {}, {}, [])


def test_a_table_with_the_rows_of_an_earlier_one_is_named_and_not_repeated() -> None:
    sheets = [sheet("first", 1.0), sheet("other", 2.0), sheet("again", 1.0)]
    charts, beside = {"heat": chart("Figure of again")}, {"heat": "again"}
    groups = arranged({"One": ("*",)}, sheets, charts, beside, {}, [])
    sections = {one.name: one.html for group in groups for one in group.sections}
    assert list(sections) == ["first", "other"]
    assert "<em>Title of again</em> has the same rows." in sections["first"]
    assert "same rows" not in sections["other"]
