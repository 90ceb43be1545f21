"""Rank stability: do games reorder the models more than sampling noise would? (GENSTRAT appendix P; N12)

Under the null the true order on a game is the overall one. A pair of models with an overall gap d is then reversed on
game g with probability Phi(-d / SE), SE the bootstrap's standard deviation of their difference on that game. With the
pairs taken as independent, E and V are the sums of P and P (1 - P), z = (observed - E) / sqrt(V), and the one-sided
p = 1 - Phi(z) is adjusted over the games (Benjamini-Hochberg).

Single reversals: p is the share of replicates in which the reversal does not hold (a tie does not), as printed: it
may be 0; adjusted over all reversals found.

Both say too much: pairs share models, and no number of replicates shows a p of 0. `shown_reversals` asks which gaps are
more than noise: Student's two-sided p of the gap on the game, by the game's own covariance (`errors.mixed`), times the
number of pairs there, and for all games together times the number of games (Bonferroni).

Our readings: pairs that are level overall have no order and take no part; a pair needs strengths of both models on
the game; a pair whose difference has no spread is never reversed under the null; a game with a pair whose spread is
unknown has no E, V, z, p.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from scipy.special import ndtr

from antemill.tournament.statistics.complexity import THIRDS
from antemill.tournament.statistics.errors import Error
from antemill.tournament.statistics.intervals import Floats, false_discovery, standard_error

LEVEL = 1e-9  # our reading, chips; strengths no further apart are level: the last digits of a fit mean nothing


class Stability(Struct, frozen=True, eq=False):
    """Observed and expected reversals, by game. NaN where there is no pair, or its spread is unknown or none."""

    pairs: npt.NDArray[np.int64]  # [games]; pairs that take part
    observed: npt.NDArray[np.int64]  # [games]
    expected: Floats  # E, [games]
    variance: Floats  # V, [games]
    z: Floats  # [games]
    p: Floats  # [games]
    q: Floats  # [games]


class Shown(Struct, frozen=True, eq=False):
    """Reversals against their noise. int64 or float64[games]."""

    pairs: npt.NDArray[np.int64]  # that take part
    observed: npt.NDArray[np.int64]  # reversed
    shown: npt.NDArray[np.int64]  # of these more than noise, over all games at once
    p: Floats  # the least of a reversed pair, corrected for the game's pairs; 1 without one, NaN without noise


class Reversals(Struct, frozen=True, eq=False):
    """Single reversals in order of game and pair: arrays of equal length."""

    game: npt.NDArray[np.int64]
    upper: npt.NDArray[np.int64]  # the model ranked higher overall
    lower: npt.NDArray[np.int64]  # the model that is stronger on this game
    gap: Floats  # lower minus upper on this game
    p: Floats  # as printed
    q: Floats


class Third(Struct, frozen=True):
    """Stability over one third of the games (or all of them). Means are NaN if no game has the figure."""

    name: str
    games: int
    below_05: int  # games with q < .05
    below_10: int
    observed: float  # means over the games
    expected: float
    z: float


def ordered_pairs(overall: Floats) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Upper and lower model of every pair that the overall strengths order."""
    upper, lower = np.nonzero(overall[:, None] > overall[None, :] + LEVEL)
    return upper.astype(np.int64), lower.astype(np.int64)


def reversed_pairs(overall: Floats, per_game: Floats) -> npt.NDArray[np.bool_]:
    """bool[games, pairs]: where the lower model of a pair is the stronger on the game."""
    upper, lower = ordered_pairs(overall)
    with np.errstate(invalid="ignore"):
        return np.asarray(per_game[:, lower] > per_game[:, upper] + LEVEL)


