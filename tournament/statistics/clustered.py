"""Cluster-robust errors of ratings that hold for a player with five matches.

A bootstrap is right with many clusters. With five, its spread is too small by the root of 4/5, and it takes 1.96
deviations instead of the 2.78 of Student's t for 4 degrees of freedom. The error here is:

    1. A strength is linear in the clusters' summed margins. A cluster's part in its error is the strength's gradient
       times the cluster's residuals.
    2. The square of each part is divided by what the fit leaves of it if all matches are alike and independent, so that
       the variance is unbiased in that case: CR2, for one coefficient at a time (Bell and McCaffrey, 2002).
    3. Degrees of freedom are Satterthwaite's for these parts, in the same case. A player with n clusters among many
       has about n - 1.

With more than EXACT players the second and the third are approximated (`_of_many`), because their time grows with the
fourth power of the players.

A cluster that alone connects two groups of players leaves no residual. Nothing shows its error, so none is
given. Not from the papers.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri
from scipy.sparse import csr_array
from scipy.special import expit, ndtri, stdtrit

from antemill.tournament.statistics.bradley_terry import curvature
from antemill.tournament.statistics.cells import Cells, cluster_sums, units_of_clusters
from antemill.tournament.statistics.few import units_of_models
from antemill.tournament.statistics.intervals import LEVEL, Floats, Interval
from antemill.tournament.statistics.matches import Flags, Integers, SlotTable
from antemill.tournament.statistics.precision import Error
from antemill.tournament.statistics.strength import strengths

EXACT = 64  # players up to whom every error has the exact corrections
_NOTHING = 1e-12  # an eigenvalue, of the largest: strengths that all move together; rounding leaves some 1e-15
_LEFT = 1e-9  # of a cluster's part: the fit follows it altogether


def clustered(table: SlotTable, anchor: int | None = None) -> tuple[Error, Floats]:
    """The error of `strengths`, float64[models], and without the corrections, which is that of a bootstrap of clusters.

    anchor: errors of the differences to this model. NaN where the strengths are, and where nothing shows the noise of a
    cluster.
    """
    level, (sums, cell) = strengths(table), _rows(table)
    base = None if anchor is None else np.arange(len(level)) == anchor
    return _errors(table, sums.count, sums.total - sums.count * (level[sums.low[cell]] - level[sums.high[cell]]), base)


def clustered_wins(table: SlotTable, level: Floats, base: Flags, ridge: Floats) -> tuple[Error, Floats]:
    """The same for log-odds of winning: the fit is weighted least squares in its maximum.

    table: of `bradley_terry.outcomes`, without players who have no finite log-odds. level: float64[models], log-odds.
    base: bool[models], the errors are of differences to their mean. ridge: float64[models], the prior's curvature.
    """
    sums, cell = _rows(table)
    win = expit(level[sums.low[cell]] - level[sums.high[cell]])
    residual = (sums.total - sums.count * (2.0 * win - 1.0)) / 2.0
    return _errors(table, sums.count * win * (1.0 - win), residual, base, ridge)


def stretched(interval: Interval, point: Floats, found: tuple[Error, Floats]) -> Interval:
    """An interval of resamples of clusters, stretched about the estimate to the reach of Student's t.

    found: what `clustered` or `clustered_wins` says. Where clusters are many the interval stays as it is, and infinite
    bounds stay.
    """
    tail, (error, plain) = 0.5 + LEVEL / 2.0, found
    wider = np.divide(error.error, plain, out=np.ones(len(plain)), where=plain != 0.0)
    factor = wider * stdtrit(error.freedom, tail) / ndtri(tail)
    return Interval(point + factor * (interval.low - point), point + factor * (interval.high - point))


def stretched_wins(
    interval: Interval, point: Floats, table: SlotTable, level: Floats, regular: Flags, prior: str
) -> Interval:
    """An interval of resampled ratings by wins, stretched where the ratings are finite.

    point: the ratings; level: the same in log-odds, against the mean of those that are `regular`. All are float64 or
    bool[models], by the models of the table, which is one of `bradley_terry.outcomes`.
    """
    low, high, rated = interval.low.copy(), interval.high.copy(), np.isfinite(level)
    part = table.rows(rated[table.alice] & rated[table.bob])
    if len(part.margin):
        there = np.isin(table.models, part.models)
        errors = clustered_wins(part, level[there], regular[there], curvature(level[there], prior))
        found = stretched(Interval(low[there], high[there]), point[there], errors)
        low[there], high[there] = found.low, found.high
    return Interval(low, high)


def _rows(table: SlotTable) -> tuple[Cells, Integers]:
    """The clusters' sums, and int64[clusters]: the cell of each."""
    sums, starts = cluster_sums(table)
    return sums, np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(sums.count))))


def _errors(
    table: SlotTable, weight: Floats, residual: Floats, base: Flags | None, ridge: Floats | float = 0.0
) -> tuple[Error, Floats]:
    """Of a fit with the clusters' weights and residuals, float64[clusters] each."""
    models = len(table.models)
    if not np.isfinite(residual).all():
        missing = np.full(models, np.nan)
        return Error(missing, missing), missing
    inverse, side, of_unit, scores = _influence(table, weight, residual, ridge)
    gradients = inverse if base is None else inverse - inverse[:, base].mean(axis=1, keepdims=True)
    if models > EXACT:
        return _of_many(table, inverse, gradients, side, weight, of_unit, residual)
    found = np.array([_of_one(inverse, each, side, weight, of_unit, scores) for each in gradients.T]).T
    return Error(found[0], found[1]), found[2]


