"""The compiled rules against the plain interpreter, on the same games under the same choices (design decision D5).

Every question (who is asked, what is offered, which draw), every event with its visibility, the payoff, and the
phases and branches that came up must agree. The keys must tell apart exactly what the interpreter's information
tuples tell apart. This covers the rules G1, G2 and G8 to G40 wherever a generated game, a named one or
`every_construct` reaches them, the information state X2, and G36: what is private leaves no trace in keys.
"""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.compile import compile_spec
from engine.events import Chance
from engine.games import NAMED
from engine.generate import generate
from engine.program import Program
from engine.spec import GameSpec
from tests.machine import Playback, play_machine, script
from tests.naive import Decision, Playout, play
from tests.specs import every_construct


class Follower:
    """Answers the interpreter's questions as the machine's were answered, and insists on equal questions."""

    def __init__(self, game: Playback) -> None:
        self.stops = iter(game.stops)
        self.draws = iter(game.draws)
        self.indices = iter(game.outcomes)

    def decide(self, decision: Decision) -> int:
        stop = next(self.stops)
        asked = (decision.seat, (decision.phase, decision.move_type, decision.move_name), decision.menu)
        assert asked == (stop.seat, stop.decision, stop.menu)
        return stop.action

    def chance(self, kind: Chance, seat: int, occurrence: int, n: int) -> int:
        assert next(self.draws) == (int(kind), seat, occurrence, n)
        return next(self.indices)


class Keys:
    """Collects (information, key) pairs of one game and checks that they map one to one."""

    def __init__(self) -> None:
        self.key_of: list[dict[object, int]] = [{}, {}, {}]
        self.info_of: list[dict[int, object]] = [{}, {}, {}]

    def add(self, decision: Decision, keys: tuple[int, int, int]) -> None:
        for place, (information, key) in enumerate(
            zip((decision.recall, decision.info, decision.context), keys, strict=True)
        ):
            assert self.key_of[place].setdefault(information, key) == key, "one information set has two keys"
            assert self.info_of[place].setdefault(key, information) == information, "two information sets share a key"


def compare(spec: GameSpec, program: Program, choices: Iterable[int], keys: Keys) -> Playback:
    """Play one game in both and compare everything."""
    game = play_machine(program, script(list(choices)))
    want: Playout = play(spec, Follower(game))
    rows = [tuple(int(v) if isinstance(v, bool) else v for v in row) for row in want.events]
    assert game.events == rows
    assert (game.payoff, game.phases, game.branches) == (want.payoff, want.phases, want.branches)
    assert len(game.stops) == len(want.decisions)
    for stop, (decision, action) in zip(game.stops, want.decisions, strict=True):
        assert stop.action == action
        keys.add(decision, stop.keys)
    return game


def compare_many(spec: GameSpec, playouts: int, seed: int) -> int:
    """Compare random playouts of a game; returns the number of decisions."""
    program, keys, rng = compile_spec(spec), Keys(), random.Random(seed)
    return sum(len(compare(spec, program, rng.choices(range(5040), k=200), keys).stops) for _ in range(playouts))


@pytest.mark.parametrize("name", sorted(NAMED))
def test_named_games(name: str) -> None:
    assert compare_many(NAMED[name](), 300, 1) > 300


def test_every_construct() -> None:
    assert compare_many(every_construct(), 300, 2) > 300


def _complexity(i: int) -> float | None:
    """Every other game at its seed's own complexity, the others evenly over the dial."""
    return None if i % 2 else (i % 101) / 100


@pytest.mark.parametrize("block", range(10))
def test_generated_games(block: int) -> None:
    decisions = 0
    for i in range(block * 200, block * 200 + 200):
        decisions += compare_many(generate(i, _complexity(i)), 4, i)
    assert decisions > 2_000


@pytest.mark.slow
@pytest.mark.parametrize("block", range(40))
def test_generated_games_at_length(block: int) -> None:
    for i in range(block * 50, block * 50 + 50):
        assert compare_many(generate(i, _complexity(i)), 300, i) > 0


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    seed=st.integers(0, 100_000),
    complexity=st.floats(0, 1),
    choices=st.lists(st.integers(0, 63), max_size=80),
)
def test_any_game_any_choices(seed: int, complexity: float, choices: list[int]) -> None:
    spec = generate(seed, complexity)
    compare(spec, compile_spec(spec), choices, Keys())
