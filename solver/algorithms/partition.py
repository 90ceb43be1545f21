"""How a player's information sets are divided among the worker threads of the CFR family.

The information sets of a player form a forest: the parent of a set is the player's previous set. An update visits a set
after all sets below it, so threads can work in parallel only on different subtrees.

A subtree is small enough for one thread if it holds at most 1/32 of a thread's share of the work. These subtrees are
distributed in the order of their numbers. Since sets are numbered depth first, a thread gets a few *spans*: runs of
consecutive sets that make up whole subtrees. The few sets above the spans are the *upper* sets. The threads share the
costly part of them, the payoffs, and the first thread does the rest once all spans are done.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antemill.engine.kernel import kernel
from antemill.solver.game import Array
from antemill.solver.trees.sequence_form import Side

_PIECES = 32  # subtrees per thread, at least
_SET_COST, _SEQUENCE_COST = 8, 4  # the work of visiting one set, or one sequence, in payoffs


class Partition(NamedTuple):
    """The work of each thread in an update of one player."""

    upper: Array  # int32[upper sets], ascending
    upper_start: Array  # int32[workers + 1] thread w computes the payoffs of upper[upper_start[w]:upper_start[w + 1]]
    span_start: Array  # int32[workers + 1] thread w takes the spans span_start[w] .. span_start[w + 1] - 1
    span_low: Array  # int32[spans] the first set of a span
    span_high: Array  # int32[spans] the number after its last set
    top: Array  # int32[upper sets, and the roots of the subtrees right below them], ascending
    is_root: Array  # bool[the same] whether the set is such a root; a root without a parent is left out


def partition_of(side: Side, workers: int) -> Partition:
    """The partition of a player's sets among the threads. If sets are not numbered depth first, the first thread gets
    all.
    """
    sets = len(side.parent_sequence)
    cost, end = np.empty(sets, np.int64), np.empty(sets, np.int64)
    if workers == 1 or not _subtrees(side, np.empty(side.sequences, np.int32), cost, end):
        return _one_worker(sets, workers)
    parent = np.searchsorted(side.start, side.parent_sequence, side="right") - 1  # -1: there is none
    # The last entry stands for the parent of sets that have none, index -1 above.
    is_upper = np.append(cost > cost[parent < 0].sum() / (workers * _PIECES), True)
    roots = np.flatnonzero(~is_upper[:-1] & is_upper[parent])
    done = np.cumsum(cost[roots])
    owner = ((done - cost[roots] / 2) * workers / done[-1:].sum()).astype(np.int64)
    bounds = np.ones(len(roots) + 1, bool)  # whether a span begins at a root; the last entry is the end of all
    bounds[1:-1] = (roots[1:] != end[roots[:-1]]) | (owner[1:] != owner[:-1])
    upper = np.flatnonzero(is_upper[:-1])
    top = np.union1d(upper, roots[side.parent_sequence[roots] > 0])
    work = np.append(0, np.cumsum(side.rows[side.start[upper + 1]] - side.rows[side.start[upper]] + 1))
    return _typed(
        upper=upper,
        upper_start=np.searchsorted(work, work[-1] * np.arange(workers + 1) / workers),
        span_start=np.searchsorted(owner[bounds[:-1]], np.arange(workers + 1)),
        span_low=roots[bounds[:-1]],
        span_high=end[roots[bounds[1:]]],
        top=top,
        is_root=~is_upper[top],
    )


def _one_worker(sets: int, workers: int) -> Partition:
    """All sets are one span of the first thread."""
    nothing = np.zeros(0)
    return _typed(
        upper=nothing,
        upper_start=np.zeros(workers + 1),
        span_start=np.array([0] + [1] * workers),
        span_low=np.array([0]),
        span_high=np.array([sets]),
        top=nothing,
        is_root=nothing,
    )


def _typed(*, is_root: Array, **columns: Array) -> Partition:
    """The partition with the types that kernels expect."""
    return Partition(
        **{name: each.astype(np.int32) for name, each in columns.items()}, is_root=is_root.astype(np.bool_)
    )


@kernel
def _subtrees(side: Side, owner: Array, cost: Array, end: Array) -> bool:
    """Write the work in the subtree of each set to `cost`, and the number after its last set to `end`.

    Returns False if the sets are not numbered depth first. owner: int32[sequences], workspace for the set of each
    sequence.
    """
    start, parent_sequence, rows = side.start, side.parent_sequence, side.rows
    owner[0] = -1
    for i in range(len(parent_sequence)):
        parent, above = owner[parent_sequence[i]], i - 1
        while above != parent and above >= 0:  # the parent is the set before this one, or lies above that one
            above = owner[parent_sequence[above]]
        if above != parent:
            return False
        for k in range(start[i], start[i + 1]):
            owner[k] = i
        low, high = start[i], start[i + 1]
        cost[i] = _SET_COST + _SEQUENCE_COST * (high - low) + rows[high] - rows[low]
        end[i] = i + 1
    for i in range(len(parent_sequence) - 1, -1, -1):
        parent = owner[parent_sequence[i]]
        if parent >= 0:
            cost[parent] += cost[i]
            end[parent] = max(end[parent], end[i])
    return True
