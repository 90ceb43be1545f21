"""Capability profiles: how a model's strength changes along the six axes (GENSTRAT section 7, appendices L, M; N7).

For each model, ordinary least squares of its per-game strength on the z-scored axes (population standard deviation)
with an intercept. Slopes are in chips a game per standard deviation of the axis. All models share the axes, so a fit
is one product with the pseudo-inverse, for the estimate and for every bootstrap replicate.

Our readings: p-values, whose origin the paper leaves open, are two-sided normal ones of the slope over its bootstrap
standard error, so that their resolution does not depend on the number of replicates. Model by model, games without a
strength are left out. A slope that the games do not determine (an axis that does not vary or follows from others, too
few games) is NaN; others of the same fit are given.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from antemill.tournament.statistics import intervals
from antemill.tournament.statistics.errors import Error, Errors, robust
from antemill.tournament.statistics.intervals import Floats, Interval

DISCOVERY = 0.05  # rate at which a slope counts as significant
_DETERMINED = 1e-8  # largest deviation from a unit vector of a coefficient that the design determines


class Profile(Struct, frozen=True, eq=False):
    """Slopes and levels of all models; NaN where the games do not determine them."""

    intercept: Floats  # float64[models]
    slopes: Floats  # float64[models, axes]; chips a game per standard deviation
    slope_interval: Interval  # of the slopes
    p: Floats  # float64[models, axes]
    q: Floats  # float64[models, axes]; Benjamini-Hochberg over all coefficients
    levels: Floats  # float64[models, axes]; chips a game where this axis is at its maximum, the others at medians
    level_interval: Interval  # of the levels

    def __repr__(self) -> str:
        models, axes = self.slopes.shape
        return f"<Profile: {models} models on {axes} axes, {self.significant().sum()} significant slopes>"

    def significant(self) -> npt.NDArray[np.bool_]:
        """bool[models, axes]: where q is below 0.05."""
        return np.asarray(self.q < DISCOVERY)


def zscore(axes: Floats) -> Floats:
    """float64[games, axes]: centred, over the population standard deviation; 0 for an axis that does not vary."""
    axes = np.asarray(axes, np.float64)
    spread = np.where(np.ptp(axes, axis=0) > 0.0, axes.std(axis=0), np.inf) if len(axes) else np.ones(axes.shape[1])
    return np.asarray((axes - axes.mean(axis=0)) / spread if len(axes) else axes, np.float64)


def least_squares(design: Floats, response: Floats) -> Floats:
    """float64[..., columns, models]: coefficients of each response on the design.

    design: float64[games, columns], an intercept among them if one is wanted. response: float64[..., games, models],
    NaN where a game is missing. NaN for a coefficient that the games with a response do not determine.
    """
    *batch, games, models = response.shape
    if not games or not response.size:
        return np.full((*batch, design.shape[1], models), np.nan)
    rows = np.moveaxis(response, -2, -1).reshape(-1, games)
    present = np.isfinite(rows)
    found = np.full((len(rows), design.shape[1]), np.nan)
    patterns, which = np.unique(np.packbits(present, axis=1), axis=0, return_inverse=True)
    which = which.reshape(-1)
    for k in range(len(patterns)):
        same = np.flatnonzero(which == k)
        there = present[same[0]]
        inverse, determined = _solver(design[there])
        found[np.ix_(same, determined)] = (rows[np.ix_(same, np.flatnonzero(there))] @ inverse.T)[:, determined]
    return np.moveaxis(found.reshape(*batch, models, design.shape[1]), -1, -2)


def capability_profile(axes: Floats, strengths: Floats, replicates: Floats | None = None) -> Profile:
    """The profiles of all models.

    axes: float64[games, axes], raw. strengths: float64[games, models], per-game strengths. replicates:
    float64[replicates, games, models], their bootstrap; None gives no intervals and p-values.
    """
    axes, strengths = (
        intervals.finite(intervals.floats(axes, "axes", "games", "axes")),
        intervals.floats(strengths, "strengths", "games", "models"),
    )
    intervals.require_shape(strengths, "strengths", (len(axes), strengths.shape[1]))
    if replicates is not None:
        replicates = intervals.floats(replicates, "replicates", "replicates", "games", "models")
        intervals.require_shape(replicates, "replicates", (len(replicates), *strengths.shape))
    return _fit(axes, strengths, replicates)


def slope_errors(axes: Floats, strengths: Floats, errors: Errors, known: npt.NDArray[np.bool_]) -> tuple[Error, Error]:
    """Errors, float64[models, axes], of the slopes on these games, and for games like these, which are not narrower.

    axes, strengths as for `capability_profile`, of the games that are `known` among those of the errors.
    """
    design, columns = _design(zscore(axes)), slice(1, 1 + axes.shape[1])
    weights = np.zeros((axes.shape[1], len(known), strengths.shape[1]))
    for model in range(strengths.shape[1]):
        there = np.isfinite(strengths[:, model])
        weights[:, np.flatnonzero(known)[there], model] = _solver(design[there])[0][columns]
    found, like = errors.linear(weights), robust(design, strengths)
    these = Error(found.error.T, found.freedom.T)
    return these, Error(like.error[columns].T, like.freedom[columns].T).at_least(these)


def _design(z: Floats) -> Floats:
    """The design matrix: intercept and axes."""
    return np.hstack([np.ones((len(z), 1)), z])


def _fit(axes: Floats, strengths: Floats, replicates: Floats | None) -> Profile:
    z = zscore(axes)
    design = _design(z)
    extremes = _extremes(design, axes.shape[1])
    point = least_squares(design, strengths)
    drawn = np.full((0, *point.shape), np.nan) if replicates is None else least_squares(design, replicates)
    drawn = np.where(np.isfinite(point), drawn, np.nan)
    slope, slopes = point[1 : 1 + z.shape[1]].T, np.moveaxis(drawn[:, 1 : 1 + z.shape[1]], 1, 2)
    p = intervals.normal_p(slope, intervals.standard_error(slopes))
    return Profile(
        intercept=point[0],
        slopes=slope,
        slope_interval=intervals.percentile(slopes),
        p=p,
        q=intervals.false_discovery(p),
        levels=_levels(extremes, point).T,
        level_interval=intervals.percentile(np.moveaxis(_levels(extremes, drawn), 1, 2)),
    )


def _solver(design: Floats) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """float64[columns, games]: the pseudo-inverse, and bool[columns]: which coefficients the design determines."""
    inverse = np.linalg.pinv(design, rcond=1e-10) if len(design) else np.zeros(design.T.shape)
    deviation = np.abs(inverse @ design - np.eye(design.shape[1])).max(axis=1)
    return np.asarray(inverse, np.float64), np.asarray(deviation < _DETERMINED)


def _extremes(design: Floats, axes: int) -> Floats:
    """float64[axes, columns]: the games of appendix M, one axis at its maximum and all else at medians."""
    if not len(design):
        return np.full((axes, design.shape[1]), np.nan)
    games = np.tile(np.median(design, axis=0), (axes, 1))
    for axis in range(axes):
        games[axis, 1 + axis] = design[:, 1 + axis].max()
    return games


def _levels(extremes: Floats, coefficients: Floats) -> Floats:
    """float64[..., axes, models]: predictions; NaN if a coefficient that matters for it is."""
    missing = ~np.isfinite(coefficients)
    needed = (np.abs(extremes) > 0.0).astype(np.float64) @ missing.astype(np.float64)
    levels = extremes @ np.where(missing, 0.0, coefficients)
    return np.asarray(np.where(needed > 0.0, np.nan, levels), np.float64)
