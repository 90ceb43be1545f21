"""What can be true at a point of the game: by hand, and beside the plain interpreter's play (G34)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import msgspec
import pytest

from antemill.engine.builder.bounds import HERE, assume, begin, pop, push, tighten
from antemill.engine.builder.following import follow
from antemill.engine.builder.generate import generate
from antemill.engine.builder.workspace import (
    ALICE,
    ALIVE,
    BOARD,
    BOB,
    DECK,
    HAND,
    LEAD,
    OWN,
    PILE,
    POT,
    VARIABLES,
    Draft,
    Workspace,
)
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import (
    All,
    Ante,
    ChipsAre,
    Condition,
    DeckSizeIs,
    EndGame,
    FixedBetting,
    GameSpec,
    HandSizeIs,
    If,
    Leads,
    Not,
    Phase,
    PotIs,
    Showdown,
    Step,
    Steps,
    Transfer,
    VariableIs,
)
from antemill.engine.rules.table import columns as of
from antemill.engine.rules.table.codec import table_of
from antemill.engine.rules.walk import walk
from tests.engine.machine.fuzz_specs import fuzzed
from tests.naive import RandomChooser
from tests.naive.interpreter import GameOverError, Interpreter
from tests.specs import every_construct


def laid_out(spec: GameSpec) -> tuple[Draft, list[int]]:
    """A draft with the rules of a game, at its beginning, and the rows of its main phases."""
    table, d = table_of(spec), Workspace(1).draft
    d.nodes[: len(table.nodes)] = table.nodes
    d.state[VARIABLES] = table.variables
    begin(d, spec.chips, len(spec.deck.ranks) * len(spec.deck.suits))
    return d, table.sequence.tolist()


def interval(d: Draft, quantity: int, row: int = HERE) -> tuple[int, int]:
    """The smallest and the largest value."""
    return int(d.lo[row, quantity]), int(d.hi[row, quantity])


# ------------------------------------------------------------------------------------------------ by hand


def playing(*phases: Phase) -> GameSpec:
    """Kuhn poker's cards and ten chips, with these phases alone, and a variable."""
    sequence = tuple(phase.name for phase in phases)
    return msgspec.structs.replace(NAMED["kuhn"](), chips=10, phases=phases, sequence=sequence, variables=("n",))


def condition_of(d: Draft, phase: int) -> int:
    """The row of the condition of the first step of a list."""
    return int(d.nodes[d.nodes[phase, of.STEPS_STEPS], of.IF_CONDITION])


def test_bounds_follow_chips() -> None:
    d, phases = laid_out(
        playing(
            Steps("Stakes", (Ante("both", 2), Transfer("alice", "bob", 1))),
            FixedBetting("Bets", "alice", 3),
            Steps("Large", (If(PotIs(">", 6), ()),)),
            Steps("Poor", (If(ChipsAre("alice", "<=", 5), ()),)),
            Steps("Payment", (If(PotIs("==", 4), (Transfer("pot", "bob", 4),), ()),)),
        )
    )
    stakes, bets, large, poor, payment = phases
    follow(d, HERE, stakes, False)
    assert [interval(d, quantity) for quantity in (ALICE, BOB, POT)] == [(7, 7), (9, 9), (4, 4)]
    follow(d, HERE, bets, False)
    tighten(d, HERE)
    assert [interval(d, quantity) for quantity in (ALICE, BOB, POT)] == [(4, 7), (6, 9), (4, 10)]
    side = push(d, HERE)
    assume(d, side, condition_of(d, large), True)
    assert interval(d, POT, side) == (7, 10)
    assume(d, side, condition_of(d, poor), False)
    assert interval(d, ALICE, side) == (6, 7)
    pop(d, side)
    assert [interval(d, quantity) for quantity in (ALICE, POT)] == [(4, 7), (4, 10)]
    follow(d, HERE, payment, False)
    assert interval(d, POT) == (0, 10)
    assert interval(d, BOB) == (6, 13)
    assert interval(d, DECK) == (3, 3)


def anywhere(*phases: Phase) -> tuple[Draft, list[int]]:
    """Each quantity is 2 to 8, and either seat leads; 20 chips in all."""
    d, rows = laid_out(playing(*phases))
    d.lo[HERE], d.hi[HERE] = 2, 8
    d.lo[HERE, LEAD], d.hi[HERE, LEAD] = 0, 1
    d.lo[HERE, ALIVE] = 1
    return d, rows


