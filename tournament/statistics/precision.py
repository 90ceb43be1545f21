"""How far strengths and slopes may be off: the error on these games, and the error for games like these.

Two questions, two intervals, both with Student's t:

    these games        the cards and the players' moves would be drawn again; the games, and how often each pair met
                       on each, stay as they were. Strengths and slopes are linear in the cells' summed margins, so the
                       error has a closed form: the sum over cells of influence^2 times the variance of the cell's sum,
                       which its clusters show. Degrees of freedom: Welch and Satterthwaite's.
    games like these   other games would be drawn from where these came from. Strengths: the jackknife that leaves out
                       one game at a time, games - 1 degrees of freedom. Slopes: least squares with errors robust to
                       games that differ in spread (HC2), and the degrees of freedom of Bell and McCaffrey (2002); the
                       axes stay.

The second contains the first, because a model's strength on a game contains the noise of its matches. Clusters that
reach across games (days, say) add what they have in common on all of them. Both are estimates, so the second may be
smaller than the first; `Error.at_least` gives the larger. Not from the paper, whose paired-cluster bootstrap draws the
clusters of all games from one urn: it answers neither question, because the mixture of games varies from replicate to
replicate.

Where the table comes with clusters of its own (questions, days), the unit of a cell is what a cluster has in it,
however many runs that is. If clusters reach across cells, the parts of a cluster in all cells are summed before they
are squared, with Satterthwaite's degrees of freedom for clusters that are independent.

Units that weigh unlike (`weight`, or clusters of unlike size): each squared residual is divided by what the cell's mean
leaves of it, 1 - 2h + sum h^2 for a share h of the weight, if noise is like the weight. Degrees of freedom likewise.

A cell with one unit does not show its noise: the game's other pairs stand in for it, and the games' common noise for
two of their units; a match without the other of its run has the luck of the cards besides (`unpaired`). Where no cell
has two units, nothing shows the noise, and there is no interval.

Degrees of freedom are those of cells with the game's noise, not with what each shows: two units that happen to lie
close together have a small variance, and degrees of freedom taken from it would be too many where the error is
understated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from msgspec import Struct
from msgspec.structs import replace as changed
from scipy.sparse import csr_array, diags_array
from scipy.special import stdtr, stdtrit

from antemill.tournament.statistics.cells import Cells, cells_of, unit_sums
from antemill.tournament.statistics.intervals import LEVEL, Floats, Interval
from antemill.tournament.statistics.matches import Flags, Integers, SlotTable
from antemill.tournament.statistics.strength import strengths
from antemill.tournament.statistics.unpaired import row_variance, unpaired

_ALL = 1.0 - 1e-9  # of a cell's weight: the rest shows nothing
SHRINKAGE = 2.0  # the games' common noise counts as so many runs of each game


class Shared(Struct, frozen=True, eq=False):
    """What each unit adds to the cells' sums beyond the cells' means: one entry a unit and cell."""

    unit: Integers
    cell: Integers
    deviation: Floats  # chips, scaled such that its square is unbiased
    share: Floats  # of the cell's weight
    scale: Floats  # of the deviation

    def select(self, cells: Flags) -> Shared:
        """Those of some of the cells, with their codes closed up."""
        kept = cells[self.cell]
        code = (np.cumsum(cells) - 1)[self.cell[kept]]
        return Shared(self.unit[kept], code, self.deviation[kept], self.share[kept], self.scale[kept])

    def variance(self, influence: Floats) -> Floats:
        """float64[quantities]: of what is linear in the sums. influence: float64[cells, quantities]."""
        return np.asarray(((self._by_unit(self.deviation, len(influence)) @ influence) ** 2).sum(axis=0), np.float64)

    def by_game(self, game: Integers) -> Shared:
        """The same with each unit's parts in different games as units of their own. game: int64[cells]."""
        unit = np.unique(self.unit * (int(game.max(initial=0)) + 1) + game[self.cell], return_inverse=True)[1]
        return changed(self, unit=unit)

    def freedom(self, parts: Floats) -> Floats:
        """float64[quantities]: Satterthwaite's degrees of freedom of that variance, with all units independent.

        parts: float64[cells, quantities], what each cell alone adds to the variance. The units' scores have, for every
        cell, the covariance of residuals about a mean with weights `share`.
        """
        size = len(parts)
        squares = np.bincount(self.cell, weights=self.share**2, minlength=size)
        main = self._by_unit(self.share * self.scale, size)
        minor = self._by_unit(self.share**2 * self.scale, size)
        found = np.empty(parts.shape[1])
        for k, part in enumerate(parts.T):
            each = np.divide(part, squares, out=np.zeros(size), where=squares > 0.0)
            cross = minor @ diags_array(each) @ main.T
            own = main.multiply(main) @ each
            scores = main @ diags_array(each * squares) @ main.T - cross - cross.T + diags_array(own)
            total = float((scores.multiply(scores)).sum())
            found[k] = float(scores.trace()) ** 2 / total if total > 0.0 else np.inf
        return found

    def _by_unit(self, values: Floats, cells: int) -> csr_array:
        size = int(self.unit.max()) + 1 if len(self.unit) else 0
        return csr_array((values, (self.unit, self.cell)), shape=(size, cells))


