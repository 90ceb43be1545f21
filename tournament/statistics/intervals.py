"""Bootstrap intervals, normal p-values and false-discovery rates, for arrays whose gaps are NaN (N6).

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
FEWEST = 0.5  # share of the replicates that an interval needs


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
    tail = (1.0 - level) / 2.0
    return _quantiles(replicates, np.full(replicates.shape[1:], tail), np.full(replicates.shape[1:], 1.0 - tail))


def bias_corrected(point: Floats | float, replicates: Floats) -> Interval:
    """The bias-corrected percentile interval (without acceleration).

    point: the estimate, of the shape of one replicate. The quantiles are moved by twice z0, the normal score of the
    share of replicates below the estimate (ties count half). The share is kept at least half a replicate away from 0
    and 1, where z0 would be infinite.
    """
    from scipy.special import ndtr, ndtri  # takes a third of a second to import

    point = np.asarray(point, np.float64)
    count = np.isfinite(replicates).sum(axis=0)
    with np.errstate(invalid="ignore"):
        below = (replicates < point).sum(axis=0) + 0.5 * (replicates == point).sum(axis=0)
    share = np.clip(below, 0.5, np.maximum(count - 0.5, 0.5)) / np.maximum(count, 1)
    z0, tail = ndtri(share), ndtri((1.0 - LEVEL) / 2.0)
    found = _quantiles(replicates, ndtr(2.0 * z0 + tail), ndtr(2.0 * z0 - tail))
    missing = ~np.isfinite(point)
    return Interval(np.where(missing, np.nan, found.low), np.where(missing, np.nan, found.high))


def without_noise(point: Floats | float, replicates: Floats, level: float = LEVEL) -> tuple[Floats, Interval]:
    """An estimate of a quantity that noise inflates, less that inflation, and its basic bootstrap interval.

    Replicates exceed the estimate by about as much as it exceeds the truth: the estimate is twice the point less the
    mean replicate, and the bounds are twice the point less the opposite quantiles. NaN where there is no interval.
    Right for quantities that are quadratic in the noise, such as variances; where the truth is near zero the interval
    is wider than it must be.
    """
    point = np.asarray(point, np.float64)
    found = percentile(replicates, level)
    count = np.isfinite(replicates).sum(axis=0)
    mean = np.nansum(replicates, axis=0) / np.maximum(count, 1)
    usable = np.isfinite(found.low)
    return np.where(usable, 2.0 * point - mean, np.nan), Interval(2.0 * point - found.high, 2.0 * point - found.low)


def misses_estimate(point: Floats, interval: Interval) -> npt.NDArray[np.bool_]:
    """Where an interval does not hold its own estimate.

    A bias-corrected interval of a quantity that noise inflates ends so when every replicate exceeds the estimate: both
    quantiles become the least replicate, and its width, about zero, says nothing.
    """
    return np.asarray((point < interval.low) | (point > interval.high))


def standard_error(replicates: Floats) -> Floats:
    """The standard deviation over the replicates (n - 1); NaN where fewer than half, or fewer than 2, are there."""
    count = np.isfinite(replicates).sum(axis=0)
    usable = (count >= 2) & (count >= FEWEST * len(replicates))
    centre = np.nansum(replicates, axis=0) / np.maximum(count, 1)
    spread = np.nansum((replicates - centre) ** 2, axis=0) / np.maximum(count - 1, 1)
    return np.asarray(np.where(usable, np.sqrt(spread), np.nan), np.float64)


def normal_p(point: Floats, error: Floats) -> Floats:
    """Two-sided p-values of the hypothesis 0 by the normal distribution; NaN where the error is 0 or missing."""
    from scipy.special import ndtr  # here, as above

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


def _quantiles(replicates: Floats, low: Floats, high: Floats) -> Interval:
    """Quantiles (linear interpolation) of the finite replicates, each column at its own shares."""
    ordered = np.sort(replicates.reshape(len(replicates), low.size), axis=0)  # NaN last
    count = np.isfinite(ordered).sum(axis=0)
    usable = (count > 0) & (count >= FEWEST * len(replicates))
    bounds = [_at(ordered, count, share.ravel(), usable).reshape(replicates.shape[1:]) for share in (low, high)]
    return Interval(*bounds)


def _at(ordered: Floats, count: npt.NDArray[np.int_], share: Floats, usable: npt.NDArray[np.bool_]) -> Floats:
    if not len(ordered):
        return np.full(share.shape, np.nan)
    place = np.where(usable, share, 0.0) * np.maximum(count - 1, 0)
    left = np.floor(place).astype(np.int64)
    right = np.minimum(left + 1, np.maximum(count - 1, 0))
    columns = np.arange(ordered.shape[1])
    lower, upper = ordered[left, columns], ordered[right, columns]
    return np.asarray(np.where(usable, lower + (place - left) * (upper - lower), np.nan), np.float64)
