"""Means of losses and of what decisions give away, with Student's interval or that of rare events.

A loss is a sum of mistakes, so its distribution is skewed: what a short run has not seen can only add to it, and
Student's interval is too low where mistakes are rare. The interval of rare events is the gamma interval for weighted
sums (Fay and Feuer 1997, "Confidence intervals for directly standardized rates", section 3), in which the largest
observation that was seen stands for one more that was not. The variance is that of the observations, widened as
Student's quantile is beside the normal one. Its lower bound is never below zero. Where no mistake was seen in n pairs
of matches, one in n / UNSEEN pairs may hold one: the upper bound is UNSEEN / n times the largest possible loss. A
figure that may be negative, such as a difference or a gain, keeps Student's interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct
from scipy.special import gammaincinv, ndtri, stdtrit

from antemill.tournament.statistics.intervals import LEVEL

SLIGHT = 0.01  # of a game's unit: a pair that differs from perfect play by less holds no mistake
UNSEEN = 3.7  # expected mistakes of which none is seen in 2.5% of samples: -log(.025)


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


def mean_of(values: Sequence[float]) -> Loss:
    """The mean of independent values, which may be negative, with Student's interval; none for a single value."""
    count = len(values)
    mean = math.fsum(values) / count
    if count < 2:
        return Loss(mean, None, None, None)
    return interval(mean, math.sqrt(math.fsum((one - mean) ** 2 for one in values) / (count - 1) / count), count - 1)


def mean_loss(losses: Sequence[float], unit: float, most: float) -> Loss:
    """The mean loss of pairs of matches in one game, with the interval of rare events; none for one pair.

    unit: of the game, chips; most: the largest possible loss, chips.
    """
    seen = 0.0 if faultless(losses, unit) else max(losses) / len(losses)
    return skewed(mean_of(losses), seen, most / len(losses))


def faultless(losses: Sequence[float], unit: float) -> bool:
    """Whether no pair holds a mistake. unit: of their game, chips."""
    return all(abs(one) <= SLIGHT * unit for one in losses)


def above_zero(found: Loss) -> Loss:
    """An interval cut at zero, for a figure that is never below: what is cut off cannot be true."""
    if found.low is None or found.high is None:
        return found
    return Loss(found.mean, found.error, max(0.0, found.low), max(0.0, found.high))


def these(parts: Sequence[tuple[float, float | None, int]]) -> Loss:
    """The mean of independent means with their errors and degrees of freedom (Welch's for the mean)."""
    mean = math.fsum(one for one, _, _ in parts) / len(parts)
    known = [(error, free) for _, error, free in parts if error is not None]
    if len(known) < len(parts):
        return Loss(mean, None, None, None)
    total = math.fsum(error**2 for error, _ in known)
    fourth = math.fsum(error**4 / free for error, free in known if error > 0)
    return interval(mean, math.sqrt(total) / len(parts), max(1.0, total**2 / fourth if fourth else 0.0))


def skewed(found: Loss, seen: float, unseen: float | None = None) -> Loss:
    """A mean with Student's interval, which becomes that of rare events.

    seen: what the largest observation has added to the mean, 0 if there was no mistake. unseen: what the largest
    possible one would add; without it there is no interval where there was no mistake. The upper bound is Student's
    where that is higher: the gamma distribution's falls to zero for a mean that is small beside its error, as luck that
    is left can make it.
    """
    if found.low is None or found.high is None:
        return found
    if seen <= 0 and unseen is None:
        return Loss(found.mean, found.error, None, None)
    variance = ((found.mean - found.low) / float(ndtri((1 + LEVEL) / 2))) ** 2
    if seen <= 0 or found.mean <= 0 or variance == 0:
        room = UNSEEN * (unseen or seen)
        least = room if seen <= 0 else found.mean + room if variance == 0 else found.high
        return Loss(found.mean, found.error, min(found.low, 0.0) if seen <= 0 else found.low, max(found.high, least))
    low = _gamma(found.mean, variance, (1 - LEVEL) / 2)
    high = _gamma(found.mean + seen, variance + seen**2, (1 + LEVEL) / 2)
    return Loss(found.mean, found.error, low, max(found.high, high))


def _gamma(mean: float, variance: float, level: float) -> float:
    """A quantile of the gamma distribution with this mean and variance."""
    return float(gammaincinv(mean**2 / variance, level)) * variance / mean
