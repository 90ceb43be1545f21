"""How many seeds a test tries: one of each ten, or in `make test-all` all of them, and seeds that no run has tried."""

from __future__ import annotations

import os
from collections.abc import Sequence

NAME = "ANTEMILL_FRESH"  # `make test-all` sets it to the number of seconds since 1970


def fresh() -> int | None:
    """What is added to every seed; None outside of `make test-all`."""
    return int(found) if (found := os.environ.get(NAME)) else None


def seeds(start: int, stop: int) -> Sequence[int]:
    """One of each ten seeds of a range, with every last digit in turn; in `make test-all` all of the range, shifted."""
    shift = fresh()
    if shift is not None:
        return range(start + shift, stop + shift)
    return [min(first + number % 10, stop - 1) for number, first in enumerate(range(start, stop, 10))]


def size(part: int, whole: int) -> int:
    """How much a test tries: a part, or in `make test-all` the whole."""
    return part if fresh() is None else whole
