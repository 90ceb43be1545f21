"""Ranks with their uncertainty: intervals, the probability of being best, and differences of pairs, for one question.

Everything comes from one covariance of the players' estimates:

1. Of every pair, t is the difference over its error, with the smaller degrees of freedom of the two. Its p is Student's
   times the number of pairs (Bonferroni), so the chance that any pair is called different though it is not is at most
   5%; the intervals of all differences hold together.
2. A player's rank is one more than the number of players who are better in that sense, so players that the matches do
   not distinguish may share one. The true rank is between there and the number of players who are not worse.
3. The probability of being best is the share of Student draws about the estimates in which the player is first. Players
   who are level in a draw share it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from scipy.special import chdtri, stdtr, stdtrit

from antemill.tournament.statistics.errors import Spread
from antemill.tournament.statistics.intervals import LEVEL, Floats, Interval
from antemill.tournament.statistics.matches import Flags, Integers
from antemill.tournament.statistics.sheets import Cell, Column, Parts, count

MOST = 300  # players that are compared in pairs
DRAWS = 4_000
_LEVEL = 1e-9  # of the largest estimate: differences below it are rounding errors


class Ranks(Struct, frozen=True, eq=False):
    """Arrays over players; NaN for a player without an estimate or an error, who has rank 0.

    Pairs: float64[players, players], the row's player against the column's.
    """

    low: Integers  # int64[players]: the rank, and the least that the true one may be
    high: Integers  # int64[players]: the most
    best: Floats  # float64[players]: the probability of being best
    difference: Floats
    interval: Interval  # of the differences, all of which hold together
    p: Floats  # of no difference, corrected for all pairs


def ranks(point: Floats, spread: Spread, among: Flags | None = None, pairs: Floats | None = None) -> Ranks:
    """Compare players. point: float64[players]. among: bool[players], those who take part; all if not given.

    pairs: float64[players, players], the differences' errors, if they are not those of the spread.
    """
    players = len(point)
    low, high, best = np.zeros(players, np.int64), np.zeros(players, np.int64), np.full(players, np.nan)
    gaps = np.full((players, players), np.nan) if players <= MOST else np.full((0, 0), np.nan)
    p, reach = gaps.copy(), gaps.copy()
    there = np.isfinite(point) & np.isfinite(spread.error.error) & (True if among is None else among)
    chosen = np.flatnonzero(there)
    if not 2 <= len(chosen) <= MOST or players > MOST or not spread.whole:
        return Ranks(low, high, best, gaps, Interval(gaps, gaps), p)
    part, value = spread.only(chosen), point[chosen]
    value = np.where(np.abs(value) < _LEVEL * np.abs(value).max(), 0.0, value)
    a, b = np.triu_indices(len(chosen), 1)
    gap, freedom = value[a] - value[b], np.maximum(np.minimum(part.freedom[a], part.freedom[b]), 1.0)
    error = _errors(part.covariance, a, b) if pairs is None else pairs[chosen[a], chosen[b]]
    t = np.divide(np.abs(gap), error, out=np.zeros(len(gap)), where=error > 0.0)
    found = np.minimum(2.0 * stdtr(freedom, -t) * len(gap), 1.0)
    wide = stdtrit(freedom, 1.0 - (1.0 - LEVEL) / 2.0 / len(gap)) * error
    for values, of, sign in ((gaps, gap, -1.0), (p, found, 1.0), (reach, wide, 1.0)):
        values[chosen[a], chosen[b]], values[chosen[b], chosen[a]] = of, sign * of
    with np.errstate(invalid="ignore"):
        better = (p < 1.0 - LEVEL) & (gaps > 0.0)
    low[chosen] = 1 + better.sum(axis=0)[chosen]
    high[chosen] = len(chosen) - better.sum(axis=1)[chosen]
    drawn = value + student_draws(part)
    first = drawn >= drawn.max(axis=1, keepdims=True) - _LEVEL * np.abs(value).max()
    best[chosen] = (first / first.sum(axis=1, keepdims=True)).mean(axis=0)
    return Ranks(low, high, best, gaps, Interval(gaps - reach, gaps + reach), p)


def student_draws(spread: Spread, draws: int = DRAWS) -> Floats:
    """float64[draws, players]: deviations with this covariance; the scale of a draw is that of Student's t."""
    random = np.random.default_rng(0)
    size, axes = np.linalg.eigh(spread.covariance)
    normal = random.standard_normal((draws, len(size))) @ (axes * np.sqrt(np.maximum(size, 0.0))).T
    freedom = np.maximum(spread.freedom, 1.0)
    square = chdtri(freedom, random.uniform(size=(draws, 1))) / freedom
    return np.asarray(normal / np.sqrt(np.maximum(square, 1e-12)), np.float64)


def _errors(covariance: Floats, a: Integers, b: Integers) -> Floats:
    """float64[pairs]; 0 where two players always move together."""
    own = np.diag(covariance)
    found = np.sqrt(np.maximum(own[a] + own[b] - 2.0 * covariance[a, b], 0.0))
    return np.where(found < 1e-9 * np.sqrt(own.max(initial=0.0)), 0.0, found)


def rank_columns(found: Ranks, order: Sequence[int] | Integers, question: str, key: str) -> Parts:
    """Ranks, which players that cannot be told apart share, how far they reach, and the chance of being best.

    question: what they are about, as a heading; key: of the columns.
    """
    ranked = [bool(found.low[k]) for k in order]

    def shown(values: Integers | Floats) -> list[Cell]:
        return [value if there else None for value, there in zip(values[order].tolist(), ranked, strict=True)]

    return [
        (count(f"rank_{key}", f"{question}: rank"), shown(found.low)),
        (count(f"rank_high_{key}", f"{question}: worst rank"), shown(found.high)),
        (Column(f"best_{key}", f"{question}: P(best)", "share"), shown(found.best)),
    ]
