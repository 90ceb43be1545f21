"""Best responses without a tree: the tree's figures, and the same bits however the work is cut."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import UsageError
from antemill.engine.machine.program import Program
from antemill.solver.evaluation.measures import Measures, measure
from antemill.solver.evaluation.streamed_response import Division, streamed_measures
from antemill.solver.evaluation.tally import Streamed
from antemill.solver.evaluation.tree_size import check_size
from antemill.solver.policies.on_tree import policy_of, table_profile
from antemill.solver.policies.policy import Policy
from antemill.solver.policies.solution import Estimate
from antemill.solver.trees.abstract_sets import abstract_sets
from antemill.solver.trees.abstraction import Abstraction
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import sides
from tests.solver.games import random_policy
from tests.solver.solved_games import program, solved

# Halved parts, single groups that are divided further, several passes, later decisions: all of it in small games.
TINY = Division(sets=1 << 12, histories=50, passes=64, groups=5, trial=20_000, parts=9, in_turn=3)
SEEDS = (7, 12, 31)


def generated(seed: int) -> Program:
    return compile_spec(generate(seed, 0.05 + 0.01 * (seed % 20)))


def randomly(game: Program, seed: int, abstraction: Abstraction) -> tuple[Policy, Measures]:
    """A random policy with some actions of probability 0, as a table, and what the tree says of it."""
    tree = build_tree(game)
    both = sides(tree)
    abstract = abstract_sets(game, tree, abstraction)
    if abstraction == Abstraction.NONE:
        profile, _ = random_policy(tree, seed)
        table = policy_of(abstract, abstraction, (profile[0][1:], profile[1][1:]))
        return table, measure(both, profile)
    rng = np.random.default_rng(seed)
    policies = []
    for mine in abstract:
        weights = rng.integers(0, 4, mine.actions).astype(float)
        weights[mine.start[:-1]] += 0.5
        policies.append(weights / np.repeat(np.add.reduceat(weights, mine.start[:-1]), np.diff(mine.start)))
    table = policy_of(abstract, abstraction, (policies[0], policies[1]))
    return table, measure(both, table_profile(abstract, table))


def agree(found: Measures, wanted: Measures) -> None:
    assert found.value == pytest.approx(wanted.value, abs=1e-10)
    assert found.best_responses == pytest.approx(wanted.best_responses, abs=1e-10)


@pytest.mark.parametrize("abstraction", [Abstraction.NONE, Abstraction.DEFAULT])
@pytest.mark.parametrize("seed", SEEDS)
def test_it_is_what_the_tree_says(seed: int, abstraction: Abstraction) -> None:
    table, wanted = randomly(generated(seed), seed, abstraction)
    agree(streamed_measures(generated(seed), table), wanted)
    agree(streamed_measures(generated(seed), table, division=TINY), wanted)


def test_any_number_of_threads_gives_the_same_bits() -> None:
    game, table = program("appendix-b"), solved("appendix-b", "default").table
    alone = streamed_measures(game, table, 1, division=TINY)
    assert streamed_measures(game, table, 3, division=TINY) == alone


class Stop:
    """Interrupts a run once so many nodes are visited, and keeps what it was told."""

    def __init__(self, nodes: float) -> None:
        self.nodes, self.said = nodes, [Streamed(0, 0, 0.0, 0.0)]

    def __call__(self, now: Streamed) -> None:
        self.said.append(now)
        if now.nodes > self.nodes:
            raise KeyboardInterrupt


def test_a_run_that_was_interrupted_goes_on_to_the_same_bits(tmp_path: Path) -> None:
    game, table = program("appendix-b"), solved("appendix-b", "default").table
    path, every = tmp_path / "parts", Stop(np.inf)
    wanted = streamed_measures(game, table, on_progress=every, division=TINY)
    nodes = every.said[-1].nodes
    for share in (0.3, 0.8):
        with pytest.raises(KeyboardInterrupt):
            streamed_measures(game, table, 1, path, Stop(share * nodes), division=TINY)
    last = Stop(np.inf)
    assert streamed_measures(game, table, 2, path, last, division=TINY) == wanted
    assert last.said[-1].nodes == nodes
    assert last.said[-1].earlier > 0.5 * nodes


# ------------------------------------------------------------------------------------------ how large it is


def test_a_hopeless_game_is_refused_in_a_sentence() -> None:
    size = Estimate(3e13, 1e12, 20_000)
    with pytest.raises(UsageError, match=r"visits about 6\.0e\+13 nodes, which takes about .* on 2 processors; the"):
        check_size(program("kuhn"), (size, size), 1e10, 2)
    check_size(program("kuhn"), (size, size), 7e13, 2)
