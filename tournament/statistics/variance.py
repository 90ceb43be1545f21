"""Variance of per-game strengths: between models, and model by game (GENSTRAT section 6, appendix G; N11).

Both components divide by the number of cells, not by one less. Games have no main effect, since strengths sum to zero
on each of them. On an incomplete grid we read: averages are over the cells that are there.

Noise adds to both. Beside them stand the components *without noise*: they are quadratic in the strengths, so what noise
adds is the trace of their covariance, and the variance follows from the same covariance (`errors`), with Student's
quantile for as many degrees of freedom as the component has. Their intervals are about these games; they take a
complete grid. That of the ratio has the worst of both components' bounds.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from scipy.special import stdtrit

from antemill.tournament.statistics.intervals import LEVEL, Floats, Interval

QUANTITIES = ("sigma2_M", "sigma2_MG", "ratio")


class Variance(Struct, frozen=True, eq=False):
    """The components in the order of `QUANTITIES`; NaN where there is none."""

    values: Floats  # float64[3]
    corrected: Floats  # float64[3]; without noise
    interval: Interval  # of that, on these games
    cells: int  # models times games with a strength
    of: int


def components(strengths: Floats) -> Floats:
    """float64[..., 3]: model variance, interaction variance, their ratio. strengths: float64[..., games, models].

    NaN marks missing cells; models and games without any cell are left out. The ratio is NaN if no model differs.
    """
    there = np.isfinite(strengths)
    filled = np.where(there, strengths, 0.0)
    count = there.sum(axis=(-2, -1))
    model = filled.sum(axis=-2) / np.maximum(there.sum(axis=-2), 1)
    game = filled.sum(axis=-1) / np.maximum(there.sum(axis=-1), 1)
    present = there.any(axis=-2)
    grand = filled.sum(axis=(-2, -1)) / np.maximum(count, 1)
    middle = np.where(present, model, 0.0).sum(axis=-1) / np.maximum(present.sum(axis=-1), 1)
    between = np.where(present, (model - middle[..., None]) ** 2, 0.0).sum(axis=-1) / np.maximum(present.sum(-1), 1)
    rest = filled - model[..., None, :] - game[..., None] + grand[..., None, None]
    interaction = np.where(there, rest**2, 0.0).sum(axis=(-2, -1)) / np.maximum(count, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(between > 1e-24, interaction / between, np.nan)
    found = np.stack([between, interaction, ratio], axis=-1)
    return np.asarray(np.where((count > 0)[..., None], found, np.nan), np.float64)


def decomposition(strengths: Floats, covariance: Floats | None = None) -> Variance:
    """The components of float64[games, models] strengths. covariance: float64[games, models, models]."""
    games, models = strengths.shape
    there = np.isfinite(strengths)
    point, missing = components(strengths), np.full(3, np.nan)
    if there.any(axis=0).sum() < 2:
        point = missing
    elif there.any(axis=1).sum() < 2:
        point[1:] = np.nan  # with one game it is zero by construction
    found = missing, Interval(missing, missing)
    if covariance is not None and there.all() and games > 1 and np.isfinite(point).all():
        found = _without_noise(strengths, covariance)
    return Variance(point, *found, int(there.sum()), games * models)


def _without_noise(strengths: Floats, covariance: Floats) -> tuple[Floats, Interval]:
    games, models = strengths.shape
    trace = np.trace(covariance, axis1=1, axis2=2).sum()
    squares = (covariance * covariance.transpose(0, 2, 1)).sum()
    middle, mean_covariance = strengths.mean(axis=0), covariance.sum(axis=0) / games**2
    away = strengths - middle
    between = (middle**2).mean() - np.trace(mean_covariance) / models
    among = (away**2).mean() - (1.0 - 1.0 / games) * trace / (models * games)
    twice = 2.0 * (mean_covariance * mean_covariance.T).sum() / models**2
    twice_among = 2.0 * (1.0 - 2.0 / games) * squares / (models * games) ** 2
    variance = 4.0 * middle @ mean_covariance @ middle / models**2 - twice
    variance_among = 4.0 * np.einsum("gi,gij,gj->", away, covariance, away) / (models * games) ** 2 - twice_among
    wide = stdtrit(np.array([models - 1.0, (models - 1.0) * (games - 1.0)]), 0.5 + LEVEL / 2.0)
    reach = wide * np.sqrt([max(variance, twice), max(variance_among, twice_among)])
    point = np.array([between, among])
    low, high = np.maximum(point - reach, 0.0), point + reach
    ratio = np.array([low[1] / high[0], among / between, high[1] / low[0] if low[0] > 0.0 else np.nan])
    ratio[1] = ratio[1] if between > 0.0 else np.nan
    return np.append(point, ratio[1]), Interval(np.append(low, ratio[0]), np.append(high, ratio[2]))
