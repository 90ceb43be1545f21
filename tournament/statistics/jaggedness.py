"""Local jaggedness J: how much a model's strength swings between similar games (GENSTRAT section 8, appendix N; N9).

    z_mg = (alpha_mg - alpha_m) / sigma_g
    J_m = mean over g of the standard deviation of z_m over the neighbourhood of g

sigma_g is the population standard deviation of the signed margins played on the game (our reading: Alice's minus
Bob's, as stored). A neighbourhood is the game and its K nearest others by Euclidean distance over min-max normalised
axes; equal distances go to the game that comes first. The deviation is the population one.

Noise in the strengths inflates J: it is a mean of standard deviations, which noise alone makes positive, so that every
model looks jagged. The paper's interval is the bias-corrected percentile one, which does not undo that. Beside it we
give J *without noise*, by inverting a test:

    1. Replicates of the stratified bootstrap less their mean are draws of the noise, e.
    2. If J were t times what is seen, z would look like mean + t (z - mean) + e. For t = 0 that is noise alone, and
       the share of draws whose J is at least the one seen is the p-value of J = 0.
    3. The estimate is t J for the t at which half of the draws exceed the J seen; the interval reaches from the t at
       which 2.5% do to the t at which 97.5% do. Where no t is that small, it is 0.

It is right at zero, where half of all estimates are 0 and 97.5% of all intervals begin there, and agrees with the
paper's where noise is small. Other estimates are worse: twice J less the mean replicate and a
jackknife over runs stay far from zero at J = 0, the same for J squared varies more, and the covariance of two halves of
the runs is too small where J is not zero.

J counts a smooth but steep trend along the axes as jagged, as section 8 says. *Beyond the profile* is J of what
least squares on the z-scored axes, with an intercept, leave of z; without noise by the same test, on the same residuals
of the draws. The residuals of seven coefficients on n games are smaller than the errors by the root of 1 - 7 / n.

Where strengths are missing we read: a model's neighbourhoods keep the games on which it has a strength, a game counts
if its own neighbourhood keeps it and at least one other. A game whose margins are all equal has no scale and no z.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from antemill.engine.arguments import whole
from antemill.tournament.statistics import intervals
from antemill.tournament.statistics.intervals import Floats, Interval
from antemill.tournament.statistics.profile import zscore

NEIGHBOURS = 3
SWEEP = (2, 3, 4, 5, 7, 10, 15)
_MOST, _HALVINGS = 2.0, 12  # noise only adds to J, so that the truth is hardly ever above the J seen
_NO_SCALE = 1e-6  # chips; a standard deviation below this is the rounding error of one that is zero
Indices = npt.NDArray[np.int64]


class Jaggedness(Struct, frozen=True, eq=False):
    """J of all models with its bias-corrected interval. NaN, and a reason, where there is none."""

    values: Floats  # float64[models]
    interval: Interval  # bias-corrected
    corrected: Floats  # float64[models]; without the noise of the strengths
    corrected_interval: Interval  # inverted
    p: Floats  # float64[models]; of J = 0
    neighbours: int
    reason: str = ""
    beyond: Floats | None = None  # float64[models]; J of what the axes leave of z
    beyond_corrected: Floats | None = None  # the same without noise
    beyond_interval: Interval | None = None  # of beyond_corrected

    def __repr__(self) -> str:
        known = np.count_nonzero(np.isfinite(self.values))
        return f"<Jaggedness: {known} of {len(self.values)} models known, {self.neighbours} neighbours>"

    @property
    def collapsed(self) -> npt.NDArray[np.bool_]:
        """bool[models]: where the bias-corrected interval does not hold its own estimate."""
        return intervals.misses_estimate(self.values, self.interval)


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


def local_jaggedness(
    z: Floats,
    axes: Floats,
    replicates: Floats | None = None,
    neighbours: int = NEIGHBOURS,
    stratified: Floats | None = None,
) -> Jaggedness:
    """J of all models. z: float64[games, models]; axes: float64[games, axes], raw.

    replicates: float64[draws, games, models], z of the paired-cluster bootstrap, for the paper's interval. stratified:
    z of the stratified bootstrap, for J without noise. None gives none of it.
    """
    z, axes = (
        intervals.floats(z, "z", "games", "models"),
        intervals.finite(intervals.floats(axes, "axes", "games", "axes")),
    )
    neighbours = whole(neighbours, "neighbours", 1)
    intervals.require_shape(z, "z", (len(axes), z.shape[1]))
    replicates, stratified = _drawn(replicates, "replicates", z), _drawn(stratified, "stratified", z)
    missing = np.full(z.shape[1], np.nan)
    none = Interval(missing, missing)
    if len(axes) <= neighbours:
        reason = f"{len(axes)} games have no {neighbours} neighbours each"
        return Jaggedness(missing, none, missing, none, missing, neighbours, reason)
    near = neighbourhoods(axes, neighbours)
    values = jaggedness(z, near)
    paper = none if replicates is None else intervals.bias_corrected(values, jaggedness(replicates, near))
    rest = beyond_profile(z, axes)
    beyond = jaggedness(rest, near)
    if stratified is None:
        return Jaggedness(values, paper, missing, none, missing, neighbours, "", beyond, missing, none)
    corrected, interval, _ = without_noise(rest, beyond_profile(stratified, axes), near)
    plain = without_noise(z, stratified, near)
    return Jaggedness(values, paper, *plain, neighbours, "", beyond, corrected, interval)


def beyond_profile(z: Floats, axes: Floats) -> Floats:
    """float64[..., games, models]: what least squares on the z-scored axes leave of z; gaps stay.

    axes: float64[games, axes], raw. NaN for a model with no more games than coefficients.
    """
    design = np.hstack([np.ones((len(axes), 1)), zscore(axes)])
    found = np.full(z.shape, np.nan)
    for m in range(z.shape[-1]):
        column = z[..., m]
        there = np.isfinite(column).reshape(-1, column.shape[-1]).all(axis=0)
        if there.sum() > design.shape[1]:
            part = design[there]
            fitted = part @ np.linalg.pinv(part)
            found[..., there, m] = column[..., there] - column[..., there] @ fitted
    return found


def _drawn(given: Floats | None, name: str, z: Floats) -> Floats | None:
    """Draws of z, if there are any."""
    if given is None:
        return None
    found = intervals.floats(given, name, "draws", "games", "models")
    intervals.require_shape(found, name, (len(found), *z.shape))
    return found


def without_noise(z: Floats, stratified: Floats, near: Indices) -> tuple[Floats, Interval, Floats]:
    """J without noise, its interval, and the p-value of J = 0; see above. float64[models] each.

    z: float64[games, models]; stratified: float64[draws, games, models]; near as for `jaggedness`.
    """
    seen = jaggedness(z, near)
    noise = stratified - stratified.mean(axis=0)
    middle = np.nan_to_num(z).sum(axis=0) / np.maximum(np.isfinite(z).sum(axis=0), 1)

    def exceeding(factor: Floats) -> Floats:
        """float64[models]: the share of draws with at least the J seen, if J were the factor times it."""
        drawn = jaggedness(middle + factor * (z - middle) + noise, near)
        return np.asarray((drawn >= seen).mean(axis=0))

    tail = (1.0 - intervals.LEVEL) / 2.0
    low, centre, high = (seen * _factor(exceeding, share, seen.shape) for share in (tail, 0.5, 1.0 - tail))
    p = (len(noise) * exceeding(np.zeros_like(seen)) + 1.0) / (len(noise) + 1.0)
    unknown = ~np.isfinite(seen) | ~np.isfinite(jaggedness(noise, near)).all(axis=0)
    return (
        np.where(unknown, np.nan, centre),
        Interval(np.where(unknown, np.nan, low), np.where(unknown, np.nan, high)),
        np.where(unknown, np.nan, p),
    )


def _factor(exceeding: Callable[[Floats], Floats], share: float, shape: tuple[int, ...]) -> Floats:
    """The least factors, 0 to _MOST, at which at least this share of draws exceeds what is seen, by bisection."""
    low, high = np.zeros(shape), np.full(shape, _MOST)
    at_zero = exceeding(low) >= share
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        enough = exceeding(middle) >= share
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.where(at_zero, 0.0, high)


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
