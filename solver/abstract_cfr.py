"""CFR+ on an abstraction of a game tree: the information sets of an abstract set share their regrets and their policy.

Per player and iteration: the counterfactual regrets of the real information sets are added up in their abstract sets,
clipped at 0 as in CFR+ (Tammelin 2014), and the new abstract policy is proportional to them; the average weights an
abstract action by the iteration's number and by the own reach of the information sets.

With imperfect recall (Waugh et al. 2009, Lanctot et al. 2012) there is no guarantee that the average policy becomes an
equilibrium of the abstract game, and exact best responses within it are hard. What is reported of it is the *abstract
regret*, the smaller of two measures of how much a player could still gain inside the abstraction, in chips:

- the mean over both players of the sum over abstract sets of the largest average regret. With perfect recall it is an
  upper bound (Zinkevich et al. 2007, theorem 3), but a loose one: no play meets all the sets whose regrets it adds up;
- the exploitability of the average policy in the real game, which `solver.measures` gives exactly. Whoever may tell
  apart what the abstraction lumps together gains at least as much, so this is an upper bound with any recall.

It says whether the iterations were enough, and nothing of what the abstraction loses: for that see the exploitability
in the real game.
"""

from __future__ import annotations

import time
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from engine.errors import UsageError
from engine.kernel import kernel
from solver.abstract_tree import LumpedSides, Lumps, lift, normalised, uniform_abstract
from solver.measures import Joint, exploitability
from solver.progress import Progress, Watch
from solver.sequence_form import Side, Sides, fill_gain, fill_plan

Array = npt.NDArray[Any]
Stopped = Literal["target", "time", "iterations", "interrupted"]

ITERATIONS = 100_000  # at most, unless told otherwise
WARM = 100  # iterations that a policy to start with counts for
_FIRST, _GROWTH, _MOST = 10, 1.2, 1_000  # iterations between two looks at the clock


class AbstractTrace(NamedTuple):
    """A point of a run."""

    iteration: int
    seconds: float
    abstract_regret: float


class AbstractRun(NamedTuple):
    """What a run has found."""

    policies: Joint  # abstract, float64[abstract actions] each
    abstract_regret: float  # chips
    iterations: int
    seconds: float
    trace: list[AbstractTrace]
    stopped: Stopped


class _Learner(NamedTuple):
    """One player's state."""

    regret: Array  # float64[abstract actions] clipped
    signed: Array  # float64[abstract actions] weighted sum of all regrets, not clipped
    policy: Array  # float64[abstract actions] current
    total: Array  # float64[abstract actions] weighted sum of plans
    real: Array  # float64[sequences] the current policy on the tree
    plan: Array  # float64[sequences] its plan
    gain: Array  # float64[sequences] room for an update
    change: Array  # float64[abstract actions] room for an update


@kernel
def _fill_change(side: Side, lumps: Lumps, mine: _Learner, opponent_plan: np.ndarray) -> None:
    """Write the counterfactual regrets of the current policy, added up per abstract action, to `change`."""
    fill_gain(side, opponent_plan, mine.gain)
    mine.change[:] = 0.0
    for i in range(len(side.past) - 1, -1, -1):
        low, high = side.start[i], side.start[i + 1]
        value = 0.0
        for k in range(low, high):
            value += mine.real[k] * mine.gain[k]
        for k in range(low, high):
            mine.change[lumps.of_sequence[k]] += lumps.share[k] * mine.gain[k]
        one = lumps.of_set[i]
        for a in range(lumps.start[one], lumps.start[one + 1]):
            mine.change[a] -= value
        mine.gain[side.past[i]] += value


@kernel
def _stake(side: Side, lumps: Lumps, mine: _Learner, opponent_plan: np.ndarray) -> None:
    """The regrets of a warm start: the policy times the range of the set's counterfactual values, as large as they
    are after `WARM` iterations, and its plan in the average."""
    _fill_change(side, lumps, mine, opponent_plan)
    for one in range(len(lumps.start) - 1):
        low, high = lumps.start[one], lumps.start[one + 1]
        best, worst = -np.inf, np.inf
        for a in range(low, high):
            best, worst = max(best, mine.change[a]), min(worst, mine.change[a])
        for a in range(low, high):
            mine.regret[a] = mine.policy[a] * (best - worst) * np.sqrt(WARM)
    for k in range(1, len(mine.real)):
        mine.total[lumps.of_sequence[k]] += mine.plan[k] * (WARM * (WARM + 1) / 2)


@kernel
def _update(side: Side, lumps: Lumps, mine: _Learner, opponent_plan: np.ndarray, weight: float) -> None:
    """One player's update."""
    _fill_change(side, lumps, mine, opponent_plan)
    for one in range(len(lumps.start) - 1):
        low, high = lumps.start[one], lumps.start[one + 1]
        total = 0.0
        for a in range(low, high):
            mine.signed[a] += weight * mine.change[a]
            mine.regret[a] = max(0.0, mine.regret[a] + mine.change[a])
            total += mine.regret[a]
        for a in range(low, high):
            mine.policy[a] = mine.regret[a] / total if total > 0.0 else 1.0 / (high - low)
    for k in range(1, len(mine.real)):
        mine.real[k] = mine.policy[lumps.of_sequence[k]] * lumps.share[k]
    fill_plan(side, mine.real, mine.plan)
    for k in range(1, len(mine.real)):
        mine.total[lumps.of_sequence[k]] += weight * mine.plan[k]


