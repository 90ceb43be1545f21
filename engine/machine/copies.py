"""Copies of a state, for plays that answer the same question differently."""

import numpy as np
import numpy.typing as npt

from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.words import unsigned
from antemill.engine.rules.limits import MAX_CARDS

Array = npt.NDArray[np.int64]


@kernel(inline="late")
def copy_constants(source: Array, target: Array) -> None:
    """Copy the constants of the game from `source` to `target`."""
    for first in (at.CARD_RANK, at.CARD_VALUE, at.CARD_SUIT, at.CARD_KEY):
        for i in range(first, first + source[at.CARDS]):
            target[i] = source[i]
    for i in range(at.CARDS, at.SIZE):
        target[i] = source[i]


@kernel(inline="late")
def copy_state(source: Array, target: Array) -> None:
    """Copy `source` to `target`, a state of the same game without a journal. Of piles, only their cards are copied."""
    for i in range(at.DECK):
        target[i] = source[i]
    for i in range(at.DECK, at.DECK + source[at.DECK_N] + source[at.UNSEEN]):
        target[i] = source[i]
    for i in range(at.HANDS, at.HANDS + source[at.HAND_N]):
        target[i] = source[i]
    for i in range(at.HANDS + MAX_CARDS, at.HANDS + MAX_CARDS + source[at.HAND_N + 1]):
        target[i] = source[i]
    for i in range(at.BOARD, at.BOARD + source[at.BOARD_N]):
        target[i] = source[i]
    for i in range(at.DISCARDS, at.DISCARDS + source[at.DISCARD_N]):
        target[i] = source[i]
    for i in range(at.CALLS, at.CALLS + source[at.CALL_N]):
        target[i] = source[i]


@kernel(inline="late")
def push(stack: Array, level: int, deepest: int) -> int:
    """Copy a level's state to the next level; returns the deepest level that has held a state.

    Words beyond the ends of the piles keep their former values. In a BLIND state an instruction may read a card there
    that is not drawn; any card will do.
    """
    source, target = stack[unsigned(level)], stack[unsigned(level + 1)]
    copy_state(source, target)
    if level + 1 <= deepest:
        return deepest
    copy_constants(source, target)
    return level + 1
