"""The overview: contents that lead to every section, notes in words, nothing that a stranger wrote as code."""

import re

from antemill.tournament.charts.chart import Chart, Panel
from antemill.tournament.pages import overview as pages
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


def test_without_sections_there_are_no_contents() -> None:
    assert overview("<p>head</p>", [Group("Nothing", [])]) == ["<p>head</p>"]


def test_notes_are_words_and_not_markdown() -> None:
    assert words("J *without noise* and **read with care:** a p") == (
        "J <em>without noise</em> and <strong>read with care:</strong> a p"
    )
    assert words("in `tables/a.csv`") == "in <code>tables/a.csv</code>"
    assert words("2 * 3 * 4 and a*b*c") == "2 * 3 * 4 and a*b*c"
    assert words("*<script>* & <b>") == "<em>&lt;script&gt;</em> &amp; &lt;b&gt;"


def test_a_title_that_asks_ends_with_its_question_mark() -> None:
    asked, said = (pages.figure(Chart(title, (Panel(8.0, 8.0, (), ""),))) for title in ("Why?", "Thus"))
    assert "<strong>Why?</strong>" in asked
    assert "<strong>Thus.</strong>" in said


def test_of_a_very_long_table_the_first_rows_are_shown_and_the_note_says_so() -> None:
    rows: list[list[Cell]] = [[f"r{i}", float(i)] for i in range(pages.MOST + 7)]
    found = sheet_section(Sheet("long", "Long", [Column("a", "a", "text"), Column("b", "b")], rows, "A note."))
    assert found.html.count("<tr>") == pages.MOST + 1
    assert f"The first {pages.MOST:,} of {pages.MOST + 7:,} rows" in found.html
    assert "<code>tables/long.csv</code>" in found.html
    short = sheet_section(Sheet("s", "S", [Column("a", "a", "text"), Column("b", "b")], rows[:9], "A note."))
    assert "The first" not in short.html


def test_a_table_shows_what_its_note_calls_bold_and_links_its_cells() -> None:
    rows: list[list[Cell]] = [["7", 0.5], ["8", 0.25]]
    sheet = Sheet("s", "S", [Column("seed", "", "text"), Column("b", "b")], rows, bold=frozenset({(1, 1)}))
    text = sheet_section(sheet, links={"seed": {"8": "#game-8"}}).html
    assert re.findall(r'class="bold"[^>]*>([^<]*)', text) == ["0.25"]
    assert '<a href="#game-8">8</a>' in text
    assert text.count("<a ") == 1
    assert re.findall(r"<button[^>]*></button>", text) == []  # a heading without words has a name all the same


def test_figures_stand_above_their_table_with_title_and_note() -> None:
    chart = Chart("Radars <of> all", (Panel(10, 10, (), "one"), Panel(10, 10, (), "two")), "Dashed: *zero*.", 3)
    text = sheet_section(Sheet("s", "S", [Column("a", "a", "text")], [["x"]]), charts=[chart]).html
    assert text.count("<svg") == 2
    assert text.index("</figure>") < text.index("<table")
    assert "<strong>Radars &lt;of&gt; all.</strong> Dashed: <em>zero</em>." in text


def test_a_long_name_is_cut_in_headings_and_cells_and_whole_in_their_tooltip() -> None:
    name = "m" * 270
    columns = [Column("who", "who", "text"), *(Column(f"c{i}", name if i == 3 else f"c{i}") for i in range(17))]
    text = sheet_section(Sheet("s", "S", columns, [[name, *(0.5 for _ in range(17))]])).html
    assert text.count(f'title="{name}"') == 2
    assert len(re.findall(r">m{59}…<", text)) == 2
    assert 'class="sortable crowded"' in text  # whose numbers have upright headings
    assert text.count('<th scope="col" class="upright"') == 17
