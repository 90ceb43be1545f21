"""The reliability of axes that are estimated from random play, measured by two plays of the same games.

    standard error of an axis    sqrt(mean (first - second)^2 / 2)
    reliability                  1 - error^2 / variance over games, of both plays: the intraclass correlation

It takes two plays, not two halves of one: an axis of half a log is another quantity, as the state space shows. The
interval is the percentile bootstrap over games. With a hundred games it covers the reliability in 93% of the cases for
normal axes, in 92% for skewed ones, and in 88% if half of the games are zero.
"""

from __future__ import annotations

import math

import numpy as np
from msgspec import Struct

from antemill.axes.grouping import FloatArray

_REPLICATES = 1000


class Reliability(Struct, frozen=True):
    """The reliability of one axis. It and its 95% interval are NaN if the axis does not vary."""

    error: float  # standard error of one play
    share: float  # reliability
    low: float
    high: float


def reliability(first: FloatArray, second: FloatArray) -> Reliability:
    """The reliability of an axis. first, second: float64[games], at least one, from two plays of the same games.

    Raises ValueError for arrays of other shapes.
    """
    a, b = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if a.shape != b.shape or a.ndim != 1 or not len(a):
        raise ValueError(f"two plays of the same games are needed, not arrays of shapes {a.shape} and {b.shape}")
    drawn = np.random.default_rng(1).integers(len(a), size=(_REPLICATES, len(a)))
    shares = _shares(a[drawn], b[drawn])
    shares = shares[np.isfinite(shares)]
    low, high = np.percentile(shares, (2.5, 97.5)) if len(shares) else (math.nan, math.nan)
    error = math.sqrt(float(((a - b) ** 2).mean()) / 2)
    return Reliability(error, float(_shares(a[None], b[None])[0]), float(low), float(high))


def _shares(a: FloatArray, b: FloatArray) -> FloatArray:
    """float64[samples]: the reliability in each sample. a, b: float64[samples, games]."""
    noise = ((a - b) ** 2).mean(axis=1) / 2
    both = np.concatenate([a, b], axis=1)
    spread = both.var(axis=1)
    return np.asarray(np.divide(spread - noise, spread, out=np.full(len(a), np.nan), where=spread > 0), np.float64)
