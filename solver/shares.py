"""Dividing a player's update among threads: rows of payoffs, and subtrees of the forest of information sets.

A set lies above another one if the player passes through it first. Subtrees that hold at most 1/32 of a thread's share
of the work go to the threads in the order of their numbers, so each has a few spans of consecutive sets; the few sets
above them are left to the first thread.
"""

from __future__ import annotations

import numpy as np

from engine.kernel import kernel
from solver.learner import Array
from solver.sequence_form import Side
from solver.traversal import Shares

_PIECES = 32  # subtrees per thread, at least
_SET_COST = 4  # of visiting an information set, in sequences


def divide(side: Side, workers: int) -> Shares:
    """The shares of so many threads. Sets that are not numbered depth first are all left to the first thread."""
    sets = len(side.past)
    rows = _balanced(side.rows, workers)
    cost, end = np.empty(sets, np.int64), np.empty(sets, np.int64)
    if workers == 1 or not _subtrees(side.start, side.past, np.empty(side.sequences, np.int32), cost, end):
        return _shares(rows, np.array([0] + [1] * workers), np.array([0]), np.array([sets]), np.zeros(0), np.zeros(0))
    parent = np.searchsorted(side.start, side.past, side="right") - 1  # -1: none
    heavy = np.append(cost > cost[parent < 0].sum() / (workers * _PIECES), True)  # the last entry is that of no parent
    roots = np.flatnonzero(~heavy[:-1] & heavy[parent])
    done = np.cumsum(cost[roots])
    owner = ((done - cost[roots] / 2) * workers / done[-1:].sum()).astype(np.int64)
    new = np.ones(len(roots) + 1, bool)  # where a span begins, and the end
    new[1:-1] = (roots[1:] != end[roots[:-1]]) | (owner[1:] != owner[:-1])
    first = np.searchsorted(owner[new[:-1]], np.arange(workers + 1))
    above = np.union1d(np.flatnonzero(heavy[:-1]), roots[side.past[roots] > 0])
    return _shares(rows, first, roots[new[:-1]], end[roots[new[1:]]], above, ~heavy[above])


def _shares(rows: Array, first: Array, low: Array, high: Array, above: Array, root: Array) -> Shares:
    rows, first, low, high, above = (column.astype(np.int32) for column in (rows, first, low, high, above))
    return Shares(rows, first, low, high, above, root.astype(np.bool_))


def _balanced(rows: Array, workers: int) -> Array:
    """Bounds of `workers` runs of rows with about as many entries each; a row itself counts as one, too."""
    work = rows.astype(np.int64) + np.arange(len(rows))
    bounds: Array = np.searchsorted(work, work[-1] * np.arange(workers + 1) / workers)
    return bounds


@kernel
def _subtrees(start: Array, past: Array, owner: Array, cost: Array, end: Array) -> bool:
    """The work in the subtree of each set, and the number after its last set; False if sets are not depth first.

    `owner`: room for the set of each sequence.
    """
    owner[0] = -1
    for i in range(len(past)):
        parent, above = owner[past[i]], i - 1
        while above != parent and above >= 0:  # the parent is the set before, or lies above that one
            above = owner[past[above]]
        if above != parent:
            return False
        for k in range(start[i], start[i + 1]):
            owner[k] = i
        cost[i] = _SET_COST + start[i + 1] - start[i]
        end[i] = i + 1
    for i in range(len(past) - 1, -1, -1):
        parent = owner[past[i]]
        if parent >= 0:
            cost[parent] += cost[i]
            end[parent] = max(end[parent], end[i])
    return True
