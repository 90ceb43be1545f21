"""A strategy profile that is sensible where its players never go by their own choice.

An average strategy means nothing in an information set that the player never chooses to reach, because hardly an
iteration counts there. If chance and the opponent's strategy lead to such a set, they say which hidden cards are
likely, and a best response to the opponent says what is right. `completed` plays this best response, with equal
probabilities for actions of equal value. Elsewhere it changes nothing, so no opponent gains more than before.

If the opponent never goes there either, the odds of hidden cards are undefined, and the profile stays as it is.
"""

from __future__ import annotations

import numpy as np

from antemill.engine.kernel import kernel
from antemill.solver.game import Array
from antemill.solver.policies.profile import Profiled, StrategyPair, StrategyProfile, profile_of
from antemill.solver.trees.sequence_form import Side, Tree, fill_immediate_values, realization_plan, sides

RARE = 1e-3  # the average strategy counts where the probability of the player's own choices is above this
_SAME = 1e-9  # of the payoffs of a set's actions: they differ by rounding


def completed(game: Tree, profile: Profiled, rare: float = RARE) -> StrategyProfile:
    """The profile with best responses to the opponent where a player's own choices lead at most this rarely.

    game: a tree, or its sequence form. profile: a strategy profile, or a run, whose profile is taken. rare: a
    probability. Raises UsageError if the profile is not one of this game.
    """
    both = sides(game)
    profile = profile_of(both, profile)
    plans = tuple(realization_plan(side, policy) for side, policy in zip(both, profile, strict=True))
    found = [policy.copy() for policy in profile]
    for seat, side in enumerate(both):
        _complete(side, plans[1 - seat], plans[seat], rare, np.empty(side.sequences), found[seat])
    return StrategyPair(found[0], found[1])


@kernel
def _complete(side: Side, opponent: Array, own: Array, rare: float, counterfactual: Array, policy: Array) -> None:
    """Change the policy of a side. opponent, own: realization plans. counterfactual: float64[sequences], a buffer."""
    fill_immediate_values(side, opponent, counterfactual)
    for i in range(len(side.parent_sequence) - 1, -1, -1):
        low, high = side.start[i], side.start[i + 1]
        before = side.parent_sequence[i]
        if own[before] > rare:
            for k in range(low, high):
                counterfactual[before] += policy[k] * counterfactual[k]
            continue
        best, worst = counterfactual[low], counterfactual[low]
        for k in range(low + 1, high):
            best, worst = max(best, counterfactual[k]), min(worst, counterfactual[k])
        counterfactual[before] += best
        if best == worst:
            continue  # also where the opponent never leads: all values are 0
        least, alike = best - _SAME * (best - worst), 0
        for k in range(low, high):
            alike += counterfactual[k] >= least
        for k in range(low, high):
            policy[k] = 1.0 / alike if counterfactual[k] >= least else 0.0
