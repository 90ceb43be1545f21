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