def reversal_probability(gap: Floats, error: Floats) -> Floats:
    """Phi(-gap / SE); 0 where SE is 0, NaN where it is missing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(error <= LEVEL, 0.0, ndtr(-np.abs(gap) / error)), np.float64)


def excess(observed: npt.NDArray[np.int64], expected: Floats, variance: Floats) -> tuple[Floats, Floats]:
    """z and its one-sided p, NaN where V is not positive."""
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(variance > 0.0, (observed - expected) / np.sqrt(variance), np.nan)
    return np.asarray(z, np.float64), np.asarray(ndtr(-z), np.float64)


def stability(overall: Floats, per_game: Floats, replicates: Floats) -> Stability:
    """Every game against the null. overall: [models]; per_game: [games, models]; replicates: [draws, games, models]."""
    upper, lower = ordered_pairs(overall)
    games, gap = len(per_game), overall[upper] - overall[lower]
    reverse = reversed_pairs(overall, per_game)
    observed, pairs = np.zeros(games, np.int64), np.zeros(games, np.int64)
    expected, variance = np.full(games, np.nan), np.full(games, np.nan)
    for g in range(games):
        chance = reversal_probability(gap, standard_error(replicates[:, g, upper] - replicates[:, g, lower]))
        used = np.isfinite(per_game[g, upper]) & np.isfinite(per_game[g, lower])
        observed[g], pairs[g] = reverse[g, used].sum(), used.sum()
        if used.any():
            expected[g], variance[g] = chance[used].sum(), (chance[used] * (1.0 - chance[used])).sum()
    z, p = excess(observed, expected, variance)
    return Stability(pairs, observed, expected, variance, z, p, false_discovery(p))


def shown_reversals(overall: Floats, per_game: Floats, covariance: Floats, freedom: Floats) -> Shown:
    """Which games order pairs against the overall strengths beyond noise.

    overall: [models]; per_game: [games, models]; covariance: [games, models, models] and freedom: [games], of them.
    """
    upper, lower = ordered_pairs(overall)
    reverse, there = reversed_pairs(overall, per_game), np.isfinite(per_game[:, upper] + per_game[:, lower])
    own = np.diagonal(covariance, axis1=1, axis2=2)
    error = np.sqrt(np.maximum(own[:, upper] + own[:, lower] - 2.0 * covariance[:, upper, lower], 0.0))
    p = Error(error, freedom[:, None]).p(per_game[:, upper] - per_game[:, lower]) * there.sum(axis=1)[:, None]
    p = np.where(reverse & there, p, np.inf)
    games = max(int(there.any(axis=1).sum()), 1)
    least = np.where(np.isnan(p).any(axis=1), np.nan, np.fmin(1.0, p.min(axis=1, initial=np.inf)))
    observed = (reverse & there).sum(axis=1)
    return Shown(there.sum(axis=1), observed, (p * games < 0.05).sum(axis=1), least)


def reversals(overall: Floats, per_game: Floats, replicates: Floats) -> Reversals:
    """All single reversals with their p-values as printed; arguments as for `stability`. NaN without replicates."""
    upper, lower = ordered_pairs(overall)
    order = np.lexsort((lower, upper))
    upper, lower = upper[order], lower[order]
    with np.errstate(invalid="ignore"):
        game, pair = np.nonzero(per_game[:, lower] > per_game[:, upper] + LEVEL)
    i, j = upper[pair], lower[pair]
    drawn = replicates[:, game, j] - replicates[:, game, i]
    with np.errstate(invalid="ignore"):
        absent, there = (drawn <= LEVEL).sum(axis=0), np.isfinite(drawn).sum(axis=0)
    p = np.where(there > 0, absent / np.maximum(there, 1), np.nan)
    return Reversals(game.astype(np.int64), i, j, per_game[game, j] - per_game[game, i], p, false_discovery(p))


def by_third(result: Stability, thirds: npt.NDArray[np.int64]) -> list[Third]:
    """The cross-table of appendix P: stability within each third of the games, then over all games."""
    everywhere = np.ones(len(thirds), bool)
    groups = [*((name, thirds == k) for k, name in enumerate(THIRDS)), ("all", everywhere)]
    return [_summary(result, name, games & (result.pairs > 0)) for name, games in groups]


def _summary(result: Stability, name: str, games: npt.NDArray[np.bool_]) -> Third:
    q = result.q[games]
    with np.errstate(invalid="ignore"):
        below = [int((q < rate).sum()) for rate in (0.05, 0.10)]
    means = [_mean(values[games]) for values in (result.observed.astype(np.float64), result.expected, result.z)]
    return Third(name, int(games.sum()), below[0], below[1], *means)


def _mean(values: Floats) -> float:
    there = values[np.isfinite(values)]
    return float(there.mean()) if len(there) else float("nan")
