"""Sums of rows by game and pair: all that the additive model, the pairwise table and the games' spread need.

A cell is a (game, unordered pair) with at least one row. Every array of sums may have leading axes, of bootstrap
replicates or of variants of the data; functions of cells keep them. So one implementation of a statistic
gives the estimate and its replicates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.matches import Flags, Integers, SlotTable


@dataclass(frozen=True, eq=False)
class Cells:
    """Weighted sums over the rows of each cell; cells ascend by (game, low, high)."""

    models: tuple[str, ...]
    games: tuple[str, ...]
    game: Integers  # int64[cells]
    low: Integers  # int64[cells]: the lower code of the pair
    high: Integers  # int64[cells]
    count: Floats  # float64[..., cells]: sum of the weights (rows, when all weights are 1)
    total: Floats  # float64[..., cells]: sum of low's margins over high
    seats: Floats  # float64[..., cells]: sum of Alice's margins over Bob
    squares: Floats  # float64[..., cells]: sum of squared margins

    @property
    def pair(self) -> Integers:
        """int64[cells]: the pair's position among all pairs low < high in ascending order."""
        return pair_codes(self.low, self.high, len(self.models))

    def map(self, change: Callable[[Floats], Floats]) -> Cells:
        """The same cells with `change` applied to each of the four arrays of sums."""
        sums = (change(self.count), change(self.total), change(self.seats), change(self.squares))
        return replace(self, count=sums[0], total=sums[1], seats=sums[2], squares=sums[3])

    def select(self, mask: Flags) -> Cells:
        """The cells where `mask` is true; models and games keep their codes, also those that have no cell left."""
        part = replace(self, game=self.game[mask], low=self.low[mask], high=self.high[mask])
        return part.map(lambda sums: sums[..., mask])

    def only_games(self, games: Integers) -> Cells:
        """The cells of the games with these codes."""
        return self.select(np.isin(self.game, games))

    def without_model(self, model: int) -> Cells:
        """The cells in which the model does not play, with the codes of the remaining models closed up."""
        part = self.select((self.low != model) & (self.high != model))
        names = self.models[:model] + self.models[model + 1 :]
        return replace(part, models=names, low=part.low - (part.low > model), high=part.high - (part.high > model))


def cells_of(table: SlotTable) -> Cells:
    """The sums of a table's rows."""
    first, starts = cluster_starts(table)
    return _cells(table, first, starts).map(lambda sums: np.add.reduceat(sums, starts, axis=-1))


def cluster_sums(table: SlotTable) -> tuple[Cells, Integers]:
    """The cells with sums by cluster in place of sums by cell, and int64[cells]: the first cluster of each cell.

    Clusters are in ascending order, and those of a cell are neighbours: `np.add.reduceat(sums, starts, axis=-1)` gives
    the sums by cell.
    """
    first, starts = cluster_starts(table)
    return _cells(table, first, starts), starts


def cluster_starts(table: SlotTable) -> tuple[Integers, Integers]:
    """int64[clusters]: a row of each cluster. int64[cells]: the first cluster of each cell."""
    first = np.unique(table.cluster, return_index=True)[1]
    key = np.stack((table.game[first], table.low[first], table.high[first]))
    new = np.concatenate(([True], (key[:, 1:] != key[:, :-1]).any(axis=0)))
    return first.astype(np.int64), np.flatnonzero(new)


def units_of_clusters(table: SlotTable) -> Integers:
    """int64[clusters]: the unit of each cluster."""
    unit = np.empty(table.clusters, np.int64)
    unit[table.cluster] = table.unit
    return unit


@dataclass(frozen=True, eq=False)
class UnitSums:
    """The cells with sums by (cell, unit) in place of sums by cell: of each unit, its part in each cell."""

    sums: Cells  # ascending by cell, then unit
    starts: Integers  # int64[cells]: the first part of each cell
    cell: Integers  # int64[parts]
    unit: Integers  # int64[parts]
    squares: Floats  # float64[parts]: sum of squared weights

    @property
    def share(self) -> Floats:
        """float64[parts]: of the cell's weight."""
        return np.asarray(self.sums.count / np.add.reduceat(self.sums.count, self.starts)[self.cell], np.float64)

    @property
    def apart(self) -> bool:
        """Whether every unit has rows in one cell only."""
        return len(np.unique(self.unit)) == len(self.unit)


def unit_sums(table: SlotTable) -> UnitSums:
    """The sums of every unit within every cell; where clusters are the units, the clusters'."""
    sums, starts = cluster_sums(table)
    cell = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, table.clusters)))
    key, part = np.unique(cell * table.units + units_of_clusters(table), return_inverse=True)

    def merged(values: Floats) -> Floats:
        return np.bincount(part, weights=values, minlength=len(key)).astype(np.float64)

    squares = np.bincount(part[table.cluster], weights=table.weight**2, minlength=len(key)).astype(np.float64)
    cell, unit = np.divmod(key, table.units)
    return UnitSums(sums.map(merged), np.searchsorted(cell, np.arange(len(starts))), cell, unit, squares)


def _cells(table: SlotTable, first: Integers, starts: Integers) -> Cells:
    head = first[starts]
    margin = table.margin * table.weight
    toward_low = np.where(table.alice < table.bob, margin, -margin)

    def by_cluster(values: Floats) -> Floats:
        return np.bincount(table.cluster, weights=values, minlength=len(first)).astype(np.float64)

    return Cells(
        table.models,
        table.games,
        table.game[head],
        table.low[head],
        table.high[head],
        by_cluster(table.weight),
        by_cluster(toward_low),
        by_cluster(margin),
        by_cluster(table.margin * margin),
    )


def pair_codes(low: Integers, high: Integers, models: int) -> Integers:
    """The position of each pair among all pairs low < high of `models` models, in ascending order."""
    return low * (2 * models - low - 1) // 2 + high - low - 1


def pair_table(models: int) -> tuple[Integers, Integers]:
    """int64[pairs] low and high of all pairs of `models` models, in the order of `pair_codes`."""
    low, high = np.triu_indices(models, 1)
    return low.astype(np.int64), high.astype(np.int64)


def sum_by(sums: Floats, codes: Integers, size: int) -> Floats:
    """float64[..., size]: the sums over the cells of equal code."""
    indicator = csr_array((np.ones(len(codes)), (codes, np.arange(len(codes)))), shape=(size, len(codes)))
    flat = sums.reshape(int(np.prod(sums.shape[:-1])), len(codes))
    return np.ascontiguousarray((indicator @ flat.T).T).reshape(*sums.shape[:-1], size)


def game_spread(cells: Cells) -> Floats:
    """float64[..., games]: population standard deviation of a game's signed margins, Alice minus Bob (N9).

    NaN for a game without rows.
    """
    size = len(cells.games)
    count, seats, squares = (sum_by(sums, cells.game, size) for sums in (cells.count, cells.seats, cells.squares))
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = squares / count - (seats / count) ** 2
    return np.sqrt(np.maximum(variance, 0.0))
