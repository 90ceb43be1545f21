"""One estimator of error: what each unit adds to an estimate, and a choice of unit for each question.

Every figure here is linear in the summed margins of runs, or the root of an equation that is. With x_u the influence of
run u on a figure, r_u its residual and h_u its leverage in the fit that the residual is from, the variance is

    these games        sum over units of (sum over their runs of x_u r_u / root(1 - h_u))^2
                       The residual is about the fit of the run's own game (CR2, Bell and McCaffrey 2002). The unit is
                       the run, that is both seats of one pair with the same cards, or the cluster that the table names.
                       Student's t has as many degrees of freedom as runs that count alike would give the same spread
                       of x_u^2, less the share that the games' fits take.
    games like these   the same with the game as the unit and residuals about the fit of all games, times n / (n - 1),
                       with n - 1 degrees of freedom for n games. Never narrower than for these games.

The first asks how far a figure would move if the same pairs played the same games again; the second, if other games
were drawn as these were. Slopes on other games have HC2 errors with Bell and McCaffrey's degrees of freedom.

- A run whose residual its own game's fit takes altogether has the one about the fit of all games; if that fit takes it,
  too, the noise that all runs have in common. Where no fit leaves anything, nothing shows the noise: errors are NaN.
- One game has few runs, so its variance is mixed with that of all games' common noise, which counts as WEIGHT degrees
  of freedom.
- Nothing varies: each run is taken to vary so much that Student's test of a pair gives what the exchange of signs gives
  at least, 2^(1 - n) for n runs. So p, rank, interval and probability come from one covariance then, too.

Figures that are quadratic in strengths have the variance 4 d'Vd - 2 tr V^2 after the trace is taken off (`quadratic`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from msgspec import Struct
from scipy.linalg.lapack import dpotrf, dpotri
from scipy.sparse import csr_array
from scipy.special import stdtr, stdtrit

from antemill.tournament.statistics.cells import UnitSums, unit_sums
from antemill.tournament.statistics.intervals import LEVEL, Floats, Interval
from antemill.tournament.statistics.matches import Flags, Integers, SlotTable

WEIGHT = 2.0
DENSE = 400  # players up to whom covariances are computed; above, variances alone
_LEFT = 1e-6  # of a residual's variance; where a fit leaves less, it shows nothing
_FLAT = 1e-9  # of the largest margin: residuals below it are rounding errors
_PINV = 64  # players up to whom a fit may fall into parts
_BLOCK = 1 << 21  # numbers at a time
_TAIL = 0.5 + LEVEL / 2.0


class Error(Struct, frozen=True, eq=False):
    """Standard errors with their degrees of freedom, of the shape of the estimate; NaN where there is none."""

    error: Floats
    freedom: Floats

    @property
    def reach(self) -> Floats:
        """Half of the 95% interval's width."""
        return np.asarray(stdtrit(np.maximum(self.freedom, 1.0), _TAIL) * self.error, np.float64)

    def interval(self, point: Floats) -> Interval:
        """Student's 95% interval about the estimate."""
        return Interval(np.asarray(point - self.reach), np.asarray(point + self.reach))

    def p(self, point: Floats) -> Floats:
        """Student's two-sided p-values of the hypothesis 0; NaN where the error is 0 or missing."""
        there = self.error > 0.0
        t = np.abs(point) / np.where(there, self.error, 1.0)
        return np.asarray(np.where(there, 2.0 * stdtr(np.maximum(self.freedom, 1.0), -t), np.nan), np.float64)

    def at_least(self, other: Error) -> Error:
        """These errors, widened where the other's interval is wider; NaN stays."""
        reach = np.fmax(self.reach, np.where(np.isfinite(self.error), other.reach, np.nan))
        return Error(reach / stdtrit(np.maximum(self.freedom, 1.0), _TAIL), self.freedom)


