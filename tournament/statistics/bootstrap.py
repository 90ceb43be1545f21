"""Bootstraps through sufficient statistics: resampled sums in place of resampled rows (N6).

Resampling n units n times with replacement is the same as giving each a multinomial weight. The estimators need rows
only through sums, so a replicate is a weighted sum of the units' sums, all replicates are a few array products, and the
estimators run once, on arrays with a leading axis of replicates.

    paired cluster   the unit is the four-tuple (game, pair, run), whose matches share their cards, or a given cluster
    stratified       the same unit, drawn within its (game, pair): how often each pair met on each game stays
    within cell      the unit is a row, resampled within its (model, game); no cell grows or shrinks

The paper has the first and the last. The last separates the two matches of a run, so luck of the cards, which cancels
in every estimate, counts as noise there.

The weights come from the project's streams: the same seed gives the same replicates on every machine, and replicate
b is the same for every number of replicates.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from antemill.engine.errors import UsageError
from antemill.engine.seeding import GOLDEN, derive, draws, mix64
from antemill.tournament.statistics.cells import Cells, UnitSums, cells_of, cluster_sums, unit_sums, units_of_clusters
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.matches import Integers, SlotTable
from antemill.tournament.statistics.precision import noise_of
from antemill.tournament.statistics.strength import game_strengths

REPLICATES = 2000  # B of the leaderboard and of the variance components
MOST = 1_000_000  # that can be asked for
FEWER = 500  # B of the slopes, jaggedness, tertiles, pairs and cells

_DOMAIN = 0x626F6F74  # "boot": keeps these streams apart from the engine's
_STRATIFIED, _NORMAL = 0x73747261, 0x6E6F726D  # "stra", "norm": for other draws
_LOW32 = np.uint64(0xFFFFFFFF)
_BLOCK_WORDS = 1 << 17  # weights at a time: they stay in the processor's cache


def check_replicates(count: int) -> None:
    """Raises UsageError if there are too few replicates for a spread."""
    if count < 2:
        raise UsageError(f"a bootstrap needs 2 or more replicates, not {count}: raise the number.")


def cluster_bootstrap(table: SlotTable, replicates: int = REPLICATES, seed: int = 0, first: int = 0) -> Cells:
    """The cells with sums float64[replicates, cells] of paired-cluster resamples, from replicate number `first` on."""
    sums, starts = cluster_sums(table)
    return _weighted(sums, starts, replicates, _cluster_weights(table, replicates, seed, first))


def stratified_bootstrap(table: SlotTable, replicates: int = FEWER, seed: int = 0) -> Cells:
    """The cells with sums float64[replicates, cells] of clusters drawn within their (game, pair).

    Of n clusters n - 1 are drawn, each counted n / (n - 1) times: the sums then vary as much as they really do, also
    where n is small (Rao and Wu, 1988). Where clusters that the table came with reach across cells, or rows weigh
    unlike (means of redrawn weights vary too little), each cluster's deviations from its cells' means are multiplied by
    one normal number instead. A cell of one cluster moves by a normal amount, of the variance that
    `precision.noise_of` borrows for it; NaN if nothing shows the noise.
    """
    if table.clustered or np.ptp(table.weight) > 0.0:
        drawn = _multiplied(unit_sums(table), normal_draws(table.units, replicates, seed))
    else:
        sums, starts = cluster_sums(table)
        runs = np.diff(np.append(starts, table.clusters))
        drawn = _weighted(sums, starts, replicates, _stratified_blocks(starts, runs, replicates, seed))
    noise = noise_of(table)
    single = np.flatnonzero(noise.single)
    if len(single):
        drawn.total[:, single] += np.sqrt(noise.variance[single]) * normal_draws(len(single), replicates, seed)
    return drawn


def game_noise(table: SlotTable, replicates: int = FEWER, seed: int = 0) -> Cells:
    """The cells with normal noise of the games' runs added, for tests: a pair whose few runs are all equal has some.

    Where clusters that the table came with reach across cells, as `stratified_bootstrap`.
    """
    noise = noise_of(table)
    if noise.shared is not None:
        return stratified_bootstrap(table, replicates, seed)
    cells = cells_of(table)
    drawn = cells.map(lambda sums: np.tile(sums, (replicates, 1)))
    drawn.total[:] += np.sqrt(noise.typical) * normal_draws(len(noise.typical), replicates, seed)
    return drawn


def within_cell_bootstrap(table: SlotTable, replicates: int = REPLICATES, seed: int = 0) -> Floats:
    """float64[replicates, games, models]: per-game strengths of the within-cell bootstrap (GENSTRAT appendix G).

    A cell is a (model, game); its edges are the model's margins there, each plus the opponent's strength on that game,
    so that their mean is the model's strength. Our reading of the refit: edges are resampled within the cell to its
    size, and the mean is taken again, the opponents' strengths held. Weighted rows count as often as their weight says.
    NaN where the per-game strength is.
    """
    point = game_strengths(table)
    model = np.concatenate((table.alice, table.bob))
    other = np.concatenate((table.bob, table.alice))
    game = np.concatenate((table.game, table.game))
    edge = np.concatenate((table.margin, -table.margin)) + point[game, other]
    weight = np.concatenate((table.weight, table.weight))
    cell = game * len(table.models) + model
    order = np.argsort(cell, kind="stable")
    used, starts, sizes = np.unique(cell[order], return_index=True, return_counts=True)
    found = np.full((replicates, point.size), np.nan)
    found[:, used] = _resampled_means(edge[order], weight[order], starts.astype(np.int64), sizes, replicates, seed)
    return found.reshape(replicates, *point.shape)


def normal_draws(units: int, replicates: int, seed: int = 0, first: int = 0) -> Floats:
    """float64[replicates, units]: independent standard normal numbers, from number `first` on."""
    return np.asarray(ndtri((_halves(units, seed, first, replicates, _NORMAL) + 0.5) / 2.0**32), np.float64)


def multinomial_weights(units: int, replicates: int, seed: int = 0) -> Floats:
    """float64[replicates, units]: how often each unit is drawn; every row sums to `units`."""
    weights = np.empty((replicates, units))
    for rows, block in weight_blocks(units, replicates, seed):
        weights[rows] = block
    return weights


def weight_blocks(
    units: int, replicates: int, seed: int = 0, first: int = 0, width: int = 0
) -> Iterator[tuple[slice, Floats]]:
    """Weights of the replicates number first, first + 1, ..., a few at a time: (which rows, float64[rows, units]).

    width: how many numbers the caller makes of a row, if more than units.
    """
    if units < 1 or replicates < 1:
        raise ValueError(f"a bootstrap needs units and replicates, not {units} and {replicates}")
    size = max(1, _BLOCK_WORDS // max(units, width))
    for row in range(0, replicates, size):
        count = min(size, replicates - row)
        drawn = _below(_halves(units, seed, first + row, count), units) + np.arange(count)[:, None] * units
        block = np.bincount(drawn.ravel(), minlength=count * units).astype(np.float64)
        yield slice(row, row + count), block.reshape(count, units)


def _stratified_blocks(starts: Integers, runs: Integers, replicates: int, seed: int) -> Iterator[tuple[slice, Floats]]:
    """Weights of clusters drawn within cells, a few replicates at a time: (which rows, float64[rows, clusters])."""
    units, draws = int(runs.sum()), np.maximum(runs - 1, 1)
    first, size = np.repeat(starts, draws), np.repeat(runs, draws).astype(np.uint64)
    scale = np.repeat(runs / draws, runs)
    step = max(1, _BLOCK_WORDS // units)
    for row in range(0, replicates, step):
        count = min(step, replicates - row)
        place = first + _below(_halves(len(first), seed, row, count, _STRATIFIED), size)
        place += np.arange(count)[:, None] * units
        block = np.bincount(place.ravel(), minlength=count * units).reshape(count, units)
        yield slice(row, row + count), block * scale


def _multiplied(parts: UnitSums, normal: Floats) -> Cells:
    """The cells' sums plus every unit's deviation (unbiased in its square) times the normal number of the unit."""
    sums, starts, share = parts.sums, parts.starts, parts.share
    scale = np.sqrt((1.0 - share) ** 2 + np.add.reduceat(share**2, starts)[parts.cell] - share**2)

    def drawn(each: Floats) -> Floats:
        total = np.add.reduceat(each, starts)
        if each is sums.count:
            return np.tile(total, (len(normal), 1))
        residual = each - share * total[parts.cell]
        deviation = np.divide(residual, scale, out=np.zeros(len(scale)), where=scale > 0.0)
        return np.stack([total + np.add.reduceat(row[parts.unit] * deviation, starts) for row in normal])

    return sums.map(drawn)


def _weighted(sums: Cells, starts: Integers, replicates: int, blocks: Iterator[tuple[slice, Floats]]) -> Cells:
    """Weighted sums of the clusters' sums, cell by cell."""
    drawn = sums.map(lambda _: np.empty((replicates, len(starts))))
    pairs = (
        (sums.count, drawn.count),
        (sums.total, drawn.total),
        (sums.seats, drawn.seats),
        (sums.squares, drawn.squares),
    )
    for rows, weights in blocks:
        for unit, out in pairs:
            out[rows] = np.add.reduceat(weights * unit, starts, axis=1)
    return drawn


