"""The sequence form (von Stengel 1996) of a tree: what the measures and the algorithms compute with.

A player's behaviour is stored with one number per sequence, in an array float64[sequences], in either of two forms. A
*policy* has the probability of the sequence's last action in its information set. A *realization plan* has the product
of these probabilities over the whole sequence. In both, entry 0 stands for the empty sequence and is 1.

The ends of a tree shrink to a sparse matrix: for each pair of sequences the payoff, times the probability of chance,
summed over the ends at which the two sequences meet. A player's expected payoff is bilinear in the two realization
plans. With perfect recall nothing else of the tree matters to values and best responses.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from engine.kernel import kernel
from solver.game import ALICE, BOB, END, Array, ExtensiveForm


class Side(NamedTuple):
    """One player's information sets, and the payoffs to this player: a sparse matrix by rows (own sequences)."""

    start: Array  # int32[sets + 1] the set's sequences are start[i] .. start[i + 1] - 1
    parent_sequence: Array  # int32[sets] the player's last sequence before the set; less than start[i]
    rows: Array  # int32[sequences + 1] the row of own sequence i is rows[i] .. rows[i + 1] - 1 in the following
    columns: Array  # int32[entries] the opponent's sequence
    chips: Array  # float64[entries] payoff to this player times probability of chance

    @property
    def sequences(self) -> int:
        """Number of own sequences, the empty one included."""
        return len(self.rows) - 1


Sides = tuple[Side, Side]


def sides(game: ExtensiveForm | Sides) -> Sides:
    """The sequence form of a tree: Alice's side and Bob's, whose payoffs are the negative transpose of Alice's.

    A pair of sides is returned as it is, so whoever needs one can be given a tree as well.
    """
    if not isinstance(game, ExtensiveForm):
        return game
    tree = game
    ends = np.flatnonzero(tree.player == END)
    chips = tree.chance[ends] * tree.payoff[ends]
    shape = (tree.sets[ALICE].sequences, tree.sets[BOB].sequences)
    matrix = sparse.csr_array(sparse.coo_array((chips, (tree.sequence[ALICE, ends], tree.sequence[BOB, ends])), shape))
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return _side(tree, ALICE, matrix), _side(tree, BOB, sparse.csr_array(-matrix.T))


def _side(tree: ExtensiveForm, seat: int, matrix: Any) -> Side:
    rows, columns = matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32)
    return Side(tree.sets[seat].start, tree.sets[seat].parent_sequence, rows, columns, matrix.data)


def payoff_matrix(side: Side, opponent: Side) -> Any:
    """The side's payoffs as a scipy sparse array [own sequences, the opponent's]."""
    return sparse.csr_array((side.chips, side.columns, side.rows), (side.sequences, opponent.sequences))


@kernel
def fill_realization_plan(side: Side, policy: np.ndarray, realization: np.ndarray) -> None:
    """Write the realization plan of a policy to `realization`."""
    realization[0] = 1.0
    for i in range(len(side.parent_sequence)):
        for k in range(side.start[i], side.start[i + 1]):
            realization[k] = realization[side.parent_sequence[i]] * policy[k]


def realization_plan(side: Side, policy: Array) -> Array:
    """float64[sequences]: the realization plan of a policy, in a new array."""
    plan = np.empty(side.sequences)
    fill_realization_plan(side, policy, plan)
    return plan


@kernel
def fill_policy(side: Side, realization: np.ndarray, policy: np.ndarray) -> None:
    """Write the policy of a realization plan to `policy`; it is uniform in sets that the plan never reaches.

    The plan need not be scaled: the sum of several plans gives their average policy.
    """
    policy[0] = 1.0
    for i in range(len(side.parent_sequence)):
        low, high = side.start[i], side.start[i + 1]
        total = 0.0
        for k in range(low, high):
            total += realization[k]
        for k in range(low, high):
            policy[k] = realization[k] / total if total > 0.0 else 1.0 / (high - low)


@kernel
def fill_immediate_values(side: Side, opponent_realization: np.ndarray, counterfactual: np.ndarray) -> None:
    """Write the immediate part of each sequence's counterfactual value: the payoff at the ends right after it.

    The counterfactual value of a sequence is the payoff to its player after it, weighted by the probability with which
    chance and the opponent get there. The part that comes from later information sets is left to the caller.
    opponent_realization: the opponent's realization plan. counterfactual: float64[sequences].
    """
    fill_immediate_rows(side, opponent_realization, counterfactual, 0, len(counterfactual))


@kernel
def fill_immediate_rows(
    side: Side, opponent_realization: np.ndarray, counterfactual: np.ndarray, low: int, high: int
) -> None:
    """`fill_immediate_values` for the sequences low..high-1."""
    for k in range(low, high):
        total = 0.0
        for entry in range(side.rows[k], side.rows[k + 1]):
            total += side.chips[entry] * opponent_realization[side.columns[entry]]
        counterfactual[k] = total


def uniform_policy(side: Side) -> Array:
    """float64[sequences]: the policy that takes every action of an information set with the same probability."""
    width = np.diff(side.start)
    return np.concatenate((np.ones(1), np.repeat(1.0 / width, width)))
