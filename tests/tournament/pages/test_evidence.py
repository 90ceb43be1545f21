"""Cells and marks lead to the items of the players and the game that they name, and to nothing else."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

from antemill.tournament.charts.chart import Chart, Panel
from antemill.tournament.pages.evidence import Evidence, item, listed
from antemill.tournament.pages.overview import figure
from antemill.tournament.statistics.sheets import Column, Missing, Sheet

EVIDENCE = Evidence(["a", "a, b", 'b&c"<'], ["kuhn", "leduc"])


def asked(place: str) -> list[tuple[str, str]]:
    """What a link narrows the list down to."""
    assert place.startswith("#/list?")
    return parse_qsl(place.removeprefix("#/list?"))


def test_rows_lead_to_all_that_they_name_and_cells_of_a_matrix_to_their_column_too() -> None:
    columns = [Column("game", "game", "text"), Column("x", "x"), Column("a", "a"), Column("b", 'b&c"<')]
    sheet = Sheet("s", "S", columns, [["kuhn", 1.0, 0.5, Missing("never met")], ["total", 2.0, 1.0, 1.0]])
    assert asked(EVIDENCE.cell(sheet, 0, 0)) == [("about", "kuhn")]
    assert EVIDENCE.cell(sheet, 0, 1) == ""  # a figure of its row, not of a pair
    assert asked(EVIDENCE.cell(sheet, 0, 2)) == [("players", "a"), ("about", "kuhn")]
    assert EVIDENCE.cell(sheet, 0, 3) == ""  # there are no matches behind it
    assert [EVIDENCE.cell(sheet, 1, i) for i in range(4)] == [""] * 4


def test_a_kind_says_what_is_behind_a_count_and_where_a_role_is_found() -> None:
    evidence = Evidence(
        ["a", "b"],
        roles={"setter": "setter"},
        cells={"failed": lambda row: listed(("setter", row["setter"]), ("why", row["rule"])), "at": at_decision},
    )
    columns = [Column("setter", "Setter", "text"), Column("rule", "Rule", "text"), Column("failed", "Failed", "count")]
    columns += [Column("b", "b"), Column("at", "Match", "text")]
    sheet = Sheet("s", "S", columns, [["a", "too long", 3, 0.0, "k/1: a b"], ["a", "too short", 0, 0.5, ""]])
    assert asked(evidence.cell(sheet, 0, 0)) == [("setter", "a")]
    assert asked(evidence.cell(sheet, 0, 2)) == [("setter", "a"), ("why", "too long")]
    assert asked(evidence.cell(sheet, 0, 3)) == [("setter", "a"), ("players", "b")]
    assert evidence.cell(sheet, 0, 4) == "#/item/k%2F1%3A%20a%20b/d3"
    assert [evidence.cell(sheet, 1, i) for i in (2, 4)] == ["", ""]  # nothing was counted, and nothing is named


def at_decision(row: Mapping[str, Any]) -> str:
    return item(row["at"], "d3")


def test_a_pair_leads_to_the_matches_of_both() -> None:
    columns = [Column("model", "model", "text"), Column("against", "against", "text"), Column("p", "p")]
    sheet = Sheet("s", "S", columns, [["a", 'b&c"<', 0.1]])
    assert asked(EVIDENCE.cell(sheet, 0, 0)) == [("players", "a"), ("players", 'b&c"<')]
    assert EVIDENCE.cell(sheet, 0, 1) == ""


def test_marks_lead_to_what_their_tooltips_begin_with() -> None:
    marks = [
        "<circle cx='1'><title>a: 1.5</title></circle>",
        "<circle cx='2'><title>a, b: 1.5</title></circle>",  # one player, whose name is like two
        "<rect x='3'><title>leduc, b&amp;c&quot;&lt;: 2</title></rect>",
        "<circle cx='4'><title>axis: 2</title></circle>",
        "<circle cx='5'><title>another: 2</title></circle>",
    ]
    text = figure(Chart("C", (Panel(10, 10, tuple(marks), "all"),)), evidence=EVIDENCE)
    assert text.count("<a ") == 3
    assert 'href="#/list?players=a" aria-label="a: 1.5"><circle' in text
    assert 'href="#/list?players=a%2C+b"' in text
    assert "players=b%26c%22%3C&amp;about=leduc" in text
    assert 'role="group"' in text  # a picture has nothing inside that the keyboard could reach
    plain = figure(Chart("C", (Panel(10, 10, tuple(marks[3:]), "all"),)), evidence=EVIDENCE)
    assert 'role="img"' in plain
