"""The sequence-form linear program of a game (Koller, Megiddo and von Stengel 1996).

The variables are Alice's realization plan and one value per information set of Bob. Alice maximises the value of Bob's
root, and no sequence of Bob's may leave her with less than the values say. Bob's realization plan is the dual of these
constraints, so one program gives both policies. Its size is that of the payoff matrix, not of the tree.

HiGHS takes entries below 1e-9 for zeros and 1e15 for infinity. So the program is in units of its largest entry.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from antemill.solver.game import Array
from antemill.solver.trees.sequence_form import Side, Sides, payoff_matrix


class Program(NamedTuple):
    """Minimise cost @ x, where low <= matrix @ x <= high, and all x but the free ones are at least 0."""

    cost: Array
    matrix: sparse.csr_array
    low: Array
    high: Array
    free: Array  # bool, of each variable


def sequence_program(both: Sides) -> Program:
    """The program: first the rows of Bob's sequences, then those of Alice's plan."""
    alice, bob = both
    unit = float(np.abs(alice.chips).max(initial=0.0)) or 1.0
    mine, theirs = _constraints(alice), _constraints(bob)
    cost = np.zeros(alice.sequences + theirs.shape[0])
    cost[alice.sequences] = -1.0
    matrix = sparse.block_array([[payoff_matrix(alice, bob).T / -unit, theirs.T], [mine, None]], format="csr")
    fixed = np.zeros(mine.shape[0])
    fixed[0] = 1.0
    low, high = np.full(bob.sequences, -np.inf), np.zeros(bob.sequences)
    free = np.arange(len(cost)) >= alice.sequences
    return Program(cost, matrix, np.concatenate((low, fixed)), np.concatenate((high, fixed)), free)


def _constraints(side: Side) -> Any:
    """The rows that make a vector a realization plan, a sparse array [1 + sets, sequences].

    Entry 0 is 1, and the entries of a set sum to the entry of its parent sequence.
    """
    width = np.diff(side.start)
    sets = np.arange(1, len(side.parent_sequence) + 1)
    rows = np.concatenate((np.zeros(1, np.int64), sets, np.repeat(sets, width)))
    columns = np.concatenate((np.zeros(1, np.int64), side.parent_sequence, np.arange(1, side.sequences)))
    values = np.concatenate((np.ones(1), -np.ones(len(sets)), np.ones(side.sequences - 1)))
    return sparse.csr_array((values, (rows, columns)), (len(sets) + 1, side.sequences))
