"""A table has the order of `antemill.engine.rules.walk`, and its answers are what the objects and lists say."""

from __future__ import annotations

from functools import cache
from typing import Any, get_args

from antemill.engine.builder.generate import generate
from antemill.engine.rules.fields import KINDS
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import (
    Cell,
    Condition,
    Cost,
    GameSpec,
    Option,
)
from antemill.engine.rules.table import columns as of
from antemill.engine.rules.table.codec import table_of
from antemill.engine.rules.table.order import order_of, reads_hidden_of, reads_suits_of
from antemill.engine.rules.walk import reads_suits, walk
from tests.engine.machine.fuzz_specs import fuzzed
from tests.naive.conditions import reads_hidden
from tests.specs import every_construct

CONDITIONS = get_args(Condition)


@cache
def specs() -> list[GameSpec]:
    """Hand-made, drawn and fuzzed games."""
    return [every_construct(), *(make() for make in NAMED.values()), *map(generate, range(40)), *map(fuzzed, range(40))]


def test_the_order_is_that_of_the_walk() -> None:
    """Options, cells and costs, which are no nodes of the walk, are left out here; a test of the schema has them."""
    for spec in specs():
        table = table_of(spec)
        visits = order_of(table)
        kinds = [KINDS[kind] for kind in table.nodes[visits[:, 0], of.KIND]]
        found = [(place, kind) for kind, place in zip(kinds, visits[:, 1]) if kind not in (Option, Cell, Cost)]
        assert found == [(place, type(node)) for place, node in walk(spec)]


def test_conditions_read_what_the_walk_says() -> None:
    hidden = [0, 0]
    for spec in specs():
        table = table_of(spec)
        nodes, rows = table.nodes, order_of(table)[:, 0]
        rows = rows[nodes[rows, of.KIND] <= of.NOT]
        conditions: list[Any] = [node for _, node in walk(spec) if isinstance(node, CONDITIONS)]
        assert len(conditions) == len(rows)
        for row, condition in zip(rows.tolist(), conditions, strict=True):
            assert reads_hidden_of(nodes, row) == reads_hidden(condition), condition
            hidden[reads_hidden(condition)] += 1
    assert min(hidden) > 150


def test_games_read_suits_where_the_walk_says_so() -> None:
    suited = [reads_suits(spec) for spec in specs()]
    assert [reads_suits_of(table_of(spec)) for spec in specs()] == suited
    assert 15 < sum(suited) < len(specs()) - 15