def _cluster_weights(table: SlotTable, replicates: int, seed: int, first: int) -> Iterator[tuple[slice, Floats]]:
    """Weights of the clusters, a few replicates at a time: each has that of its unit."""
    unit = units_of_clusters(table)
    given = not np.array_equal(unit, np.arange(table.units))
    for rows, weights in weight_blocks(table.units, replicates, seed, first, table.clusters):
        yield rows, weights[:, unit] if given else weights


def _resampled_means(
    edge: Floats, weight: Floats, starts: Integers, sizes: Integers, replicates: int, seed: int
) -> Floats:
    """float64[replicates, cells]: weighted means of each cell's edges, resampled. Cells are consecutive edges."""
    first, size = np.repeat(starts, sizes), np.repeat(sizes, sizes).astype(np.uint64)
    product = edge * weight
    means = np.empty((replicates, len(starts)))
    for b in range(replicates):
        drawn = first + _below(_halves(len(edge), seed, b, 1)[0], size)
        means[b] = np.add.reduceat(product[drawn], starts) / np.add.reduceat(weight[drawn], starts)
    return means


def _halves(units: int, seed: int, first: int, replicates: int, domain: int = _DOMAIN) -> npt.NDArray[np.uint64]:
    """uint64[replicates, units]: 32 random bits each: the two halves of the words 1, 2, ... of a replicate's stream."""
    numbers = np.arange(first, first + replicates, dtype=np.uint64)
    # What `derive` makes of the seed, the domain, and each number.
    keys = mix64((np.uint64(derive(seed, domain)) ^ numbers * np.uint64(GOLDEN)) + np.uint64(GOLDEN))
    words = draws(keys, (units + 1) // 2)
    return np.concatenate((words >> np.uint64(32), words & _LOW32), axis=1)[:, :units]


def _below(bits: npt.NDArray[np.uint64], n: int | npt.NDArray[np.uint64]) -> Integers:
    """int64: uniform in 0..n-1, from 32 random bits (n below 2^31)."""
    return ((bits * np.asarray(n, np.uint64)) >> np.uint64(32)).astype(np.int64)