class Spread(Struct, frozen=True, eq=False):
    """How estimates of players vary together: float64[players, players] and degrees of freedom, float64[players].

    Of more than DENSE players the diagonal alone is there: float64[players].
    """

    covariance: Floats
    freedom: Floats

    @property
    def whole(self) -> bool:
        """Whether differences of players have errors."""
        return self.covariance.ndim == 2

    @property
    def error(self) -> Error:
        """The players' own errors."""
        variance = np.diag(self.covariance) if self.whole else self.covariance
        return Error(np.sqrt(np.maximum(variance, 0.0)), self.freedom)

    def scaled(self, error: Floats) -> Spread:
        """The same correlations with these errors; where there was no error they are taken for independent."""
        before = self.error.error
        factor = np.divide(error, before, out=np.zeros(len(before)), where=before > 0.0)
        if not self.whole:
            return Spread(error**2, self.freedom)
        found = self.covariance * np.outer(factor, factor)
        found[np.arange(len(error)), np.arange(len(error))] = error**2
        return Spread(found, self.freedom)

    def at_least(self, other: Spread) -> Spread:
        """The same, widened where the other's intervals are wider."""
        return self.scaled(self.error.at_least(other.error).error)

    def only(self, players: Integers | Flags) -> Spread:
        """Some of the players."""
        part = self.covariance[players]
        return Spread(part[:, players] if self.whole else part, self.freedom[players])


class Runs(Struct, frozen=True, eq=False):
    """The runs of a table (of each unit, its part in each cell), and how far each is from what fits expect.

    deviation: float64[runs], the residual over the root of 1 - h, in margins of one row; NaN where nothing shows it.
    about_all: the residual about the fit of all games. common: the variance of one row that all games have in common.
    kept: the share of degrees of freedom that the fits leave. games: float64[games] degrees of freedom left in each.
    given: whether the table came with units of its own. inverses: by game, over its players, with their codes.
    """

    parts: UnitSums
    deviation: Floats
    about_all: Floats
    inverse: Floats
    inverses: dict[int, tuple[Integers, Floats]]
    common: float
    kept: float
    games: Floats
    given: bool

    @property
    def weight(self) -> Floats:
        """float64[runs]: rows, or the sum of their weights."""
        return self.parts.sums.count


def runs_of(table: SlotTable) -> Runs:
    """The residuals of a table's runs."""
    parts, players = unit_sums(table), len(table.models)
    cell = parts.cell
    game, low, high = parts.sums.game[cell], parts.sums.low[cell], parts.sums.high[cell]
    weight, mean = parts.sums.count, parts.sums.total / parts.sums.count
    inverse = inverse_of(low, high, weight, players)
    about_all, all_left = _residual(inverse, low, high, weight, mean)
    own, left, taken = about_all.copy(), all_left.copy(), np.zeros(len(table.games))
    inverses: dict[int, tuple[Integers, Floats]] = {}
    order = np.argsort(game, kind="stable")
    cut = np.searchsorted(game[order], np.arange(len(table.games) + 1))
    for g in range(len(table.games)):
        mine = order[cut[g] : cut[g + 1]]
        here, ends = np.unique(np.concatenate((low[mine], high[mine])), return_inverse=True)
        a, b = np.split(ends, 2)
        one = len(table.games) == 1
        inverses[g] = here.astype(np.int64), inverse if one else inverse_of(a, b, weight[mine], len(here))
        own[mine], left[mine] = _residual(inverses[g][1], a, b, weight[mine], mean[mine])
        taken[g] = np.round(np.sum(1.0 - left[mine]))
    free = np.bincount(game, minlength=len(taken)) - taken
    shown, shown_by_all = left > _LEFT, all_left > _LEFT
    square = np.where(shown, weight * own**2, np.where(shown_by_all, weight * about_all**2, 0.0))
    used = taken[free > 0].sum() + (players - 1.0) * bool((~shown).any())
    scaled = np.where(shown, own**2 / np.maximum(left, _LEFT), about_all**2 / np.maximum(all_left, _LEFT))
    count = float((shown | shown_by_all).sum())
    common = float(square[shown | shown_by_all].sum() / max(count - used, 1.0)) if count else np.nan
    scaled = np.where(shown | shown_by_all, scaled, common / weight)
    deviation = np.sqrt(scaled)
    given = table.clustered
    kept = max(1.0 - used / len(weight), 0.0)
    largest = float(np.abs(table.margin).max())
    if count and (deviation <= _FLAT * largest).all():
        deviation = np.full(len(weight), _least(table, mean, weight, largest))
        common = float((weight * deviation**2).mean())
    sign = np.where(np.where(shown, own, about_all) < 0.0, -1.0, 1.0)
    return Runs(parts, deviation * sign, about_all, inverse, inverses, common, kept, np.maximum(free, 0.0), given)


