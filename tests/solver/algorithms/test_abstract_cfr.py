"""CFR+ on abstractions: one iteration by hand, its bounds and limits (GENSTRAT appendix K, N13)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from antemill.engine.errors import UsageError
from antemill.engine.machine.program import Program
from antemill.solver.algorithms.abstract_cfr import AbstractRun, solve_abstract
from antemill.solver.algorithms.loop import Progress
from antemill.solver.evaluation.measures import exploitability, measure
from antemill.solver.game import ALICE, BOB, ExtensiveForm
from antemill.solver.policies.on_tree import lift_profile
from antemill.solver.policies.profile import StrategyProfile
from antemill.solver.trees.abstract_sets import AbstractSides, abstract_sets, lift, normalised
from antemill.solver.trees.abstraction import Abstraction
from antemill.solver.trees.sequence_form import Sides
from tests.solver import naive_solver
from tests.solver.games import small


def exact_exploitability(program: Program, tree: ExtensiveForm, profile: StrategyProfile) -> float:
    """By the naive solver, in fractions, from the machine's states."""
    policy: dict[tuple[int, int], tuple[Fraction, ...]] = {}
    for seat in (ALICE, BOB):
        sets = tree.sets[seat]
        for i in range(sets.size):
            odds = [Fraction(float(p)) for p in profile[seat][sets.start[i] : sets.start[i + 1]]]
            policy[seat, int(sets.key[i])] = tuple(p / sum(odds) for p in odds)
    return float(sum(naive_solver.best_value(program, seat, policy) for seat in (ALICE, BOB)) / 2)


def test_the_real_exploitability_of_an_abstract_policy() -> None:
    """A policy of Leduc that cannot see the board converges within its abstraction, and loses much outside."""
    program, tree, both = small("leduc")
    abstract = abstract_sets(program, tree, Abstraction.DEFAULT)
    run = solve_abstract(both, abstract, 1e-3)
    profile = lift_profile(abstract, run.policies)
    real = measure(both, profile).exploitability
    assert run.stopped == "target"
    assert run.abstract_regret <= 1e-3
    assert real == pytest.approx(exact_exploitability(program, tree, profile), abs=1e-9)
    assert 0.5 < real < 1.5


# ------------------------------------------------------------------------------------------------ CFR+ on abstractions


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_with_perfect_recall_the_abstract_regret_bounds_the_exploitability(name: str) -> None:
    program, tree, both = small(name)
    abstract = abstract_sets(program, tree, Abstraction.FINE)
    run = solve_abstract(both, abstract, 2e-3)
    assert run.abstract_regret <= 2e-3
    assert exploitability(both, lift_profile(abstract, run.policies)) <= 2e-3
    assert [point.iteration for point in run.trace] == sorted({point.iteration for point in run.trace})
    assert run.trace[-1].measure == run.abstract_regret


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
@pytest.mark.parametrize("abstraction", [Abstraction.DEFAULT, Abstraction.FINE])
def test_the_abstract_regret_is_never_above_the_real_exploitability(name: str, abstraction: Abstraction) -> None:
    """Of the two bounds the summed regrets are the smaller one only where the abstraction loses something."""
    program, tree, both = small(name)
    abstract = abstract_sets(program, tree, abstraction)
    for iterations in (1, 10, 300):
        run = solve_abstract(both, abstract, 0.0, iterations)
        real = exploitability(both, lift_profile(abstract, run.policies))
        assert 0 < run.abstract_regret <= real
        if abstraction == Abstraction.FINE:
            assert run.abstract_regret == real
    assert (run.abstract_regret < real) == (name == "leduc" and abstraction == Abstraction.DEFAULT)


