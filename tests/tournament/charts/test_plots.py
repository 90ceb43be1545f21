"""Plots in a plane: every point, gap and band is drawn where it belongs."""

import math

import numpy as np
import pytest

from antemill.tournament.charts import plots
from antemill.tournament.charts.axes import scale
from antemill.tournament.charts.plots import Dot, Line, Marked
from tests.tournament.charts.drawn import NUMBER, elements, inside


def test_a_histogram_shows_every_value() -> None:
    values = np.random.default_rng(3).normal(size=500).tolist()
    drawing = plots.histogram(values, "luck", values[:7], [("33rd", -0.4), ("67th", 0.4)], height=190)
    heights = [float(one.get("height", "")) for one in elements(drawing, "rect", "bar")]
    counts = plots.bins(values, scale(values, 40, 330, pad=0.02), 24)
    assert sum(counts) == 500
    shown = [count for count in counts if count]
    assert heights == pytest.approx([count / max(counts) * max(heights) for count in shown], abs=0.11)
    assert len(elements(drawing, "path", "mark")) == 7
    assert [one[0].text for one in elements(drawing, "path", "cut")] == ["33rd: -0.400", "67th: 0.400"]


@pytest.mark.parametrize("value", [0.0, -2.5, 1e9])
def test_plots_of_a_single_value_are_drawn(value: float) -> None:
    marked = Marked(value, value, "a")
    line = Line("a", [1], [value], [value], [value])
    for panel in (
        plots.histogram([value] * 3, "luck", [value], [("cut", value)], count="count", named=True),
        plots.cloud([Dot(value, value, "all", False)] * 2, "luck", "skill"),
        plots.plane([marked], "luck", "skill"),
        plots.lines([line], "luck", "skill"),
        plots.lines([line], "luck", "skill", whiskers=True),
        plots.groups(["x"], {"a": [value]}, "skill", sigma={"a": [0.0]}),
    ):
        text = "".join(panel.parts)
        assert "nan" not in text
        assert "inf" not in text
        assert inside(panel)


def test_a_line_is_broken_at_its_gaps() -> None:
    gap = math.nan
    panel = plots.lines([Line("a", [1, 2, 3, 4, 5], [0.1, 0.2, gap, 0.4, 0.5])], "turn", "share", (0.0, 1.0))
    path = elements(panel, "path", "line")[-1].get("d", "")
    assert path.count("M") == 2
    assert path.count("L") == 2
    assert len(elements(panel, "circle")) == 5  # the legend's, and four of the line
    assert plots.lines([Line("a", [1], [gap])], "turn", "share", (0.0, 1.0)).height > 0


def test_a_band_lies_around_its_line() -> None:
    line = Line("a", list(range(50)), [2.0] * 50, [1.0] * 50, [3.0] * 50)
    panel = plots.lines([line], "update", "mu")
    band = [float(value) for value in NUMBER.findall(elements(panel, "path", "band")[0].get("d", ""))][1::2]
    middle = [float(value) for value in NUMBER.findall(elements(panel, "path", "line")[-1].get("d", ""))][1::2]
    assert min(band) < min(middle) == max(middle) < max(band)
    assert max(band) - middle[0] == pytest.approx(middle[0] - min(band), abs=0.2)


def test_stacked_columns_stand_on_each_other_and_sum_up() -> None:
    values = {"solved": [3.0, 0.0], "unsolved": [1.0, 4.0], "penalties": [0.0, 2.0]}
    panel = plots.groups(["1", "2"], values, "turns", stacked=True)
    bars = [one for one in elements(panel, "rect", "bar") if one.findall("title")]
    sizes = {str(one[0].text): (float(one.get("y", "")), float(one.get("height", ""))) for one in bars}
    unit = sizes["solved, 1: 3"][1] / 3
    assert sizes["unsolved, 2: 4"][1] == pytest.approx(4 * unit, abs=0.2)
    assert sizes["unsolved, 1: 1"][0] + sizes["unsolved, 1: 1"][1] == pytest.approx(sizes["solved, 1: 3"][0], abs=0.2)
    assert sizes["penalties, 2: 2"][0] < sizes["unsolved, 2: 4"][0]
