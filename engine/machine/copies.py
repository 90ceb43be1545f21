"""A state for a play that parts from another one: the same question, to be answered otherwise."""

import numpy as np
import numpy.typing as npt

from engine.kernel import kernel
from engine.machine import layout as at
from engine.rules.limits import MAX_CARDS

Array = npt.NDArray[np.int64]


@kernel(inline="late")
def copy_state(source: Array, target: Array) -> None:
    """Make `target`, a state of the same game without a journal, equal to `source`: as far as its piles have cards."""
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
