"""Heat maps: colours by sign and size, gaps, many rows."""

import math

from antemill.tournament.charts.heat import MOST_WRITTEN, heat_map
from tests.tournament.charts.drawn import elements, texts


def test_colours_say_sign_and_size() -> None:
    panel = heat_map(["a", "b"], ["x", "y"], [[1.0, -0.5], [math.nan, 0.0]], [["+2", "-1"], ["–", "0"]], "chips")
    cells = [(one.get("class"), one.get("fill-opacity"), one[0].text) for one in elements(panel, "rect")]
    assert cells == [
        ("plus", "1.00", "a, x: +2"),
        ("minus", "0.50", "a, y: -1"),
        ("gap", None, "b, x: –"),
        ("plus", "0.00", "b, y: 0"),
    ]
    assert texts(panel, "cell") == ["+2", "-1", "–", "0"]


def test_long_headings_stay_within_the_panel() -> None:
    names = ["provider/a-model-with-quite-a-long-name"] * 7
    panel = heat_map(names, names, [[0.1] * 7] * 7, [["+0.10"] * 7] * 7, "chips")
    for one in elements(panel, "text", "name"):
        x, y = float(one.get("x", "")), float(one.get("y", ""))
        assert 0 <= x <= panel.width
        if "transform" in one.attrib:  # at 30 degrees to the upper right
            assert x + 190 * math.cos(math.radians(30)) <= panel.width + 5
            assert y - 190 * math.sin(math.radians(30)) >= -5


def test_of_very_many_rows_some_are_named_and_no_figure_is_written() -> None:
    count = 5 * MOST_WRITTEN
    panel = heat_map([f"g{i}" for i in range(count)], ["x"], [[0.5]] * count, [["1.0"]] * count, "chips")
    assert len(elements(panel, "rect")) == count
    assert texts(panel, "cell") == []
    assert len(texts(panel, "end")) == MOST_WRITTEN
    assert panel.height < 1400
