"""Dividing a player's update among threads, by subtrees of the forest of information sets.

A set lies above another one if the player passes through it first. Subtrees that hold at most 1/32 of a thread's share
of the work go to the threads in the order of their numbers, so each has a few spans of consecutive sets; of the few
sets above them the threads share the payoffs, and the first thread has the rest.
"""

from __future__ import annotations

import numpy as np

from engine.kernel import kernel
from solver.learner import Array
from solver.sequence_form import Side
from solver.traversal import Shares

_PIECES = 32  # subtrees per thread, at least
_SET_COST, _SEQUENCE_COST = 8, 4  # of visiting one, in payoffs


def divide(side: Side, workers: int) -> Shares:
    """The shares of so many threads. Sets that are not numbered depth first are all left to the first thread."""
    sets = len(side.past)
    cost, end = np.empty(sets, np.int64), np.empty(sets, np.int64)
    if workers == 1 or not _subtrees(side, np.empty(side.sequences, np.int32), cost, end):
        alone = np.array([0] + [1] * workers)
        none = np.zeros(0)
        return _shares(none, np.zeros(workers + 1), alone, np.array([0]), np.array([sets]), none, none)
    parent = np.searchsorted(side.start, side.past, side="right") - 1  # -1: none
    heavy = np.append(cost > cost[parent < 0].sum() / (workers * _PIECES), True)  # the last entry is that of no parent
    roots = np.flatnonzero(~heavy[:-1] & heavy[parent])
    done = np.cumsum(cost[roots])
    owner = ((done - cost[roots] / 2) * workers / done[-1:].sum()).astype(np.int64)
    new = np.ones(len(roots) + 1, bool)  # where a span begins, and the end
    new[1:-1] = (roots[1:] != end[roots[:-1]]) | (owner[1:] != owner[:-1])
    first = np.searchsorted(owner[new[:-1]], np.arange(workers + 1))
    above = np.union1d(np.flatnonzero(heavy[:-1]), roots[side.past[roots] > 0])
    top = np.flatnonzero(heavy[:-1])
    work = np.append(0, np.cumsum(side.rows[side.start[top + 1]] - side.rows[side.start[top]] + 1))
    part = np.searchsorted(work, work[-1] * np.arange(workers + 1) / workers)
    return _shares(top, part, first, roots[new[:-1]], end[roots[new[1:]]], above, ~heavy[above])


def _shares(heavy: Array, part: Array, first: Array, low: Array, high: Array, above: Array, root: Array) -> Shares:
    heavy, part, first, low, high, above = (x.astype(np.int32) for x in (heavy, part, first, low, high, above))
    return Shares(heavy, part, first, low, high, above, root.astype(np.bool_))


@kernel
def _subtrees(side: Side, owner: Array, cost: Array, end: Array) -> bool:
    """The work in the subtree of each set, and the number after its last set; False if sets are not depth first.

    `owner`: room for the set of each sequence.
    """
    start, past, rows = side.start, side.past, side.rows
    owner[0] = -1
    for i in range(len(past)):
        parent, above = owner[past[i]], i - 1
        while above != parent and above >= 0:  # the parent is the set before, or lies above that one
            above = owner[past[above]]
        if above != parent:
            return False
        for k in range(start[i], start[i + 1]):
            owner[k] = i
        low, high = start[i], start[i + 1]
        cost[i] = _SET_COST + _SEQUENCE_COST * (high - low) + rows[high] - rows[low]
        end[i] = i + 1
    for i in range(len(past) - 1, -1, -1):
        parent = owner[past[i]]
        if parent >= 0:
            cost[parent] += cost[i]
            end[parent] = max(end[parent], end[i])
    return True
