"""Slopes on axes that are measured with noise: the errors-in-variables estimate, from two plays of every game.

    slopes = (S - N)^-1 c    S, c: products of the z-scored axes with themselves and with the strengths, over games
                             N: diagonal, 1 - reliability of each axis (`antemill.axes.reliability`)

Noise in an axis draws its slope of least squares towards 0, and moves a part of it to the axes that correlate with it.
The scale stays that of the measured axes, so both estimates are in the same unit. Errors are those of a jackknife over
games, in which the reliabilities are estimated again. A design that the correction makes nearly singular gives NaN.
"""

from __future__ import annotations

import numpy as np

from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.precision import Error
from antemill.tournament.statistics.profile import zscore

_LEAST = 0.05  # of the corrected correlations' eigenvalues: below it the noise leaves nothing to estimate from


def corrected_slopes(axes: Floats, again: Floats, strengths: Floats) -> tuple[Floats, Error]:
    """float64[models, axes], and their errors for games like these; NaN where there is no estimate.

    axes, again: float64[games, axes], of two plays; the slopes are those of the first. strengths: float64[games,
    models], NaN where a model did not play a game.
    """
    models, number = strengths.shape[1], axes.shape[1]
    slopes, error = np.full((models, number), np.nan), np.full((models, number), np.nan)
    freedom = np.full((models, number), np.nan)
    for model in range(models):
        there = np.flatnonzero(np.isfinite(strengths[:, model]))
        if len(there) < number + 3:
            continue
        one, two, response = axes[there], again[there], strengths[there, model]
        unit = np.where(np.ptp(one, axis=0) > 0, one.std(axis=0), 1.0)
        slopes[model] = _slopes(one, two, response, unit)
        kept = (np.arange(len(there)) != left for left in range(len(there)))
        refits = np.array([_slopes(one[rest], two[rest], response[rest], unit) for rest in kept])
        spread = ((refits - refits.mean(axis=0)) ** 2).sum(axis=0) * (len(there) - 1.0) / len(there)
        error[model], freedom[model] = np.sqrt(spread), len(there) - number - 1.0
    return slopes, Error(error, freedom)


def _slopes(one: Floats, two: Floats, response: Floats, unit: Floats) -> Floats:
    """float64[axes]: per `unit` of each axis."""
    varies = np.ptp(one, axis=0) > 0
    found = np.full(one.shape[1], np.nan)
    z, spread = zscore(one)[:, varies], one[:, varies].std(axis=0)
    noise = ((one - two)[:, varies] ** 2).mean(axis=0) / 2 / spread**2
    moments = z.T @ z / len(z) - np.diag(noise)
    if not varies.any() or np.linalg.eigvalsh(moments)[0] < _LEAST:
        return found
    found[varies] = np.linalg.solve(moments, z.T @ (response - response.mean()) / len(z)) * unit[varies] / spread
    return found
