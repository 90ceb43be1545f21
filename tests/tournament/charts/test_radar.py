"""Radars: legible, comparable, true to their figures."""

import math

import numpy as np
import pytest

from antemill.tournament.charts.radar import radar
from tests.tournament.charts.drawn import elements


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
