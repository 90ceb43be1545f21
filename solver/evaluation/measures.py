"""Exact measures of a strategy profile: expected value, best responses and exploitability.

A best response is found information set by information set, from the last one to the first. With perfect recall the
counterfactual value of a sequence is the payoff at the ends right after it, plus the values of the best sequences in
the sets right after it. Everything is exact up to the rounding of float64.

Sets are numbered depth first, so only the values of sets whose parent comes later are kept, on a short stack. Apart
from the stack a measurement needs only the memory of the opponent's realization plan.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from antemill.engine.arguments import whole
from antemill.engine.kernel import kernel
from antemill.solver.game import ALICE, BOB, Array
from antemill.solver.policies.profile import Profiled, check_policy, profile_of
from antemill.solver.trees import sequence_form as form
from antemill.solver.trees.sequence_form import Side, Sides, Tree

_STACK = 1 << 10  # values at first


class Measures(NamedTuple):
    """Chips per game."""

    value: float  # Alice's expected payoff; Bob's is the negative
    best_responses: tuple[float, float]  # the value of Alice's, or Bob's, best response to the other's policy

    @property
    def nash_conv(self) -> float:
        """The sum of what both players could gain. It is never negative, in spite of rounding."""
        return max(0.0, self.best_responses[0] + self.best_responses[1])

    @property
    def exploitability(self) -> float:
        """Mean gain of a player who switches to a best response."""
        return self.nash_conv / 2


@kernel
def _best_value_on(side: Side, opponent_realization: np.ndarray, parent: np.ndarray, value: np.ndarray) -> float:
    """The value of a best response, in chips; nan if the stack is too short or the sets are not depth first.

    parent: int32[capacity], value: float64[capacity]. The lower part is the stack: the parent sequence of each set that
    waits for its parent, and the value of its best sequence. The sequences of a set have their values right above it.
    """
    top, root = 0, form.immediate_value(side, opponent_realization, 0)
    for i in range(len(side.parent_sequence) - 1, -1, -1):
        low, high = side.start[i], side.start[i + 1]
        if top + high - low >= len(value):
            return np.nan
        for k in range(low, high):
            value[top + k - low] = form.immediate_value(side, opponent_realization, k)
        below = top
        while below > 0 and parent[below - 1] >= low:
            below -= 1
        for j in range(below, top):
            if parent[j] >= high:
                return np.nan
            value[top + parent[j] - low] += value[j]
        best = value[top]
        for k in range(1, high - low):
            best = max(best, value[top + k])
        if side.parent_sequence[i] == 0:
            root += best
            top = below
        else:
            parent[below], value[below] = side.parent_sequence[i], best
            top = below + 1
    return root if top == 0 else np.nan


def _best_value(side: Side, opponent_realization: Array) -> float:
    """The value of a best response, in chips."""
    capacity, most = _STACK, 2 * side.sequences + 1
    while math.isnan(
        found := _best_value_on(side, opponent_realization, np.empty(capacity, np.int32), np.empty(capacity))
    ):
        if capacity >= most:  # long enough for any stack
            counterfactual = np.empty(side.sequences)
            _fill_best(side, opponent_realization, counterfactual, np.empty(side.sequences))
            return float(counterfactual[0])
        capacity = min(16 * capacity, most)
    return float(found)


@kernel
def _value(side: Side, realization: np.ndarray, opponent_realization: np.ndarray) -> float:
    """The side's expected payoff in chips, by both realization plans."""
    total = 0.0
    for k in range(len(realization)):
        for entry in range(side.rows[k], side.rows[k + 1]):
            total += realization[k] * side.paid[entry] * opponent_realization[side.columns[entry]]
    return total


def measure(game: Tree, profile: Profiled) -> Measures:
    """The value of a strategy profile and of the best responses to it, in chips per game.

    game: a tree, or its sequence form. profile: a strategy profile, or a run, whose profile is taken.
    Raises UsageError if the profile is not one of this game.
    """
    both = form.sides(game)
    profile = profile_of(both, profile)
    alice, bob = (form.realization_plan(side, policy) for side, policy in zip(both, profile, strict=True))
    return Measures(_value(both[0], alice, bob), (_best_value(both[0], bob), _best_value(both[1], alice)))


def expected_value(game: Tree, profile: Profiled) -> float:
    """Alice's expected payoff in chips per game. Raises UsageError if the profile is not one of this game."""
    both = form.sides(game)
    profile = profile_of(both, profile)
    return _value(both[0], form.realization_plan(both[0], profile[0]), form.realization_plan(both[1], profile[1]))


def average_exploitability(both: Sides, totals: tuple[Array, Array], workspace: Array) -> float:
    """`exploitability` of the policies that `fill_policy` makes of sums of plans, bit for bit.

    totals: [sequences] of each player. workspace: float64[the sequences of either player], which is overwritten.
    """
    alice, bob = average_responses(both, totals, workspace)
    return max(0.0, alice + bob) / 2


def average_responses(both: Sides, totals: tuple[Array, Array], workspace: Array) -> tuple[float, float]:
    """The values of the best responses to these policies; arguments as in `average_exploitability`."""
    gains = []
    for seat in (ALICE, BOB):
        plan = workspace[: both[1 - seat].sequences]
        form.fill_average_plan(both[1 - seat], totals[1 - seat], plan)
        gains.append(_best_value(both[seat], plan))
    return gains[ALICE], gains[BOB]


def exploitability(game: Tree, profile: Profiled) -> float:
    """NashConv / 2 in chips per game: what a player gains on average by switching to a best response.

    game: a tree, or its sequence form. profile: a strategy profile, or a run, whose profile is taken.
    Raises UsageError if the profile is not one of this game.
    """
    return measure(game, profile).exploitability


@kernel
def _fill_best(side: Side, opponent_realization: np.ndarray, counterfactual: np.ndarray, policy: np.ndarray) -> None:
    """Write a best response to `policy`; of actions with the same value it takes the first one."""
    form.fill_immediate_values(side, opponent_realization, counterfactual)
    policy[0] = 1.0
    for i in range(len(side.parent_sequence) - 1, -1, -1):
        best = side.start[i]
        for k in range(side.start[i], side.start[i + 1]):
            policy[k] = 0.0
            if counterfactual[k] > counterfactual[best]:
                best = k
        policy[best] = 1.0
        counterfactual[side.parent_sequence[i]] += counterfactual[best]


def best_response(game: Tree, seat: int, opponent: Array | Profiled) -> Array:
    """A best response of a player, as float64[sequences]; every probability in it is 0 or 1.

    seat: ALICE or BOB, the player who responds. opponent: float64[sequences], the other player's policy; or a strategy
    profile or a run that contains it. Raises UsageError for a policy of another game.
    """
    both, seat = form.sides(game), whole(seat, "seat", ALICE, BOB)
    if not isinstance(opponent, np.ndarray):
        opponent = profile_of(both, opponent)[1 - seat]
    check_policy(both, 1 - seat, opponent)
    side, other = both[seat], both[1 - seat]
    policy = np.empty(side.sequences)
    _fill_best(side, form.realization_plan(other, opponent), np.empty(side.sequences), policy)
    return policy
