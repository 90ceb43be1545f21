"""A chart as a file and as a piece of a page: the same drawing, with colours that each can read."""

import re
from xml.etree import ElementTree

from antemill.tournament.charts.chart import Chart, Panel, inline, to_svg, written

EVIL = '<script>alert(1)</script> & "quoted" \x00\x1b[31m'


def chart(panels: int = 1, columns: int = 1, title: str = "A title", note: str = "A note.") -> Chart:
    drawn = [Panel(200.0, 100.0, (written(10, 20, f"panel {i}", "name"),), f"label {i}") for i in range(panels)]
    return Chart(title, tuple(drawn), note, columns)


def test_a_file_is_whole_and_knows_no_variables() -> None:
    text = to_svg(chart()).decode()
    root = ElementTree.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "var(" not in text
    assert "currentColor" in text
    assert {"A title", "panel 0", "A note."} <= {part.strip() for part in root.itertext()}
    assert to_svg(chart()) == to_svg(chart())


def test_panels_of_a_file_stand_in_a_grid_without_overlap() -> None:
    text = to_svg(chart(5, 3)).decode()
    places = [tuple(map(float, found)) for found in re.findall(r"translate\(([\d.]+) ([\d.]+)\)", text)]
    assert len(set(places)) == 5
    assert len({x for x, _ in places}) == 3
    assert len({y for _, y in places}) == 2
    size = re.search(r'viewBox="0 0 (\d+) (\d+)"', text)
    assert size is not None
    assert max(x for x, _ in places) + 200 <= float(size[1])
    assert max(y for _, y in places) + 100 <= float(size[2])


def test_whatever_a_stranger_wrote_is_text() -> None:
    panel = Panel(200.0, 100.0, (written(1, 2, EVIL),), EVIL)
    for text in (inline(panel), to_svg(Chart(EVIL, (panel,), EVIL)).decode()):
        root = ElementTree.fromstring(text)
        assert not [one for one in root.iter() if one.tag.endswith("script")]
        assert "alert(1)" in "".join(root.itertext())
        assert "\x1b" not in text
