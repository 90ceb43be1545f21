"""The grid of a pool: its seeds in cells of one size. The names of files say what a pool has, so what is missing is the
grid minus a listing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

SMALLEST, LARGEST = 64, 16_384  # seeds of a cell; the largest takes a worker 16 seconds
_CELLS = 64  # about as many as a new pool has, if the sizes allow it
_NAME = re.compile(r"(\d{19})-(\d{19})\.parquet")


class Span(Struct, frozen=True, order=True):
    """The seeds start..stop-1."""

    start: int
    stop: int

    @property
    def size(self) -> int:
        """The number of seeds."""
        return self.stop - self.start

    @property
    def file(self) -> str:
        """The name of a file about them; names are in the order of seeds."""
        return f"{self.start:019d}-{self.stop:019d}.parquet"

    def __str__(self) -> str:
        return f"seeds {self.start}:{self.stop}"


def cell_size(seeds: tuple[int, int]) -> int:
    """The size of the cells of a new pool: a power of two, about the number of its seeds by 64."""
    most = max(1.0, (seeds[1] - seeds[0]) / _CELLS)
    return min(max(SMALLEST, 1 << round(math.log2(most))), LARGEST)


def cells(seeds: tuple[int, int], size: int) -> Iterator[Span]:
    """The cells of these seeds in ascending order: from one multiple of the size to the next, cut to the range."""
    first, stop = seeds
    for edge in range(first // size * size, stop, size):
        yield Span(max(edge, first), min(edge + size, stop))


def named(names: Iterable[str]) -> list[Span]:
    """The spans of those names that are a file's of a pool."""
    return [Span(int(found[1]), int(found[2])) for found in map(_NAME.fullmatch, names) if found]