@kernel
def _iterate(
    alice: Side, bob: Side, lumps: LumpedSides, first: _Learner, second: _Learner, start: int, stop: int
) -> None:
    """Iterations start..stop-1, counted from 1."""
    for t in range(start, stop):
        _update(alice, lumps[0], first, second.plan, float(t))
        _update(bob, lumps[1], second, first.plan, float(t))


def _learner(side: Side, lumps: Lumps, start: Array | None) -> _Learner:
    policy = uniform_abstract(lumps) if start is None else start.copy()
    real = lift(lumps, policy)
    plan = np.empty(side.sequences)
    fill_plan(side, real, plan)
    zeros = [np.zeros(lumps.actions) for _ in range(4)]
    return _Learner(zeros[0], zeros[1], policy, zeros[2], real, plan, np.empty(side.sequences), zeros[3])


def _regret(lumps: Lumps, learner: _Learner, weight: float) -> float:
    """The sum over abstract sets of the largest average regret; iterations count as in the average policy."""
    if not lumps.actions:
        return 0.0
    largest = np.maximum.reduceat(learner.signed, lumps.start[:-1])
    return float(np.maximum(largest, 0.0).sum() / weight)


def solve_abstract(
    both: Sides,
    lumps: LumpedSides,
    target: float = 1e-3,
    iterations: int | None = None,
    seconds: float | None = None,
    start: Joint | None = None,
    watch: Watch | None = None,
) -> AbstractRun:
    """Iterate until the abstract regret is at most `target` chips or a limit is reached (`ITERATIONS` if there is none
    for them), or until Ctrl-C or a `watch` that returns False. The watch is told the abstract regret as what is left.

    start: abstract policies to begin with; they count as the average of `WARM` iterations, and their sets get regrets
    in proportion to them. The abstract regret is that of the iterations made since.
    Raises UsageError for a limit that is not positive.
    """
    limit = ITERATIONS if iterations is None else iterations
    if limit < 1 or (seconds is not None and seconds <= 0):
        raise UsageError("an abstraction needs at least one iteration and some time: raise the limit.")
    began = time.perf_counter()
    learners = [_learner(both[i], lumps[i], None if start is None else start[i]) for i in (0, 1)]
    before = 0 if start is None else WARM
    for i in (0, 1) if start is not None else ():
        _stake(both[i], lumps[i], learners[i], learners[1 - i].plan)
    trace: list[AbstractTrace] = []
    stopped: Stopped | None = None
    done, step = 0, _FIRST
    try:
        while stopped is None:
            after = min(limit, done + step)
            _iterate(both[0], both[1], lumps, learners[0], learners[1], before + done + 1, before + after + 1)
            done, step = after, min(_MOST, int(step * _GROWTH) + 1)
            spent = time.perf_counter() - began
            regret = min(
                _mean_regret(lumps, learners, before, done),
                _real_exploitability(both, lumps, _averages(lumps, learners)),
            )
            trace.append(AbstractTrace(done, spent, regret))
            stopped = _why(trace[-1], target, limit, seconds)
            if stopped is None and watch is not None and not watch(_progress(trace, target, seconds)):
                stopped = "interrupted"
    except KeyboardInterrupt:
        stopped = "interrupted"
        done = max(done, 1)
    regret = trace[-1].abstract_regret if trace else float("inf")
    spent = time.perf_counter() - began
    return AbstractRun(_averages(lumps, learners), regret, done, spent, trace, stopped)


def _averages(lumps: LumpedSides, learners: list[_Learner]) -> Joint:
    """The average policies."""
    return normalised(lumps[0], learners[0].total), normalised(lumps[1], learners[1].total)


def _real_exploitability(both: Sides, lumps: LumpedSides, policies: Joint) -> float:
    return exploitability(both, (lift(lumps[0], policies[0]), lift(lumps[1], policies[1])))


def _mean_regret(lumps: LumpedSides, learners: list[_Learner], before: int, done: int) -> float:
    """The mean over both players, of the iterations before + 1 .. before + done."""
    weight = done * (2 * before + done + 1) / 2
    return (_regret(lumps[0], learners[0], weight) + _regret(lumps[1], learners[1], weight)) / 2


def _why(point: AbstractTrace, target: float, limit: int, seconds: float | None) -> Stopped | None:
    if point.abstract_regret <= target:
        return "target"
    if point.iteration >= limit:
        return "iterations"
    return "time" if seconds is not None and point.seconds >= seconds else None


def _progress(trace: list[AbstractTrace], target: float, seconds: float | None) -> Progress:
    last = trace[-1]
    left = None if seconds is None else max(0.0, seconds - last.seconds)
    return Progress("cfr+", last.iteration, last.seconds, last.abstract_regret, target, left)