def test_one_iteration_is_that_of_the_definition() -> None:
    """By hand, set by set: the first update of each player on Leduc's default abstraction."""
    program, tree, both = small("leduc")
    abstract = abstract_sets(program, tree, Abstraction.DEFAULT)
    run = solve_abstract(both, abstract, 0.0, 1)
    real = [lift(mine, normalised(mine, np.zeros(mine.actions))) for mine in abstract]
    for seat in (ALICE, BOB):
        regret = naive_regret(both, abstract, real, seat)
        mine = abstract[seat]
        for one in range(mine.size):
            part = np.maximum(regret[mine.start[one] : mine.start[one + 1]], 0)
            want = part / part.sum() if part.sum() > 0 else np.full(len(part), 1 / len(part))
            got = run.policies[seat][mine.start[one] : mine.start[one + 1]]
            reached = naive_reach(both, abstract, seat, want_policy(mine, regret), one)
            assert np.allclose(got, want if reached else 1 / len(part), atol=1e-12)
        real[seat] = lift(mine, want_policy(mine, regret))


def want_policy(mine: Any, regret: Any) -> Any:
    policy = normalised(mine, np.zeros(mine.actions))
    for one in range(mine.size):
        part = np.maximum(regret[mine.start[one] : mine.start[one + 1]], 0)
        if part.sum() > 0:
            policy[mine.start[one] : mine.start[one + 1]] = part / part.sum()
    return policy


def naive_reach(both: Sides, abstract: AbstractSides, seat: int, policy: Any, one: int) -> bool:
    """Whether the player's own choices ever lead to an abstract set."""
    realization = naive_plan(both[seat], lift(abstract[seat], policy))
    sets = np.flatnonzero(abstract[seat].of_set == one)
    return bool((realization[both[seat].parent_sequence[sets]] > 0).any())


def naive_plan(side: Any, real: Any) -> Any:
    realization = np.ones(side.sequences)
    for i, parent_sequence in enumerate(side.parent_sequence):
        for k in range(side.start[i], side.start[i + 1]):
            realization[k] = realization[parent_sequence] * real[k]
    return realization


def naive_regret(both: Sides, abstract: AbstractSides, real: Any, seat: int) -> Any:
    """Counterfactual regrets of the abstract actions, by recursion over the information sets."""
    side, mine = both[seat], abstract[seat]
    theirs = naive_plan(both[1 - seat], real[1 - seat])
    direct = [
        sum(side.paid[e] * theirs[side.columns[e]] for e in range(side.rows[k], side.rows[k + 1]))
        for k in range(side.sequences)
    ]

    def sequence_value(k: int) -> float:
        return float(direct[k] + sum(set_value(int(i)) for i in np.flatnonzero(side.parent_sequence == k)))

    def set_value(i: int) -> float:
        return sum(float(real[seat][k]) * sequence_value(k) for k in range(side.start[i], side.start[i + 1]))

    regret = np.zeros(mine.actions)
    for i in range(len(side.parent_sequence)):
        for k in range(side.start[i], side.start[i + 1]):
            regret[mine.of_sequence[k]] += sequence_value(k)
        one = mine.of_set[i]
        regret[mine.start[one] : mine.start[one + 1]] -= set_value(i)
    return regret


def run_once(**limits: Any) -> AbstractRun:
    program, tree, both = small("leduc")
    return solve_abstract(both, abstract_sets(program, tree, Abstraction.DEFAULT), 0.0, **limits)


def test_a_run_stops_where_it_is_told_to_and_keeps_its_policy() -> None:
    assert (run_once(iterations=7).stopped, run_once(iterations=7).iterations) == ("iterations", 7)
    assert run_once(seconds=0.05).stopped == "time"
    told: list[float] = []

    def listen(progress: Progress) -> bool:
        told.append(progress.measure)
        return len(told) < 3

    run = run_once(watch=listen)
    assert run.stopped == "interrupted"
    assert [point.measure for point in run.trace] == told

    def press(_progress: object) -> bool:
        raise KeyboardInterrupt

    run = run_once(watch=press)
    assert run.stopped == "interrupted"
    assert run.iterations == 10
    assert np.isclose(run.policies[0].sum(), 54)
    for wrong in ({"iterations": 0}, {"seconds": 0.0}):
        with pytest.raises(UsageError, match="must be positive"):
            run_once(**wrong)
