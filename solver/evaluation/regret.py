"""Advice of an equilibrium on each decision of a match: its mix, and the gain of every action.

The gain of an action is its value less that of the information set, both with equilibrium play before (of the opponent)
and after (of both). Where the seat never goes by its own choice, its play after is the best response to the
opponent (`antemill.solver.evaluation.off_path`). The gain is AIVAT's correction for a decision of the side whose policy
is unknown (`antemill.solver.evaluation.aivat_tree`), so the estimates of all sequences give it: an action's is the
estimate of its sequence less that of the sequence before. Where the equilibrium's opponent never leads, there are no
beliefs about the hidden cards, and no gain is given.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antemill.solver.evaluation.aivat_tree import TreeAivat
from antemill.solver.evaluation.history import History, end_node
from antemill.solver.evaluation.off_path import completed
from antemill.solver.game import ALICE, Array, ExtensiveForm
from antemill.solver.policies.profile import StrategyProfile
from antemill.solver.trees.sequence_form import Sides, sides


class Advice(NamedTuple):
    """The advice on one decision. Arrays have an entry for each branch, in the order of the tree's node.

    probabilities: the equilibrium's mix. gains: chips, of the seat that decides; nan where its opponent never leads.
    chosen: the branch that was taken.
    """

    probabilities: Array  # float64[branches]
    gains: Array  # float64[branches]
    chosen: int

    @property
    def regret(self) -> float:
        """The loss of the choice relative to the value of the set, chips; 0 where the gain is unknown."""
        gain = float(self.gains[self.chosen])
        return 0.0 if np.isnan(gain) else -gain

    @property
    def cost(self) -> float | None:
        """The loss of the choice relative to the best action, chips; None where the gain is unknown."""
        if np.isnan(self.gains[self.chosen]):
            return None
        return max(0.0, float(np.nanmax(self.gains) - self.gains[self.chosen]))


class Adviser:
    """Reviews matches of one game.

    profile: the policies of both seats, near an equilibrium. It is completed (`off_path`) where a player's own choices
    never lead. Raises UsageError if it is not one of the tree.
    """

    def __init__(self, tree: ExtensiveForm, profile: StrategyProfile) -> None:
        self.tree = tree
        self._sides: Sides = sides(tree)
        self.profile = completed(self._sides, profile)
        self._method = TreeAivat(tree, self.profile, self._sides)
        self._gains: dict[int, Array] = {}

    def gains(self, seat: int) -> Array:
        """float64[the seat's sequences]: the gain of each sequence's last action, chips; 0 of the empty sequence."""
        if seat not in self._gains:
            side, sign = self._sides[seat], 1.0 if seat == ALICE else -1.0
            values = self._method.estimates(1 - seat)
            before = np.repeat(side.parent_sequence, np.diff(side.start))
            self._gains[seat] = np.concatenate((np.zeros(1), sign * (values[1:] - values[before])))
        return self._gains[seat]

    def review(self, seat: int, history: History) -> list[Advice]:
        """Every decision of `seat` in a finished match, in order. Raises UsageError for a match of another game."""
        side, gains, policy = self._sides[seat], self.gains(seat), self.profile[seat]
        sequence = int(self.tree.sequence[seat, end_node(self.tree, history)])
        found: list[Advice] = []
        while sequence > 0:
            place = int(np.searchsorted(side.start, sequence, side="right")) - 1
            low, high = int(side.start[place]), int(side.start[place + 1])
            found.append(Advice(policy[low:high], gains[low:high], sequence - low))
            sequence = int(side.parent_sequence[place])
        return found[::-1]
