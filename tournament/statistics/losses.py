"""Means of losses, with Student's interval or that of rare events.

A loss is a sum of mistakes, so its distribution is skewed: what a short run has not seen can only add to it, and
Student's interval is too low where mistakes are rare. The interval of rare events is the gamma interval for weighted
sums (Fay and Feuer 1997, "Confidence intervals for directly standardized rates", section 3), in which the largest
observation that was seen stands for one more that was not. The variance is that of the observations, widened as
Student's quantile is beside the normal one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct
from scipy.special import gammaincinv, ndtri, stdtrit

from antemill.tournament.statistics.intervals import LEVEL

FAULTLESS = 30  # pairs, of all games that are looked at: fewer without a mistake tell too little
TOO_FEW = "too few matches to tell"  # in tables, for the interval


class Loss(Struct, frozen=True):
    """A mean with its 95% interval; None where too little was played to know."""

    mean: float
    error: float | None
    low: float | None
    high: float | None


def interval(mean: float, error: float | None, freedom: float) -> Loss:
    """A mean with Student's interval; none without an error or a degree of freedom."""
    if error is None or freedom < 1:
        return Loss(mean, error, None, None)
    wide = float(stdtrit(freedom, (1 + LEVEL) / 2)) * error
    return Loss(mean, error, mean - wide, mean + wide)


def these(parts: Sequence[tuple[float, float | None, int]]) -> Loss:
    """The mean of independent means with their errors and degrees of freedom (Welch's for the mean)."""
    mean = math.fsum(one for one, _, _ in parts) / len(parts)
    known = [(error, free) for _, error, free in parts if error is not None]
    if len(known) < len(parts):
        return Loss(mean, None, None, None)
    total = math.fsum(error**2 for error, _ in known)
    fourth = math.fsum(error**4 / free for error, free in known if error > 0)
    return interval(mean, math.sqrt(total) / len(parts), max(1.0, total**2 / fourth if fourth else 0.0))


def skewed(found: Loss, largest: float) -> Loss:
    """A mean with Student's interval, which becomes that of rare events if the mean is positive.

    largest: what the largest observation has added to the mean.
    """
    if found.error is None or found.low is None or found.mean <= 0 or found.error == 0:
        return found
    wide, more = (found.mean - found.low) / float(ndtri((1 + LEVEL) / 2)), max(0.0, largest)
    low = _gamma(found.mean, wide**2, (1 - LEVEL) / 2)
    high = _gamma(found.mean + more, wide**2 + more**2, (1 + LEVEL) / 2)
    return Loss(found.mean, found.error, low, high)


def _gamma(mean: float, variance: float, level: float) -> float:
    """A quantile of the gamma distribution with this mean and variance."""
    return float(gammaincinv(mean**2 / variance, level)) * variance / mean
