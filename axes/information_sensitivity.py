"""Information sensitivity (GENSTRAT appendix C, X5): how often the best action depends on what the player knows.

    score = share of visits to information states I at which argmax_a E[U | I, a] differs from argmax_a E[U | dt(I), a]

Our reading: the visits of both seats are pooled, as the formula normalises over all I; a state counts however rarely it
was visited; where argmaxes tie, they differ only if the two tied sets have no action in common.
"""

from typing import NamedTuple

import numpy as np

from axes.axis import Axis, Play
from axes.grouping import Decisions, Gathered, best_mean, decisions, gathered, mark_best, tally
from engine.kernel import kernel
from engine.machine.program import Program
from engine.machine.rollout import Log


class Sensitivity(NamedTuple):
    """Information sensitivity, between 0 and 1, reduced over seats in two ways."""

    pooled: float  # the axis
    seat_mean: float


def information_sensitivity(log: Log, program: Program, known: Gathered | None = None) -> Sensitivity:
    """Information sensitivity of a game from a log of random play. A seat that never decides has 0.

    known: read off the log, if it is there already.
    """
    known = gathered(log, program) if known is None else known
    alice, bob, by_alice, by_bob = _count(log, known, decisions(program))
    shares = by_alice / max(alice, 1), by_bob / max(bob, 1)
    return Sensitivity((by_alice + by_bob) / max(1, alice + bob), sum(shares) / 2)


@kernel(allocates=True)
def _count(log: Log, known: Gathered, types: Decisions) -> tuple[int, int, int, int]:
    """Alice's visits and Bob's, then those to states with another best action than their decision type."""
    seat, decision, action, utility = log.seat, log.decision, log.action, known.utility
    order, starts, offsets = known.infos.order, known.infos.starts, types.offsets
    best = np.zeros(offsets[-1], np.uint8)
    for player in range(2):
        mark_best(known.sums, known.counts, types, player, best)
    visits, differing = np.zeros(2, np.int64), np.zeros(2, np.int64)
    sums, counts = np.empty(offsets[-1], np.int64), np.empty(offsets[-1], np.int64)
    for g in range(len(starts) - 1):
        rows = order[starts[g] : starts[g + 1]]
        player, low = seat[rows[0]], offsets[decision[rows[0]]]
        n = tally(rows, action, utility, sums, counts)
        mean = best_mean(sums, counts, n, 1)
        shared = False
        for a in range(n):
            shared |= best[low + a] == 1 and counts[a] > 0 and sums[a] / counts[a] == mean
        visits[player] += len(rows)
        if not shared:
            differing[player] += len(rows)
    return visits[0], visits[1], differing[0], differing[1]


def _measure(play: Play) -> tuple[float, float]:
    return information_sensitivity(play.log, play.program, play.gathered)


AXIS = Axis(
    "information_sensitivity",
    "information sensitivity",
    "",
    "how often the best action depends on what the player knows",
    _measure,
    also=("information_sensitivity_seat_mean",),
)
