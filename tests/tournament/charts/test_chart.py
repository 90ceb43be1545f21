"""A chart as a file and as a piece of a page: the same drawing, with colours that each can read."""

import re
from xml.etree import ElementTree

from antemill.tournament.charts.chart import Chart, Panel, inline, style, to_svg, written

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


def test_every_colour_of_the_style_sheet_has_a_value_for_files() -> None:
    for name, value in re.findall(r"var\((--[\w-]+)(?:, ([^)]+))?\)", style()):
        assert re.fullmatch(r"#[0-9a-f]{6}", value), name


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


def test_a_long_title_is_wrapped_within_the_file() -> None:
    title = "A rather long title of a figure that says much more than its width can hold in a single line"
    root = ElementTree.fromstring(to_svg(chart(title=title)))
    lines = [one.text or "" for one in root.iter() if one.get("class") == "title"]
    assert len(lines) > 1
    assert " ".join(lines) == title


def test_a_note_in_a_file_has_no_signs_of_emphasis() -> None:
    root = ElementTree.fromstring(to_svg(chart(note="Whiskers: *these games*, 2*3 and *.")))
    lines = [one.text or "" for one in root.iter() if one.get("class") == "note"]
    assert " ".join(lines) == "Whiskers: these games, 2*3 and *."


def test_whatever_a_stranger_wrote_is_text() -> None:
    panel = Panel(200.0, 100.0, (written(1, 2, EVIL),), EVIL)
    for text in (inline(panel), to_svg(Chart(EVIL, (panel,), EVIL)).decode()):
        root = ElementTree.fromstring(text)
        assert not [one for one in root.iter() if one.tag.endswith("script")]
        assert "alert(1)" in "".join(root.itertext())
        assert "\x1b" not in text
