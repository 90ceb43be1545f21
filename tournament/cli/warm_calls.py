"""Calls for `antemill warm`: kernels that Python calls, but no command on a small game.

They belong to large games, to matches, to learners' environments, and to functions for users.
"""

from __future__ import annotations

from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Final

import numpy as np

from antemill.engine.builder.dial import dial
from antemill.engine.builder.resolve import resolve
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine.branches import root_state
from antemill.engine.machine.chance import uniform
from antemill.engine.machine.lanes import Lanes
from antemill.engine.machine.policy import action_index
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import rollout, streams
from antemill.tournament.pool.standard import DIGESTS

_LARGER: Final = 21  # the place in the standard suite of its largest tree


def larger() -> str:
    """A game with a large tree."""
    return str(list(DIGESTS)[_LARGER])


def of_logs(_folder: Path) -> None:
    """Axes of a log alone, features of a complexity, lanes, draws of players."""
    from antemill.axes.state_space import information_states
    from antemill.axes.temporal_depth import temporal_depth

    program = _program("kuhn")
    log = rollout(program, 4, streams(0))
    information_states(log)
    temporal_depth(log, program)
    dial(0.0, 0)
    uniform(1, 1)
    action_index(root_state(program), 0)
    lanes = Lanes(program, 2)
    lanes.reset(0)
    lanes.advance()
    lanes.keys()


def of_large_trees(_folder: Path) -> None:
    """A large tree, and what is measured by samples where a tree is too large."""
    from antemill.solver.algorithms.table import ALGORITHMS, samples
    from antemill.solver.evaluation.aivat_machine import MachineAivat
    from antemill.solver.evaluation.history import play_out
    from antemill.solver.evaluation.sampled_response import lower_bound, sampled_value
    from antemill.solver.solving import Settings, solve_game
    from antemill.solver.trees.build import build_tree
    from antemill.solver.trees.numbering import grown, none_met

    build_tree(_program(larger()), 1_000_000)
    met = none_met()
    met.counters[2] = len(met.kinds)
    grown(met)
    program = _program("starter-4")
    sampling = next(filter(samples, ALGORITHMS))
    table = solve_game(program, Settings(algorithm=sampling, abstraction="default", iterations=20)).saved.table
    sampled_value(program, table, 2)
    lower_bound(program, table, 1_000)
    MachineAivat(program, table, 1).estimate(0, play_out(program, root_state(program), 1, lambda _: 0))


def of_policies(_folder: Path) -> None:
    """A strategy profile that is completed."""
    from antemill.solver.evaluation.off_path import completed
    from antemill.solver.trees.build import build_tree
    from antemill.solver.trees.sequence_form import sides, uniform_policy

    tree = build_tree(_program("kuhn"))
    alice, bob = (uniform_policy(side) for side in sides(tree))
    completed(tree, (alice, bob))


def of_vectors(_folder: Path) -> None:
    """Episodes for learners."""
    if find_spec("gymnasium") is None:
        return
    from antemill.tournament.adapters import vector_env

    for game, bob in product(("kuhn", "starter-2"), (None, "random")):
        table = vector_env(game, 6, bob=bob, illegal="masked", autoreset="same-step" if bob else "next-step")
        table.reset(seed=1)
        for _step in range(8):
            table.step(np.zeros(6, dtype=np.int64))


def of_refusals(_folder: Path) -> None:
    """Environments that refuse what is not legal, and a network's strategy profile."""
    if find_spec("gymnasium") is None:
        return
    from antemill.tournament.adapters import TreeObservations, vector_env

    table = vector_env("kuhn", 2, illegal="refused")
    table.reset(seed=1)
    table.step(np.zeros(2, dtype=np.int64))
    TreeObservations("kuhn", events=True)


def _program(game: str) -> Program:
    return compile_spec(resolve(game))


# In this order: what takes long to compile comes first.
CALLS: Final = (of_large_trees, of_policies, of_vectors, of_refusals, of_logs)
