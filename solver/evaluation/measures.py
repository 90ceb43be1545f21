"""Exact measures of a strategy profile: expected value, best responses and exploitability.

A best response is found information set by information set, from the last one to the first. With perfect recall the
counterfactual value of a sequence is the payoff at the ends right after it, plus the values of the best sequences in
the sets right after it. Everything is exact up to the rounding of float64.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.kernel import kernel
from solver.game import Array, ExtensiveForm
from solver.policies.profile import StrategyProfile, check_profile
from solver.trees.sequence_form import Side, Sides, fill_immediate_values, realization_plan, sides


class Measures(NamedTuple):
    """Chips per game."""

    value: float  # Alice's expected payoff; Bob's is the negative
    best_responses: tuple[float, float]  # what Alice, or Bob, gets at best against the other's policy

    @property
    def nash_conv(self) -> float:
        """How much both players together could gain; 0 in an equilibrium. The value itself cancels out."""
        return self.best_responses[0] + self.best_responses[1]

    @property
    def exploitability(self) -> float:
        """Mean gain of a player who switches to a best response."""
        return self.nash_conv / 2


@kernel
def _best_value(side: Side, opponent_realization: np.ndarray, counterfactual: np.ndarray) -> float:
    """The value of a best response, in chips.

    counterfactual: float64[sequences], room; it becomes the counterfactual value of each sequence.
    """
    fill_immediate_values(side, opponent_realization, counterfactual)
    for i in range(len(side.parent_sequence) - 1, -1, -1):
        best = counterfactual[side.start[i]]
        for k in range(side.start[i] + 1, side.start[i + 1]):
            best = max(best, counterfactual[k])
        counterfactual[side.parent_sequence[i]] += best
    return float(counterfactual[0])


@kernel
def _value(side: Side, realization: np.ndarray, opponent_realization: np.ndarray) -> float:
    """The side's expected payoff in chips, by both realization plans."""
    total = 0.0
    for k in range(len(realization)):
        for entry in range(side.rows[k], side.rows[k + 1]):
            total += realization[k] * side.chips[entry] * opponent_realization[side.columns[entry]]
    return total


def measure(game: ExtensiveForm | Sides, profile: StrategyProfile) -> Measures:
    """The value of a strategy profile and of the best responses to it, in chips per game.

    game: a tree, or its sequence form. Raises UsageError if the profile is not one of this game.
    """
    both = sides(game)
    check_profile(both, profile)
    alice, bob = (realization_plan(side, policy) for side, policy in zip(both, profile, strict=True))
    best = (
        _best_value(both[0], bob, np.empty(both[0].sequences)),
        _best_value(both[1], alice, np.empty(both[1].sequences)),
    )
    return Measures(_value(both[0], alice, bob), best)


def expected_value(game: ExtensiveForm | Sides, profile: StrategyProfile) -> float:
    """Alice's expected payoff in chips per game. Raises UsageError if the profile is not one of this game."""
    return measure(game, profile).value


def exploitability(game: ExtensiveForm | Sides, profile: StrategyProfile) -> float:
    """NashConv / 2 in chips per game: what a player gains on average by switching to a best response.

    game: a tree, or its sequence form. Raises UsageError if the profile is not one of this game.
    """
    return measure(game, profile).exploitability


@kernel
def _fill_best(side: Side, opponent_realization: np.ndarray, counterfactual: np.ndarray, policy: np.ndarray) -> None:
    """Write a best response to `policy`; of actions with the same value it takes the first one."""
    fill_immediate_values(side, opponent_realization, counterfactual)
    policy[0] = 1.0
    for i in range(len(side.parent_sequence) - 1, -1, -1):
        best = side.start[i]
        for k in range(side.start[i], side.start[i + 1]):
            policy[k] = 0.0
            if counterfactual[k] > counterfactual[best]:
                best = k
        policy[best] = 1.0
        counterfactual[side.parent_sequence[i]] += counterfactual[best]


def best_response(game: ExtensiveForm | Sides, seat: int, opponent: Array) -> Array:
    """A best response of a player, as float64[sequences]; every probability in it is 0 or 1.

    seat: ALICE or BOB, the player who responds. opponent: float64[sequences], the other player's policy.
    """
    both = sides(game)
    side, other = both[seat], both[1 - seat]
    policy = np.empty(side.sequences)
    _fill_best(side, realization_plan(other, opponent), np.empty(side.sequences), policy)
    return policy
