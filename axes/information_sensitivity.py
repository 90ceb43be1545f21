"""Information sensitivity (GENSTRAT appendix C, X5): how often the best action depends on what the player knows.

    score = share of visits to information states I at which argmax_a E[U | I, a] differs from argmax_a E[U | dt(I), a]

Our reading: the visits of both seats are pooled, as the formula normalises over all I; every visited state counts, even
after one visit; with ties, the argmaxes differ only if the two tied sets have no action in common.
"""

from typing import NamedTuple

import numpy as np

from antemill.axes.axis import Axis, Play
from antemill.axes.grouping import Decisions, Gathered, decisions, gathered, mark_best, means, tally
from antemill.engine.kernel import kernel
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import Log
from antemill.engine.machine.words import unsigned


class Sensitivity(NamedTuple):
    """Information sensitivity, between 0 and 1, reduced over seats in two ways."""

    pooled: float  # the axis
    seat_mean: float


def information_sensitivity(log: Log, program: Program, known: Gathered | None = None) -> Sensitivity:
    """Information sensitivity of a game from a log of random play. A seat that never decides has 0.

    known: groups of the log, if they are already computed.
    """
    known = gathered(log, program) if known is None else known
    alice, bob, by_alice, by_bob = _count(log, known, decisions(program))
    shares = by_alice / max(alice, 1), by_bob / max(bob, 1)
    return Sensitivity((by_alice + by_bob) / max(1, alice + bob), sum(shares) / 2)


@kernel(allocates=True)
def _count(log: Log, known: Gathered, types: Decisions) -> tuple[int, int, int, int]:
    """Alice's visits and Bob's, then their visits to states whose best action differs from the decision type's."""
    seat, decision, action, utility = log.seat, log.decision, log.action, known.utility
    order, starts, offsets = known.infos.order, known.infos.starts, types.offsets
    best, mean = np.zeros(offsets[-1], np.uint8), np.empty(offsets[-1])
    means(known.sums, known.counts, mean)
    for player in range(2):
        mark_best(mean, types, player, best)
    visits, differing = np.zeros(2, np.int64), np.zeros(2, np.int64)
    sums, counts = np.empty(offsets[-1], np.int64), np.empty(offsets[-1], np.int64)
    for g in range(len(starts) - 1):
        rows = order[starts[g] : starts[g + 1]]
        player, low = seat[rows[0]], offsets[decision[rows[0]]]
        shared = False
        if len(rows) == 1:
            shared = best[unsigned(low + action[unsigned(rows[0])])] == 1
        else:
            n = tally(rows, action, utility, sums, counts)
            highest = -np.inf
            for a in range(n):
                if counts[a] > 0:
                    mean[a] = sums[a] / counts[a]
                    highest = max(highest, mean[a])
            for a in range(n):
                shared |= best[unsigned(low + a)] == 1 and counts[a] > 0 and mean[a] == highest
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
