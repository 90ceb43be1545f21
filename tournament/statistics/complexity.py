"""One figure for how complex a game is, and thirds of the games by it (GENSTRAT section 6, appendices I, O; N8).

The composite is the projection of a game's z-scored axes on the first right singular vector of the matrix of slopes
(models x axes), each column centred over the models; its sign is such that the weights' sum is positive. The mean of
the z-scores, by which table 8 is sorted, is a separate measure.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.profile import zscore

THIRDS = ("T1", "T2", "T3")  # easiest, middle, hardest


class Composite(Struct, frozen=True, eq=False):
    """The weights of the axes and each game's score; NaN if there is none."""

    weights: Floats  # float64[axes]; of length 1; NaN for an axis without slopes, which takes no part
    scores: Floats  # float64[games]
    explained: float  # share of the slopes' variance along the component


def composite(axes: Floats, slopes: Floats) -> Composite:
    """The composite complexity of all games. axes: float64[games, axes]; slopes: float64[models, axes]."""
    models = np.isfinite(slopes).any(axis=1)
    used = np.isfinite(slopes[models]).all(axis=0)
    weights, scores = np.full(slopes.shape[1], np.nan), np.full(len(axes), np.nan)
    if models.sum() < 2 or not used.any():
        return Composite(weights, scores, float("nan"))
    weights[used], explained = first_component(slopes[np.ix_(models, used)])
    if not np.isfinite(weights[used]).all():
        return Composite(weights, scores, float("nan"))
    return Composite(weights, np.asarray(zscore(axes)[:, used] @ weights[used]), explained)


def first_component(slopes: Floats) -> tuple[Floats, float]:
    """float64[axes]: the first principal direction of the rows, its weights' sum positive, and its share of variance.

    NaN if all rows are equal. If the weights sum to 0, the first that is not 0 is positive.
    """
    centred = slopes - slopes.mean(axis=0)
    _, lengths, directions = np.linalg.svd(centred, full_matrices=False)
    if lengths[0] <= 1e-12 * max(1.0, float(np.abs(slopes).max())):
        return np.full(slopes.shape[1], np.nan), float("nan")
    weights = directions[0]
    total = weights.sum() if abs(weights.sum()) > 1e-12 else weights[np.flatnonzero(np.abs(weights) > 1e-12)[0]]
    return np.asarray(weights * np.sign(total), np.float64), float(lengths[0] ** 2 / (lengths**2).sum())


def mean_complexity(axes: Floats) -> Floats:
    """float64[games]: the mean of the z-scored axes, as appendix O says (its printed column spreads wider)."""
    return np.asarray(zscore(axes).mean(axis=1), np.float64)


def tertiles(scores: Floats) -> npt.NDArray[np.int64]:
    """int64[games]: 0, 1 or 2, from the lowest scores to the highest; -1 for a game without a score.

    Sizes differ by at most one, the surplus goes to the upper ones: 50 games give 16, 17 and 17. Equal scores keep
    the games' order.
    """
    third = np.full(len(scores), -1, np.int64)
    there = np.flatnonzero(np.isfinite(scores))
    order = there[np.argsort(scores[there], kind="stable")]
    n = len(order)
    for k, (start, stop) in enumerate(((0, n // 3), (n // 3, 2 * n // 3), (2 * n // 3, n))):
        third[order[start:stop]] = k
    return third
