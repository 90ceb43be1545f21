"""The size of a tree that is too large to be walked, from random walks (Knuth 1975).

A walk takes one of the w children of each node with probability 1 / w, so 1 + w1 + w1 w2 + ... over the nodes on its
way has the number of nodes as its mean. Few walks miss what is rare, so the estimate is rather too small.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from antemill.engine.machine import layout as at
from antemill.engine.machine.branches import branches, root_state
from antemill.engine.machine.program import Program
from antemill.engine.machine.vm import advance
from antemill.engine.seeding import Stream
from antemill.solver.game import Array

State = TypeVar("State")

SECONDS, WALKS = 2.0, 2_000  # of an estimate, at most
_STREAM = int.from_bytes(b"treesize")


def estimated_nodes(
    root: State, ways: Callable[[State], Sequence[int]], step: Callable[[State, int], State], most: int = WALKS
) -> float:
    """The number of nodes of a tree. ways: the answers at a node, none at an end. step: the node after an answer. most:
    walks, or fewer in `SECONDS`."""
    began, total, walks = time.monotonic(), 0.0, 0
    while walks < most and (walks < 2 or time.monotonic() - began < SECONDS):
        stream, node, level = Stream(0, _STREAM, walks), root, 1.0
        total += level
        while found := ways(node):
            level *= len(found)
            total += level
            node = step(node, found[stream.below(len(found))])
        walks += 1
    return total / walks


def tree_size(program: Program) -> float:
    """About how many nodes the tree of a program has."""

    def step(state: Array, choice: int) -> Array:
        after = state.copy()
        after[at.CHOICE] = choice
        advance(program.code, after)
        return after

    return estimated_nodes(root_state(program), lambda state: [way.choice for way in branches(program, state)], step)
