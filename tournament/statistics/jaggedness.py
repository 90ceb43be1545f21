"""Local jaggedness J: how much a model's strength swings between similar games (GENSTRAT section 8, appendix N; N9).

    z_mg = (alpha_mg - alpha_m) / sigma_g
    J_m = mean over g of the standard deviation of z_m over the neighbourhood of g

sigma_g is the population standard deviation of the signed margins played on the game (our reading: Alice's minus
Bob's, as stored). A neighbourhood is the game and its K nearest others by Euclidean distance over min-max normalised
axes; equal distances go to the game that comes first. The deviation is the population one.

Noise in the strengths inflates J: it is a mean of standard deviations, which noise alone makes positive, so that every
model looks jagged. Beside it stands J *without noise*: the root of the mean of the neighbourhoods' variances, which is
quadratic in z, so the noise's part is known and taken off (`errors.quadratic`). Its interval has Student's quantile,
with one degree of freedom less than games; p tests J = 0 by the chi square with the noise's mean and variance.

Where strengths are missing we read: a model's neighbourhoods keep the games on which it has a strength, a game counts
if its own neighbourhood keeps it and at least one other. A game whose margins are all equal has no scale and no z.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from scipy.special import gammaincc, stdtrit

from antemill.engine.arguments import whole
from antemill.tournament.statistics import intervals
from antemill.tournament.statistics.errors import quadratic
from antemill.tournament.statistics.intervals import LEVEL, Floats, Interval

NEIGHBOURS = 3
SWEEP = (2, 3, 4, 5, 7, 10, 15)
_NO_SCALE = 1e-6  # chips; a standard deviation below this is the rounding error of one that is zero
Indices = npt.NDArray[np.int64]


class Jaggedness(Struct, frozen=True, eq=False):
    """J of all models; NaN where there is none."""

    values: Floats  # float64[models]; as printed
    smooth: Floats  # float64[models]; without the noise of the strengths
    interval: Interval  # of that, on these games
    p: Floats  # float64[models]; of J = 0
    neighbours: int

    def __repr__(self) -> str:
        known = np.count_nonzero(np.isfinite(self.values))
        return f"<Jaggedness: {known} of {len(self.values)} models known, {self.neighbours} neighbours>"


class Sweep(Struct, frozen=True, eq=False):
    """J at several sizes of the neighbourhood; a size that the games do not allow is NaN."""

    sizes: tuple[int, ...]
    values: Floats  # float64[sizes, models]
    mean: Floats  # float64[sizes]; over the models
    agreement: Floats  # float64[sizes]; Spearman correlation with the order at K = 3


def neighbourhoods(axes: Floats, neighbours: int = NEIGHBOURS) -> Indices:
    """int64[games, 1 + neighbours]: each game and its nearest others. Raises ValueError for too few games."""
    if not 1 <= neighbours < len(axes):
        raise ValueError(f"{len(axes)} games have no {neighbours} neighbours each")
    span = np.ptp(axes, axis=0)
    scaled = (axes - axes.min(axis=0)) / np.where(span > 0.0, span, 1.0)
    distance = ((scaled[:, None] - scaled[None]) ** 2).sum(axis=2)
    np.fill_diagonal(distance, -1.0)
    # Rounded, so that distances that are equal but for the last digits are decided by the games' order everywhere.
    return np.argsort(distance.round(12), axis=1, kind="stable")[:, : neighbours + 1]


def studentized(per_game: Floats, overall: Floats, scale: Floats) -> Floats:
    """float64[..., games, models]: z. per_game: of that shape; overall: [..., models]; scale: [..., games]."""
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (per_game - overall[..., None, :]) / scale[..., None]
    return np.asarray(np.where(scale[..., None] > _NO_SCALE, z, np.nan), np.float64)


def jaggedness(z: Floats, near: Indices) -> Floats:
    """float64[..., models]: J. z: float64[..., games, models]; near: int64[games, size], each game's own index first.

    Gaps (NaN) are left out as said above. NaN for a model without any neighbourhood.
    """
    there = np.isfinite(z)
    filled = np.where(there, z, 0.0)
    members = np.zeros((len(near), z.shape[-2]))
    np.put_along_axis(members, near, 1.0, axis=1)
    if there.all():
        count = np.full(z.shape[-1], float(near.shape[1]))
        valid = np.ones(z.shape[-1], bool)
    else:
        count = members @ there.astype(np.float64)
        valid = there & (count >= 2.0)
    # Centred by model first: the sums of squares below lose no digits.
    filled = np.where(there, filled - (filled.sum(axis=-2) / np.maximum(there.sum(axis=-2), 1))[..., None, :], 0.0)
    mean, square = members @ filled / np.maximum(count, 1.0), members @ filled**2 / np.maximum(count, 1.0)
    spread = np.where(valid, np.sqrt(np.maximum(square - mean**2, 0.0)), 0.0)
    games = np.broadcast_to(valid, spread.shape).sum(axis=-2)
    return np.asarray(np.where(games > 0, spread.sum(axis=-2) / np.maximum(games, 1), np.nan), np.float64)


def local_jaggedness(z: Floats, axes: Floats, noise: Floats | None = None, neighbours: int = NEIGHBOURS) -> Jaggedness:
    """J of all models. z: float64[games, models]; axes: float64[games, axes], raw.

    noise: float64[games, models], the variances of z by the matches alone; None gives no J without noise.
    """
    z, axes = (
        intervals.floats(z, "z", "games", "models"),
        intervals.finite(intervals.floats(axes, "axes", "games", "axes")),
    )
    neighbours = whole(neighbours, "neighbours", 1)
    intervals.require_shape(z, "z", (len(axes), z.shape[1]))
    missing = np.full(z.shape[1], np.nan)
    if len(axes) <= neighbours:
        return Jaggedness(missing, missing, Interval(missing, missing), missing, neighbours)
    near = neighbourhoods(axes, neighbours)
    values = jaggedness(z, near)
    if noise is None:
        return Jaggedness(values, missing, Interval(missing, missing), missing, neighbours)
    noise = intervals.floats(noise, "noise", "games", "models")
    intervals.require_shape(noise, "noise", z.shape)
    found = np.array([without_noise(z[:, m], noise[:, m], near) for m in range(z.shape[1])]).reshape(-1, 4).T
    return Jaggedness(values, found[0], Interval(found[1], found[2]), found[3], neighbours)


def without_noise(z: Floats, noise: Floats, near: Indices) -> tuple[float, float, float, float]:
    """J of one model without noise, its bounds, and the p of J = 0. z, noise: float64[games]."""
    there = np.isfinite(z)
    form = np.zeros((len(z), len(z)))
    for game, around in enumerate(near):
        mine = around[there[around]]
        if there[game] and len(mine) > 1:
            form[np.ix_(mine, mine)] += (np.eye(len(mine)) - 1.0 / len(mine)) / len(mine)
    games = int(there.sum())
    if not form.any() or not np.isfinite(noise[there]).all():
        return (float("nan"),) * 4
    form /= max(sum(there[game] and there[around].sum() > 1 for game, around in enumerate(near)), 1)
    covariance = np.diag(np.where(there, noise, 0.0))
    square, variance, added = quadratic(np.where(there, z, 0.0), covariance, form)
    reach = float(stdtrit(max(games - 1.0, 1.0), 0.5 + LEVEL / 2.0)) * variance**0.5
    low, middle, high = (max(value, 0.0) ** 0.5 for value in (square - reach, square, square + reach))
    product = form @ covariance
    free = added**2 / max(float((product * product.T).sum()), 1e-300)
    p = (
        float(gammaincc(free / 2.0, free * max(square + added, 0.0) / added / 2.0))
        if added > 0.0
        else float(square <= 0)
    )
    return middle, low, high, p


def sweep(z: Floats, axes: Floats, sizes: tuple[int, ...] = SWEEP) -> Sweep:
    """J at several sizes of the neighbourhood, and how well each keeps the order at K = 3."""
    values = np.array([local_jaggedness(z, axes, neighbours=size).values for size in sizes])
    base = local_jaggedness(z, axes).values
    mean = np.array([row[np.isfinite(row)].mean() if np.isfinite(row).any() else np.nan for row in values])
    return Sweep(sizes, values, mean, np.array([_spearman(row, base) for row in values]))


def _spearman(a: Floats, b: Floats) -> float:
    both = np.isfinite(a) & np.isfinite(b)
    if both.sum() < 2 or np.ptp(a[both]) == 0.0 or np.ptp(b[both]) == 0.0:
        return float("nan")
    from scipy.stats import rankdata

    return float(np.corrcoef(rankdata(a[both]), rankdata(b[both]))[0, 1])
