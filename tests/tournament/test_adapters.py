"""What the adapters share: bounds on a play, and states as vectors."""

from __future__ import annotations

import numpy as np
import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine import layout as at
from antemill.engine.machine.branches import branches, root_state
from antemill.engine.machine.layout import CHANCE, DECIDE, OVER
from antemill.engine.machine.observe import recall_key
from antemill.engine.machine.vm import advance
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import GameSpec
from antemill.engine.vector.state_observation import StateObservation
from antemill.tournament.extent import Extent, extent
from tests.specs import every_construct

SPECS = [*(make() for make in NAMED.values()), every_construct(), *(generate(seed, 1.0) for seed in range(3))]


def by_name(spec: GameSpec) -> str:
    return spec.name


def test_extent_of_known_games() -> None:
    assert extent(NAMED["kuhn"]()) == Extent(decisions=3, draws=4, score=0, alice=2, bob=1)
    assert extent(NAMED["leduc"]())[:3] == (8, 5, 0)
    assert extent(NAMED["appendix-b"]())[:3] == (4 + 3 + 2 + 2 + 2, 2 + 3 + 1 + 2 + 2, 0)


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_vectors_show_no_more_than_the_player_was_told(name: str) -> None:
    program = compile_spec(NAMED[name]())
    state_observation = StateObservation(program)
    low, high = state_observation.bounds(1.0, 1.0)
    seen: dict[tuple[int, int], bytes] = {}
    stack = [root_state(program)]
    while stack:
        state = stack.pop()
        if state[at.STOP] == DECIDE:
            seat = int(state[at.SEAT])
            vector = state_observation.vector(state, seat)
            assert vector.shape == (state_observation.size,)
            assert ((low <= vector) & (vector <= high)).all()
            key = (seat, recall_key(state, seat, int(state[at.DECISION])))
            assert seen.setdefault(key, vector.tobytes()) == vector.tobytes()
            assert state_observation.legal(state, 1 - seat).sum() == 0
            assert state_observation.legal(state, seat).sum() == len(branches(program, state))
        for way in branches(program, state):
            child = state.copy()
            child[at.CHOICE] = way.choice
            advance(program.code, child)
            stack.append(child)
    assert len(seen) == {"kuhn": 12, "leduc": 288}[name]


def test_a_vector_is_what_its_names_say() -> None:
    program = compile_spec(NAMED["kuhn"]())
    state_observation = StateObservation(program)
    state = root_state(program)
    for card in (2, 0):  # the king for Alice, the jack for Bob
        state[at.CHOICE] = next(way.choice for way in branches(program, state) if way.number == card)
        advance(program.code, state)
    alice = dict(zip(state_observation.names, state_observation.vector(state, 0).tolist(), strict=True))
    assert {name: x for name, x in alice.items() if x} == {
        "own stack": 0.5,
        "other stack": 0.5,
        "pot": 1.0,
        "deck": pytest.approx(1 / 3),
        "leading": 1.0,
        "hand rank 13": 1.0,
        "decision 0": 1.0,
        "legal 0": 1.0,
        "legal 1": 1.0,
    }
    bob = dict(zip(state_observation.names, state_observation.vector(state, 1).tolist(), strict=True))
    assert {name: x for name, x in bob.items() if x and name.startswith(("hand", "legal", "decision", "lead"))} == {
        "hand rank 11": 1.0
    }


@pytest.mark.parametrize("spec", SPECS, ids=by_name)
def test_no_play_exceeds_the_extent(spec: GameSpec) -> None:
    program, bound = compile_spec(spec), extent(spec)
    rng = np.random.default_rng(1)
    longest = 0
    for _ in range(200):
        state = program.initial_state()
        decisions = draws = 0
        seats = [0, 0]
        while (what := advance(program.code, state)) != OVER:
            decisions += what == DECIDE
            if what == DECIDE:
                seats[state[at.SEAT]] += 1
            draws += what == CHANCE
            state[at.CHOICE] = rng.integers(state[at.MENU])
        assert decisions <= bound.decisions
        assert draws <= bound.draws
        assert seats[0] <= bound.alice
        assert seats[1] <= bound.bob
        held = state[at.VARIABLES : at.VARIABLES + len(program.names.variables)]
        assert (abs(held) <= bound.variable).all()
        assert abs(state[at.SCORE]) <= bound.score
        longest = max(longest, decisions)
    assert bound.decisions <= 6 * longest
