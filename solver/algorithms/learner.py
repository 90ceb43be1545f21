"""The state of a player in the CFR family: regrets, current policy and average, per sequence.

`new_learners` makes the state before the first iteration, `average_policy` reads the result. Realization plans are in a
buffer (`workspace`) that both learners share with the measurement. They follow from the policies: `fill_plans` restores
them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antemill.engine.kernel import kernel
from antemill.solver.game import Array
from antemill.solver.policies.profile import StrategyProfile, profile_of
from antemill.solver.trees.sequence_form import (
    Side,
    Sides,
    fill_immediate_values,
    fill_policy,
    fill_realization_plan,
    realization_plan,
    uniform_policy,
)

# A warm start's regrets, in multiples of what is at stake in an information set. In Leduc this factor weighs as much as
# some dozens of iterations. A fifth of it forgets the start soon; five times as much slows progress.
_WARM_REGRET = 20.0


class Learner(NamedTuple):
    """One player's state, in float64, or in float32 to save memory.

    Entry 0 of each array belongs to the empty sequence. With alternating updates a player's old realization plan is not
    needed during the update, so the plan and the counterfactual values share one array.
    """

    regret: Array  # [sequences]
    policy: Array  # [sequences] the current one
    realization: Array  # [sequences] the realization plan of the current policy
    total: Array  # [sequences] weighted sum of realization plans; without an average the last policy
    counterfactual: Array  # [sequences] workspace of an update: the counterfactual value of each sequence


Learners = tuple[Learner, Learner]


def new_workspace(both: Sides, storage: type = np.float64) -> Array:
    """float64[the sequences of either player, or more]: for the plans of both, or for measuring with one at a time."""
    sizes = [side.sequences for side in both]
    return np.empty(max(*sizes, -(-sum(sizes) * np.dtype(storage).itemsize // 8)))


def new_learners(
    both: Sides,
    start: StrategyProfile | None = None,
    storage: type = np.float64,
    simultaneous: bool = False,
    workspace: Array | None = None,
) -> Learners:
    """Learners that play the strategy profile `start`, by default uniform play, with empty averages.

    storage: the type of their numbers, float64 or float32. simultaneous: whether both update against the plans of the
    iteration's start. workspace: a buffer of `new_workspace` for the plans; by default a new one.
    With a start, every information set gets regrets in proportion to its policy, so that the first updates keep the
    policy. Their scale is the range of values in the set against an opponent who plays `start` half of the time and
    uniformly otherwise. The uniform half gives a scale to sets that `start` never reaches: the player's play there is
    what deters the opponent. Raises UsageError if `start` is not a strategy profile of this game.
    """
    if start is not None:
        start = profile_of(both, start)
    plans: Array = (new_workspace(both, storage) if workspace is None else workspace).view(storage)
    alice = _learner(both[0], None if start is None else start[0], plans[: both[0].sequences], simultaneous)
    bob = _learner(both[1], None if start is None else start[1], plans[both[0].sequences :], simultaneous)
    if start is not None:
        for seat, learner in enumerate((alice, bob)):
            other = both[1 - seat]
            half = realization_plan(other, start[1 - seat]) + realization_plan(other, uniform_policy(other))
            _warm_start(both[seat], half / 2, learner)
    fill_plans(both, (alice, bob))
    return alice, bob


def _learner(side: Side, policy: Array | None, plan: Array, simultaneous: bool) -> Learner:
    """A learner that plays the policy, by default uniform play, with no regrets. plan: the buffer for its plan."""
    plan = plan[: side.sequences]
    current, regret, total = np.empty(side.sequences, plan.dtype), np.zeros_like(plan), np.zeros_like(plan)
    if policy is None:
        fill_policy(side, total, current)
    else:
        current[:] = policy
    return Learner(regret, current, plan, total, np.empty_like(plan) if simultaneous else plan)


def fill_plans(both: Sides, learners: Learners) -> None:
    """Write the realization plans of the current policies into the buffer, after another use of it."""
    for side, learner in zip(both, learners, strict=True):
        fill_realization_plan(side, learner.policy, learner.realization)


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


def average_policy(both: Sides, totals: tuple[Array, Array]) -> StrategyProfile:
    """The average policies of sums of plans, in new arrays; uniform in information sets that no plan has reached."""
    found = np.empty(both[0].sequences), np.empty(both[1].sequences)
    for side, total, policy in zip(both, totals, found, strict=True):
        fill_policy(side, total, policy)
    return found
