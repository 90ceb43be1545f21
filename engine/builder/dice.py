"""The builder's random draws: 32 bits each, from a 64-bit key.

A block of words is SHAKE-128 of the key and the block's number. So draw number i depends on the key and i alone, as in
`antemill.engine.seeding`.
"""

from __future__ import annotations

from hashlib import shake_128
from typing import Final, NamedTuple

import numpy as np

from antemill.engine.builder.workspace import GIVEN, WORDS, Draft
from antemill.engine.kernel import kernel
from antemill.engine.rules.table.columns import Array

BLOCK: Final = 256  # words
UNIT: Final = 2.0**-32  # a word times this is a uniform float in [0, 1) with 32 bits
_TRIES: Final = 5  # rejected draws of `find` before it looks at all items
_NONE: Final = -1


class Weighted(NamedTuple):
    """Items (numbers) with weights, for many draws."""

    items: Array  # int64[n]
    weights: Array  # float64[n]


def weighted(*pairs: tuple[int, float]) -> Weighted:
    """A table of (item, weight)."""
    return Weighted(
        np.array([item for item, _ in pairs], np.int64), np.array([weight for _, weight in pairs], np.float64)
    )


def roll(key: int, blocks: int) -> Array:
    """uint32[blocks * BLOCK]: the first words of a key."""
    head = key.to_bytes(8, "little")
    drawn = b"".join([shake_128(head + number.to_bytes(8, "little")).digest(4 * BLOCK) for number in range(blocks)])
    return np.frombuffer(drawn, "<u4").astype(np.uint32)


@kernel
def word(d: Draft) -> int:
    """The next 32 random bits; 0 when there are no more."""
    number = d.state[WORDS]
    d.state[WORDS] = number + 1
    return int(d.words[number]) if number < d.state[GIVEN] else 0


@kernel
def uniform(d: Draft) -> float:
    """A uniform float in [0, 1) with 32 bits."""
    return word(d) * UNIT


@kernel
def below(d: Draft, n: int) -> int:
    """A uniform integer in 0..n-1."""
    return (word(d) * n) >> 32


@kernel
def between(d: Draft, low: int, high: int) -> int:
    """A uniform integer in low..high, both included."""
    return low + ((word(d) * (high - low + 1)) >> 32)


@kernel
def one_of(d: Draft, items: Array) -> int:
    """A uniform element."""
    return int(items[below(d, len(items))])


@kernel
def sample(d: Draft, pool: Array, count: int) -> None:
    """Bring `count` elements, distinct and in random order, to the front."""
    for i in range(count):
        j = between(d, i, len(pool) - 1)
        pool[i], pool[j] = pool[j], pool[i]


@kernel
def total(weights: Array) -> float:
    """The sum of the weights."""
    found = 0.0
    for weight in weights:
        found += weight
    return found


@kernel
def place(weights: Array, x: float) -> int:
    """The first index at which the running sum of the weights exceeds x."""
    reached = 0.0
    for number in range(len(weights)):
        reached += weights[number]
        if x < reached:
            return number
    return len(weights) - 1


@kernel
def pick(d: Draft, table: Weighted) -> int:
    """A random item, with probability proportional to its weight; not all weights may be 0."""
    return int(table.items[place(table.weights, uniform(d) * total(table.weights))])


@kernel
def find(d: Draft, table: Weighted, allowed: int) -> int:
    """An item whose bit is set in `allowed`, by weight among those; -1 if there is none."""
    scale = total(table.weights)
    for _ in range(_TRIES):
        item = int(table.items[place(table.weights, uniform(d) * scale)])
        if allowed >> item & 1:
            return item
    passing = 0.0
    for number in range(len(table.items)):
        if allowed >> table.items[number] & 1:
            passing += table.weights[number]
    if passing == 0.0:
        return _NONE
    x, reached, last = uniform(d) * passing, 0.0, _NONE
    for number in range(len(table.items)):
        if allowed >> table.items[number] & 1:
            reached += table.weights[number]
            last = int(table.items[number])
            if x < reached:
                break
    return last
