"""Lists that are narrowed down and sorted, of any kind of runs."""

from __future__ import annotations

from antemill.tournament.runs.items import Row
from antemill.tournament.runs.lists import facets, selected

ROWS: list[Row] = [
    {"item": "a", "about": "Kuhn", "outcome": "ann", "players": ["ann", "Bob"], "swing": 3, "causes": {"empty": 2}},
    {"item": "b", "about": "leduc", "outcome": "draw", "players": ["Bob", "cem"], "swing": 11, "causes": {}},
    {"item": "c", "about": "leduc", "outcome": "planned", "players": ["ann", "cem"], "causes": {}, "kept": True},
    {"item": "d", "about": "x", "outcome": "cem", "players": ["cem", "ann"], "swing": 2.5, "causes": {"illegal": 1}},
]
FILTERS: list[tuple[dict[str, list[str]], str, str]] = [
    ({}, "", "abcd"),
    ({"players": ["ann"]}, "", "acd"),
    ({"players": ["ann", "cem"]}, "", "cd"),
    ({"about": ["leduc"]}, "", "bc"),
    ({"about": ["led"]}, "", ""),
    ({"causes": ["empty"]}, "", "a"),
    ({"causes": ["constructor"]}, "", ""),
    ({"swing": ["3"]}, "", "ab"),
    ({"swing": ["2.5"]}, "-swing", "bad"),
    ({"swing": ["many"]}, "", ""),
    ({"kept": ["true"]}, "", "c"),
    ({"nothing": ["x"]}, "", ""),
    ({"search": ["BOB  kuhn"]}, "", "a"),
    ({"search": ["cem"], "about": ["leduc"]}, "", "bc"),
    ({}, "swing", "dabc"),
    ({}, "-swing", "badc"),
    ({}, "players", "bacd"),
    ({}, "-about", "dbca"),
    ({}, "nothing", "abcd"),
]


def test_a_list_shows_what_was_asked_for() -> None:
    for filters, sort, items in FILTERS:
        assert "".join(row["item"] for row in selected(ROWS, filters, sort)) == items, (filters, sort)


def test_facets_count_values_and_the_most_frequent_come_first() -> None:
    found = facets(ROWS, ["players", "causes", "about", "kept", "nothing"])
    assert found["players"] == {"ann": 3, "cem": 3, "Bob": 2}
    assert found["causes"] == {"empty": 1, "illegal": 1}
    assert next(iter(found["about"].items())) == ("leduc", 2)
    assert found["kept"] == {"true": 1}
    assert found["nothing"] == {}
