"""Exact equilibria by the sequence-form linear program (Koller, Megiddo and von Stengel 1996), solved by HiGHS.

The variables are Alice's realization plan and one value per information set of Bob. Alice maximises the value of Bob's
root, and no sequence of Bob's may leave her with less than the values say. Bob's realization plan is the dual of these
constraints, so one program gives both policies. Its size is that of the payoff matrix, not of the tree.

HiGHS takes entries below 1e-9 for zeros and 1e15 for infinity, so the program is in units of its largest entry. Of its
methods the dual simplex takes the least time on generated games.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from antemill.engine.errors import ExecutionError
from antemill.solver.evaluation.measures import measure
from antemill.solver.game import Array
from antemill.solver.policies.profile import StrategyProfile
from antemill.solver.trees.sequence_form import Side, Sides, fill_policy, payoff_matrix, uniform_policy

_OPTIMAL, _LIMIT = 0, 1  # statuses of scipy's


class Solution(NamedTuple):
    """An equilibrium."""

    value: float  # Alice's expected payoff under the profile, chips
    profile: StrategyProfile
    exploitability: float  # measured, chips: the effect of rounding in the program


def solve_exactly(both: Sides, seconds: float | None = None) -> Solution:
    """Solve the program and measure what it found.

    Raises TimeoutError after `seconds`; ExecutionError with the message of HiGHS if it fails.
    """
    from scipy.optimize import linprog  # loaded where it is first needed

    alice, bob = both
    unit = float(np.abs(alice.paid).max(initial=0.0)) or 1.0
    mine, theirs = _constraints(alice), _constraints(bob)
    none = sparse.csr_array((mine.shape[0], theirs.shape[0]))
    fixed = np.zeros(mine.shape[0])
    fixed[0] = 1.0
    cost = np.zeros(alice.sequences + theirs.shape[0])
    cost[alice.sequences] = -1.0
    free = np.repeat(((0.0, np.inf), (-np.inf, np.inf)), (alice.sequences, theirs.shape[0]), axis=0)
    found = linprog(
        cost,
        A_ub=sparse.hstack((payoff_matrix(alice, bob).T / -unit, theirs.T), format="csr"),
        b_ub=np.zeros(bob.sequences),
        A_eq=sparse.hstack((mine, none), format="csr"),
        b_eq=fixed,
        bounds=free,
        method="highs-ds",
        options={} if seconds is None else {"time_limit": max(0.0, seconds)},
    )
    if found.status == _LIMIT:
        raise TimeoutError("the linear program was stopped before it was solved.")
    if found.status != _OPTIMAL:
        raise ExecutionError(f"the linear program was not solved ({found.message}): use --algorithm hs-pdcfr+.")
    profile = _policy(alice, found.x[: alice.sequences]), _policy(bob, -found.ineqlin.marginals)
    measured = measure(both, profile)
    return Solution(measured.value, profile, measured.exploitability)


def _policy(side: Side, realization: Array) -> Array:
    """The policy of a realization plan, whose entries that rounding made negative count as 0."""
    policy = uniform_policy(side)
    fill_policy(side, np.maximum(realization, 0.0), policy)
    return policy


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
