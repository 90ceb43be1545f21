"""How far strengths and slopes may be off: the error on these games, and the error for games like these.

Two questions, two intervals, both with Student's t:

    these games        only the cards and the players' moves would fall out anew; the games, and how often each pair met
                       on each, stay as they were. Strengths and slopes are linear in the cells' summed margins, so the
                       error has a closed form: the sum over cells of influence^2 times the variance of the cell's sum,
                       which its clusters show. Degrees of freedom: Welch and Satterthwaite's.
    games like these   other games would be drawn from where these came from. Strengths: the jackknife that leaves out
                       one game at a time, games - 1 degrees of freedom. Slopes: least squares with errors robust to
                       games that differ in spread (HC2), and the degrees of freedom of Bell and McCaffrey (2002); the
                       axes stay.

The second contains the first, since what a game shows of a model contains the noise of its matches. Not from the
paper, whose paired-cluster bootstrap draws the clusters of all games from one urn: it answers neither question, as the
number of matches on each game, and so the mixture of games, varies from replicate to replicate.

Where the table comes with clusters of its own (questions, days), which reach across cells, the parts of a cluster in
all cells are summed before they are squared, and there are as many degrees of freedom as clusters, less one.

A cell with one cluster does not show its noise: the game's other pairs stand in for it, and the games' common noise for
two of their runs. Where no pair met twice on any game, nothing shows the noise, and there is no interval.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from msgspec import Struct
from scipy.sparse import csr_array
from scipy.special import stdtrit

from tournament.statistics.cells import Cells, cells_of, cluster_sums, units_of_clusters
from tournament.statistics.intervals import LEVEL, Floats, Interval
from tournament.statistics.strength import strengths
from tournament.statistics.table import Flags, Integers, SlotTable

SHRINKAGE = 2.0  # the games' common noise counts as so many runs of each game


class Shared(Struct, frozen=True, eq=False):
    """What each unit adds to the cells' sums beyond the cells' means: one entry a unit and cell."""

    unit: Integers
    cell: Integers
    deviation: Floats  # chips, scaled such that its square is unbiased

    def select(self, cells: Flags) -> Shared:
        """Those of some of the cells, with their codes closed up."""
        kept = cells[self.cell]
        return Shared(self.unit[kept], (np.cumsum(cells) - 1)[self.cell[kept]], self.deviation[kept])

    def variance(self, influence: Floats) -> Floats:
        """float64[quantities]: of what is linear in the sums. influence: float64[cells, quantities]."""
        size = int(self.unit.max()) + 1 if len(self.unit) else 0
        indicator = csr_array((self.deviation, (self.unit, self.cell)), shape=(size, len(influence)))
        return np.asarray(((indicator @ influence) ** 2).sum(axis=0), np.float64)

    @property
    def freedom(self) -> float:
        """Units that show something, less one."""
        return max(len(np.unique(self.unit)) - 1.0, 1.0)


class Noise(Struct, frozen=True, eq=False):
    """How much the cells' sums vary; NaN where nothing shows it."""

    variance: Floats  # float64[cells], chips^2, of the cell's summed margins
    freedom: Floats  # float64[cells]: degrees of freedom of that variance
    row: Floats  # float64[games], chips^2, of one row on the game, given the pair; NaN where nothing shows it
    shared: Shared | None = None  # where clusters reach across cells

    def select(self, cells: Flags) -> Noise:
        """The noise of some of the cells."""
        shared = None if self.shared is None else self.shared.select(cells)
        return Noise(self.variance[cells], self.freedom[cells], self.row, shared)


class Error(Struct, frozen=True, eq=False):
    """Standard errors with their degrees of freedom, of the shape of the quantity; NaN where there is none."""

    error: Floats
    freedom: Floats

    def interval(self, point: Floats, level: float = LEVEL) -> Interval:
        """Student's interval about the estimate."""
        reach = stdtrit(np.maximum(self.freedom, 1.0), 0.5 + level / 2.0) * self.error
        return Interval(np.asarray(point - reach), np.asarray(point + reach))


def noise_of(table: SlotTable) -> Noise:
    """The noise of a table's cells, from the spread of a pair's runs on a game around their mean."""
    sums, starts = cluster_sums(table)
    cells, runs = cells_of(table), np.diff(np.append(starts, table.clusters))
    residual = sums.total - sums.count * np.repeat(cells.total / cells.count, runs)
    free = np.bincount(cells.game, weights=runs - 1.0, minlength=len(table.games))
    spread = np.bincount(np.repeat(cells.game, runs), weights=residual**2 / sums.count, minlength=len(table.games))
    known = free.sum() > 0.0
    common = spread.sum() / free.sum() if known else np.nan
    row = (spread + SHRINKAGE * common) / (free + SHRINKAGE)
    own = np.add.reduceat(residual**2, starts) * runs / np.maximum(runs - 1.0, 1.0)
    single = runs < 2
    unit = units_of_clusters(table)
    shared = None
    if not np.array_equal(unit, np.arange(len(unit))):
        cell, scale = (
            np.repeat(np.arange(len(runs)), runs),
            np.repeat(np.sqrt(runs / np.maximum(runs - 1.0, 1.0)), runs),
        )
        many = ~np.repeat(single, runs)
        shared = Shared(unit[many], cell[many], (residual * scale)[many])
    return Noise(
        variance=np.where(single, cells.count * row[cells.game], own),
        freedom=np.where(single, free[cells.game] + SHRINKAGE, runs - 1.0),
        row=row,
        shared=shared,
    )


def propagated(influence: Floats, noise: Noise) -> Error:
    """The error of quantities that are linear in the cells' sums. influence: float64[cells, ...], chips per chip."""
    shape = influence.shape[1:]
    flat = influence.reshape(len(influence), int(np.prod(shape)))
    parts = flat**2 * noise.variance[:, None]
    variance = parts.sum(axis=0)
    if noise.shared is None:
        with np.errstate(divide="ignore", invalid="ignore"):
            freedom = variance**2 / (parts**2 / noise.freedom[:, None]).sum(axis=0)
        freedom = np.where(variance > 0.0, freedom, np.inf)
    else:
        alone = np.setdiff1d(np.arange(len(flat)), noise.shared.cell)
        variance = noise.shared.variance(flat) + parts[alone].sum(axis=0)
        freedom = np.full(len(variance), noise.shared.freedom)
    variance = np.where(len(influence) > 0, variance, np.nan)  # without cells there is nothing to be sure of
    return Error(np.sqrt(variance).reshape(shape), freedom.reshape(shape))


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
