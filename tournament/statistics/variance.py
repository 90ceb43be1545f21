"""Variance of per-game strengths: between models, and model by game (GENSTRAT section 6, appendix G; N11).

Both components divide by the number of cells, not by one less. Games have no main effect, since strengths sum to zero
on each of them. On an incomplete grid we read: averages are over the cells that are there.

The paper's intervals come from the within-cell bootstrap (`bootstrap.within_cell_bootstrap`). Its replicates contain
the noise twice, once of the data and once of the resampling, therefore they are bias-corrected percentile ones. Where
noise is large beside the interval's width, no choice of quantiles makes up for it, and the interval misses the truth;
`collapsed` says where it misses even its own estimate.

Beside them stand the components without noise: from the stratified bootstrap of whole runs, in which luck of the cards
cancels as it does in the estimate, twice the estimate less the mean replicate, with the basic interval. A component
without noise that is zero in truth comes out below zero in half of all tournaments.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from antemill.tournament.statistics.intervals import Floats, Interval, bias_corrected, misses_estimate, without_noise

QUANTITIES = ("sigma2_M", "sigma2_MG", "ratio")


class Variance(Struct, frozen=True, eq=False):
    """The components in the order of `QUANTITIES`; NaN, and a reason, where there is none."""

    values: Floats  # float64[3]
    interval: Interval  # bias-corrected
    corrected: Floats  # float64[3]; without noise
    corrected_interval: Interval  # basic
    cells: int  # models times games with a strength
    of: int
    reason: str = ""

    @property
    def collapsed(self) -> npt.NDArray[np.bool_]:
        """bool[3]: where the bias-corrected interval does not hold its own estimate."""
        return misses_estimate(self.values, self.interval)


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


def decomposition(strengths: Floats, replicates: Floats, stratified: Floats | None = None) -> Variance:
    """The components of float64[games, models] strengths, with intervals.

    replicates: float64[draws, games, models], of the within-cell bootstrap, for the paper's. stratified: those of the
    stratified bootstrap, for the components without noise; None gives none.
    """
    games, models = strengths.shape
    there = int(np.isfinite(strengths).sum())
    point, missing = components(strengths), np.full(3, np.nan)
    none = Interval(missing, missing)
    if np.isfinite(strengths).any(axis=0).sum() < 2:
        reason = "no game determines the strengths of two models"
        return Variance(missing, none, missing, none, there, games * models, reason)
    if np.isfinite(strengths).any(axis=1).sum() < 2:
        point[1:] = np.nan  # with one game it is zero by construction
        return Variance(point, none, missing, none, there, games * models, "one game shows no interaction")
    drawn = components(replicates)
    reason = "" if np.isfinite(point[2]) else "the models do not differ"
    few = np.full((0, 3), np.nan) if stratified is None else components(stratified)
    corrected = without_noise(point, few)
    return Variance(point, bias_corrected(point, drawn), *corrected, there, games * models, reason)
