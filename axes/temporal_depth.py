"""Temporal depth (GENSTRAT appendix C, X4): whether decisions have consequences for later decisions.

    score of a seat = sum over its decision types d of f_d * eta2_d * r_d

f_d: visits per episode. eta2_d: between-action share of the variance of the player's final payoff over the visits to d.
r_d: mean number of further decisions of the same player in the episode after a visit to d.

Our reading: the observations are visits, not episodes. A type with a single action, or with a constant payoff,
contributes 0. The game's score is the mean over seats, unless another reduction is requested.
"""

from typing import Literal

import numpy as np

from antemill.axes.axis import Axis, Play
from antemill.axes.grouping import Array, Decisions, IntArray, decisions, pairwise_sum, utilities
from antemill.engine.kernel import kernel
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import Log
from antemill.engine.machine.words import unsigned

Reduction = Literal["mean", "sum", "max"]


def temporal_depth(log: Log, program: Program, reduction: Reduction = "mean", utility: IntArray | None = None) -> float:
    """Temporal depth of a game from a log of random play. utility: `utilities` of the log, if known."""
    alice, bob = temporal_depth_by_seat(log, program, utility)
    if reduction == "max":
        return max(alice, bob)
    return alice + bob if reduction == "sum" else (alice + bob) / 2


def temporal_depth_by_seat(log: Log, program: Program, utility: IntArray | None = None) -> tuple[float, float]:
    """Temporal depth of each seat."""
    if log.rows == 0:
        return 0.0, 0.0
    return _by_seat(log, utilities(log) if utility is None else utility, decisions(program))


@kernel(allocates=True)
def _by_seat(log: Log, utility: IntArray, types: Decisions) -> tuple[float, float]:
    """The sum of each seat's terms per episode."""
    terms, episodes = _terms(log, utility, types.offsets), len(log.payoff)
    alice, bob = np.empty(len(terms)), np.empty(len(terms))
    n = m = 0
    for d in range(len(terms)):
        if types.seats[d] == 0:
            alice[n] = terms[d] / episodes
            n += 1
        else:
            bob[m] = terms[d] / episodes
            m += 1
    return pairwise_sum(alice[:n]), pairwise_sum(bob[:m])


@kernel(allocates=True)
def _terms(log: Log, utility: IntArray, offsets: IntArray) -> Array:
    """float64[types]: visits * eta2 * r of every decision type. Rows of an episode are adjacent, in order of play."""
    seat, decision, action, episode = log.seat, log.decision, log.action, log.episode
    n = len(offsets) - 1
    sums, counts = np.zeros(offsets[-1], np.int64), np.zeros(offsets[-1], np.int64)
    squares, ahead = np.zeros(n), np.zeros(n, np.int64)  # floats: scores reach 10^8, their squares' sum beyond int64
    visits = np.zeros(n, np.int64)
    zero = np.zeros(n, np.int64)  # a payoff to subtract, so that large ones lose no digits
    left = np.zeros(2, np.int64)  # decisions that follow in the episode, per seat
    current = -1
    for i in range(len(decision) - 1, -1, -1):
        row, kind, player = unsigned(i), unsigned(decision[unsigned(i)]), unsigned(seat[unsigned(i)])
        if episode[row] != current:
            current = episode[row]
            left[:] = 0
        if visits[kind] == 0:
            zero[kind] = utility[row]
        visits[kind] += 1
        u = utility[row] - zero[kind]
        taken = unsigned(offsets[kind] + action[row])
        sums[taken] += u
        counts[taken] += 1
        squares[kind] += float(u) * float(u)
        ahead[kind] += left[player]
        left[player] += 1
    terms = np.zeros(n)
    for d in range(n):
        low, high = offsets[d], offsets[d + 1]
        terms[d] = _eta2(sums[low:high], counts[low:high], squares[d]) * ahead[d]
    return terms


@kernel
def _eta2(sums: IntArray, counts: IntArray, squares: float) -> float:
    """Between-group share of the sum of squares about the mean (one-way ANOVA); 0 if nothing varies."""
    visits, chips = 0, 0
    for a in range(len(sums)):
        visits += counts[a]
        chips += sums[a]
    total = float(chips)
    if visits == 0 or visits * squares == total * total:
        return 0.0
    between = -total * total / visits
    for a in range(len(sums)):
        if counts[a] > 0:
            between += float(sums[a]) * float(sums[a]) / counts[a]
    return float(max(0.0, between) / (squares - total * total / visits))


def _measure(play: Play) -> tuple[float]:
    return (temporal_depth(play.log, play.program, utility=play.gathered.utility),)


AXIS = Axis(
    "temporal_depth",
    "temporal depth",
    "",
    "whether decisions have consequences that later decisions must live with",
    _measure,
)
