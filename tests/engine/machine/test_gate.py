"""The acceptance gate (G44): its figures against a plain count, and each of its reasons."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec, compile_table
from antemill.engine.machine import layout as at
from antemill.engine.machine.chance import below, subkey
from antemill.engine.machine.gate import (
    EPISODES,
    MOST_DEAD_BRANCHES,
    MOST_MOVES,
    MOST_RARE_PHASES,
    RARE,
    REASONS,
    gate,
)
from antemill.engine.machine.readings import READING, READINGS
from antemill.engine.machine.rollout import streams
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import (
    ActionRound,
    Ante,
    Deal,
    Deck,
    FixedBetting,
    GameSpec,
    HoldsRank,
    If,
    NoAction,
    Option,
    Perform,
    Phase,
    PotIs,
    Showdown,
    Shuffle,
    Steps,
    VariableBetting,
)
from antemill.engine.rules.table.codec import table_of
from antemill.engine.seeding import Domain
from tests.engine.machine.fuzz_specs import fuzzed
from tests.engine.machine.machine import play_machine
from tests.engine.machine.paths import plain_phases


def game(*phases: Phase, main: int, chips: int = 10) -> GameSpec:
    """A game with these phases, the first `main` of them in sequence."""
    head = (Steps("Setup", (Shuffle(), Deal(1))), Steps("Ante", (Ante("both", 1),)))
    names = ["Setup", "Ante", *(phase.name for phase in phases[:main]), "Showdown"]
    return GameSpec(
        "test", Deck((11, 12, 13), ("hearts",)), chips, (*head, *phases, Showdown("Showdown")), tuple(names)
    )


def plain_gate(spec: GameSpec, seed: int, episodes: int) -> tuple[float, dict[str, float], float]:
    """(moves, rare phases by reading, dead branches), counted game by game."""
    program = compile_spec(spec)
    keys = streams(seed, Domain.GATE)
    decisions = 0
    phases = dict.fromkeys(program.names.phases, 0)
    branches: set[int] = set()
    for episode in range(episodes):
        chance, player = subkey(keys.chance, episode), subkey(keys.alice, episode)
        made = 0

        def choose(n: int, state: np.ndarray, chance: int = chance, player: int = player) -> int:
            nonlocal made
            if state[at.STOP] == at.CHANCE:
                return below(chance, int(state[at.ADDRESS]), n)
            made += 1
            return below(player, made - 1, n)

        played = play_machine(program, choose)
        decisions += made
        branches |= played.branches
        for name in played.phases:
            phases[name] += 1
    rare = {
        reading: float(np.mean([phases[name] < RARE * episodes for name in names]))
        for reading, names in plain_phases(spec).items()
    }
    total = 2 * len(program.names.conditionals)
    return decisions / episodes / 2, rare, 1 - len(branches) / total if total else 0.0


@pytest.mark.parametrize("make", [*NAMED.values(), *(partial(generate, seed) for seed in range(4))])
def test_the_figures_are_plain_counts(make: Callable[[], GameSpec]) -> None:
    spec = make()
    found = gate(compile_spec(spec), 7, 150)
    moves, rare, dead = plain_gate(spec, 7, 150)
    assert (found.moves, found.dead_branches) == pytest.approx((moves, dead))
    assert found.rare_by_reading == pytest.approx(rare)
    assert found.rare_phases == found.rare_by_reading[READING]


@pytest.mark.parametrize("seed", range(2))
def test_batches_add_up(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether episodes are played together or a few at a time changes no figure."""
    program = compile_spec(generate(seed))
    whole = gate(program, 7, 500)
    monkeypatch.setattr("antemill.engine.machine.gate.BATCH", 64)
    assert gate(program, 7, 500) == whole


@pytest.mark.parametrize("episodes", [0, -5])
def test_fewer_episodes_than_one_are_refused(episodes: int) -> None:
    with pytest.raises(ValueError, match=f"by {episodes} episodes: ask for one or more"):
        gate(compile_spec(NAMED["kuhn"]()), 1, episodes)


