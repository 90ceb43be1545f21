"""One row a name: order, whiskers, and figures that are not finite."""

import math

from antemill.tournament.charts.ranks import Rank, ranks
from tests.tournament.charts.drawn import elements, inside, texts

ROWS = [
    Rank("undefeated", math.inf, said="∞ above b"),
    Rank("b", 1200.0, 1100.0, 1300.0),
    Rank("c", 1000.0),
    Rank("unconnected", math.nan, said="no result connects it with b"),
    Rank("winless", -math.inf, said="∞ below c"),
]


def test_rows_stand_in_their_order_and_say_where_infinity_is() -> None:
    panel = ranks(ROWS, "rating", digits=0)
    assert texts(panel, "end") == [row.name for row in ROWS]
    assert texts(panel, "small") == ["∞ above b", "no result connects it with b", "∞ below c"]
    heights = [float(one.get("y", "")) for one in elements(panel, "text", "end")]
    assert heights == sorted(heights)
    assert len(elements(panel, "circle")) == 2
    assert len(elements(panel, "path", "point")) == 2  # arrows, none for who is not connected
    assert len(elements(panel, "path", "whisker")) == 1
    assert inside(panel)
    assert "undefeated ∞ above b" in panel.label


def test_a_better_figure_stands_further_right() -> None:
    panel = ranks([Rank(str(i), float(i)) for i in (5, -3, 1)], "strength")
    x = [float(one.get("cx", "")) for one in elements(panel, "circle")]
    assert x[0] > x[2] > x[1]
    assert len(elements(panel, "path", "zero")) == 1
