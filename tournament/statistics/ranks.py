"""Ranks with their uncertainty: intervals, the probability of being best, and differences of pairs.

1. Of every pair, t is the difference over its error. p is Student's, with the smaller degrees of freedom of the two.
2. All pairs are compared at once: a pair's p is the share of draws in which any pair of players who are level would
   show a p as small (Westfall and Young, 1993), (k + 1) / (B + 1) with k of B draws. So the chance that any pair is
   called different though it is not is 5%, and no p needs a further correction.
3. A player's rank is one more than the number of players who are better in that sense, so players that the matches do
   not distinguish may share one. The interval of its true rank reaches from there to the number of players who
   are not worse (Mogstad, Romano, Shaikh and Wilhelm, 2024): all intervals hold together in 95%.
4. The probability of being best is the share of draws about the ratings in which the player is first. Players who are
   level in a draw share it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from scipy.special import ndtr, stdtr, stdtrit

from antemill.tournament.statistics.bootstrap import normal_draws
from antemill.tournament.statistics.intervals import LEVEL, Floats, Interval
from antemill.tournament.statistics.matches import Integers
from antemill.tournament.statistics.precision import Error

MOST = 300  # players that are compared in pairs
DRAWS = 9_999
_NUMBERS = 40_000_000  # of pairs and draws: fewer draws for many players
_FEWEST = 999


class Ranks(Struct, frozen=True, eq=False):
    """Arrays over players; NaN for a player without a rating or an error, who has rank 0.

    Pairs: float64[players, players], the row's player against the column's.
    """

    low: Integers  # int64[players]: the rank, and the least that the true one may be
    high: Integers  # int64[players]: the most
    best: Floats  # float64[players]: the probability of being best
    difference: Floats
    interval: Interval  # of the differences, all of which hold together
    p: Floats  # of no difference, corrected for all pairs
    floor: float  # the least p that so many draws give


def ranks(point: Floats, found: Error, draws: Floats) -> Ranks:
    """Compare players. point: float64[players]; found: their errors and degrees of freedom.

    draws: float64[draws, players], deviations from the ratings; they are stretched to the errors.
    """
    players = len(point)
    there = np.flatnonzero(np.isfinite(point) & np.isfinite(found.error) & np.isfinite(draws).all(axis=0))
    low, high = np.zeros(players, np.int64), np.zeros(players, np.int64)
    best, gaps = np.full(players, np.nan), np.full((players, players), np.nan)
    p, reach, floor = gaps.copy(), gaps.copy(), 1.0 / (len(draws) + 1.0)
    if not 2 <= len(there) <= MOST or len(draws) < 2:
        return Ranks(low, high, best, gaps, Interval(gaps, gaps), p, floor)
    deviation = draws[:, there] - draws[:, there].mean(axis=0)
    spread = deviation.std(axis=0, ddof=1)
    deviation *= np.divide(found.error[there], spread, out=np.zeros(len(there)), where=spread > 0.0)
    a, b = np.triu_indices(len(there), 1)
    gap = point[there][a] - point[there][b]
    freedom = np.minimum(found.freedom[there][a], found.freedom[there][b])
    error, least = _pairs(deviation, a, b)
    told = error > 0.0
    t = np.divide(np.abs(gap), error, out=np.zeros(len(gap)), where=told)
    alone = np.where(told, 2.0 * stdtr(np.maximum(freedom, 1.0), -t), 1.0)
    fair = (np.searchsorted(np.sort(least), alone, side="right") + 1.0) / (len(least) + 1.0)
    critical = float(np.quantile(least, 1.0 - LEVEL))
    wide = -stdtrit(np.maximum(freedom, 1.0), critical / 2.0) * error
    for values, of, sign in ((gaps, gap, -1.0), (p, np.minimum(fair, 1.0), 1.0), (reach, wide, 1.0)):
        values[there[a], there[b]], values[there[b], there[a]] = of, sign * of
    with np.errstate(invalid="ignore"):
        better = (p < 1.0 - LEVEL) & (gaps > 0.0)
    low[there] = 1 + better.sum(axis=0)[there]
    high[there] = len(there) - better.sum(axis=1)[there]
    drawn_points = point[there] + deviation
    first = drawn_points == drawn_points.max(axis=1, keepdims=True)
    best[there] = (first / first.sum(axis=1, keepdims=True)).mean(axis=0)
    return Ranks(low, high, best, gaps, Interval(gaps - reach, gaps + reach), p, floor)


def resampled(point: Floats, replicates: Floats, units: Integers) -> Ranks:
    """Compare players by the replicates that their intervals come from. units: how many each player's error has.

    Replicates that leave a player without a rating are no part of it.
    """
    there = np.isfinite(point)
    whole = replicates[np.isfinite(replicates[:, there]).all(axis=1)]
    more = np.sqrt(units / np.maximum(units - 1.0, 1.0))
    error = whole.std(axis=0, ddof=1) * more if len(whole) > 1 else np.full(len(point), np.nan)
    return ranks(point, Error(error, np.maximum(units - 1.0, 1.0)), whole)


def drawn(covariance: Floats, seed: int = 0) -> Floats:
    """float64[draws, players]: normal deviations with this covariance, as many as can be compared in pairs."""
    players = len(covariance)
    count = int(np.clip(_NUMBERS // max(players * (players - 1) // 2, 1), _FEWEST, DRAWS))
    size, axes = np.linalg.eigh(covariance)
    root = axes * np.sqrt(np.maximum(size, 0.0))
    return np.asarray(normal_draws(players, count, seed) @ root.T, np.float64)


def _pairs(deviation: Floats, a: npt.NDArray[np.intp], b: npt.NDArray[np.intp]) -> tuple[Floats, Floats]:
    """The error of every pair's difference, and of every draw the least two-sided normal p of any pair."""
    covariance = np.atleast_2d(np.cov(deviation, rowvar=False))
    variance = np.diag(covariance)
    error = np.sqrt(np.maximum(variance[a] + variance[b] - 2.0 * covariance[a, b], 0.0))
    error[error < 1e-9 * np.sqrt(variance.max(initial=0.0))] = 0.0
    told = error > 0.0
    largest = np.zeros(len(deviation))
    for player in np.unique(a[told]):
        mine = told & (a == player)
        gap = np.abs(deviation[:, player, None] - deviation[:, b[mine]]) / error[mine]
        np.maximum(largest, gap.max(axis=1), out=largest)
    return error, np.asarray(2.0 * ndtr(-largest), np.float64)
