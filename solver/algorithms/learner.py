"""The state of a player whom the CFR family teaches: regrets, current policy and average, per sequence.

`new_learners` makes the state before the first iteration, `average_policy` reads the result.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.kernel import kernel
from solver.game import Array
from solver.policies.profile import StrategyProfile, check_profile
from solver.trees.sequence_form import (
    Side,
    Sides,
    fill_immediate_values,
    fill_policy,
    realization_plan,
    uniform_policy,
)

# A warm start's regrets, in multiples of what is at stake in an information set. With this factor they weigh about as
# much as those of some dozens of iterations in Leduc: with a fifth of it the start is soon forgotten, with five times
# as much progress from it is slower.
_WARM_REGRET = 20.0


class Learner(NamedTuple):
    """One player's state: what is said to have no type is float64, or float32 to save memory.

    Entry 0 of each array over sequences belongs to the empty sequence.
    """

    regret: Array  # [sequences]
    policy: Array  # [sequences] the current one
    realization: Array  # [sequences] the realization plan of the current policy
    total: Array  # [sequences] weighted sum of realization plans
    counterfactual: Array  # [sequences] room for an update: the counterfactual value of each sequence
    set_value: Array  # float64[sets] room for an update: the counterfactual value of each set


Learners = tuple[Learner, Learner]


def new_learners(both: Sides, start: StrategyProfile | None = None, storage: type = np.float64) -> Learners:
    """Learners that play the strategy profile `start`, or uniformly without one, and have averaged nothing yet.

    storage: the type of their numbers, float64 or float32.
    With a start every information set gets regrets in proportion to its policy, so that the first updates do not throw
    the policy away. Their size is what is at stake in the set against an opponent who plays `start` half of the time
    and uniformly otherwise. The uniform half matters where `start` never leads: what the player would do there is what
    keeps the opponent away. Raises UsageError if `start` is not a strategy profile of this game.
    """
    if start is None:
        return _learner(both[0], uniform_policy(both[0]), storage), _learner(both[1], uniform_policy(both[1]), storage)
    check_profile(both, start)
    learners = _learner(both[0], start[0], storage), _learner(both[1], start[1], storage)
    uniform = [realization_plan(side, uniform_policy(side)) for side in both]
    for seat, (side, learner) in enumerate(zip(both, learners, strict=True)):
        _warm_start(side, (learners[1 - seat].realization + uniform[1 - seat]) / 2, learner)
    return learners


def _learner(side: Side, policy: Array, storage: type) -> Learner:
    """A learner that plays the policy and has learnt nothing yet."""
    zeros: list[Array] = [np.zeros(side.sequences, storage) for _ in range(3)]
    plan: Array = realization_plan(side, policy).astype(storage)
    return Learner(zeros[0], policy.astype(storage), plan, zeros[1], zeros[2], np.zeros(len(side.parent_sequence)))


@kernel
def _warm_start(side: Side, opponent_realization: np.ndarray, learner: Learner) -> None:
    """Set regrets: the policy, times the range of the set's counterfactual values, times `_WARM_REGRET`."""
    policy, counterfactual = learner.policy, learner.counterfactual
    fill_immediate_values(side, opponent_realization, counterfactual)
    for i in range(len(side.parent_sequence) - 1, -1, -1):
        value, best, worst = 0.0, -np.inf, np.inf
        for k in range(side.start[i], side.start[i + 1]):
            value += policy[k] * counterfactual[k]
            best, worst = max(best, counterfactual[k]), min(worst, counterfactual[k])
        for k in range(side.start[i], side.start[i + 1]):
            learner.regret[k] = _WARM_REGRET * policy[k] * (best - worst)
        counterfactual[side.parent_sequence[i]] += value


def average_policy(both: Sides, learners: Learners) -> StrategyProfile:
    """The average policies in new arrays, uniform in information sets that no plan has reached."""
    found = np.empty(both[0].sequences), np.empty(both[1].sequences)
    for side, learner, policy in zip(both, learners, found, strict=True):
        fill_policy(side, learner.total, policy)
    return found