def _least(table: SlotTable, mean: Floats, weight: Floats, largest: float) -> float:
    """How much a run is taken to vary where none does; see above."""
    size = np.sqrt(np.average(mean**2, weights=weight)) if mean.any() else largest or 1.0
    met = np.unique(np.concatenate((table.alice, table.bob)) * table.units + np.tile(table.unit, 2))
    units = np.bincount(met // max(table.units, 1), minlength=len(table.models)).min()
    return float(size) * sign_flips(int(units))


def sign_flips(units: int) -> float:
    """The deviation, over the mean, with which Student's two-sided p of so many equal values is 2^(1 - units)."""
    units = min(max(units, 2), 500)
    return float(np.sqrt(units) / -stdtrit(units - 1.0, 2.0**-units))


def _residual(inverse: Floats, low: Integers, high: Integers, weight: Floats, mean: Floats) -> tuple[Floats, Floats]:
    """The residuals of a fit, and 1 - leverage. float64[runs] each."""
    size = len(inverse)
    level = inverse @ (np.bincount(low, weight * mean, size) - np.bincount(high, weight * mean, size))
    return mean - (level[low] - level[high]), left_of(inverse, low, high, weight)


def left_of(inverse: Floats, low: Integers, high: Integers, weight: Floats) -> Floats:
    """float64[rows]: 1 - leverage in a fit with this inverse curvature."""
    own = np.diag(inverse)
    return np.maximum(1.0 - weight * (own[low] + own[high] - 2.0 * inverse[low, high]), 0.0)


def inverse_of(low: Integers, high: Integers, weight: Floats, players: int, ridge: Floats | None = None) -> Floats:
    """float64[players, players]: the pseudo-inverse of the curvature of a fit in differences of players."""
    ends = np.concatenate((low, high)), np.concatenate((high, low))
    beside = csr_array((np.tile(weight, 2), ends), shape=(players, players)).toarray()
    curvature = np.diag(beside.sum(axis=1) + (0.0 if ridge is None else ridge)) - beside
    if players <= _PINV:
        return np.asarray(np.linalg.pinv(curvature, 1e-12, hermitian=True), np.float64)
    constant = 0.0 if ridge is not None and ridge.any() else float(np.trace(curvature)) / players**2
    factor, failed = dpotrf((curvature + constant).T, overwrite_a=1)
    half, singular = dpotri(factor, overwrite_c=1)
    if failed or singular:
        return np.asarray(np.linalg.pinv(curvature, 1e-12, hermitian=True), np.float64)
    found = np.triu(half) + np.triu(half, 1).T
    return np.asarray(found - (1.0 / (constant * players**2) if constant else 0.0), np.float64)


def sandwich(
    inverse: Floats, low: Integers, high: Integers, score: Floats, unit: Integers, reference: Floats | None
) -> Floats:
    """The covariance of a fit, or of more than DENSE players the variances, from the runs' scores.

    reference: float64[players] that sum to 1; the estimates are less their mean with these weights.
    """
    players, rows = len(inverse), np.arange(len(score))
    ends = np.concatenate((low, high))
    side = csr_array((np.concatenate((score, -score)), (np.tile(rows, 2), ends)), shape=(len(score), players))
    of_unit = csr_array((np.ones(len(score)), (unit, rows)), shape=(int(unit.max(initial=-1)) + 1, len(score)))
    scores = csr_array(of_unit @ side)
    products = csr_array(scores.T @ scores)
    moved = inverse if reference is None else inverse - reference @ inverse
    if players > DENSE:
        return np.asarray(((products @ moved.T).T * moved).sum(axis=1), np.float64)
    return np.asarray(moved @ (products @ moved.T), np.float64)


def freedom_of(
    inverse: Floats, low: Integers, high: Integers, weight: Floats, unit: Integers, reference: Floats | None
) -> Floats:
    """float64[players]: of how many equal units the variance would be, if all rows varied alike.

    Of more than DENSE players: the units in which each plays.
    """
    players = len(inverse)
    if players > DENSE:
        met = np.unique(np.concatenate((low, high)) * (int(unit.max()) + 1) + np.tile(unit, 2))
        return np.bincount(met // (int(unit.max()) + 1), minlength=players).astype(np.float64)
    moved = inverse if reference is None else inverse - reference @ inverse
    order = np.argsort(unit, kind="stable")
    total, squares = np.zeros(players), np.zeros(players)
    step = max(1, _BLOCK // players)
    starts = np.flatnonzero(np.diff(unit[order], prepend=-1))
    for first in range(0, len(starts), step):
        begin = starts[first]
        end = starts[first + step] if first + step < len(starts) else len(order)
        rows = order[begin:end]
        each = weight[rows, None] * (moved[:, low[rows]] - moved[:, high[rows]]).T ** 2
        each = np.add.reduceat(each, starts[first : first + step] - begin, axis=0)
        total += each.sum(axis=0)
        squares += (each**2).sum(axis=0)
    return np.divide(total**2, squares, out=np.ones(players), where=squares > 0.0)


def _settled(effective: Floats, kept: float, given: bool) -> tuple[Floats, Floats]:
    """Degrees of freedom, and by what variances grow where units are given: few of them share much with the fit."""
    if not given:
        return np.maximum(effective * kept, 1.0), np.ones(len(effective))
    left = np.maximum(effective - 1.0, 1.0)
    return np.maximum(np.minimum(effective * kept, left), 1.0), np.maximum(effective, 2.0) / left


@dataclass(frozen=True, eq=False)
class Errors:
    """The errors of a table's strengths, for both questions. reference: whose weighted mean strengths are against.

    once: whether strengths are the mean of the games' own (`strength.game_average`) and not of one fit. per_game:
    float64[games, players].
    """

    table: SlotTable
    runs: Runs
    reference: Floats
    once: bool
    per_game: Floats

    @cached_property
    def ends(self) -> tuple[Integers, Integers, Integers]:
        """Game, lower and higher player of each run."""
        sums, cell = self.runs.parts.sums, self.runs.parts.cell
        return sums.game[cell], sums.low[cell], sums.high[cell]

    @cached_property
    def these(self) -> Spread:
        """Of the overall strengths, on these games."""
        runs, (_, low, high) = self.runs, self.ends
        unit, weight = runs.parts.unit, runs.weight
        if self.once:
            return self._average()
        found = sandwich(runs.inverse, low, high, weight * runs.deviation, unit, self.reference)
        effective = freedom_of(runs.inverse, low, high, weight, unit, self.reference)
        freedom, factor = _settled(effective, runs.kept, runs.given)
        return Spread(found * (np.sqrt(np.outer(factor, factor)) if found.ndim == 2 else factor), freedom)

    @cached_property
    def like(self) -> Spread:
        """Of the overall strengths, for games like these; NaN of a single game."""
        games, players = len(self.table.games), len(self.table.models)
        if games < 2:
            return Spread(np.full((players, players) if self.these.whole else players, np.nan), np.full(players, 1.0))
        if self.once:
            moved = (self.per_game - self.per_game.mean(axis=0)) / games
        else:
            game, low, high = self.ends
            score = self.runs.weight * self.runs.about_all
            code = game * players
            flat = np.bincount(code + low, score, games * players) - np.bincount(code + high, score, games * players)
            moved = flat.reshape(games, players) @ self.runs.inverse
        moved = moved - (moved @ self.reference)[:, None]
        factor, freedom = games / (games - 1.0), np.full(players, games - 1.0)
        found = moved.T @ moved if self.these.whole else (moved**2).sum(axis=0)
        flat_games = np.abs(moved).max() <= _FLAT * np.abs(self.table.margin).max()
        if flat_games:
            return self._alike(games)
        return Spread(found * factor, freedom).at_least(self.these)

    def _alike(self, games: int) -> Spread:
        """Where games do not differ: the error on these games, and at least the exchange of signs of the games."""
        own = self.these.error
        size = np.abs(np.nanmean(self.per_game, axis=0)) * sign_flips(games) / np.sqrt(games)
        freedom = np.full(len(own.error), games - 1.0)
        least = Error(np.maximum(own.error, size), freedom)
        return Spread(self.these.scaled(least.error).covariance, freedom)

    @cached_property
    def influence(self) -> Floats:
        """float64[runs, players]: of a run's mean on the strengths of its game; NaN where they have none."""
        game, low, high = self.ends
        found = np.zeros((len(game), len(self.table.models)))
        for g, (here, inverse) in self.runs.inverses.items():
            mine = np.flatnonzero(game == g)
            a, b = np.searchsorted(here, low[mine]), np.searchsorted(here, high[mine])
            found[np.ix_(mine, here)] = self.runs.weight[mine, None] * (inverse[a] - inverse[b])
        return found

    def linear(self, weights: Floats) -> Error:
        """Of sums of the games' strengths, float64[figures, players]. weights: float64[figures, games, players]."""
        game, runs = self.ends[0], self.runs
        error, freedom = (np.full((len(weights), weights.shape[2]), np.nan) for _ in range(2))
        of_unit = csr_array((np.ones(len(game)), (runs.parts.unit, np.arange(len(game)))))
        for k, weight in enumerate(weights):
            moved = self.influence * weight[game]
            total = of_unit @ (moved * runs.deviation[:, None])
            each = of_unit @ (moved**2 / runs.weight[:, None])
            squares = (each**2).sum(axis=0)
            effective = np.divide(each.sum(axis=0) ** 2, squares, out=np.ones(len(squares)), where=squares > 0.0)
            freedom[k], factor = _settled(effective, runs.kept, runs.given)
            error[k] = np.sqrt((total**2).sum(axis=0) * factor)
        return Error(error, freedom)

    def _average(self) -> Spread:
        game, runs = self.ends[0], self.runs
        influence = self.influence / len(self.table.games)
        influence = influence - (influence @ self.reference)[:, None]
        of_unit = csr_array((np.ones(len(game)), (runs.parts.unit, np.arange(len(game)))))
        moved, each = (
            of_unit @ values for values in (influence * runs.deviation[:, None], influence**2 / runs.weight[:, None])
        )
        squares = (each**2).sum(axis=0)
        effective = np.divide(each.sum(axis=0) ** 2, squares, out=np.ones(len(squares)), where=squares > 0.0)
        freedom, factor = _settled(effective, runs.kept, runs.given)
        return Spread((moved.T @ moved) * np.sqrt(np.outer(factor, factor)), freedom)

    @cached_property
    def games(self) -> Floats:
        """float64[games, players, players]: covariances of the games' strengths, by each game's own runs."""
        players = len(self.table.models)
        found = np.zeros((len(self.table.games), players, players))
        moved, game, unit = self.influence * self.runs.deviation[:, None], self.ends[0], self.runs.parts.unit
        for g in self.runs.inverses:
            mine = np.flatnonzero(game == g)
            code = np.unique(unit[mine], return_inverse=True)[1]
            total = csr_array((np.ones(len(mine)), (code, np.arange(len(mine))))) @ moved[mine]
            found[g] = total.T @ total
        return found

    @cached_property
    def mixed(self) -> tuple[Floats, Floats]:
        """The same mixed with the common noise, and float64[games] degrees of freedom."""
        found, freedom = self.games.copy(), np.ones(len(self.table.games))
        game = self.ends[0]
        for g, (here, inverse) in self.runs.inverses.items():
            mine = np.flatnonzero(game == g)
            each = self.influence[np.ix_(mine, here)] ** 2 / self.runs.weight[mine, None]
            effective = each.sum(axis=0) ** 2 / np.maximum((each**2).sum(axis=0), 1e-300)
            own = max(float(effective.mean() * self.runs.games[g] / len(mine)), 1.0)
            rough = self.runs.common * inverse
            place = np.ix_(here, here)
            found[g][place] = (own * found[g][place] + WEIGHT * rough) / (own + WEIGHT)
            freedom[g] = own + WEIGHT
        return found, freedom

    @property
    def by_game(self) -> Error:
        """Of the games' strengths, float64[games, players]."""
        variance, freedom = self.mixed
        error = np.sqrt(np.diagonal(variance, axis1=1, axis2=2))
        return Error(
            np.where(np.isfinite(self.per_game), error, np.nan), np.repeat(freedom[:, None], error.shape[1], 1)
        )


def errors_of(table: SlotTable, per_game: Floats, once: bool = False, reference: Floats | None = None) -> Errors:
    """The errors of a table's strengths, against the mean that each player's rows weigh, or another reference.

    per_game: float64[games, players], as of `strength.game_strengths`.
    """
    if reference is None:
        ends = np.concatenate((table.alice, table.bob))
        rows = np.bincount(ends, np.tile(table.weight, 2), len(table.models))
        reference = np.full(len(rows), 1.0 / len(rows)) if once else rows / rows.sum()
    return Errors(table, runs_of(table), reference, once, per_game)


def quadratic(point: Floats, covariance: Floats, form: Floats) -> tuple[float, float, float]:
    """x'Qx without the noise of x, its variance, and what noise alone adds to x'Qx."""
    product = form @ covariance
    noise, twice = float(np.trace(product)), 2.0 * float((product * product.T).sum())
    away = form @ point
    return float(point @ away) - noise, max(4.0 * float(away @ covariance @ away) - twice, twice), noise


def robust(design: Floats, response: Floats) -> Error:
    """HC2 errors of least-squares coefficients, with Bell and McCaffrey's degrees of freedom.

    design: float64[games, columns]; response: float64[games, models], NaN where a game is missing. Error of
    float64[columns, models]; NaN where a model's games are no more than the columns, or one of them decides a
    coefficient alone.
    """
    error = np.full((design.shape[1], response.shape[1]), np.nan)
    freedom = error.copy()
    for model in range(response.shape[1]):
        there = np.isfinite(response[:, model])
        if there.sum() > design.shape[1]:
            error[:, model], freedom[:, model] = _coefficients(design[there], response[there, model])
    return Error(error, freedom)


def _coefficients(design: Floats, response: Floats) -> tuple[Floats, Floats]:
    inverse = np.linalg.pinv(design, rcond=1e-10)
    maker = np.eye(len(design)) - design @ inverse  # of the residuals
    rest = np.diag(maker)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = inverse**2 / np.where(rest > 1e-9, rest, np.nan)
        error = np.sqrt(share @ (maker @ response) ** 2)
        trace = share @ rest
        freedom = trace**2 / np.einsum("cg,gh,ch->c", share, maker**2, share)
    return error, freedom
