"""CFR+ (Tammelin 2014) on the sequence form: regret matching+, alternating updates, linear averaging.

One update of a player:
1. The payoffs of the own sequences against the opponent's plan (`fill_gain`), then set by set from the last to the
   first: regret = max(0, regret + value of the action - value of the set), both weighted by the reach of everyone else.
2. The new policy is proportional to the regrets, uniform where there are none; its plan enters the average.

The plan of iteration t has weight t. It is the one made by the update of iteration t; the uniform policy that the
first update faces has weight 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from engine.errors import UsageError
from engine.kernel import kernel
from solver.measures import Joint, exploitability
from solver.sequence_form import Side, Sides, fill_gain, fill_plan, fill_policy, uniform_policy

Array = npt.NDArray[Any]


class Learner(NamedTuple):
    """What one player has learnt, float64[sequences] each."""

    regret: Array
    policy: Array  # the current one
    plan: Array  # of the current policy
    total: Array  # weighted sum of plans
    gain: Array  # room for an update


Learners = tuple[Learner, Learner]


class Trace(NamedTuple):
    """A point of a run."""

    iteration: int
    exploitability: float  # of the average policy, chips


@kernel
def _update(side: Side, mine: Learner, opponent_plan: np.ndarray, weight: float) -> None:
    """One player's update in an iteration."""
    regret, policy, gain = mine.regret, mine.policy, mine.gain
    fill_gain(side, opponent_plan, gain)
    for i in range(len(side.past) - 1, -1, -1):
        low, high = side.start[i], side.start[i + 1]
        value = 0.0
        for k in range(low, high):
            value += policy[k] * gain[k]
        for k in range(low, high):
            regret[k] = max(0.0, regret[k] + gain[k] - value)
        gain[side.past[i]] += value
    fill_policy(side, regret, policy)
    fill_plan(side, policy, mine.plan)
    for k in range(len(gain)):
        mine.total[k] += weight * mine.plan[k]


@kernel
def _iterate(alice: Side, bob: Side, first: Learner, second: Learner, start: int, stop: int) -> None:
    """Iterations start..stop-1, counted from 1."""
    for t in range(start, stop):
        _update(alice, first, second.plan, float(t))
        _update(bob, second, first.plan, float(t))


def new_learners(both: Sides) -> Learners:
    """No regrets, uniform policies."""
    return _learner(both[0]), _learner(both[1])


def _learner(side: Side) -> Learner:
    policy = uniform_policy(side)
    plan = np.empty(side.sequences)
    fill_plan(side, policy, plan)
    return Learner(np.zeros(side.sequences), policy, plan, np.zeros(side.sequences), np.empty(side.sequences))


def average_policy(both: Sides, learners: Learners) -> Joint:
    """The average policies: new arrays, uniform where nobody has gone."""
    found = uniform_policy(both[0]), uniform_policy(both[1])
    for side, learner, policy in zip(both, learners, found, strict=True):
        fill_policy(side, learner.total, policy)
    return found


def solve(both: Sides, target: float, iterations: int = 100_000, every: int = 50) -> tuple[Joint, list[Trace]]:
    """The average policy once its exploitability, measured `every` so many iterations, is at most `target` chips.

    Stops after `iterations` at the latest; the trace's last point is that of the returned policy. Raises UsageError if
    `iterations` or `every` is not positive.
    """
    if iterations < 1 or every < 1:
        raise UsageError("CFR+ needs at least one iteration, and at least one between two measurements.")
    learners = new_learners(both)
    trace: list[Trace] = []
    done = 0
    while done < iterations and not (trace and trace[-1].exploitability <= target):
        after = min(iterations, done + every)
        _iterate(*both, *learners, done + 1, after + 1)
        done = after
        found = average_policy(both, learners)
        trace.append(Trace(done, exploitability(both, found)))
    return found, trace
