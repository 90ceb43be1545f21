"""The starter games are what they were chosen for."""

from __future__ import annotations

from functools import cache

import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.builder.resolve import resolve
from antemill.engine.builder.starters import KNOWN, STARTERS
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine.gate import gate
from antemill.engine.machine.program import Program
from antemill.engine.machine.readings import READINGS
from antemill.engine.rules.constructs import constructs
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.same import canonical_digest
from antemill.solver import build_tree, solve

NODES = {"starter-1": 186, "starter-2": 1_166, "starter-3": 5_783, "starter-4": 20_658, "starter-5": 51_315}
ADDED = {  # what none of the starter games before it has
    "starter-1": {"fixed_betting", "showdown_low"},
    "starter-2": {"simultaneous", "draw_private"},
    "starter-3": {"peek_private", "variable_betting", "action_round"},
    "starter-4": {"betting_loop", "positions_random"},
    "starter-5": {"auction", "steal", "swap", "score"},
}


@cache
def program(name: str) -> Program:
    return compile_spec(resolve(name))


@pytest.mark.parametrize("name", STARTERS)
def test_a_starter_game_is_what_it_was(name: str) -> None:
    starter = STARTERS[name]
    assert canonical_digest(resolve(name)) == starter.canonical
    assert canonical_digest(generate(starter.seed, starter.complexity)) == starter.canonical


@pytest.mark.parametrize("name", KNOWN)
def test_the_gate_accepts_every_game_with_a_name_under_every_seed(name: str) -> None:
    verdicts = [gate(program(name), seed) for seed in range(8)]
    assert all(verdict.accepted and verdict.accepted_by == tuple(READINGS) for verdict in verdicts)


def test_each_adds_constructs_and_no_two_games_with_names_are_the_same() -> None:
    before: set[str] = set()
    for name, added in ADDED.items():
        has = constructs(resolve(name))
        assert added <= has
        assert not added & before
        before |= has
    assert list(ADDED) == list(STARTERS)
    assert len({canonical_digest(resolve(name)) for name in KNOWN}) == len(KNOWN) == len(NAMED) + 5


@pytest.mark.parametrize("name", STARTERS)
def test_each_is_solved_and_fair(name: str) -> None:
    tree = build_tree(program(name))
    found = solve(tree, target=1e-3)
    assert tree.nodes == NODES[name]
    assert found.exploitability is not None
    assert found.exploitability <= 1e-3
    assert abs(found.value) < 0.2
