"""Nothing in an observation depends on what its seat was not told: where two lanes' seats were told the same, whatever
the opponent holds and did unseen, the environment shows the same present, the same legal actions and the same events.

What a seat was told is known by its perfect-recall key, which the machine keeps without looking at any observation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine import layout as at
from antemill.engine.machine.observe import recall_key
from antemill.engine.rules.limits import MAX_CARDS
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import GameSpec
from antemill.tournament.adapters import vector_env
from antemill.tournament.adapters.gymnasium import VectorTable
from tests.engine.machine.fuzz_specs import fuzzed
from tests.seeds import size
from tests.specs import every_construct

RANDOM = -1  # with illegal="masked": the action that a rollout's uniform player draws
LANES, STEPS = size(150, 300), 25
GAMES_OF_A_KIND = size(8, 16)
Show = Callable[[VectorTable, dict[str, Any], int], object]


def what_is_shown(_table: VectorTable, observations: dict[str, Any], lane: int) -> object:
    return tuple(part[lane].tobytes() for part in observations.values())


def what_the_opponent_sees(table: VectorTable, observations: dict[str, Any], lane: int) -> object:
    states, seat = table.lanes[0].states, int(table._view.seats[lane])
    return what_is_shown(table, observations, lane), table.state_observation.vector(states[lane], 1 - seat).tobytes()


def hidden(state: Any, seat: int) -> tuple[bytes, int, int]:
    """The opponent's cards, locked choice, and digest of what was told to the opponent only."""
    first = at.HANDS + (1 - seat) * MAX_CARDS
    cards = np.sort(state[first : first + state[at.HAND_N + 1 - seat]])
    return cards.tobytes(), int(state[at.LOCKED + 1 - seat]), int(state[at.PRIVATE + 1 - seat])


def swaps(spec: GameSpec, seed: int, show: Show = what_is_shown, bob: str | None = None) -> tuple[int, int, int]:
    """(situations with several hidden worlds behind them, how many of them are shown in several ways, how many
    situations are ends).
    """
    machine = vector_env(spec, LANES, illegal="masked", bob=bob)
    [lanes] = machine.lanes
    shown = machine.reset(seed=seed)[0]
    worlds: dict[Any, set[Any]] = defaultdict(set)
    ways: dict[Any, set[object]] = defaultdict(set)
    ends = set()
    for step in range(STEPS):
        if step:
            draw = np.full(LANES, RANDOM)
            shown = machine.step(draw)[0]
        for lane in range(LANES):
            state, seat, over = lanes.states[lane], int(machine._view.seats[lane]), bool(lanes.done[lane])
            told = seat, over, int(recall_key(state, seat, 0 if over else int(state[at.DECISION])))
            worlds[told].add(hidden(state, seat))
            ways[told].add(show(machine, shown, lane))
            if over:
                ends.add(told)
    several = [told for told in worlds if len(worlds[told]) > 1]
    return len(several), sum(len(ways[told]) > 1 for told in several), len(ends & set(several))


GAMES: dict[str, Callable[[int], GameSpec]] = {
    "drawn": lambda number: generate(number),
    "easy": lambda number: generate(number, 0.1),
    "hardest": lambda number: generate(number, 1.0),
    "fuzzed": lambda number: fuzzed(number),
    "small": lambda number: fuzzed(number, small=True),
}


@pytest.mark.parametrize("kind", GAMES)
def test_generated_games(kind: str) -> None:
    total = closed = 0
    for number in range(GAMES_OF_A_KIND):
        spec = GAMES[kind](number)
        alone = number >= 8 and (compile_spec(spec).decision_seats == 0).any()
        several, leaks, ends = swaps(spec, number, bob="random" if alone else None)
        assert (number, leaks) == (number, 0)
        total += several
        closed += ends
    assert total > size(100, 200)
    assert closed > 0


@pytest.mark.parametrize("make", [*NAMED.values(), every_construct])
def test_games_made_by_hand(make: Callable[[], GameSpec]) -> None:
    several, leaks, _ = swaps(make(), 1)
    assert several > 10
    assert leaks == 0


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_an_environment_that_leaks_is_caught(name: str) -> None:
    several, leaks, _ = swaps(NAMED[name](), 1, what_the_opponent_sees)
    assert several >= leaks > 5
