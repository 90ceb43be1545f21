"""Games as themselves beside their disguises, on the same cards.

A player's gains in a game are an array float64[runs, forms]: a run has the same cards in every form. The first form is
the game itself, the others are its disguises.

Does a player play the game as itself better than in disguise? A player that plays by structure has, on the same cards,
exchangeable gains in all forms: any of them could be the game itself. So the test exchanges the forms within each run
and compares the advantage of the game itself with that of a form drawn for each run. It is exact at any number of runs
and for any distribution (a permutation test within blocks; Good, Permutation, Parametric and Bootstrap Tests of
Hypotheses, 2005, section 7).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct
from scipy.special import stdtrit

from antemill.tournament.statistics.intervals import LEVEL, Floats

_AT_ONCE = 1_000_000  # numbers
EXCHANGES = 4_999  # of forms within runs, for a p-value


class Advantage(Struct, frozen=True):
    """How much more a player gains in games as themselves than in disguise, chips a match.

    low, high: 95%, Student's, over runs; None for a single one. p: of no advantage, one-sided.
    """

    runs: int
    itself: float
    disguised: float
    difference: float
    low: float | None
    high: float | None
    p: float


def table_of(gains: Mapping[int, Mapping[int, float]]) -> Floats:
    """float64[runs, forms] of {form: {run: gain}}, for the runs that were played in all forms."""
    forms = sorted(gains)
    runs = sorted(set.intersection(*(set(gains[form]) for form in forms))) if forms else []
    return np.array([[gains[form][run] for form in forms] for run in runs], np.float64).reshape(len(runs), len(forms))


def advantage(games: Sequence[Floats], exchanges: int = EXCHANGES) -> Advantage:
    """The advantage of the games as themselves, which all count alike. games: float64[runs, forms], two forms or more.

    exchanges: of forms within runs; the p-value is a multiple of 1 / (exchanges + 1).
    """
    own = [_advantages(gains) for gains in games]
    first = math.fsum(float(gains[:, 0].mean()) for gains in games) / len(games)
    observed = math.fsum(float(each[:, 0].mean()) for each in own) / len(own)
    rng = np.random.default_rng(0)
    drawn = np.zeros(exchanges)
    for each in own:
        for some in _batches(exchanges, each.size):
            chosen = rng.integers(each.shape[1], size=(some.stop - some.start, len(each)))
            drawn[some] += each[np.arange(len(each)), chosen].mean(axis=1) / len(own)
    _, low, high = mean_with_bounds([each[:, 0] for each in own])
    runs = sum(len(each) for each in own)
    return Advantage(runs, first, first - observed, observed, low, high, _p(drawn, observed))


def _advantages(gains: Floats) -> Floats:
    """float64[runs, forms]: what each form gains more than the mean of the others."""
    forms = gains.shape[1]
    found: Floats = (forms * gains - gains.sum(axis=1, keepdims=True)) / (forms - 1)
    return found


def mean_with_bounds(parts: Sequence[Floats]) -> tuple[float, float | None, float | None]:
    """The mean of independent means with Student's 95% interval (Welch's degrees of freedom); None if one is single."""
    mean = math.fsum(float(part.mean()) for part in parts) / len(parts)
    if any(len(part) < 2 for part in parts):
        return mean, None, None
    squares = [float(part.var(ddof=1)) / len(part) for part in parts]
    fourth = math.fsum(square**2 / (len(part) - 1) for square, part in zip(squares, parts, strict=True))
    total = math.fsum(squares)
    freedom = max(1.0, total**2 / fourth) if fourth else 1.0
    wide = float(stdtrit(freedom, (1 + LEVEL) / 2)) * math.sqrt(total) / len(parts)
    return mean, mean - wide, mean + wide


def _batches(count: int, size: int) -> Iterator[slice]:
    """Ranges of so many exchanges of tables of this size, as many at once as fit into memory."""
    step = max(1, _AT_ONCE // size)
    return (slice(low, min(low + step, count)) for low in range(0, count, step))


def _p(drawn: Floats, observed: float) -> float:
    """The share of draws that are at least as large, the observed one among them; rounding does not count."""
    margin = 1e-9 * max(1.0, abs(observed))
    return float((1 + np.count_nonzero(drawn >= observed - margin)) / (1 + len(drawn)))


def holm(values: Sequence[float]) -> list[float]:
    """p-values corrected for their number (Holm, 1979), in the given order."""
    order = sorted(range(len(values)), key=values.__getitem__)
    found, largest = [0.0] * len(values), 0.0
    for place, index in enumerate(order):
        largest = max(largest, min(1.0, (len(values) - place) * values[index]))
        found[index] = largest
    return found
