"""One row a name: order, whiskers, and figures that are not finite."""

import math

import pytest

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


def test_bars_begin_at_zero_and_are_as_long_as_their_figures() -> None:
    panel = ranks([Rank("a", 0.1, 0.0, 0.3), Rank("b", 0.2), Rank("zero", 0.0, 0.0, 0.05)], "J", bars=True)
    bars = [(float(one.get("x", "")), float(one.get("width", ""))) for one in elements(panel, "rect", "bar")]
    assert len({x for x, _ in bars}) == 1
    assert bars[1][1] == pytest.approx(2 * bars[0][1], abs=0.3)
    assert texts(panel, "small") == ["0.100", "0.200", "0.000"]
