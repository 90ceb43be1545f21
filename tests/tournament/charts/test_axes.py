"""Scales, ticks and legends."""

import math

import numpy as np
import pytest

from antemill.tournament.charts import axes
from antemill.tournament.charts.axes import Box, Scale
from antemill.tournament.charts.chart import Panel
from tests.tournament.charts.drawn import texts


@pytest.mark.parametrize("seed", range(3))
def test_ticks_are_round_and_inside(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(100):
        low = float(rng.normal()) * 10.0 ** int(rng.integers(-5, 6))
        high = low + float(rng.random() + 1e-3) * 10.0 ** int(rng.integers(-5, 6))
        if high - low < 1e-9 * abs(low):
            continue
        found = axes.ticks(low, high)
        slack = 1e-6 * (high - low)
        assert 2 <= len(found) <= 10
        assert low - slack <= found[0] < found[-1] <= high + slack
        step = found[1] - found[0]
        leading = step / 10.0 ** np.floor(np.log10(step) + 1e-9)
        assert min(abs(leading - nice) for nice in (1, 2, 5, 10)) < 1e-3


def test_a_scale_leaves_out_what_is_not_finite_and_has_some_width() -> None:
    found = axes.scale([1.0, math.inf, math.nan, 3.0], 0.0, 100.0)
    assert found.low < 1.0
    assert 3.0 < found.high < 4.0
    for values in ([], [math.nan], [5.0, 5.0]):
        one = axes.scale(values, 0.0, 100.0)
        assert one.low < one.high


def test_an_axis_of_whole_numbers_has_no_fractions() -> None:
    box = Box(50, 550, 10, 300)
    for low, high in ((0.95, 4.05), (0.9, 1.1), (0.0, 121.0)):
        drawn = axes.across(Scale(low, high, 50, 550), box, whole=True)
        found = texts(Panel(600, 340, tuple(drawn), ""), "x")
        assert found
        assert all(float(label) == int(label) for label in found)
    assert texts(Panel(600, 340, tuple(axes.across(Scale(0.95, 4.05, 50, 550), box, whole=True)), ""), "x") == list(
        "1234"
    )


def test_labels_of_ticks_have_no_noise() -> None:
    found = [axes.tick_label(value) for value in axes.ticks(-0.3, 0.3, 6)]
    assert found == [*(f"\N{MINUS SIGN}0.{i}" for i in (3, 2, 1)), "0", "0.1", "0.2", "0.3"]
