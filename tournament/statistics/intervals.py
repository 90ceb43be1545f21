"""Intervals, bootstrap quantiles, normal p-values and false-discovery rates, for arrays whose gaps are NaN (N6).

A replicate in which a quantity could not be estimated (a resampled game that fell apart) is left out. If fewer than
half of the replicates are left, the interval is NaN: it would describe only the replicates that allow an estimate.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from antemill.engine.arguments import wrong_type, wrong_value

Floats = npt.NDArray[np.float64]
LEVEL = 0.95
_SHARE = 0.5  # of the replicates that an interval needs


def floats(given: npt.ArrayLike, name: str, *dimensions: str) -> Floats:
    """An array of numbers as float64. dimensions: their names, outermost first. Raises UsageError for anything else."""
    wanted, how = f"float64[{', '.join(dimensions)}]", "give an array of numbers, NaN where one is missing"
    try:
        found = np.asarray(given)
    except ValueError:  # rows of several lengths
        wrong_type(name, given, wanted, how)
    if found.dtype.kind not in "iuf" or found.ndim != len(dimensions):
        wrong_type(name, given, wanted, how)
    return found.astype(np.float64)


def finite(axes: Floats) -> Floats:
    """The axes of games, each one known. Raises ArgumentValueError."""
    if not np.isfinite(axes).all():
        wrong_value("axes", axes, "finite numbers", "leave out the games without axes")
    return axes


def require_shape(found: Floats, name: str, shape: tuple[int, ...]) -> None:
    """Raise ArgumentValueError for an array that does not fit the others."""
    if found.shape != shape:
        wrong_value(name, found, f"float64[{', '.join(map(str, shape))}], as the others have it")


class Interval(Struct, frozen=True, eq=False):
    """Lower and upper bounds, of the shape of the quantity; NaN where there is none."""

    low: Floats
    high: Floats

    def __repr__(self) -> str:
        return f"<Interval: {np.count_nonzero(np.isfinite(self.low))} of {np.size(self.low)} known>"

    def excludes_zero(self) -> npt.NDArray[np.bool_]:
        """Where zero is outside; never where there is no interval."""
        return (self.low > 0.0) | (self.high < 0.0)


def percentile(replicates: Floats, level: float = LEVEL) -> Interval:
    """The percentile interval. replicates: float64[replicates, ...]."""
    if not len(replicates):
        return Interval(*(np.full(replicates.shape[1:], np.nan) for _ in range(2)))
    tail, ordered = (1.0 - level) / 2.0, np.sort(replicates, axis=0)  # NaN last
    count = np.isfinite(replicates).sum(axis=0)
    usable = (count > 0) & (count >= _SHARE * len(replicates))
    bounds = []
    for share in (tail, 1.0 - tail):
        place = share * np.maximum(count - 1, 0)
        left = np.floor(place).astype(np.int64)
        pair = [np.take_along_axis(ordered, np.minimum(left + k, np.maximum(count - 1, 0))[None], 0)[0] for k in (0, 1)]
        bounds.append(np.where(usable, pair[0] + (place - left) * (pair[1] - pair[0]), np.nan))
    return Interval(*bounds)


def standard_error(replicates: Floats) -> Floats:
    """The standard deviation over the replicates (n - 1); NaN where fewer than half, or fewer than 2, are there."""
    count = np.isfinite(replicates).sum(axis=0)
    usable = (count >= 2) & (count >= _SHARE * len(replicates))
    centre = np.nansum(replicates, axis=0) / np.maximum(count, 1)
    spread = np.nansum((replicates - centre) ** 2, axis=0) / np.maximum(count - 1, 1)
    return np.asarray(np.where(usable, np.sqrt(spread), np.nan), np.float64)


def normal_p(point: Floats, error: Floats) -> Floats:
    """Two-sided p-values of the hypothesis 0 by the normal distribution; NaN where the error is 0 or missing."""
    from scipy.special import ndtr  # takes a third of a second to import

    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(error > 0.0, 2.0 * ndtr(-np.abs(point) / error), np.nan), np.float64)


def false_discovery(p: Floats) -> Floats:
    """Benjamini-Hochberg adjusted p-values over all entries that are there, of any shape (N7, N12)."""
    from scipy.stats import false_discovery_control  # half a second, and 40 MB, for what few tables need

    q = np.full(np.shape(p), np.nan)
    there = np.isfinite(p)
    if there.any():
        q[there] = false_discovery_control(p[there])
    return q
