"""CFR+ on an abstraction of a game tree: the information sets of an abstract set share their regrets and their policy.

In each iteration the counterfactual regrets of a player's real information sets are added up in their abstract sets.
There they are clipped at 0, as in CFR+ (Tammelin 2014), and the new abstract policy is proportional to them. In the
average an abstract action counts with the number of the iteration times the player's own reach of the information sets.

With imperfect recall (Waugh et al. 2009, Lanctot et al. 2012) there is no guarantee that the average policy becomes an
equilibrium of the abstract game, and exact best responses within it are hard. The reported figure is the *abstract
regret* in chips, the smaller of two upper bounds of how much a player could still gain inside the abstraction:

- the mean over both players of the sum over abstract sets of the largest average regret. With perfect recall it is an
  upper bound (Zinkevich et al. 2007, theorem 3), but a loose one: no play meets all the sets whose regrets it adds up;
- the exploitability of the average policy in the real game, which `antemill.solver.evaluation.measures` gives exactly.
  A player who distinguishes what the abstraction merges gains at least as much, so this is an upper bound even with
  imperfect recall.

The abstract regret says whether the iterations were enough. It does not say what the abstraction loses: the
exploitability in the real game does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from antemill.engine.kernel import kernel
from antemill.solver.algorithms.loop import Limits, Record, Stopped, Trace, Watch, check_positive, iterate
from antemill.solver.algorithms.table import ON_ABSTRACT_TREES
from antemill.solver.evaluation.measures import exploitability
from antemill.solver.game import Array
from antemill.solver.policies.on_tree import lift_profile
from antemill.solver.policies.profile import StrategyProfile
from antemill.solver.trees.abstract_sets import AbstractSets, AbstractSides, lift, normalised
from antemill.solver.trees.sequence_form import (
    Side,
    Sides,
    fill_immediate_values,
    fill_realization_plan,
    realization_plan,
)

ITERATIONS = 100_000  # the default limit
_FIRST, _GROWTH, _MOST = 10, 1.2, 1_000  # iterations between two looks at the clock


class AbstractRun(NamedTuple):
    """The abstract policies of a run, and their measurements."""

    policies: StrategyProfile  # abstract, float64[abstract actions] each
    abstract_regret: float  # chips
    iterations: int
    seconds: float
    trace: list[Trace]
    stopped: Stopped


class _Learner(NamedTuple):
    """The state of one player."""

    regret: Array  # float64[abstract actions] clipped
    signed: Array  # float64[abstract actions] weighted sum of all regrets, not clipped
    policy: Array  # float64[abstract actions] current
    total: Array  # float64[abstract actions] weighted sum of realization plans
    real: Array  # float64[sequences] the current policy on the tree
    realization: Array  # float64[sequences] its realization plan
    counterfactual: Array  # float64[sequences] workspace of an update: the counterfactual value of each sequence
    change: Array  # float64[abstract actions] workspace of an update: this iteration's regrets


@kernel
def _fill_change(side: Side, abstract: AbstractSets, learner: _Learner, opponent_realization: np.ndarray) -> None:
    """Write the counterfactual regrets of the current policy, added up per abstract action, to `change`."""
    fill_immediate_values(side, opponent_realization, learner.counterfactual)
    learner.change[:] = 0.0
    for i in range(len(side.parent_sequence) - 1, -1, -1):
        low, high = side.start[i], side.start[i + 1]
        value = 0.0
        for k in range(low, high):
            value += learner.real[k] * learner.counterfactual[k]
        for k in range(low, high):
            learner.change[abstract.of_sequence[k]] += learner.counterfactual[k]
        one = abstract.of_set[i]
        for a in range(abstract.start[one], abstract.start[one + 1]):
            learner.change[a] -= value
        learner.counterfactual[side.parent_sequence[i]] += value


@kernel
def _update(
    side: Side, abstract: AbstractSets, learner: _Learner, opponent_realization: np.ndarray, weight: float
) -> None:
    """Update one player: regrets, policy, realization plan and average. weight: of this iteration in the average."""
    _fill_change(side, abstract, learner, opponent_realization)
    for one in range(len(abstract.start) - 1):
        low, high = abstract.start[one], abstract.start[one + 1]
        total = 0.0
        for a in range(low, high):
            learner.signed[a] += weight * learner.change[a]
            learner.regret[a] = max(0.0, learner.regret[a] + learner.change[a])
            total += learner.regret[a]
        for a in range(low, high):
            learner.policy[a] = learner.regret[a] / total if total > 0.0 else 1.0 / (high - low)
    for k in range(1, len(learner.real)):
        learner.real[k] = learner.policy[abstract.of_sequence[k]]
    fill_realization_plan(side, learner.real, learner.realization)
    for k in range(1, len(learner.real)):
        learner.total[abstract.of_sequence[k]] += weight * learner.realization[k]


@kernel
def _iterate(
    alice_side: Side, bob_side: Side, abstract: AbstractSides, alice: _Learner, bob: _Learner, start: int, stop: int
) -> None:
    """Make the iterations start..stop-1, counted from 1."""
    for t in range(start, stop):
        _update(alice_side, abstract[0], alice, bob.realization, float(t))
        _update(bob_side, abstract[1], bob, alice.realization, float(t))


def _learner(side: Side, abstract: AbstractSets) -> _Learner:
    policy = normalised(abstract, np.zeros(abstract.actions))
    real = lift(abstract, policy)
    zeros = [np.zeros(abstract.actions) for _ in range(4)]
    return _Learner(
        zeros[0], zeros[1], policy, zeros[2], real, realization_plan(side, real), np.empty(side.sequences), zeros[3]
    )


def _regret(abstract: AbstractSets, learner: _Learner, weight: float) -> float:
    """The sum over abstract sets of the largest average regret; iterations count as in the average policy."""
    if not abstract.actions:
        return 0.0
    largest = np.maximum.reduceat(learner.signed, abstract.start[:-1])
    return float(np.maximum(largest, 0.0).sum() / weight)


def solve_abstract(
    both: Sides,
    abstract: AbstractSides,
    target: float = 1e-3,
    iterations: int | None = None,
    seconds: float | None = None,
    watch: Watch | None = None,
) -> AbstractRun:
    """Iterate until the abstract regret is at most `target` chips or a limit is reached (`ITERATIONS` if there is none
    for them), or until Ctrl-C or a `watch` that returns False. The watch gets the abstract regret as the measure.

    Raises UsageError for a limit that is not positive.
    """
    check_positive(iterations=iterations, seconds=seconds)
    made = _AbstractCfr(both, abstract)
    limits = Limits(target, ITERATIONS if iterations is None else iterations, seconds)
    record = Record[StrategyProfile](ON_ABSTRACT_TREES, limits, watch, made.abstract_regret, keep_best=False)
    with record.interruptible():
        iterate(made, record, _points())
    return AbstractRun(made.average(), record.best, made.done, record.elapsed(), record.trace, record.stopped())


def _points() -> Iterator[int]:
    """The numbers of iterations after which to measure."""
    done, step = 0, _FIRST
    while True:
        done += step
        yield done
        step = min(_MOST, int(step * _GROWTH) + 1)


class _AbstractCfr:
    """The learners of a run, and how many iterations they have made."""

    def __init__(self, both: Sides, abstract: AbstractSides) -> None:
        self.done = 0
        self._both, self._abstract_sets = both, abstract
        self._learners = [_learner(both[i], abstract[i]) for i in (0, 1)]

    def advance(self, iterations: int) -> None:
        """Make this many more iterations."""
        alice, bob = self._learners
        _iterate(*self._both, self._abstract_sets, alice, bob, self.done + 1, self.done + iterations + 1)
        self.done += iterations

    def average(self) -> StrategyProfile:
        """Both players' average policies, as abstract policies."""
        abstract, learners = self._abstract_sets, self._learners
        return normalised(abstract[0], learners[0].total), normalised(abstract[1], learners[1].total)

    def abstract_regret(self, policies: StrategyProfile) -> float:
        """The smaller one of the two bounds, for these average policies."""
        real = lift_profile(self._abstract_sets, policies)
        return min(self._mean_regret(), exploitability(self._both, real))

    def _mean_regret(self) -> float:
        """The first bound: the mean of both players' regrets in the iterations made so far."""
        weight = self.done * (self.done + 1) / 2
        abstract, learners = self._abstract_sets, self._learners
        return (_regret(abstract[0], learners[0], weight) + _regret(abstract[1], learners[1], weight)) / 2
