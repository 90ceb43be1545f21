"""Counter-based randomness with named streams (G4, design decision D3).

A draw is a pure function of (key, counter): the SplitMix64 output function applied to `key + counter * GOLDEN`. Nothing
depends on the order of calls, so results are the same on any number of threads. Keys of different streams are derived
by hashing the seed with the stream's domain. `antemill.engine.machine.chance` holds the same functions as kernels.

Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

T = TypeVar("T")
Words = TypeVar("Words", int, "npt.NDArray[np.uint64]")

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
MUL1 = 0xBF58476D1CE4E5B9
MUL2 = 0x94D049BB133111EB


class Domain(IntEnum):
    """The purpose of a stream. Streams of different domains are independent for the same seed."""

    BUILDER = 1  # drawing a game from its seed
    COMPLEXITY = 2  # drawing the default complexity from a game's seed
    CHANCE = 3  # cards and coins
    ALICE = 4  # Alice's own randomisation
    BOB = 5
    GATE = 6  # the acceptance playouts
    LEVEL0 = 7  # the axes' random playouts
    LEVEL1 = 8  # best-response playouts
    SOBOL = 9
    BRITTLENESS = 10


def mix64(z: Words) -> Words:
    """The SplitMix64 finaliser: a bijection of 64-bit words with full avalanche. z: one, or an array of any shape."""
    word: Any = z  # numpy's types cannot shift words by a plain number
    word = ((word ^ (word >> 30)) * MUL1) & MASK
    word = ((word ^ (word >> 27)) * MUL2) & MASK
    mixed: Words = word ^ (word >> 31)
    return mixed


def draws(keys: npt.NDArray[np.uint64], count: int) -> npt.NDArray[np.uint64]:
    """uint64[keys, count]: the first words that the `Stream` of each key draws. keys: uint64[keys], of `derive`."""
    import numpy as np

    return mix64(keys[:, None] + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(GOLDEN))


def derive(seed: int, *words: int) -> int:
    """A 64-bit key from a seed and any number of words (a domain, an episode, a policy number, ...)."""
    key = mix64((seed + GOLDEN) & MASK)
    for word in words:
        key = mix64((key ^ ((word * GOLDEN) & MASK)) + GOLDEN & MASK)
    return key


class Stream:
    """A sequence of draws from one key, for Python code. Draw number i depends on the key and i alone."""

    __slots__ = ("_counter", "_key")

    def __init__(self, seed: int, *words: int) -> None:
        self._key = derive(seed, *words)
        self._counter = 0

    def word(self) -> int:
        """The next 64 random bits."""
        self._counter += 1
        return mix64((self._key + self._counter * GOLDEN) & MASK)

    def below(self, n: int) -> int:
        """A uniform integer in 0..n-1 (n below 2^31; bias below n / 2^32)."""
        return ((self.word() >> 32) * n) >> 32

    def between(self, low: int, high: int) -> int:
        """A uniform integer in low..high, both included."""
        return low + self.below(high - low + 1)

    def uniform(self) -> float:
        """A uniform float in [0, 1) with 53 bits."""
        return (self.word() >> 11) * 2.0**-53

    def chance(self, p: float) -> bool:
        """True with probability p."""
        return self.uniform() < p

    def choice(self, items: Sequence[T]) -> T:
        """A uniform element."""
        return items[self.below(len(items))]

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        """`count` distinct elements in random order."""
        pool = list(items)
        for i in range(count):
            j = i + self.below(len(pool) - i)
            pool[i], pool[j] = pool[j], pool[i]
        return pool[:count]