class Noise(Struct, frozen=True, eq=False):
    """How much the cells' sums vary; NaN where nothing shows it."""

    variance: Floats  # float64[cells], chips^2, of the cell's summed margins
    typical: Floats  # float64[cells], chips^2: what it would be with the game's noise
    freedom: Floats  # float64[cells]: degrees of freedom of that variance
    single: Flags  # bool[cells]: of one unit, so that the variance is borrowed
    game: Integers  # int64[cells]
    row: Floats  # float64[games], chips^2, of one row on the game, given the pair; NaN where nothing shows it
    free: Floats  # float64[games]: degrees of freedom of the game's own part in that
    shared: Shared | None = None  # where units reach across cells

    def select(self, cells: Flags) -> Noise:
        """The noise of some of the cells."""
        shared = None if self.shared is None else self.shared.select(cells)
        return Noise(
            self.variance[cells],
            self.typical[cells],
            self.freedom[cells],
            self.single[cells],
            self.game[cells],
            self.row,
            self.free,
            shared,
        )

    def cautious(self) -> Noise:
        """The same with the game's noise where a cell's own is less, for tests: a few runs may all be equal."""
        return changed(self, variance=np.maximum(self.variance, self.typical))

    def borrowed(self, parts: Floats) -> Floats:
        """float64[quantities]: the squared variance over its degrees of freedom, of the cells of one unit together.

        They share what they borrow. parts: float64[cells, quantities], what each cell adds to the variance.
        """
        games, total = len(self.row), self.free.sum()
        by_game = csr_array((self.single * 1.0, (self.game, np.arange(len(parts)))), shape=(games, len(parts))) @ parts
        weight = by_game / (self.row * (self.free + SHRINKAGE))[:, None]  # of the games' own sums of squares
        weight = weight + SHRINKAGE * weight.sum(axis=0) / total
        return np.asarray((weight**2 * (self.free * self.row**2)[:, None]).sum(axis=0), np.float64)


class Error(Struct, frozen=True, eq=False):
    """Standard errors with their degrees of freedom, of the shape of the quantity; NaN where there is none."""

    error: Floats
    freedom: Floats

    def interval(self, point: Floats, level: float = LEVEL) -> Interval:
        """Student's interval about the estimate."""
        reach = stdtrit(np.maximum(self.freedom, 1.0), 0.5 + level / 2.0) * self.error
        return Interval(np.asarray(point - reach), np.asarray(point + reach))

    def p(self, point: Floats) -> Floats:
        """Student's two-sided p-values of the hypothesis 0; NaN where the error is 0 or missing."""
        there = self.error > 0.0
        t = np.abs(point) / np.where(there, self.error, 1.0)
        return np.asarray(np.where(there, 2.0 * stdtr(np.maximum(self.freedom, 1.0), -t), np.nan), np.float64)

    def at_least(self, other: Error) -> Error:
        """These errors, but the other's where its interval is wider; none where there is none of these."""
        wider = np.isfinite(self.error) & (_reach(other) > _reach(self))
        return Error(np.where(wider, other.error, self.error), np.where(wider, other.freedom, self.freedom))


