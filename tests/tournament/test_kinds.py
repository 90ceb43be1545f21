"""Every kind of runs has what commands, pages and demonstrations call, and nothing else names them."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from antemill.tournament.kinds import KINDS
from antemill.tournament.runs.items import Entry

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", KINDS)
def test_a_page_sorts_and_filters_by_columns_that_the_server_knows(name: str) -> None:
    """Else the server refuses what its own page asks for."""
    text = (
        ROOT / "tournament" / "pages" / f"{ {'tournament': 'matches', 'duel': 'duels'}.get(name, name) }.js"
    ).read_text()
    listed = re.search(r"const filters = \[(.*?)\n\];", text, re.S)
    columns = re.search(r"const columns = \[(.*?)\n\];", text, re.S)
    assert listed is not None
    assert columns is not None
    asked = set(re.findall(r'\{ key: "(\w+)"', listed[1])) | set(
        re.findall(r'\{ key: "(\w+)"[^\n]*sort: true', columns[1])
    )
    module = import_module(f"{KINDS[name].package}.items")
    [items] = {one for one in vars(module).values() if hasattr(one, "measures") and one.__module__ == module.__name__}
    known = {*Entry.__struct_fields__, *items.facets, *items.measures, "search", "status"}
    assert asked <= known