def covariance(table: SlotTable) -> Floats:
    """float64[models, models] of `strengths`, without the corrections; NaN where the strengths are."""
    level, (sums, cell) = strengths(table), _rows(table)
    if not np.isfinite(level).all():
        return np.full((len(level), len(level)), np.nan)
    residual = sums.total - sums.count * (level[sums.low[cell]] - level[sums.high[cell]])
    inverse, _, _, scores = _influence(table, sums.count, residual, 0.0)
    return np.asarray(inverse @ (csr_array(scores.T @ scores) @ inverse), np.float64)


def _influence(
    table: SlotTable, weight: Floats, residual: Floats, ridge: Floats | float
) -> tuple[Floats, csr_array, csr_array, csr_array]:
    """The inverse curvature, the clusters' players, the units' clusters, and the units' scores."""
    models, (sums, cell) = len(table.models), _rows(table)
    rows = np.arange(len(weight))
    ends, players = np.repeat([1.0, -1.0], len(rows)), np.concatenate((sums.low[cell], sums.high[cell]))
    side = csr_array((ends, (np.tile(rows, 2), players)), shape=(len(rows), models))
    curvature = (side.T @ csr_array(side.multiply(weight[:, None]))).toarray() + np.diag(np.full(models, ridge))
    if models > EXACT and not np.any(ridge):  # ratings sum to zero: a constant makes it invertible, and goes again
        constant = np.trace(curvature) / models**2
        inverse = _inverse(curvature + constant) - 1.0 / (constant * models**2)
    else:
        inverse = np.linalg.pinv(curvature, _NOTHING, hermitian=True)
    of_unit = csr_array((np.ones(len(rows)), (units_of_clusters(table), rows)), shape=(table.units, len(rows)))
    return inverse, side, of_unit, csr_array(of_unit @ csr_array(side.multiply(residual[:, None])))


def _inverse(matrix: Floats) -> Floats:
    """The inverse of a symmetric, positive definite matrix, in half the time of any other's."""
    factor, failed = dpotrf(matrix.T)
    half, unusable = dpotri(factor)
    if failed or unusable:
        return np.asarray(np.linalg.inv(matrix), np.float64)
    return np.asarray(np.triu(half) + np.triu(half, 1).T, np.float64)


def _of_many(
    table: SlotTable,
    inverse: Floats,
    gradients: Floats,
    side: csr_array,
    weight: Floats,
    of_unit: csr_array,
    residual: Floats,
) -> tuple[Error, Floats]:
    """Errors of many players, without a cube of the players for each.

    What the fit takes from a unit is given back by its leverage where units are single clusters, and by n / (n - 1) for
    a player of n units elsewhere; n - 1 degrees of freedom.
    """
    units = units_of_models(table).astype(np.float64)
    wider, kept = np.sqrt(units / np.maximum(units - 1.0, 1.0)), np.ones(len(weight))
    if table.units == len(weight):
        own, (sums, cell) = np.diag(inverse), _rows(table)
        low, high = sums.low[cell], sums.high[cell]
        kept = np.maximum(1.0 - weight * (own[low] + own[high] - 2.0 * inverse[low, high]), 0.0)
        wider[:] = 1.0
    found = []
    for scale in (np.sqrt(np.maximum(kept, _LEFT)), np.ones(len(kept))):
        scores = csr_array(of_unit @ csr_array(side.multiply((residual / scale)[:, None])))
        variance = ((csr_array(scores.T @ scores) @ gradients) * gradients).sum(axis=0)
        found.append(np.sqrt(np.maximum(variance, 0.0)))
    alone = kept < _LEFT  # a cluster that alone connects two groups
    error = found[0] * wider
    if alone.any():
        moved = np.abs(csr_array(side[np.flatnonzero(alone)]) @ gradients)
        error[(moved > _LEFT * np.abs(gradients).max()).any(axis=0)] = np.nan
    return Error(error, np.maximum(units - 1.0, 1.0)), found[1]


def _of_one(
    inverse: Floats, gradient: Floats, side: csr_array, count: Floats, of_unit: csr_array, residual: csr_array
) -> tuple[float, float, float]:
    """Error, degrees of freedom and plain error of one strength. gradient: float64[models], chip per summed margin.

    With u a unit's part and the parts' covariance D - V L+ V' in place of the matches' noise: D is diagonal, what the
    unit's matches alone would give, and V, float64[units, models], how the fit follows them.
    """
    part = residual @ gradient
    each = side @ gradient
    alone = of_unit @ (count * each**2)
    follows = csr_array(of_unit @ csr_array(side.multiply((count * each)[:, None])))
    left = alone - follows.multiply(follows @ inverse).sum(axis=1)
    told = alone > _LEFT * alone.max()
    if not told.any():
        return 0.0, float("inf"), 0.0
    if (left[told] < _LEFT * alone[told]).any():
        return float("nan"), float("nan"), float("nan")
    scale = np.divide(alone, left, out=np.zeros(len(alone)), where=told)
    shared = inverse @ (follows.T @ follows.multiply(scale[:, None])).toarray()
    squares = (scale**2 * alone * (2.0 * left - alone)).sum() + (shared * shared.T).sum()
    error = np.sqrt((scale * part**2).sum())
    return float(error), float((scale * left).sum() ** 2 / squares), float(np.sqrt((part**2).sum()))
