"""What AIVAT leaves of the variance, exactly, and histories from logged actions: for tests of AIVAT."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from antemill.engine.machine.branches import root_state
from antemill.engine.machine.policy import action_index
from antemill.engine.machine.program import Program
from antemill.solver.evaluation.aivat_tree import TreeAivat
from antemill.solver.evaluation.history import History, play_out
from antemill.solver.game import END, Array
from antemill.solver.trees.sequence_form import realization_plan, sides


class Moments(NamedTuple):
    """Exact figures of a match between two policies, chips."""

    mean: float
    raw: float  # variance of Alice's payoff
    corrected: float  # variance of the estimate

    @property
    def ratio(self) -> float:
        """Corrected variance over raw variance: the share of the matches that are needed for the same precision."""
        return self.corrected / self.raw if self.raw > 0.0 else float("nan")


def exact_moments(method: TreeAivat, seat: int, opponent: Array) -> Moments:
    """Mean and variances of matches in which `seat` plays its known policy against the policy `opponent`."""
    tree, both = method.tree, sides(method.tree)
    ends = np.flatnonzero(tree.player == END)
    known = realization_plan(both[seat], method.profile[seat])
    other = realization_plan(both[1 - seat], opponent)
    odds = tree.chance[ends] * known[tree.sequence[seat, ends]] * other[tree.sequence[1 - seat, ends]]
    ends, odds = ends[odds > 0.0], odds[odds > 0.0]
    payoff = tree.payoff[ends].astype(np.float64)
    estimate = method.estimates(seat)[tree.sequence[1 - seat, ends]]
    mean = float(odds @ payoff)
    return Moments(mean, float(odds @ (payoff - mean) ** 2), float(odds @ (estimate - mean) ** 2))


def logged_history(program: Program, play_seed: int, actions: Iterable[int]) -> History:
    """The history of the match with this play seed in which these actions, as `rollout` logs them, were taken."""
    rest = iter(actions)
    return play_out(program, root_state(program), play_seed, lambda state: int(action_index(state, int(next(rest)))))


def kuhn_without_bluffs() -> Array:
    """Alice's policy, by sequences, in the one of Kuhn's equilibria in which she never bets first.

    Linear programs and iterations end at others, and how much luck AIVAT removes depends on which.
    """
    return np.array([1, 0, 1, 1, 0, 0, 1, 2 / 3, 1 / 3, 0, 1, 0, 1])
