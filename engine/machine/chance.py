"""Hashing and counter-based draws as kernels; `antemill.engine.seeding` holds the same functions for Python.

Words are int64 throughout: numba would turn mixed signed and unsigned arithmetic into floats. A mask makes right shifts
logical, so that the bits are those of the unsigned functions. Multiplication and addition are unsigned: numba promises
LLVM that signed numbers never overflow, and LLVM would then infer a wrong sign for a product that wraps.
"""

import numpy as np

from antemill.engine.kernel import kernel
from antemill.engine.seeding import GOLDEN, MUL1, MUL2, derive

_GOLDEN = GOLDEN - (1 << 64)
_MUL1 = MUL1 - (1 << 64)
_MUL2 = MUL2 - (1 << 64)
_CHAIN = 0x9FB21C651E98DF25 - (1 << 64)
_LOW34 = (1 << 34) - 1
_LOW37 = (1 << 37) - 1
_LOW33 = (1 << 33) - 1
_LOW32 = (1 << 32) - 1


def signed(word: int) -> int:
    """A 64-bit word as the int64 that holds the same bits."""
    return word - (1 << 64) if word >= 1 << 63 else word


def key_of(seed: int, *words: int) -> int:
    """`antemill.engine.seeding.derive` as an int64, for a kernel's argument."""
    return signed(derive(seed, *words))


@kernel(inline="late")
def times(a: int, b: int) -> int:
    """The product modulo 2^64."""
    return int(np.int64(np.int64(a).view(np.uint64) * np.int64(b).view(np.uint64)))


@kernel(inline="late")
def plus(a: int, b: int) -> int:
    """The sum modulo 2^64."""
    return int(np.int64(np.int64(a).view(np.uint64) + np.int64(b).view(np.uint64)))


@kernel
def mix64(z: int) -> int:
    """`antemill.engine.seeding.mix64`."""
    z = times(z ^ ((z >> 30) & _LOW34), _MUL1)
    z = times(z ^ ((z >> 27) & _LOW37), _MUL2)
    return z ^ ((z >> 31) & _LOW33)


@kernel
def chain(digest: int, word: int) -> int:
    """Extend a running digest by one word; for every word this is a bijection of the digest."""
    digest = times(digest ^ word, _CHAIN)
    return digest ^ ((digest >> 32) & _LOW32)


@kernel
def root(seed: int) -> int:
    """`antemill.engine.seeding.derive` of a seed of 63 bits without words; `subkey` adds each word."""
    return mix64(plus(seed, _GOLDEN))


@kernel
def subkey(key: int, word: int) -> int:
    """The key of a numbered substream (an episode, a policy): one step of `antemill.engine.seeding.derive`."""
    return mix64(plus(key ^ times(word, _GOLDEN), _GOLDEN))


@kernel
def below(key: int, counter: int, n: int) -> int:
    """Draw number `counter` of the stream `key`: a uniform integer in 0..n-1 (bias below n / 2^32)."""
    return (((mix64(plus(key, times(counter, _GOLDEN))) >> 32) & _LOW32) * n) >> 32


@kernel
def uniform(key: int, counter: int) -> float:
    """Draw number `counter` of the stream `key`: a uniform float in [0, 1)."""
    return ((mix64(plus(key, times(counter, _GOLDEN))) >> 11) & ((1 << 53) - 1)) * 2.0**-53
