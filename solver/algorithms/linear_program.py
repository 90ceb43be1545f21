"""Exact equilibria by the sequence-form linear program, solved by the dual simplex method of HiGHS.

On generated games this takes less time than its other methods.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from antemill.solver.algorithms.sequence_program import sequence_program
from antemill.solver.evaluation.measures import measure
from antemill.solver.game import Array
from antemill.solver.policies.profile import StrategyProfile
from antemill.solver.trees.sequence_form import Side, Sides, fill_policy, uniform_policy


class Solution(NamedTuple):
    """An equilibrium."""

    value: float  # Alice's expected payoff under the profile, chips
    profile: StrategyProfile
    exploitability: float  # measured, chips: the effect of rounding in the program


def solve_exactly(both: Sides, seconds: float | None = None, beside: Callable[[], bool] | None = None) -> Solution:
    """Solve the program and measure what it found.

    beside: called after every step of the simplex method; it stops the solver by returning False. Raises TimeoutError
    then, or after `seconds`; what `beside` raises; ExecutionError with the status of HiGHS if it fails.
    """
    from antemill.solver.algorithms.highs import optimum  # HiGHS is loaded where it is first needed

    alice, bob = both
    found = optimum(sequence_program(both), seconds, beside)
    profile = (_policy(alice, found.variables[: alice.sequences]), _policy(bob, -found.duals[: bob.sequences]))
    measured = measure(both, profile)
    return Solution(measured.value, profile, measured.exploitability)


def _policy(side: Side, realization: Array) -> Array:
    """The policy of a realization plan, whose entries that rounding made negative count as 0."""
    policy = uniform_policy(side)
    fill_policy(side, np.maximum(realization, 0.0), policy)
    return policy