def _reach(found: Error) -> Floats:
    """Half of the interval's width; 0 where there is none."""
    reach = stdtrit(np.maximum(found.freedom, 1.0), 0.5 + LEVEL / 2.0) * found.error
    return np.asarray(np.nan_to_num(reach), np.float64)


def noise_of(table: SlotTable) -> Noise:
    """The noise of a table's cells, from the spread of a pair's runs on a game around their mean."""
    parts, size = unit_sums(table), len(table.games)
    starts, cell, share, game = parts.starts, parts.cell, parts.share, parts.sums.game
    units = np.bincount(cell).astype(np.float64)
    squares = np.add.reduceat(share**2, starts)
    scale = (
        (1.0 - share) ** 2 + squares[cell] - share**2
    )  # what the mean leaves of the square, for noise like the share
    single = (units < 2) | (np.maximum.reduceat(share, starts) > _ALL)
    scale[single[cell]] = 1.0
    residual = parts.sums.total - share * np.add.reduceat(parts.sums.total, starts)[cell]
    square = np.where(single[cell], 0.0, residual**2 / scale)
    free = np.bincount(game, weights=np.where(single, 0.0, units - 1.0), minlength=size).astype(np.float64)
    each = square / parts.squares * (1.0 - 1.0 / units)[cell]
    spread = np.bincount(game[cell], weights=each, minlength=size)
    common = spread.sum() / free.sum() if free.any() else np.nan
    row = (spread + SHRINKAGE * common) / (free + SHRINKAGE)
    luck = np.maximum(row_variance(table, SHRINKAGE) - row, 0.0)
    typical = np.add.reduceat(parts.squares, starts) * row[game] + unpaired(table) * luck[game]
    shared = None
    if not parts.apart:
        many = ~single[cell]
        root = 1.0 / np.sqrt(scale[many])
        shared = Shared(parts.unit[many], cell[many], residual[many] * root, share[many], root)
    return Noise(
        variance=np.where(single, typical, np.add.reduceat(square, starts)),
        typical=typical,
        freedom=np.where(single, free[game] + SHRINKAGE, _freedom(share, scale, squares, starts)),
        single=single,
        game=game,
        row=row,
        free=free,
        shared=shared,
    )


def _freedom(share: Floats, scale: Floats, squares: Floats, starts: Integers) -> Floats:
    """float64[cells]: Satterthwaite's degrees of freedom of the sum of squared residuals, each over its scale.

    For parts whose noise is like their share: one less than the parts, where the shares are equal.
    """
    q = share**2 / scale
    none, one, two = (np.add.reduceat(q * share**power, starts) for power in range(3))
    own = np.add.reduceat(q**2 * (2.0 * scale - 1.0), starts)
    return np.asarray(
        squares**2 / ((squares * none) ** 2 + 2.0 * none * two - 4.0 * squares * none * one + 2.0 * one**2 + own)
    )


def propagated(influence: Floats, noise: Noise) -> Error:
    """The error of quantities that are linear in the cells' sums. influence: float64[cells, ...], chips per chip."""
    shape = influence.shape[1:]
    flat = influence.reshape(len(influence), int(np.prod(shape)))
    parts, typical = flat**2 * noise.variance[:, None], flat**2 * noise.typical[:, None]
    own = np.where(noise.single[:, None], 0.0, typical)
    with np.errstate(divide="ignore", invalid="ignore"):
        if noise.shared is None:
            variance, squares = parts.sum(axis=0), (own**2 / noise.freedom[:, None]).sum(axis=0)
        else:
            variance = noise.shared.variance(flat) + parts[noise.single].sum(axis=0)
            squares = own.sum(axis=0) ** 2 / noise.shared.freedom(own)
        if noise.single.any():
            squares = squares + noise.borrowed(typical)
        freedom = np.where(variance > 0.0, typical.sum(axis=0) ** 2 / squares, np.inf)
    variance = np.where(len(influence) > 0, variance, np.nan)  # without cells there is nothing to be sure of
    return Error(np.sqrt(variance).reshape(shape), freedom.reshape(shape))


