"""The sequence form (von Stengel 1996) of a tree: what the measures and the solvers compute with.

A player's behaviour is stored per sequence, float64[sequences]: as a policy, the probability of the sequence's last
action in its information set; as a plan, the product of the policy over the sequence. Entry 0, the empty sequence, is
1. The ends of a tree shrink to a sparse matrix: the expected payoff of each pair of sequences, chance included, which
is bilinear in the two plans. With perfect recall nothing else of the tree matters to values and best responses.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from engine.kernel import kernel
from solver.tree import ALICE, BOB, END, ExtensiveForm

Array = npt.NDArray[Any]


class Side(NamedTuple):
    """One player's information sets, and the payoffs to this player: a sparse matrix by rows (own sequences)."""

    start: Array  # int32[sets + 1] the set's sequences are start[i] .. start[i + 1] - 1
    past: Array  # int32[sets] the last own sequence before the set; less than start[i]
    rows: Array  # int32[sequences + 1] the row of own sequence i is rows[i] .. rows[i + 1] - 1 in the following
    columns: Array  # int32[entries] the opponent's sequence
    chips: Array  # float64[entries] payoff to this player times probability of chance

    @property
    def sequences(self) -> int:
        """Number of own sequences, the empty one included."""
        return len(self.rows) - 1


Sides = tuple[Side, Side]


def sides(tree: ExtensiveForm) -> Sides:
    """Alice's and Bob's side of the sequence form; Bob's matrix is the negative transpose of Alice's."""
    ends = np.flatnonzero(tree.player == END)
    chips = tree.chance[ends] * tree.payoff[ends]
    shape = (tree.sets[ALICE].sequences, tree.sets[BOB].sequences)
    matrix = sparse.csr_array(sparse.coo_array((chips, (tree.sequence[ALICE, ends], tree.sequence[BOB, ends])), shape))
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return _side(tree, ALICE, matrix), _side(tree, BOB, sparse.csr_array(-matrix.T))


def _side(tree: ExtensiveForm, seat: int, matrix: Any) -> Side:
    rows, columns = matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32)
    return Side(tree.sets[seat].start, tree.sets[seat].past, rows, columns, matrix.data)


def payoff_matrix(side: Side, opponent: Side) -> Any:
    """The side's payoffs as a scipy sparse array [own sequences, the opponent's]."""
    return sparse.csr_array((side.chips, side.columns, side.rows), (side.sequences, opponent.sequences))


@kernel
def fill_plan(side: Side, policy: np.ndarray, plan: np.ndarray) -> None:
    """Write the plan of a policy to `plan`."""
    plan[0] = 1.0
    for i in range(len(side.past)):
        for k in range(side.start[i], side.start[i + 1]):
            plan[k] = plan[side.past[i]] * policy[k]


@kernel
def fill_policy(side: Side, plan: np.ndarray, policy: np.ndarray) -> None:
    """Write the policy of a plan to `policy`: proportional to the plan within a set, uniform where that is zero.

    The plan need not be scaled: sums of plans give the average policy.
    """
    policy[0] = 1.0
    for i in range(len(side.past)):
        low, high = side.start[i], side.start[i + 1]
        total = 0.0
        for k in range(low, high):
            total += plan[k]
        for k in range(low, high):
            policy[k] = plan[k] / total if total > 0.0 else 1.0 / (high - low)


@kernel
def fill_gain(side: Side, opponent_plan: np.ndarray, gain: np.ndarray) -> None:
    """Write each own sequence's expected payoff at the ends right after it to `gain`."""
    fill_gain_rows(side, opponent_plan, gain, 0, len(gain))


@kernel
def fill_gain_rows(side: Side, opponent_plan: np.ndarray, gain: np.ndarray, low: int, high: int) -> None:
    """`fill_gain` for the sequences low..high-1."""
    for k in range(low, high):
        total = 0.0
        for entry in range(side.rows[k], side.rows[k + 1]):
            total += side.chips[entry] * opponent_plan[side.columns[entry]]
        gain[k] = total


def uniform_policy(side: Side) -> Array:
    """float64[sequences]: every action of a set with the same probability."""
    width = np.diff(side.start)
    return np.concatenate((np.ones(1), np.repeat(1.0 / width, width)))
