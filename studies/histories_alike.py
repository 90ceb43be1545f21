"""How many histories share an information set: what there is to gain by treating them together, as vectors of hands.

Counting needs no tree. Of two random playouts, let p be the probability that their k-th decisions are the same history,
and q that they are at least in the same information set. As far as all histories are as likely, 1 / p is their number
and 1 / q that of the sets; where they are not, these are the effective numbers (the inverse of Simpson's index of
concentration, Nature 163, 1949). Among n playouts there are n (n - 1) / 2 pairs, so a million of them still meet the
same history of a thousand million often enough.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.branches import branch_weight, next_branch, root_state
from antemill.engine.machine.chance import below, chain, key_of, subkey
from antemill.engine.machine.copies import copy_state
from antemill.engine.machine.layout import DECIDE, OVER
from antemill.engine.machine.observe import recall_key
from antemill.engine.machine.program import Program
from antemill.engine.machine.vm import advance
from antemill.solver.game import Array

PLAYOUTS = 200_000
DECISIONS = 64  # of a playout that are looked at
PAIRS = 100  # of playouts with the same history, below which a decision is not counted
_STREAM = 0xA11CE


class Alike(NamedTuple):
    """How many histories share an information set."""

    histories: float  # per information set, over all decisions that were counted
    decisions: int  # how many first decisions of a game were counted
    longest: int  # how many the longest playout had, of those that were looked at


@kernel
def _branch_of(code: np.ndarray, state: np.ndarray, stream: int, counter: int) -> int:
    """A random branch: by its weight at chance, else any as likely."""
    weights, index = 0, next_branch(code, state, 0)
    while index >= 0:
        weights += branch_weight(code, state, index)
        index = next_branch(code, state, index + 1)
    left, index = below(stream, counter, weights), next_branch(code, state, 0)
    while left >= branch_weight(code, state, index):
        left -= branch_weight(code, state, index)
        index = next_branch(code, state, index + 1)
    return int(index)


@kernel
def _playouts(code: np.ndarray, root: np.ndarray, state: np.ndarray, key: int, met: np.ndarray) -> None:
    """Write digests of the history and of the information set of each decision to `met`, int64[2, decisions, playouts].

    Where there is no such decision, both are 0.
    """
    for playout in range(met.shape[2]):
        stream, draws, decision, history = subkey(key, playout), 0, 0, 1
        copy_state(root, state)
        while state[at.STOP] != OVER and decision < met.shape[1]:
            if state[at.STOP] == DECIDE:
                met[0, decision, playout] = history
                met[1, decision, playout] = recall_key(state, state[at.SEAT], state[at.DECISION])
                decision += 1
            index = _branch_of(code, state, stream, draws)
            draws += 1
            history = chain(history, index + 1)
            state[at.CHOICE] = index
            advance(code, state)


def histories_alike(program: Program, playouts: int = PLAYOUTS) -> Alike:
    """How many histories share an information set, by random playouts; the same call gives the same figures."""
    met = np.zeros((2, DECISIONS, playouts), np.int64)
    root = root_state(program)
    _playouts(program.code, root, root.copy(), key_of(_STREAM), met)
    longest = int(np.count_nonzero(np.any(met[0] != 0, axis=1)))
    histories = sets = 0.0
    for decision in range(longest):
        same = [_pairs(digests[decision]) for digests in met]
        if same[0] < PAIRS:
            return Alike(histories / sets if sets else float("nan"), decision, longest)
        histories += 1 / same[0]
        sets += 1 / same[1]
    return Alike(histories / sets if sets else float("nan"), longest, longest)


def _pairs(digests: Array) -> int:
    """How many pairs of playouts have the same digest; 0 is none."""
    _, counts = np.unique(digests[digests != 0], return_counts=True)
    return int(np.sum(counts * (counts - 1) // 2))
