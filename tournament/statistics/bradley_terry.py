"""Bradley-Terry strengths from wins, by maximum likelihood (GENSTRAT section 6, Token Games section 3.2; N5, T7, T9).

    P(i beats j) = 1 / (1 + exp(s_j - s_i))

The likelihood has a finite maximum only among players each of whom has beaten each other one, directly or along a chain
of wins (Ford 1957). So the players are split into such groups, the maximum is computed within the largest one (or
within that of a reference), and each other player gets the limit of the likelihood:

    undefeated   a chain of wins leads to the largest group and none back: +infinity
    winless      a chain of wins leads from the group and none back: -infinity
    unconnected  no chain either way: undefined (NaN)

Those outside have an order as well: `antemill.tournament.statistics.placing` gives it.

The optimiser is Newton's method with step halving on the concave likelihood, run until the gradient is zero. A prior
makes every rating finite. It is an assumption, so the caller names one:

    draw    every player drew one more match with a player of strength 0
    normal  strengths are normal around 0 with standard deviation 2 (347 points of Elo)

Draws. "half": half a win for each. "lost": GENSTRAT's indicator 1[margin > 0] as printed, Alice's seat has not won. So
a draw counts for Bob; with both seat assignments played equally often, that is a win for each. "drop": left out.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from antemill.engine.errors import UsageError
from antemill.tournament.statistics.cells import Cells, pair_table, sum_by
from antemill.tournament.statistics.intervals import FEWEST, LEVEL, Floats, Interval
from antemill.tournament.statistics.matches import SlotTable
from antemill.tournament.statistics.strength import reachable

PRIORS = ("none", "draw", "normal")
DRAWS = ("half", "lost", "drop")
PRIOR_DEVIATION = 2.0

_TOLERANCE = 1e-10  # of a player's gradient, as a share of the smaller of wins and losses
_MOST_STEPS = 200
_LONGEST_STEP = 3.0  # in log-odds; longer ones may end where the curvature vanishes
_ROUNDING = 1e-12  # a smaller share of wins is none


class Fit(Struct, frozen=True, eq=False):
    """Strengths in log-odds, with mean 0 over the finite ones."""

    strengths: Floats  # float64[players]
    status: tuple[str, ...]  # "rated", "undefeated", "winless" or "unconnected"


def outcomes(table: SlotTable, draws: str = "half") -> SlotTable:
    """The table with margin +1 for a win of Alice, -1 for one of Bob, and a draw as `draws` says (0 for "half").

    Raises UsageError if there is no such rule, or if all matches were draws and are dropped.
    """
    if draws not in DRAWS:
        raise UsageError(f"there is no rule '{draws}' for draws: use {', '.join(DRAWS)}.")
    if draws == "drop":
        if not (table.margin != 0.0).any():
            raise UsageError("all matches are draws: nothing is left when draws are dropped.")
        table = table.rows(table.margin != 0.0)
    sign = np.sign(table.margin)
    return replace(table, margin=np.where(sign == 0.0, -1.0, sign) if draws == "lost" else sign)


def win_matrix(cells: Cells) -> Floats:
    """float64[..., players, players]: wins of the row's player over the column's, from the cells of `outcomes`."""
    models = len(cells.models)
    low, high = pair_table(models)
    count, balance = (sum_by(sums, cells.pair, len(low)) for sums in (cells.count, cells.total))
    wins = np.zeros((*count.shape[:-1], models, models))
    wins[..., low, high] = np.maximum(count + balance, 0.0) / 2.0
    wins[..., high, low] = np.maximum(count - balance, 0.0) / 2.0
    return wins


def bradley_terry(wins: Floats, prior: str = "none", reference: int | None = None) -> Fit:
    """Fit one matrix of wins, float64[players, players]; see `fit`."""
    strengths = fit(wins[None], prior, reference)[0]
    names = {np.inf: "undefeated", -np.inf: "winless"}
    status = ["unconnected" if np.isnan(s) else names.get(float(s), "rated") for s in strengths]
    return Fit(strengths, tuple(status))


def fit(wins: Floats, prior: str = "none", reference: int | None = None) -> Floats:
    """float64[batch, players]: strengths in log-odds, each row's finite ones with mean 0.

    wins: float64[batch, players, players], not negative; row's wins over column's, a draw half for each.
    reference: the player whose group is fitted; None: the largest group, the first of several. Raises UsageError for a
    prior that does not exist.
    """
    wins = cleaned(wins)
    if prior not in PRIORS:
        raise UsageError(f"there is no prior '{prior}': use {', '.join(PRIORS)}.")
    if prior != "none":
        return _maximise(wins, prior)
    beaten = (wins > 0.0).astype(np.float32)
    if reference is not None:
        return _within_group(wins, beaten, reference)
    found, largest = np.empty(wins.shape[:2]), np.array([_largest(graph) for graph in beaten])
    for player in np.unique(largest):
        rows = largest == player
        found[rows] = _within_group(wins[rows], beaten[rows], int(player))
    return found


def curvature(level: Floats, prior: str) -> Floats:
    """float64[players]: what the prior adds to the second derivative of the likelihood. level: log-odds."""
    if prior == "draw":
        return np.asarray(expit(level) * expit(-level), np.float64)
    return np.full(len(level), PRIOR_DEVIATION**-2.0 if prior == "normal" else 0.0)


def cleaned(wins: Floats) -> Floats:
    """The wins without those of a player over itself, and without what is left of sums by rounding."""
    wins = np.array(wins, np.float64)
    players = np.arange(wins.shape[-1])
    wins[..., players, players] = 0.0
    wins[wins < _ROUNDING * (wins + np.swapaxes(wins, -1, -2))] = 0.0
    return wins


def aligned(replicates: Floats, point: Floats) -> Floats:
    """Replicates float64[replicates, players] moved to the place of the estimate float64[players].

    The players who are finite in both have the same mean, so that no single player's luck moves all others, and one
    who is undefeated in a resample leaves the others where they are. NaN where no player is finite in both.
    """
    both = np.isfinite(replicates) & np.isfinite(point)
    count = both.sum(axis=1)
    gap = np.where(both, point - np.where(both, replicates, 0.0), 0.0).sum(axis=1)
    shift = np.where(count > 0, gap / np.maximum(count, 1), np.nan)
    return np.asarray(replicates + shift[:, None], np.float64)


def interval(replicates: Floats, level: float = LEVEL) -> Interval:
    """The percentile interval of strengths float64[replicates, players] that may be infinite.

    Bounds are replicates themselves, so that they may be infinite, too: a player who is undefeated in some resamples
    has no upper bound. NaN where half of the replicates are undefined.
    """
    if not len(replicates):
        return Interval(np.full(replicates.shape[1:], np.nan), np.full(replicates.shape[1:], np.nan))
    ordered = np.sort(replicates, axis=0)  # NaN last
    count = (~np.isnan(ordered)).sum(axis=0)
    tail = (1.0 - level) / 2.0
    last = np.maximum(count - 1, 0)
    columns = np.arange(ordered.shape[1])
    low = ordered[np.floor(tail * last).astype(np.int64), columns]
    high = ordered[np.ceil((1.0 - tail) * last).astype(np.int64), columns]
    usable = (count > 0) & (count >= FEWEST * len(replicates))
    return Interval(np.where(usable, low, np.nan), np.where(usable, high, np.nan))


def _largest(beaten: npt.NDArray[np.float32]) -> int:
    """The first player of the largest group of players connected by chains of wins both ways."""
    label = connected_components(beaten, directed=True, connection="strong")[1]
    sizes = np.bincount(label)
    return int(np.flatnonzero(sizes[label] == sizes.max())[0])


def _within_group(wins: Floats, beaten: npt.NDArray[np.float32], reference: int) -> Floats:
    """float64[batch, players]: the fit of the group of `reference`, and for the others the limits that are left.

    beaten: float32[batch, players, players], 1 where the row's player has beaten the column's.
    """
    below, above = reachable(beaten, reference), reachable(np.swapaxes(beaten, 1, 2), reference)
    found = np.where(below, -np.inf, np.where(above, np.inf, np.nan))
    groups, which = np.unique(above & below, axis=0, return_inverse=True)
    for k, group in enumerate(groups):
        rows, members = np.flatnonzero(which.reshape(-1) == k), np.flatnonzero(group)
        found[np.ix_(rows, members)] = _maximise(wins[np.ix_(rows, members, members)], "none")
    return found


def _maximise(wins: Floats, prior: str) -> Floats:
    """float64[batch, players]: the maximum of the (penalised) likelihood, moved to mean 0. Raises ArithmeticError."""
    players = wins.shape[-1]
    matches = wins + np.swapaxes(wins, 1, 2)
    fewer = np.minimum(wins.sum(axis=2), wins.sum(axis=1))
    enough = _TOLERANCE * fewer + 64.0 * np.finfo(float).eps * (1.0 + matches.sum(axis=2))  # rounding
    strengths = np.zeros(wins.shape[:-1])
    value = _likelihood(wins, strengths, prior)
    for _ in range(_MOST_STEPS):
        gradient, curvature = _derivatives(wins, matches, strengths, prior)
        if (np.abs(gradient) <= enough).all():
            return np.asarray(strengths - strengths.mean(axis=1, keepdims=True), np.float64)
        scale = np.maximum(np.trace(curvature, axis1=1, axis2=2), np.finfo(float).tiny) / players**2
        curvature += scale[:, None, None] if prior == "none" else 0.0  # the direction that wins say nothing about
        step = np.linalg.solve(curvature, gradient[..., None])[..., 0]
        strengths, value = _ascend(wins, strengths, value, np.asarray(step, np.float64), prior)
    raise ArithmeticError(f"Bradley-Terry did not converge in {_MOST_STEPS} steps; largest gradient {gradient.max()}")


def _ascend(wins: Floats, start: Floats, value: Floats, step: Floats, prior: str) -> tuple[Floats, Floats]:
    """The first of start + step, start + step / 2, ... that does not lower the likelihood, for each of the batch.

    Steps are shortened to the longest one that is allowed before.
    """
    size = np.minimum(1.0, _LONGEST_STEP / np.maximum(np.abs(step).max(axis=1), _LONGEST_STEP))
    slack = 1e-12 * (1.0 + np.abs(value))  # rounding
    while True:
        moved = start + size[:, None] * step
        reached = _likelihood(wins, moved, prior)
        worse = (reached < value - slack) & (size > 1e-9)
        if not worse.any():
            return moved, reached
        size[worse] /= 2.0


def _likelihood(wins: Floats, strengths: Floats, prior: str) -> Floats:
    """float64[batch]: the logarithm of the (penalised) likelihood."""
    gap = strengths[:, :, None] - strengths[:, None, :]
    value = -(wins * np.logaddexp(0.0, -gap)).sum(axis=(1, 2))
    if prior == "draw":
        value -= 0.5 * (np.logaddexp(0.0, -strengths) + np.logaddexp(0.0, strengths)).sum(axis=1)
    elif prior == "normal":
        value -= 0.5 * (strengths**2).sum(axis=1) / PRIOR_DEVIATION**2
    return np.asarray(value, np.float64)


def _derivatives(wins: Floats, matches: Floats, strengths: Floats, prior: str) -> tuple[Floats, Floats]:
    """Gradient float64[batch, players] and negative Hessian float64[batch, players, players] of the likelihood."""
    chance = _logistic(strengths[:, :, None] - strengths[:, None, :])
    gradient = (wins * np.swapaxes(chance, 1, 2) - np.swapaxes(wins, 1, 2) * chance).sum(axis=2)
    edges = matches * chance * (1.0 - chance)
    diagonal = edges.sum(axis=2)
    if prior == "draw":
        even = _logistic(strengths)
        gradient += 0.5 - even
        diagonal += even * (1.0 - even)
    elif prior == "normal":
        gradient -= strengths / PRIOR_DEVIATION**2
        diagonal += 1.0 / PRIOR_DEVIATION**2
    curvature = -edges
    players = np.arange(wins.shape[-1])
    curvature[:, players, players] += diagonal
    return gradient, curvature


def _logistic(x: Floats) -> Floats:
    return np.asarray(np.exp(-np.logaddexp(0.0, -x)), np.float64)
