"""Heat maps: colours by sign and size, gaps, many rows."""

import math

from antemill.tournament.charts.heat import heat_map
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
