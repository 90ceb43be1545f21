"""Rank stability: do games reorder the models more than sampling noise would? (GENSTRAT appendix P; N12)

Under the null the true order on a game is the overall one. A pair of models with an overall gap d is then reversed on
game g with probability Phi(-d / SE), SE the bootstrap's standard deviation of their difference on that game. With the
pairs taken as independent, E and V are the sums of P and P (1 - P), z = (observed - E) / sqrt(V), and the one-sided
p = 1 - Phi(z) is adjusted over the games (Benjamini-Hochberg).

Single reversals: p is the share of replicates in which the reversal does not hold (a tie does not), as printed: it
may be 0; adjusted over all reversals found.

Both say too much: pairs share models, and no number of replicates shows a p of 0. `joint_test` stands beside them:

    1. On a game whose order is the overall one, the strengths are the overall ones plus noise. Draws with the noise of
       the game's runs (strength on the game less strength overall) give the covariance of that noise, of all models
       together; normal draws of it give the distribution of the count of reversals: its mean and its variance, with
       the covariance of the pairs.
    2. p = (k + 1) / (B + 1), k of B draws having at least as many reversals as were seen. A game with few such draws
       gets more of them, a hundred for each game that is tested, so that the least q is .01 whatever their number.

The noise is less the overall strengths' because the game is one of those they come from: what is left is uncorrelated
with them on an even schedule, so that taking the overall strengths for true costs nothing.

For a single reversal, `Reversals.fair` is Student's two-sided p of the gap on the game: two-sided since only the pairs
that came out reversed are tested, which happens to half of those that are level on the game. It comes from the error of
the gap and not from counted replicates, so there is no least p, however many pairs are tested.

Our readings: pairs that are level overall have no order and take no part; a pair needs strengths of both models on
the game; a pair whose difference has no spread is never reversed under the null; a game with a pair whose spread is
unknown has no E, V, z, p.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from scipy.special import ndtr

from antemill.tournament.statistics.bootstrap import normal_draws
from antemill.tournament.statistics.complexity import THIRDS
from antemill.tournament.statistics.intervals import Floats, false_discovery, standard_error
from antemill.tournament.statistics.precision import Error

DRAWS = 9_999  # of the null distribution of a game's reversals
EACH = 100  # draws for each game that is tested, where a game needs more
FEW = 10  # draws that have as many reversals as were seen, below which a game gets more draws
Codes = npt.NDArray[np.int64]
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


class Joint(Struct, frozen=True, eq=False):
    """The count of reversals against its distribution under noise alone. NaN where there is no pair or no noise."""

    expected: Floats  # [games]
    variance: Floats  # [games]
    p: Floats  # [games]
    q: Floats  # [games]


class Reversals(Struct, frozen=True, eq=False):
    """Single reversals in order of game and pair: arrays of equal length."""

    game: npt.NDArray[np.int64]
    upper: npt.NDArray[np.int64]  # the model ranked higher overall
    lower: npt.NDArray[np.int64]  # the model that is stronger on this game
    gap: Floats  # lower minus upper on this game
    p: Floats  # as printed
    q: Floats
    fair: Floats  # p that allows for testing only the reversals that were seen
    fair_q: Floats


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


def joint_floor(games: int) -> float:
    """The least p of `joint_test` where so many games are tested."""
    return 1.0 / (max(DRAWS, EACH * games - 1) + 1.0)


def joint_test(
    overall: Floats, per_game: Floats, deviations: Floats, seed: int = 0, freedom: Floats | None = None
) -> Joint:
    """Every game against noise that all pairs share. overall: [models]; per_game: [games, models].

    deviations: [draws, games, models], replicates of the strengths on the game less replicates of the overall ones.
    freedom: [games], how many degrees of freedom the estimate of the noise has (`rare.freedom`); infinite if not given.
    """
    upper, lower = ordered_pairs(overall)
    seen = reversed_pairs(overall, per_game).sum(axis=1)
    expected, variance, p = (np.full(len(per_game), np.nan) for _ in range(3))
    freedom = np.full(len(per_game), np.inf) if freedom is None else freedom
    normal = normal_draws(len(overall) + 1, DRAWS, seed)
    more = max(0, round(1.0 / joint_floor(len(per_game))) - 1 - DRAWS)
    for g in range(len(per_game)):
        used = np.isfinite(per_game[g, upper]) & np.isfinite(per_game[g, lower])
        noise = deviations[:, g] - deviations[:, g].mean(axis=0)
        here = np.isfinite(per_game[g])
        if not used.any() or len(noise) < 2 or not np.isfinite(noise[:, here]).all():
            continue
        root = _root(np.where(here, noise, 0.0))

        def counts(
            part: Floats, root: Floats = root, used: npt.NDArray[np.bool_] = used, freedom: float = freedom[g]
        ) -> npt.NDArray[np.int64]:
            drawn = overall + _student(part, freedom) @ root
            return np.asarray((drawn[:, lower[used]] > drawn[:, upper[used]] + LEVEL).sum(axis=1), np.int64)

        count, draws = counts(normal), DRAWS
        expected[g], variance[g] = count.mean(), count.var(ddof=1)
        above = int((count >= seen[g]).sum())
        while above < FEW and draws < DRAWS + more:  # stops early where it can: the p is right then, too
            size = min(DRAWS, DRAWS + more - draws)
            above += int((counts(normal_draws(len(overall) + 1, size, seed, draws)) >= seen[g]).sum())
            draws += size
        p[g] = (above + 1.0) / (draws + 1.0)
    return Joint(expected, variance, p, false_discovery(p))


def _student(normal: Floats, freedom: float) -> Floats:
    """float64[draws, n - 1]: rows of Student's t that share their scale, from float64[draws, n] normal numbers.

    The scale is a root of chi square, by Wilson and Hilferty's cube of a normal number (1931).
    """
    part = 2.0 / (9.0 * freedom)
    square = np.maximum(1.0 - part + normal[:, -1] * np.sqrt(part), 1e-3) ** 3
    return np.asarray(normal[:, :-1] / np.sqrt(square)[:, None], np.float64)


def _root(noise: Floats) -> Floats:
    """float64[models, models]: normal rows times it have the covariance of the draws. noise: [draws, models]."""
    _, spread, axes = np.linalg.svd(noise, full_matrices=False)
    root = np.zeros((noise.shape[1], noise.shape[1]))
    root[: len(spread)] = spread[:, None] * axes / np.sqrt(len(noise) - 1.0)
    return root


def reversals(
    overall: Floats, per_game: Floats, replicates: Floats, error: Callable[[int, Codes, Codes], Error] | None = None
) -> Reversals:
    """All single reversals with their p-values; arguments as for `stability`. NaN without replicates.

    error: of the differences on a game (by its code) between models and others, for the fair p-values.
    """
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
    gap, fair = per_game[game, j] - per_game[game, i], np.full(len(game), np.nan)
    if error is not None:
        for g in np.unique(game):
            here = game == g
            fair[here] = error(int(g), j[here], i[here]).p(gap[here])
    return Reversals(game.astype(np.int64), i, j, gap, p, false_discovery(p), fair, false_discovery(fair))


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
