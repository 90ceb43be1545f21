"""Exact measures of a joint policy on the tree: expected value, best responses, exploitability.

A best response is found set by set from the last one to the first: with perfect recall the value of a sequence is that
of the ends right after it plus the best sequences of the sets right after it. Everything is exact up to the rounding of
float64.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from engine.errors import UsageError
from engine.kernel import kernel
from solver.sequence_form import Side, Sides, fill_gain, fill_plan

Array = npt.NDArray[Any]
Joint = tuple[Array, Array]  # Alice's and Bob's policy, float64[sequences] each, see `solver.sequence_form`

_TOLERANCE = 1e-9


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
def _best_value(side: Side, opponent_plan: np.ndarray, gain: np.ndarray) -> float:
    """The value of a best response; `gain` becomes the values of all own sequences."""
    fill_gain(side, opponent_plan, gain)
    for i in range(len(side.past) - 1, -1, -1):
        best = gain[side.start[i]]
        for k in range(side.start[i] + 1, side.start[i + 1]):
            best = max(best, gain[k])
        gain[side.past[i]] += best
    return float(gain[0])


@kernel
def _value(side: Side, plan: np.ndarray, opponent_plan: np.ndarray) -> float:
    """The side's expected payoff."""
    total = 0.0
    for k in range(len(plan)):
        for entry in range(side.rows[k], side.rows[k + 1]):
            total += plan[k] * side.chips[entry] * opponent_plan[side.columns[entry]]
    return total


def measure(both: Sides, joint: Joint) -> Measures:
    """Value and best responses of a joint policy. Raises UsageError if it is not one of this tree."""
    check_policy(both, joint)
    plans = [np.empty(side.sequences) for side in both]
    gains = [np.empty(side.sequences) for side in both]
    for side, policy, plan in zip(both, joint, plans, strict=True):
        fill_plan(side, policy, plan)
    best = _best_value(both[0], plans[1], gains[0]), _best_value(both[1], plans[0], gains[1])
    return Measures(_value(both[0], plans[0], plans[1]), best)


def expected_value(both: Sides, joint: Joint) -> float:
    """Alice's expected payoff in chips."""
    return measure(both, joint).value


def exploitability(both: Sides, joint: Joint) -> float:
    """NashConv / 2 in chips."""
    return measure(both, joint).exploitability


def check_policy(both: Sides, joint: Joint) -> None:
    """Raise UsageError unless both policies fit the tree and are probabilities in every information set."""
    if len(joint) != 2:
        raise UsageError("a joint policy is needed: pass Alice's and Bob's.")
    for name, side, policy in zip(("Alice", "Bob"), both, joint, strict=True):
        if policy.shape != (side.sequences,) or policy.dtype != np.float64:
            raise UsageError(
                f"{name}'s policy does not fit: {policy.shape} of {policy.dtype}; "
                f"pass the float64[{side.sequences}] of this game."
            )
        sums = np.add.reduceat(policy, side.start[:-1]) if len(side.past) else np.ones(0)
        good = policy[0] == 1.0 and bool(np.all(policy >= 0.0)) and bool(np.all(np.abs(sums - 1.0) <= _TOLERANCE))
        if not good:
            raise UsageError(f"{name}'s policy must be probabilities that sum to 1 in every information set: fix them.")
