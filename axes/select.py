"""Choosing a benchmark from a scored pool by farthest-point sampling (GENSTRAT section 4, X10).

    start with the game nearest to the centroid; then, until there are enough,
    add the game whose Euclidean distance to the nearest chosen game is largest

The axes are min-max normalised on the pool first. Our reading: the centroid is the mean of the normalised pool, ties go
to the lower seed, and an axis with equal values for all games has no influence. Games are chosen by their fast-tier
axes; precise scores that are computed afterwards do not change the choice. Pinned games are chosen before all others,
instead of the one nearest to the centroid.
"""

import numpy as np
import numpy.typing as npt

from antemill.axes.grouping import FloatArray

IntArray = npt.NDArray[np.int64]


def farthest_points(
    points: FloatArray, count: int, seeds: npt.ArrayLike | None = None, pinned: npt.ArrayLike = ()
) -> IntArray:
    """int64[count]: the chosen games as row numbers, in order of choice.

    points: float64[games, axes]. seeds: integers[games], distinct; None: the row numbers. A seed may use all 64 bits.
    pinned: distinct row numbers of games that are chosen first. Raises ValueError for a count that is not in 1..games,
    or for a point that is not finite.
    """
    points = np.asarray(points, np.float64)
    if not 1 <= count <= len(points):
        raise ValueError(f"cannot choose {count} of {len(points)} games; give a count from 1 to {len(points)}")
    bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if len(bad):
        raise ValueError(
            f"{len(bad)} games have a missing or infinite axis, the first in row {bad[0]}; score them or leave them out"
        )
    by_seed = np.arange(len(points)) if seeds is None else np.argsort(np.asarray(seeds), kind="stable")
    place = np.argsort(by_seed)
    first = place[np.asarray(pinned, np.int64)]
    return np.asarray(by_seed[_choose(normalised(points)[by_seed], count, first)], np.int64)


def normalised(points: FloatArray) -> FloatArray:
    """Every column mapped to [0, 1] by its smallest and largest value; a constant column to 0."""
    low = points.min(axis=0)
    span = points.max(axis=0) - low
    return np.asarray((points - low) / np.where(span > 0.0, span, 1.0), np.float64)


def _choose(points: FloatArray, count: int, pinned: IntArray) -> IntArray:
    """int64[count]: the chosen rows. Not compiled: loading machine code takes longer than choosing from a million."""
    columns = np.ascontiguousarray(points.T)
    chosen = np.empty(count, np.int64)
    chosen[: len(pinned)] = pinned[:count]
    if not len(pinned):
        chosen[0] = np.argmin(_squared(columns, points.mean(axis=0)))
    nearest = np.full(len(points), np.inf)  # squared distance to the chosen, -1 if chosen
    for step in range(1, count):
        nearest[chosen[step - 1]] = -1.0
        np.minimum(nearest, _squared(columns, points[chosen[step - 1]]), out=nearest)
        if step >= len(pinned):
            chosen[step] = np.argmax(nearest)
    return chosen


def _squared(columns: FloatArray, point: FloatArray) -> FloatArray:
    """float64[points]: squared Euclidean distances of a point to those with these columns."""
    total = np.zeros(columns.shape[1])
    for column, value in zip(columns, point, strict=True):
        away = column - value
        away *= away
        total += away
    return total
