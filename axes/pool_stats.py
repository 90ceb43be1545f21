"""The axes of a pool of games together: ranges, tertile cuts, correlations, variance inflation (X10, N7)."""

import numpy as np
from msgspec import Struct

from antemill.axes.grouping import FloatArray
from antemill.axes.table import AXES

LOWER_CUT, UPPER_CUT = 33, 67  # percentiles of the tertile cuts (GENSTRAT section 4)


class Range(Struct, frozen=True):
    """The distribution of a pool's games on one axis."""

    min: float
    median: float
    max: float
    lower_cut: float  # 33rd percentile
    upper_cut: float  # 67th percentile


class PoolStats(Struct, frozen=True):
    """Statistics of a pool's axes. The rows and columns of `correlation` are in the order of the axes."""

    games: int
    axes: dict[str, Range]
    correlation: list[list[float]]
    vif: dict[str, float]


def pool_stats(points: FloatArray) -> PoolStats:
    """Summarise a pool. points: float64[games, axes]. Raises ValueError without games or with a value missing."""
    points = np.asarray(points, np.float64)
    if points.ndim != 2 or points.shape[1] != len(AXES) or len(points) == 0:
        raise ValueError(
            f"the statistics of a pool need at least one game and {len(AXES)} axes, not shape {points.shape}"
        )
    if not np.isfinite(points).all():
        raise ValueError("a game of the pool has a missing or infinite axis; score it or leave it out")
    cuts = np.percentile(points, (0, 50, 100, LOWER_CUT, UPPER_CUT), axis=0).T
    return PoolStats(
        games=len(points),
        axes={axis: Range(*map(float, row)) for axis, row in zip(AXES, cuts, strict=True)},
        correlation=correlation(points).tolist(),
        vif=dict(zip(AXES, vif(points).tolist(), strict=True)),
    )


def correlation(points: FloatArray) -> FloatArray:
    """float64[axes, axes]: Pearson correlations. An axis that does not vary correlates 0 with all others."""
    centred = points - points.mean(axis=0)
    centred[:, np.ptp(points, axis=0) == 0.0] = 0.0
    length = np.sqrt((centred**2).sum(axis=0))
    unit = centred / np.where(length > 0.0, length, 1.0)
    matrix = np.clip(unit.T @ unit, -1.0, 1.0)
    np.fill_diagonal(matrix, 1.0)
    return np.asarray(matrix, np.float64)


def vif(points: FloatArray) -> FloatArray:
    """float64[axes]: variance inflation factors 1 / (1 - R^2), R^2 of each axis regressed on all others.

    Infinite for an axis that the others determine; 1 for an axis that does not vary.
    """
    matrix = correlation(points)
    factors = np.empty(len(matrix))
    for j in range(len(matrix)):
        others = np.arange(len(matrix)) != j
        cross = matrix[others, j]
        solution = np.linalg.lstsq(matrix[np.ix_(others, others)], cross, rcond=None)[0]
        unexplained = 1.0 - float(cross @ solution)
        factors[j] = 1.0 / unexplained if unexplained > 1e-12 else np.inf
    return factors
