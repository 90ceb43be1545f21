"""What a player of the CFR family has learnt, per sequence (see `solver.sequence_form`), and how it starts and ends."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from engine.kernel import kernel
from solver.measures import Joint, check_policy
from solver.sequence_form import Side, Sides, fill_gain, fill_plan, fill_policy, uniform_policy

Array = npt.NDArray[Any]

# About what some dozens of iterations gather in Leduc: with a fifth of it the start is soon forgotten, with five times
# as much progress from it is slower.
_INERTIA = 20.0


class Learner(NamedTuple):
    """One player's state."""

    regret: Array  # float64[sequences]
    policy: Array  # float64[sequences] the current one
    plan: Array  # float64[sequences] of the current policy
    total: Array  # float64[sequences] weighted sum of plans
    gain: Array  # float64[sequences] room for an update: counterfactual value of each sequence
    value: Array  # float64[sets] room for an update: counterfactual value of each set


Learners = tuple[Learner, Learner]


def new_learners(both: Sides, start: Joint | None = None) -> Learners:
    """Learners that play the joint policy `start`, or uniformly without one, and have averaged nothing yet.

    A warm start gives every information set regrets in proportion to its policy, so that the first updates do not throw
    it away. They are of the size of what is at stake there against an opponent who plays `start` half of the time, and
    uniformly otherwise: what is done where `start` never leads is what keeps the opponent from going there.
    Raises UsageError if `start` is not a joint policy of this game.
    """
    if start is None:
        return _learner(both[0], uniform_policy(both[0])), _learner(both[1], uniform_policy(both[1]))
    check_policy(both, start)
    learners = _learner(both[0], start[0].copy()), _learner(both[1], start[1].copy())
    uniform = [_plan(side, uniform_policy(side)) for side in both]
    for seat, (side, mine) in enumerate(zip(both, learners, strict=True)):
        _stake(side, (learners[1 - seat].plan + uniform[1 - seat]) / 2, mine)
    return learners


def _learner(side: Side, policy: Array) -> Learner:
    zeros = [np.zeros(side.sequences) for _ in range(3)]
    return Learner(zeros[0], policy, _plan(side, policy), zeros[1], zeros[2], np.zeros(len(side.past)))


def _plan(side: Side, policy: Array) -> Array:
    plan = np.empty(side.sequences)
    fill_plan(side, policy, plan)
    return plan


@kernel
def _stake(side: Side, opponent_plan: np.ndarray, mine: Learner) -> None:
    """Set the regrets of a warm start: policy times `_INERTIA` times the range of the set's counterfactual values."""
    fill_gain(side, opponent_plan, mine.gain)
    for i in range(len(side.past) - 1, -1, -1):
        value, best, worst = 0.0, -np.inf, np.inf
        for k in range(side.start[i], side.start[i + 1]):
            value += mine.policy[k] * mine.gain[k]
            best, worst = max(best, mine.gain[k]), min(worst, mine.gain[k])
        for k in range(side.start[i], side.start[i + 1]):
            mine.regret[k] = _INERTIA * mine.policy[k] * (best - worst)
        mine.gain[side.past[i]] += value


def average_policy(both: Sides, learners: Learners) -> Joint:
    """The average policies: new arrays, uniform where nobody has gone."""
    found = np.empty(both[0].sequences), np.empty(both[1].sequences)
    for side, learner, policy in zip(both, learners, found, strict=True):
        fill_policy(side, learner.total, policy)
    return found
