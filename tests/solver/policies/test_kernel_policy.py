"""Saved policies as the engine's kernels play them: the episodes of the solver's own self-play."""

from __future__ import annotations

import numpy as np
import pytest

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import UsageError
from antemill.engine.machine.branches import count_nodes
from antemill.engine.machine.rollout import rollout, streams
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import GameSpec
from antemill.solver.evaluation.sampled_response import self_play
from antemill.solver.game import Array
from antemill.solver.policies.on_tree import kernel_policy, policy_of
from antemill.solver.policies.policy import strategy_of
from antemill.solver.trees.abstract_sets import AbstractSets, abstract_sets
from antemill.solver.trees.abstraction import Abstraction
from antemill.solver.trees.build import build_tree
from tests.engine.machine.fuzz_specs import fuzzed

LIMIT = 20_000


def with_bids_above_the_stack() -> list[GameSpec]:
    """Small fuzzed games of amounts."""
    found = []
    for seed in range(150):
        program = compile_spec(spec := fuzzed(seed, small=True))
        if not all(kind.labels for kind in program.names.decisions) and count_nodes(program, LIMIT) <= LIMIT:
            found.append(spec)
    return found[:8]


def random_policy(abstract: AbstractSets, rng: np.random.Generator) -> Array:
    weights = rng.random(int(abstract.start[-1]))
    sums = np.repeat(np.add.reduceat(weights, abstract.start[:-1]), np.diff(abstract.start))
    found: Array = weights / sums
    return found


def test_kernels_play_a_saved_policy_as_the_solver_does() -> None:
    games = [NAMED["kuhn"](), NAMED["leduc"](), *with_bids_above_the_stack()]
    assert len(games) == 10
    for number, spec in enumerate(games):
        program, rng = compile_spec(spec), np.random.default_rng(number)
        both = abstract_sets(program, build_tree(program, LIMIT), Abstraction.NONE)
        table = policy_of(both, Abstraction.NONE, (random_policy(both[0], rng), random_policy(both[1], rng)))
        policy = kernel_policy(program, table)
        keys = streams(number)
        assert rollout(program, 300, keys, policy, policy).payoff.tolist() == (
            self_play(program, strategy_of(table), keys, 300).tolist()
        )


def test_a_policy_over_an_abstraction_is_refused() -> None:
    program = compile_spec(NAMED["kuhn"]())
    both = abstract_sets(program, build_tree(program, LIMIT), Abstraction.FINE)
    table = policy_of(both, Abstraction.FINE, (np.ones(both[0].start[-1]), np.ones(both[1].start[-1])))
    with pytest.raises(UsageError, match="the policy is over the abstraction 'fine'"):
        kernel_policy(program, table)
