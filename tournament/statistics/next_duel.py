"""Which opponent makes a newcomer's rating most certain for the money (The Token Games section 5).

The paper: "BT ratings can be inferred from sparse subsets of all duels", which matters "as we add new models to TTG and
dueling against all previous models becomes infeasible". How to choose the subset is ours:

    1. Strengths by Bradley-Terry on rounds, with the normal prior, and their covariance: the inverse of the
       likelihood's curvature.
    2. Duels between the newcomer n and a player j would add w to the curvature along d = e_n - e_j, where w is the
       number of rounds times p (1 - p). With the contrast c (the newcomer less the mean of all others) and the
       covariance C the variance of its rating falls by w (c' C d)^2 / (1 + w d' C d).
    3. The opponent with the largest fall for its cost is next; of equal ones the first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import expit

from antemill.tournament.statistics.bradley_terry import PRIOR_DEVIATION, bradley_terry
from antemill.tournament.statistics.intervals import Floats


def next_opponent(wins: Floats, newcomer: int, opponents: Sequence[int], costs: Sequence[float], rounds: int) -> int:
    """One of `opponents`, as above.

    wins: float64[players, players], rounds won by the row's player. costs: of duels with each of the opponents, in any
    unit; rounds: of such duels together.
    """
    strengths = bradley_terry(wins, "normal").strengths
    falls = fall_of(strengths, covariance_of(wins), newcomer, rounds)[list(opponents)]
    return opponents[int(np.argmax(falls / np.asarray(costs)))]


def covariance_of(wins: Floats) -> Floats:
    """float64[players, players]: the covariance of the strengths, in squared log-odds."""
    strengths = bradley_terry(wins, "normal").strengths
    win = expit(strengths[:, None] - strengths[None, :])
    met = (wins + wins.T) * win * (1.0 - win)
    curvature = np.diag(met.sum(axis=1) + PRIOR_DEVIATION**-2) - met
    return np.asarray(np.linalg.inv(curvature), np.float64)


def variance_of(covariance: Floats, newcomer: int) -> float:
    """The variance of the newcomer's strength less the mean of the others'."""
    contrast = _contrast(len(covariance), newcomer)
    return float(contrast @ covariance @ contrast)


def fall_of(strengths: Floats, covariance: Floats, newcomer: int, rounds: int) -> Floats:
    """float64[players]: by how much the variance falls with these rounds against each; 0 for the newcomer itself."""
    size = len(strengths)
    step = np.eye(size)[newcomer] - np.eye(size)  # [opponents, players]
    win = expit(strengths[newcomer] - strengths)
    weight = rounds * win * (1.0 - win)
    spread = np.einsum("ij,jk,ik->i", step, covariance, step)
    shared = step @ covariance @ _contrast(size, newcomer)
    return np.asarray(weight * shared**2 / (1.0 + weight * spread), np.float64)


def shares_of_costs(pairs: Sequence[tuple[int, int]], costs: Sequence[float], players: int) -> Floats:
    """float64[players]: what each adds to the cost of a duel, by least squares; the mean for a player without duels.

    Positive: at least a hundredth of the mean. All 1 if nothing had a cost.
    """
    if not any(costs):
        return np.ones(players)
    rows = np.zeros((len(pairs), players))
    for row, pair in zip(rows, pairs, strict=True):
        row[list(pair)] = 1.0
    half = float(np.mean(costs)) / 2.0
    more = np.linalg.lstsq(rows, np.asarray(costs) - 2.0 * half, rcond=None)[0]
    return np.asarray(np.maximum(half + more, half / 100.0), np.float64)


def _contrast(size: int, newcomer: int) -> Floats:
    found = np.full(size, -1.0 / (size - 1))
    found[newcomer] = 1.0
    return found