def test_what_a_phase_is_has_four_readings() -> None:
    """Of a round of free sizes between set-up, ante and showdown the fallback never plays: 4 of 11 phases by the first
    reading, 3 of the 10 that have a heading, none of the 7 by which it is a branch.
    """
    deal = If(HoldsRank("alice", (13,)), (NoAction(),))  # with one more conditional no third of the branches is dead
    spec = game(Steps("Event", (deal,)), VariableBetting("Bets", "alice"), main=2)
    verdict = gate(compile_spec(spec), 1)
    assert verdict.rare_by_reading == pytest.approx({"fallbacks": 4 / 12, "headings": 3 / 11, "branches": 0, "own": 0})
    assert tuple(READINGS) == ("fallbacks", "headings", "branches", "own")
    assert (verdict.accepted, verdict.accepted_by) == (True, ("headings", "branches", "own"))
    assert verdict.dead_branches == 1 / 4


def test_kuhn_is_accepted() -> None:
    """Half of 2.25 decisions an episode; their standard deviation is .433, so 4 standard errors of the half are .02."""
    verdict = gate(compile_spec(NAMED["kuhn"]()), 1)
    assert verdict.accepted
    assert verdict.reason == ""
    assert abs(verdict.moves - 1.125) < 0.02
    assert (verdict.rare_phases, verdict.dead_branches) == (0.0, 0.0)


def test_too_many_moves() -> None:
    rounds = [ActionRound(f"R{i}", "alice", (Option("a"), Option("b")), picks=4) for i in range(6)]
    verdict = gate(compile_spec(game(*rounds, main=6)), 1)
    assert verdict.moves == 12.0 > MOST_MOVES
    assert (verdict.accepted, verdict.reason) == (False, REASONS[0])
    fewer = gate(compile_spec(game(*rounds[:5], main=5)), 1)
    assert fewer.moves == 10.0
    assert fewer.accepted


def test_rare_phases() -> None:
    """Of eight phases three are performed only in the case that the pot is huge: 37.5% are rare."""
    rare = [Steps(f"Rare {i}", (NoAction(),)) for i in range(3)]
    event = Steps("Event", (If(PotIs(">", 18), tuple(Perform(phase.name) for phase in rare)), NoAction()))
    choice = ActionRound("Choice", "alice", (Option("a"), Option("b")))
    verdict = gate(compile_spec(game(event, choice, *rare, main=2)), 1)
    assert verdict.rare_phases == pytest.approx(3 / 8)
    assert verdict.rare_phases > MOST_RARE_PHASES
    assert (verdict.accepted, verdict.reason) == (False, REASONS[1])


def test_dead_branches() -> None:
    """Of four branches two never happen."""
    events = Steps("Events", (If(PotIs(">", 18), (NoAction(),)), If(PotIs("<", 19), (NoAction(),))))
    verdict = gate(compile_spec(game(events, FixedBetting("Bet", "alice", 1), main=2)), 1)
    assert verdict.dead_branches == 0.5 > MOST_DEAD_BRANCHES
    assert (verdict.accepted, verdict.reason) == (False, REASONS[2])


def test_the_budget_is_the_papers() -> None:
    assert (EPISODES, MOST_MOVES, RARE, MOST_RARE_PHASES, MOST_DEAD_BRANCHES) == (2_000, 10.0, 0.05, 0.30, 0.34)
    assert READING == "branches"


def test_a_game_is_judged_without_its_names() -> None:
    """What is counted of the rules is what their names tell, of drawn and of foreign games."""
    fallbacks = 0
    for spec in (*(make() for make in NAMED.values()), *map(fuzzed, range(40)), *map(generate, range(40))):
        code, program = compile_table(table_of(spec), spec.name).code, compile_spec(spec)
        assert code.outline == program.outline
        assert gate(code, 7, 100) == gate(program, 7, 100)
        assert np.array_equal(code.initial_state(), program.initial_state())
        fallbacks += code.outline.fallbacks.bit_count()
        assert code.outline.inside.bit_count() == 3 * code.outline.fallbacks.bit_count()
    assert fallbacks > 10
