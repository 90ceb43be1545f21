"""A table has the order of `antemill.engine.rules.walk`, and its answers are what the objects and lists say."""

from __future__ import annotations

from functools import cache
from typing import Any, get_args

import numpy as np
import pytest
from msgspec.structs import replace

from antemill.engine.builder.generate import generate
from antemill.engine.rules.named import NAMED, kuhn
from antemill.engine.rules.spec import (
    ActionRound,
    AnyOf,
    BettingLoop,
    Cell,
    ChipsAre,
    Condition,
    Cost,
    Deck,
    FixedBetting,
    GameSpec,
    HoldsRank,
    HoldsSuit,
    If,
    NoAction,
    Not,
    Observation,
    Option,
    PotIs,
    Showdown,
    SideBet,
    Simultaneous,
    Steps,
)
from antemill.engine.rules.table import columns as of
from antemill.engine.rules.table.codec import table_of
from antemill.engine.rules.table.order import order_of, reads_hidden_of, reads_suits_of
from antemill.engine.rules.table.schema import KINDS
from antemill.engine.rules.walk import reads_hidden, reads_suits, walk
from tests.engine.machine.fuzz_specs import fuzzed
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
    """The rows of conditions are in the order of the walk."""
    hidden = [0, 0]
    for spec in specs():
        nodes = table_of(spec).nodes
        rows = np.flatnonzero(nodes[:, of.KIND] <= of.NOT)
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


HEARTS = HoldsSuit("bob", "hearts")
READS = If(PotIs(">", 1), (NoAction(), If(AnyOf((PotIs(">", 1), Not(HEARTS))), (NoAction(),))))
IGNORES = If(PotIs(">", 1), (NoAction(),), (If(HoldsRank("bob", (12,)), (NoAction(),)),))
BETS = FixedBetting("Bets", "alice", 1)


def phases(step: If) -> list[Any]:
    """One phase of every kind that holds steps or a condition."""
    return [
        Steps("S", (NoAction(), step)),
        Steps("S", (If(PotIs("<", 3), (NoAction(),), (step,)),)),
        BettingLoop("S", "n", 2, 0, ("Bets",), (step,)),
        ActionRound("S", "bob", (Option("a"), Option("b", (step,)))),
        Simultaneous("S", ("a", "b"), ("a",), (Cell("a", "a", ()), Cell("b", "a", (step,)))),
        Simultaneous("S", ("a", "b"), ("a",), (Cell("a", "a", ()),), (step,)),
        SideBet("S", "bob", 1, step.condition),
        Observation("S", "bob", "deck-card", "card", trigger=step.condition),
        Observation("S", "bob", "deck-card", "card"),
        Showdown("S", "pairs"),
    ]


def game(*phases: Any) -> GameSpec:
    deck = Deck((11, 12, 13), ("hearts", "spades"))
    names = tuple(phase.name for phase in phases)
    return replace(kuhn(), deck=deck, phases=(*phases, BETS), sequence=names, variables=("n",))


SIGHT = Observation("S", "bob", "deck-card", "suit")


@pytest.mark.parametrize(
    "phase",
    [*phases(READS)[:6], *phases(READS.then[1])[6:8], SIGHT, Showdown("S", "suits")],  # type: ignore[arg-type]
)
def test_suits_are_read_wherever_a_rule_may_stand(phase: Any) -> None:
    assert reads_suits_of(table_of(game(phase)))


@pytest.mark.parametrize("phase", phases(IGNORES))
def test_suits_are_not_read_where_no_rule_does(phase: Any) -> None:
    assert not reads_suits_of(table_of(game(phase)))


def test_rows_that_belong_to_no_rule_of_the_game_do_not_count() -> None:
    """A table may have rows that were drawn and not taken, and a condition may belong to a list of others as well."""
    step = If(PotIs(">", 1), (NoAction(),))
    bet = SideBet("B", "bob", 1, Not(ChipsAre("bob", ">", 1)))
    look = Observation("O", "bob", "deck-card", "card")
    table = table_of(game(Steps("S", (step,)), bet, look, Showdown("D", "sum")))
    suited = np.full((1, of.WIDTH), of.NONE)
    suited[0, of.KIND] = of.HOLDS_SUIT
    nodes = np.concatenate((table.nodes, suited))
    nodes[nodes[:, of.KIND] <= of.NOT, of.NEXT] = len(nodes) - 1
    assert not reads_suits_of(table._replace(nodes=nodes))
    row = np.flatnonzero(nodes[:, of.KIND] == of.POT_IS)[0]
    assert not reads_hidden_of(nodes, row)
    nodes[table.sequence[1], of.SIDE_BET_CONDITION] = len(nodes) - 1
    assert reads_suits_of(table._replace(nodes=nodes))
