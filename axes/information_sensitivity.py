"""Information sensitivity (GENSTRAT appendix C, X5): how often the best action depends on what the player knows.

    score = share of visits to information states I at which argmax_a E[U | I, a] differs from argmax_a E[U | dt(I), a]

Our reading: the visits of both seats are pooled, as the formula normalises over all I; a state counts however rarely it
was visited; where argmaxes tie, they differ only if the two tied sets have no action in common.
"""

from typing import NamedTuple

import numpy as np

from axes.axis import Axis, Play
from axes.grouping import Array, IntArray, action_table, best_mean, decisions, group, mark_best, tally, utilities
from engine.kernel import kernel
from engine.machine.program import Program
from engine.machine.rollout import Log


class Sensitivity(NamedTuple):
    """Information sensitivity, between 0 and 1, reduced over seats in two ways."""

    pooled: float  # the axis
    seat_mean: float


def information_sensitivity(log: Log, program: Program) -> Sensitivity:
    """Information sensitivity of a game from a log of random play. A seat that never decides has 0."""
    utility = utilities(log)
    offsets = program.action_offsets
    best = np.zeros(offsets[-1], np.uint8)
    sums, counts = action_table(log, utility, offsets)
    for seat in (0, 1):
        mark_best(sums, counts, decisions(program), seat, best)
    groups = group(log.info)
    visits, differing = _count(groups.order, groups.starts, log.seat, log.decision, log.action, utility, offsets, best)
    shares = differing / np.maximum(visits, 1)
    return Sensitivity(float(differing.sum() / max(1, visits.sum())), float(shares.mean()))


@kernel(allocates=True)
def _count(
    order: IntArray,
    starts: IntArray,
    seat: Array,
    decision: Array,
    action: Array,
    utility: IntArray,
    offsets: IntArray,
    best: Array,
) -> tuple[IntArray, IntArray]:
    """int64[2] twice: visits per seat, and those to states with another best action than their decision type."""
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
    return visits, differing


def _measure(play: Play) -> tuple[float, float]:
    return information_sensitivity(play.log, play.program)


AXIS = Axis(
    "information_sensitivity",
    "information sensitivity",
    "",
    "how often the best action depends on what the player knows",
    _measure,
    also=("information_sensitivity_seat_mean",),
)
