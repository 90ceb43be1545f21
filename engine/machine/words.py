"""Words of a state whose place is computed: by a seat, or by what the program says.

A signed index costs three machine instructions more than an unsigned one, since numba lets negative ones count from the
end. Nearly every instruction of a game takes such an index, most of them several: unsigned ones make random play a
quarter faster. Nothing in the machine counts from the end.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from antemill.engine.kernel import kernel


@kernel(inline="late")
def unsigned(word: int) -> np.uint64:
    """An unsigned index."""
    return np.uint64(word)


@kernel(inline="late")
def of_seat(state: npt.NDArray[Any], word: int, seat: int) -> int:
    """A seat's word; `word` is Alice's, and Bob's follows."""
    return int(state[unsigned(word + seat)])


@kernel(inline="late")
def set_of_seat(state: npt.NDArray[Any], word: int, seat: int, value: int) -> None:
    """Write a seat's word."""
    state[unsigned(word + seat)] = value
