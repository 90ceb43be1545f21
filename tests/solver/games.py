"""Small games and random policies on them, shared by the solver's tests."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine.branches import count_nodes
from antemill.engine.machine.program import Program
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import ActionRound, Ante, Deal, Deck, GameSpec, Option, Showdown, Shuffle, Steps
from antemill.solver.game import ExtensiveForm
from antemill.solver.policies.profile import StrategyProfile
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import Sides, sides
from tests.solver import naive_solver as naive

KUHN = -1 / 18
LEDUC = -0.085606424078  # OpenSpiel's and the literature's


@cache
def game(name: str, suited: bool) -> Sides:
    """The sequence form of a named game."""
    return sides(build_tree(compile_spec(NAMED[name](), suited=suited)))


def tractable(seed: int) -> Program:
    """A generated game with a small tree; only for seeds that give one."""
    program = compile_spec(generate(seed, 0.05))
    assert count_nodes(program, 5_000) <= 5_000, f"seed {seed} gives a large game: use another one"
    return program


def small(name: str) -> tuple[Program, ExtensiveForm, Sides]:
    """A named game, its tree and its sequence form."""
    program = compile_spec(NAMED[name]())
    tree = build_tree(program)
    return program, tree, sides(tree)


def alice_alone() -> GameSpec:
    """Alice pays 1 for nothing or does not; Bob has no choice."""
    setup = Steps("Setup", (Shuffle(), Deal(1), Ante("both", 1)))
    act = ActionRound("Act", "alice", (Option("pay", (Ante("alice", 1),)), Option("keep")))
    phases = (setup, act, Showdown("Showdown"))
    return GameSpec("Alone", Deck((2, 3), ("hearts", "spades")), 3, phases, tuple(phase.name for phase in phases))


def random_policy(tree: ExtensiveForm, seed: int) -> tuple[StrategyProfile, naive.Policy]:
    """The same policy twice: as arrays and as fractions. Some actions have probability 0."""
    rng = np.random.default_rng(seed)
    exact: dict[tuple[int, int], tuple[Fraction, ...]] = {}
    found = []
    for seat, mine in enumerate(tree.sets):
        row = [1.0]
        for key, (low, high) in zip(mine.key, pairwise(mine.start), strict=True):
            parts = [int(part) for part in rng.integers(0, 4, high - low)]
            parts[0] += sum(parts) == 0
            exact[seat, int(key)] = tuple(Fraction(part, sum(parts)) for part in parts)
            row += [float(p) for p in exact[seat, int(key)]]
        found.append(np.array(row))
    return (found[0], found[1]), exact