def with_common(like: Error, these: Error, influence: Floats, noise: Noise) -> Error:
    """The error for games like these, with what units that reach across games have in common on these.

    like: from games that are taken for independent. influence as for `propagated`, whose error is `these`.
    """
    if noise.shared is None:
        return like
    flat = influence.reshape(len(influence), int(np.prod(influence.shape[1:])))
    common = noise.shared.variance(flat) - noise.shared.by_game(noise.game).variance(flat)
    extra = np.maximum(common, 0.0).reshape(like.error.shape)
    variance = like.error**2 + extra
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = variance**2 / (like.error**4 / like.freedom + extra**2 / these.freedom)
    return Error(np.sqrt(variance), np.where(extra > 0.0, freedom, like.freedom))


def gap_error(table: SlotTable) -> Callable[[int, Integers, Integers], Error]:
    """A function of a game, models and others, by their codes: the error of what separates them there, for tests."""
    cells, noise = cells_of(table), noise_of(table).cautious()
    influence = game_influence(cells)

    def error(game: int, models: Integers, others: Integers) -> Error:
        mine = cells.game == game
        return propagated(influence[mine][:, models] - influence[mine][:, others], noise.select(mine))

    return error


def overall_influence(cells: Cells) -> Floats:
    """float64[cells, models]: what a chip in each cell's sum adds to the pooled strengths."""
    first, which = np.unique(cells.pair, return_index=True, return_inverse=True)[1:]
    return _response(cells, first.astype(np.int64), strengths)[which]


def average_influence(cells: Cells) -> Floats:
    """float64[cells, models]: what a chip in each cell's sum adds to `strength.game_average`."""
    return game_influence(cells) / len(cells.games)


def game_influence(cells: Cells) -> Floats:
    """float64[cells, models]: what a chip in each cell's sum adds to the strengths on its game; NaN where none are."""
    found = np.full((len(cells.game), len(cells.models)), np.nan)
    for game in np.unique(cells.game):
        mine = cells.game == game
        found[mine] = _response(cells.select(mine), np.arange(int(mine.sum())), strengths)
    return found


def jackknife(cells: Cells, fit: Callable[[Cells], Floats]) -> Error:
    """The error of fitted strengths for games like these: every game left out in turn."""
    games = np.unique(cells.game)
    if len(games) < 2:
        return Error(np.full(len(cells.models), np.nan), np.full(len(cells.models), np.nan))
    refits = np.array([fit(_without_game(cells, int(game))) for game in games])
    spread = ((refits - refits.mean(axis=0)) ** 2).sum(axis=0) * (len(games) - 1.0) / len(games)
    return Error(np.sqrt(spread), np.full(len(cells.models), len(games) - 1.0))


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
            error[:, model], freedom[:, model] = _sandwich(design[there], response[there, model])
    return Error(error, freedom)


def _sandwich(design: Floats, response: Floats) -> tuple[Floats, Floats]:
    inverse = np.linalg.pinv(design, rcond=1e-10)
    maker = np.eye(len(design)) - design @ inverse  # of the residuals
    rest = np.diag(maker)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = inverse**2 / np.where(rest > 1e-9, rest, np.nan)
        error = np.sqrt(share @ (maker @ response) ** 2)
        trace = share @ rest
        freedom = trace**2 / np.einsum("cg,gh,ch->c", share, maker**2, share)
    return error, freedom


def _response(cells: Cells, units: Integers, fit: Callable[[Cells], Floats]) -> Floats:
    """float64[units, models]: the fit when all sums are zero but that of one cell, which is one chip."""
    total = np.zeros((len(units), len(cells.game)))
    total[np.arange(len(units)), units] = 1.0
    return fit(replace(cells, count=np.broadcast_to(cells.count, total.shape), total=total))


def _without_game(cells: Cells, game: int) -> Cells:
    part = cells.select(cells.game != game)
    names = cells.games[:game] + cells.games[game + 1 :]
    return replace(part, games=names, game=part.game - (part.game > game))
