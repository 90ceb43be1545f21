"""What can be true at a point of the game, beside the plain interpreter's play (G34)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

from antemill.engine.builder.bounds import HERE, begin, tighten
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
    Condition,
    GameSpec,
    Phase,
    Step,
)
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