NARROWING: list[tuple[Condition, int, tuple[int, int], tuple[int, int]]] = [
    (ChipsAre("alice", ">", 5), ALICE, (6, 8), (2, 5)),
    (ChipsAre("bob", ">=", 5), BOB, (5, 8), (2, 4)),
    (PotIs("<", 5), POT, (2, 4), (5, 8)),
    (PotIs("<=", 5), POT, (2, 5), (6, 8)),
    (PotIs("==", 5), POT, (5, 5), (2, 8)),
    (HandSizeIs("alice", ">", 5), HAND, (6, 8), (2, 5)),
    (HandSizeIs("bob", "<", 5), HAND + 1, (2, 4), (5, 8)),
    (DeckSizeIs(">", 5), DECK, (6, 8), (2, 5)),
    (VariableIs("n", "<", 5), OWN, (2, 4), (5, 8)),
    (PotIs(">", 1), POT, (2, 8), (2, 1)),  # an empty interval: play does not come there
    (Leads("alice"), LEAD, (0, 0), (1, 1)),
    (Leads("bob"), LEAD, (1, 1), (0, 0)),
    (Not(PotIs("<", 5)), POT, (5, 8), (2, 4)),
    (Not(Not(Leads("bob"))), LEAD, (1, 1), (0, 0)),
    (All((PotIs(">", 3), PotIs("<", 6))), POT, (4, 5), (2, 8)),
    (Not(All((PotIs(">", 3), PotIs("<", 6)))), POT, (2, 8), (4, 5)),
]


@pytest.mark.parametrize(("condition", "quantity", "held", "failed"), NARROWING)
def test_how_a_condition_came_out_narrows(
    condition: Condition, quantity: int, held: tuple[int, int], failed: tuple[int, int]
) -> None:
    """The interval of what it reads, and no other."""
    d, (phase,) = anywhere(Steps("Event", (If(condition, ()),)))
    for holds, found in ((True, held), (False, failed)):
        row = push(d, HERE)
        assume(d, row, condition_of(d, phase), holds)
        assert interval(d, quantity, row) == found
        others = [q for q in range(OWN + 1) if q != quantity]
        assert [interval(d, q, row) for q in others] == [interval(d, q) for q in others]
        pop(d, row)


def test_play_does_not_go_on_after_the_end() -> None:
    """What has been narrowed where the game goes on stays so."""
    over = (EndGame(), Transfer("pot", "alice", 2))
    d, phases = anywhere(
        Steps("Maybe", (If(PotIs(">", 5), over),)),
        Steps("Both", (If(PotIs(">", 3), over, over),)),
        Showdown("Showdown"),
    )
    maybe, both, showdown = phases
    follow(d, HERE, maybe, False)
    assert [interval(d, quantity) for quantity in (POT, ALICE)] == [(2, 5), (2, 8)]
    for last in (both, showdown):
        row = push(d, HERE)
        assert d.lo[row, ALIVE]
        follow(d, row, last, False)
        assert not d.lo[row, ALIVE]
        pop(d, row)


# ------------------------------------------------------------------------------------------------ beside play


def games() -> list[GameSpec]:
    drawn = [generate(seed, complexity) for complexity in (None, 1.0) for seed in range(60)]
    return [*(game() for game in NAMED.values()), every_construct(), *drawn, *map(fuzzed, range(40))]


def standings(spec: GameSpec, seed: int) -> Iterator[tuple[int, dict[int, int]]]:
    """Of a random play, after each main phase that does not end it: its place, and the value of every quantity."""
    play = Interpreter(spec, RandomChooser(seed))
    table = play.table
    for place, name in enumerate(spec.sequence):
        try:
            play.enter(name)
        except GameOverError:
            return
        found = {ALICE: table.stacks[0], BOB: table.stacks[1], POT: table.pot, DECK: len(table.deck), ALIVE: 1}
        found |= {HAND: len(table.hands[0]), HAND + 1: len(table.hands[1]), LEAD: table.leader}
        found |= {BOARD: len(table.board), PILE: len(table.discard)}
        found |= {OWN + number: table.variables[name] for number, name in enumerate(spec.variables)}
        yield place, found


def outside(spec: GameSpec, plays: int) -> list[Any]:
    """The quantities of random plays that were not within their interval."""
    d, phases = laid_out(spec)
    bounds = []
    for phase in phases:
        follow(d, HERE, phase, False)
        tighten(d, HERE)
        bounds.append((d.lo[HERE].tolist(), d.hi[HERE].tolist()))
    return [
        (spec.name, spec.sequence[place], quantity, value)
        for seed in range(plays)
        for place, found in standings(spec, seed)
        for quantity, value in found.items()
        if not (bounds[place][0][quantity] <= value <= bounds[place][1][quantity] or quantity == ALIVE)
        or not bounds[place][0][ALIVE]
    ]


def test_play_stays_within_the_bounds() -> None:
    """Wherever a main phase has been played; every kind is in one of the games."""
    spread = games()
    assert {type(node) for spec in spread for _, node in walk(spec)} == set(get_args(Phase | Step | Condition))
    assert [each for spec in spread for each in outside(spec, 2)] == []
