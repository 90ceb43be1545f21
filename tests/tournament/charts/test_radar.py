"""Radars: legible, comparable, true to their figures."""

import math

import numpy as np
import pytest

from antemill.tournament.charts.radar import radar, reach_of
from antemill.tournament.charts.text import SIZE
from tests.tournament.charts.drawn import elements, inside, texts

SPOKES = ("state space", "temporal depth", "information sensitivity", "opponent modeling", "risk", "brittleness")


def test_every_spoke_has_its_whole_name_and_its_point() -> None:
    values = np.array([1.0, -0.5, 0.0, 0.25, 0.5, -1.0])
    panel = radar("a model", SPOKES, values, values - 0.1, values + 0.1, reach_of(values, values - 0.1, values + 0.1))
    assert " ".join(texts(panel, "name")) == " ".join(SPOKES)
    assert texts(panel, "head") == ["a model"]
    assert len(elements(panel, "circle")) == 6
    assert len(elements(panel, "path", "band")) == 1
    assert len(elements(panel, "path", "zero")) == 1
    assert inside(panel)
    assert SIZE >= 13  # a panel is never drawn wider than the narrowest phone: letters stay legible
    assert panel.width <= 400


def test_points_lie_as_far_out_as_their_figures() -> None:
    values = np.array([0.0, 1.0, 2.0, 3.0])
    reach = (0.0, 4.0)
    gap = np.full(4, np.nan)
    panel = radar("m", list("abcd"), values, gap, gap, reach)
    points = [(float(one.get("cx", "")), float(one.get("cy", ""))) for one in elements(panel, "circle")]
    middle = points[0]
    lengths = [math.dist(middle, point) for point in points]
    assert lengths == pytest.approx([lengths[3] * value / 3 for value in values], abs=0.2)
    assert points[1][0] > middle[0]  # clockwise from the top
    assert points[2][1] > middle[1]
    assert points[3][0] < middle[0]
    assert elements(panel, "path", "band") == []


def test_the_rim_holds_all_figures_and_zero() -> None:
    low, high = reach_of(np.array([2.0, 3.0]), np.array([np.nan, 5.0]))
    assert low < 0.0
    assert high > 5.0
    low, high = reach_of(np.array([-2.0, -3.0]))
    assert low < -3.0
    assert high > 0.0
    assert reach_of(np.array([0.0]))[0] < reach_of(np.array([0.0]))[1]
