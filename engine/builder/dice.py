"""The builder's random draws: fast in plain Python, since a game takes some hundreds of them.

A block of words comes from SHAKE-128 of the key and the block's number, so draw number i depends on the key and i
alone, as in `engine.seeding`, at a fifth of the cost of hashing each word in Python.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from hashlib import shake_128
from itertools import accumulate, chain, count, repeat
from struct import Struct
from typing import Final, Generic, TypeVar

T = TypeVar("T")

_WORDS: Final = Struct("<256I")
UNIT: Final = 2.0**-32  # a word times this is a uniform float in [0, 1) with 32 bits


class Weighted(Generic[T]):
    """Items with weights, prepared for many draws."""

    __slots__ = ("cumulative", "items", "pairs")

    def __init__(self, pairs: Sequence[tuple[T, float]]) -> None:
        self.pairs = tuple(pairs)
        self.items = tuple([item for item, _ in pairs])
        self.cumulative = tuple(accumulate([weight for _, weight in pairs]))


class Dice:
    """A sequence of draws from a 64-bit key. word: draws the next 32 random bits."""

    __slots__ = ("word",)

    def __init__(self, key: int) -> None:
        head = key.to_bytes(8, "little")
        blocks = map(_block, repeat(head), count())
        self.word: Callable[[], int] = chain.from_iterable(blocks).__next__

    def uniform(self) -> float:
        """A uniform float in [0, 1) with 32 bits."""
        return self.word() * UNIT

    def below(self, n: int) -> int:
        """A uniform integer in 0..n-1."""
        return (self.word() * n) >> 32

    def between(self, low: int, high: int) -> int:
        """A uniform integer in low..high, both included."""
        return low + ((self.word() * (high - low + 1)) >> 32)

    def choice(self, items: Sequence[T]) -> T:
        """A uniform element."""
        return items[(self.word() * len(items)) >> 32]

    def pick(self, table: Weighted[T]) -> T:
        """An element by weight; some weights may be 0, not all."""
        cumulative = table.cumulative
        return table.items[bisect_right(cumulative, self.word() * UNIT * cumulative[-1])]

    def find(self, table: Weighted[T], test: Callable[[T], bool]) -> T | None:
        """An element that passes the test, by weight among those that do; None if none does."""
        items, cumulative, word = table.items, table.cumulative, self.word
        scale = UNIT * cumulative[-1]
        for _ in range(5):
            item = items[bisect_right(cumulative, word() * scale)]
            if test(item):
                return item
        passing = [pair for pair in table.pairs if test(pair[0])]
        return self.pick(Weighted(passing)) if passing else None

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        """`count` distinct elements in random order."""
        pool = list(items)
        for i in range(count):
            j = self.between(i, len(pool) - 1)
            pool[i], pool[j] = pool[j], pool[i]
        return pool[:count]


def _block(head: bytes, number: int) -> tuple[int, ...]:
    return _WORDS.unpack(shake_128(head + number.to_bytes(8, "little")).digest(_WORDS.size))
