"""AIVAT (Burch, Schmid, Moravcik, Morrill and Bowling 2018): the result of a match with the luck taken out.

One side's policy must be known; about its opponent nothing is assumed. The estimate is the payoff, averaged over all
that the known side could have held instead, plus a correction of mean 0 for every move of chance and every own choice:
the expected value before the move minus the value after it. Its expectation is that of the payoff, whatever the
opponent does, because chance and the known policy have known probabilities, and because the opponent, who can not tell
the histories of an information set apart, reaches all of them with the same probability.

Here every group of histories that enter as one is as large as this argument allows: all those in which the opponent
has made the same choices in the same information sets. The values before and after a move are then the same group's,
so the corrections between two of the opponent's decisions shrink to one. With V(I) the value of the opponent's
information set I, and v(I, a) the expectation of what follows its action a, over the next information sets and the
ends, the estimate is v at the root plus the sum of v(I, a) - V(I) over the opponent's decisions. It depends on the
opponent's last sequence only, so one pass over the sequence form gives the estimates of all matches at once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from engine.errors import UsageError
from engine.kernel import kernel
from solver.history import History, end_node, strange
from solver.measures import Joint, check_policy
from solver.sequence_form import Side, Sides, fill_gain, fill_plan, sides
from solver.tree import BOB, END, ExtensiveForm

Array = npt.NDArray[Any]


class Moments(NamedTuple):
    """Exact figures of a match between two policies, chips."""

    mean: float
    raw: float  # variance of Alice's payoff
    corrected: float  # variance of the estimate

    @property
    def ratio(self) -> float:
        """Corrected variance over raw variance: the share of the matches that are needed for the same precision."""
        return self.corrected / self.raw if self.raw > 0.0 else float("nan")


class TreeAivat:
    """Estimates on the tree.

    joint: the policies of both seats. The one of the known seat must be what it plays. The other stands for the
    opponent in the values, and the better it does, the smaller the variance; the estimates are unbiased with any.
    """

    kind = "tree"

    def __init__(self, tree: ExtensiveForm, joint: Joint, both: Sides | None = None) -> None:
        self.tree = tree
        self._both = sides(tree) if both is None else both
        check_policy(self._both, joint)
        self._joint = joint
        self._plans = tuple(_plan(side, policy) for side, policy in zip(self._both, joint, strict=True))
        self._found: dict[int, Array] = {}

    def estimates(self, seat: int) -> Array:
        """float64[the opponent's sequences]: Alice's payoff by the opponent's last sequence, `seat` being known.

        nan where the known policy never goes.
        """
        if seat not in self._found:
            self._found[seat] = self.estimates_by_values(seat, None)
        return self._found[seat]

    def estimates_by_values(self, seat: int, values: Array | None) -> Array:
        """`estimates` with other values, float64[the opponent's sets]: Alice's payoff expected in each of them."""
        side, plan = self._both[1 - seat], self._plans[seat]
        reach = _reach(self.tree, seat, plan)
        sign = -1.0 if 1 - seat == BOB else 1.0
        gain, out = np.empty(side.sequences), np.empty(side.sequences)
        fill_gain(side, plan, gain)
        if values is None:
            worth = np.empty(len(reach))
            _fill_worth(side, self._joint[1 - seat], gain, worth)
        else:
            worth = sign * reach * values
            np.add.at(gain, side.past, worth)
        _fill_estimates(side, reach, gain, worth, out)
        return sign * out

    def estimate(self, seat: int, history: History) -> float:
        """Alice's payoff of a match in which the policy of `seat` is known, in chips.

        Raises UsageError if the match is of another game, or if the known seat did what its policy never does.
        """
        node = end_node(self.tree, history)
        if self._plans[seat][self.tree.sequence[seat, node]] <= 0.0:
            raise UsageError(strange(self.tree.game, seat))
        return float(self.estimates(seat)[self.tree.sequence[1 - seat, node]])

    def moments(self, seat: int, opponent: Array) -> Moments:
        """Mean and variances of matches in which `seat` plays its known policy against the policy `opponent`."""
        tree = self.tree
        ends = np.flatnonzero(tree.player == END)
        plan = _plan(self._both[1 - seat], opponent)
        odds = tree.chance[ends] * self._plans[seat][tree.sequence[seat, ends]] * plan[tree.sequence[1 - seat, ends]]
        ends, odds = ends[odds > 0.0], odds[odds > 0.0]
        payoff = tree.payoff[ends].astype(np.float64)
        estimate = self.estimates(seat)[tree.sequence[1 - seat, ends]]
        mean = float(odds @ payoff)
        return Moments(mean, float(odds @ (payoff - mean) ** 2), float(odds @ (estimate - mean) ** 2))


def _plan(side: Side, policy: Array) -> Array:
    plan = np.empty(side.sequences)
    fill_plan(side, policy, plan)
    return plan


def _reach(tree: ExtensiveForm, seat: int, plan: Array) -> Array:
    """float64[the opponent's sets]: how likely chance and the plan of `seat` make each of them."""
    nodes = np.flatnonzero(tree.player == 1 - seat)
    odds = tree.chance[nodes] * plan[tree.sequence[seat, nodes]]
    return np.bincount(tree.information_set[nodes], odds, tree.sets[1 - seat].size)


@kernel
def _fill_worth(side: Side, policy: np.ndarray, gain: np.ndarray, worth: np.ndarray) -> None:
    """Write what the policy gets in each information set, times its reach, to `worth`, and add it to `gain`.

    gain: of the ends right after each sequence; it becomes that of everything after it.
    """
    for i in range(len(side.past) - 1, -1, -1):
        total = 0.0
        for k in range(side.start[i], side.start[i + 1]):
            total += policy[k] * gain[k]
        worth[i] = total
        gain[side.past[i]] += total


@kernel
def _fill_estimates(side: Side, reach: np.ndarray, gain: np.ndarray, worth: np.ndarray, out: np.ndarray) -> None:
    """Write the value of the root plus the sum of v(I, a) - V(I) over each sequence to `out`."""
    out[0] = gain[0]
    for i in range(len(side.past)):
        for k in range(side.start[i], side.start[i + 1]):
            out[k] = out[side.past[i]] + (gain[k] - worth[i]) / reach[i] if reach[i] > 0.0 else np.nan
