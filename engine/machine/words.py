"""Words of a state at a computed index, which depends on a seat or on an operand of the program.

A signed index costs three machine instructions more than an unsigned one, since numba lets negative indices count from
the end. Nearly every instruction of a game computes an index, most of them several, so unsigned ones make random play
a quarter faster. No index in the machine counts from the end.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from antemill.engine.kernel import kernel


@kernel(inline="late")
def unsigned(word: int) -> np.uint64:
    """A word as an unsigned index."""
    return np.uint64(word)


@kernel(inline="late")
def of_seat(state: npt.NDArray[Any], word: int, seat: int) -> int:
    """A seat's word; `word` is Alice's, and Bob's follows."""
    return int(state[unsigned(word + seat)])


@kernel(inline="late")
def set_of_seat(state: npt.NDArray[Any], word: int, seat: int, value: int) -> None:
    """Write a seat's word."""
    state[unsigned(word + seat)] = value
