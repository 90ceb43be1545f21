"""How well rankings agree: Kendall, Spearman and Pearson (GENSTRAT sections 6 and K, appendices H, P; N10, N12).

Kendall's is tau-b, which allows for ties. Pairs with a gap are left out.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from antemill.tournament.statistics.intervals import Floats

NAN = float("nan")


class Correlation(Struct, frozen=True):
    """Three correlations of n pairs with two-sided p-values. NaN, and a reason, where there is none."""

    n: int
    kendall: float
    kendall_p: float
    spearman: float
    spearman_p: float
    pearson: float
    pearson_p: float
    reason: str = ""


class Agreement(Struct, frozen=True, eq=False):
    """Kendall's tau of every game's order with the overall one, and its summary over the games that have one."""

    tau: Floats  # float64[games]; NaN for a game without two models that differ
    games: int
    mean: float
    median: float
    least: float
    most: float
    share_60: float  # share of games with tau of at least .6
    share_80: float


def correlate(x: Floats, y: Floats) -> Correlation:
    """Correlate two arrays of one length. p-values are NaN below three pairs."""
    there = np.isfinite(x) & np.isfinite(y)
    x, y = np.asarray(x, np.float64)[there], np.asarray(y, np.float64)[there]
    reason = _why_not(x, y)
    if reason:
        return Correlation(len(x), NAN, NAN, NAN, NAN, NAN, NAN, reason)
    if len(x) == 2:
        sign = float(np.sign((x[1] - x[0]) * (y[1] - y[0])))
        return Correlation(2, sign, NAN, sign, NAN, sign, NAN, "two pairs only")
    from scipy.stats import kendalltau, pearsonr, spearmanr  # half a second, so that it waits until it is needed

    tau, tau_p, rho, rho_p, r, r_p = (
        float(value) for test in (kendalltau, spearmanr, pearsonr) for value in test(x, y)
    )
    return Correlation(len(x), tau, tau_p, rho, rho_p, r, r_p)


def agreement(overall: Floats, per_game: Floats) -> Agreement:
    """Each game's order against the overall one. overall: float64[models]; per_game: float64[games, models]."""
    tau = np.array([_tau(overall, row) for row in per_game])
    there = tau[np.isfinite(tau)]
    if not len(there):
        return Agreement(tau, 0, NAN, NAN, NAN, NAN, NAN, NAN)
    mean, median, least, most = map(float, (there.mean(), np.median(there), there.min(), there.max()))
    shares = [float((there >= bar - 1e-9).mean()) for bar in (0.6, 0.8)]
    return Agreement(tau, len(there), mean, median, least, most, *shares)


def _tau(overall: Floats, row: Floats) -> float:
    there = np.isfinite(overall) & np.isfinite(row)
    if _why_not(overall[there], row[there]):
        return NAN
    from scipy.stats import kendalltau

    return float(kendalltau(overall[there], row[there]).statistic)


def _why_not(x: Floats, y: Floats) -> str:
    if len(x) < 2:
        return f"{len(x)} pairs: at least two are needed"
    if np.ptp(x) == 0.0 or np.ptp(y) == 0.0:
        return "all values of one side are equal"
    return ""
