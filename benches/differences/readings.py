"""Another reading made real: names of a module changed for a while, and two lists of scores compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import spearmanr

Floats = npt.NDArray[np.float64]


@contextmanager
def changed(module: ModuleType, plain: Sequence[str] = (), **names: Any) -> Iterator[None]:
    """The module with other values behind `names`, and with the kernels `plain` uncompiled.

    A compiled function keeps the constants that it was compiled with, so a function that reads one of `names` must be
    plain Python.
    """
    new = {name: vars(module)[name].py_func for name in plain} | names
    old = {name: vars(module)[name] for name in new}
    vars(module).update(new)
    try:
        yield
    finally:
        vars(module).update(old)


class Compared(NamedTuple):
    """How far another list of scores is from the first."""

    median: float  # of the absolute differences
    most: float
    rank: float  # Spearman correlation over the games


def compared(ours: Sequence[float] | Floats, other: Sequence[float] | Floats) -> Compared:
    """Two scores of each game; the rank correlation of lists without any difference is 1."""
    a, b = np.asarray(ours, np.float64), np.asarray(other, np.float64)
    apart = np.abs(a - b)
    rank = 1.0 if not apart.any() else float(spearmanr(a, b).statistic)
    return Compared(float(np.median(apart)), float(apart.max()), rank)


def spaced(count: int, of: int) -> list[int]:
    """At most `count` of the numbers 0 to `of` - 1, evenly spaced."""
    return sorted({int(i) for i in np.linspace(0, of - 1, min(count, of)).round()}) if of else []
