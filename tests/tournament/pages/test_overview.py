"""The overview: contents that lead to every section, notes in words, nothing that a stranger wrote as code."""

import re

from antemill.tournament.pages.overview import Group, overview, section, sheet_section, words
from antemill.tournament.statistics.sheets import Cell, Column, Sheet


def test_the_contents_lead_to_every_section_once() -> None:
    groups = [
        Group("First", [section("A title", "<p>1</p>"), section("A title", "<p>2</p>", name="other")]),
        Group("Nothing", []),
        Group("Second", [section("A title", "<p>3</p>"), section("日本", "<p>4</p>")]),
    ]
    text = "\n".join(overview("<p>head</p>", groups))
    links = re.findall(r'<a href="#([^"]+)">', text)
    places = re.findall(r'<h2 id="([^"]+)"', text)
    assert links == places
    assert len(set(places)) == 4
    assert re.findall(r"<p>(\d)</p>", text) == list("1234")
    assert "Nothing" not in text
    assert re.findall(r"<li[^>]*><span>([^<]*)", text) == ["First", "Second"]
    tabs = re.findall(r'<div class="group" data-tab="([^"]*)"', text)
    assert tabs == re.findall(r'<li data-tab="([^"]*)"', text) == ["tab-first", "tab-second"]
    assert text.index("<p>head</p>") > text.index('data-tab="tab-first" data-title')


def test_notes_are_words_and_not_markdown() -> None:
    assert words("J *without noise* and **read with care:** a p") == (
        "J <em>without noise</em> and <strong>read with care:</strong> a p"
    )
    assert words("in `tables/a.csv`") == "in <code>tables/a.csv</code>"
    assert words("2 * 3 * 4 and a*b*c") == "2 * 3 * 4 and a*b*c"
    assert words("*<script>* & <b>") == "<em>&lt;script&gt;</em> &amp; &lt;b&gt;"


def test_a_table_shows_what_its_note_calls_bold_and_links_its_cells() -> None:
    rows: list[list[Cell]] = [["7", 0.5], ["8", 0.25]]
    sheet = Sheet("s", "S", [Column("seed", "", "text"), Column("b", "b")], rows, bold=frozenset({(1, 1)}))
    text = sheet_section(sheet, links={"seed": {"8": "#game-8"}}).html
    assert re.findall(r'class="bold"[^>]*>([^<]*)', text) == ["0.25"]
    assert '<a href="#game-8">8</a>' in text
    assert text.count("<a ") == 1
    assert re.findall(r"<button[^>]*></button>", text) == []  # a heading without words has a name all the same
