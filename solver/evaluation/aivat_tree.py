"""AIVAT (Burch, Schmid, Moravcik, Morrill and Bowling 2018): the result of a match without the luck.

One side's policy must be known; about its opponent nothing is assumed. The estimate is the payoff, averaged over all
hands that the known side could have held, plus a correction of mean 0 for every move of chance and every own choice:
the expected value before the move minus the value after it. Its expectation is that of the payoff, whatever the
opponent does, because chance and the known policy have known probabilities, and because the opponent, who cannot tell
the histories of an information set apart, reaches all of them with the same probability.

Here every group of histories that enter as one is as large as this argument allows: all those in which the opponent
has made the same choices in the same information sets. The values before and after a move are then the same group's,
so the corrections between two of the opponent's decisions shrink to one. With V(I) the value of the opponent's
information set I, and v(I, a) the expectation of what follows its action a, over the next information sets and the
ends, the estimate is v at the root plus the sum of v(I, a) - V(I) over the opponent's decisions. It depends on the
opponent's last sequence only, so one pass over the sequence form gives the estimates of all matches at once.
"""

from __future__ import annotations

import numpy as np

from antemill.engine.errors import UsageError
from antemill.engine.kernel import kernel
from antemill.solver.evaluation.history import History, end_node, impossible_choice
from antemill.solver.game import BOB, Array, ExtensiveForm
from antemill.solver.policies.profile import StrategyProfile, profile_of
from antemill.solver.trees.sequence_form import Side, Sides, fill_immediate_values, realization_plan, sides


class TreeAivat:
    """AIVAT on the tree of a game.

    profile: the policies of both seats. The known seat must play its policy. The other policy stands for the opponent
    in the values: a better guess reduces the variance, and the estimates are unbiased with any.
    """

    kind = "tree"

    def __init__(self, tree: ExtensiveForm, profile: StrategyProfile, both: Sides | None = None) -> None:
        self.tree = tree
        self._both = sides(tree) if both is None else both
        profile = profile_of(self._both, profile)
        self.profile = profile
        self._plans = tuple(realization_plan(side, policy) for side, policy in zip(self._both, profile, strict=True))
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
        side, realization = self._both[1 - seat], self._plans[seat]
        reach = _reach(self.tree, seat, realization)
        sign = -1.0 if 1 - seat == BOB else 1.0
        counterfactual, out = np.empty(side.sequences), np.empty(side.sequences)
        fill_immediate_values(side, realization, counterfactual)
        if values is None:
            set_values = np.empty(len(reach))
            _fill_set_values(side, self.profile[1 - seat], counterfactual, set_values)
        else:
            set_values = sign * reach * values
            np.add.at(counterfactual, side.parent_sequence, set_values)
        _fill_estimates(side, reach, counterfactual, set_values, out)
        return sign * out

    def plays(self, seat: int, sequence: int) -> bool:
        """Whether the seat's policy can play a sequence of its own."""
        return bool(self._plans[seat][sequence] > 0.0)

    def estimate(self, seat: int, history: History) -> float:
        """Alice's payoff of a match in which the policy of `seat` is known, in chips.

        Raises UsageError if the match is of another game, or if the known seat took an action of probability 0.
        """
        node = end_node(self.tree, history)
        if not self.plays(seat, int(self.tree.sequence[seat, node])):
            raise UsageError(impossible_choice(self.tree.game, seat))
        return float(self.estimates(seat)[self.tree.sequence[1 - seat, node]])


def _reach(tree: ExtensiveForm, seat: int, realization: Array) -> Array:
    """float64[the opponent's sets]: the probability with which chance and `seat`, by its plan, lead to each of them."""
    nodes = np.flatnonzero(tree.player == 1 - seat)
    odds = tree.chance[nodes] * realization[tree.sequence[seat, nodes]]
    return np.bincount(tree.information_set[nodes], odds, tree.sets[1 - seat].size)


@kernel
def _fill_set_values(side: Side, policy: np.ndarray, counterfactual: np.ndarray, set_values: np.ndarray) -> None:
    """Write what the policy gets in each information set, times its reach, to `set_values`.

    counterfactual: float64[sequences], the payoffs at the ends right after each sequence; it becomes the counterfactual
    value of each sequence.
    """
    for i in range(len(side.parent_sequence) - 1, -1, -1):
        total = 0.0
        for k in range(side.start[i], side.start[i + 1]):
            total += policy[k] * counterfactual[k]
        set_values[i] = total
        counterfactual[side.parent_sequence[i]] += total


@kernel
def _fill_estimates(
    side: Side, reach: np.ndarray, counterfactual: np.ndarray, set_values: np.ndarray, out: np.ndarray
) -> None:
    """Write the value of the root plus the sum of v(I, a) - V(I) over each sequence to `out`."""
    out[0] = counterfactual[0]
    for i in range(len(side.parent_sequence)):
        for k in range(side.start[i], side.start[i + 1]):
            out[k] = (
                out[side.parent_sequence[i]] + (counterfactual[k] - set_values[i]) / reach[i]
                if reach[i] > 0.0
                else np.nan
            )
