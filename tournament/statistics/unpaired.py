"""Matches without the other of their run: luck of the cards, which cancels in a run's two matches, stays in them.

A run with the same weight in both seats varies by the noise of its matches alone. What is left over in one seat varies
by the luck, too: by the square of its weight times the luck's variance, which single rows show, since they vary by
both. Where all matches of a game are single the runs vary no less than the rows, and nothing is added.
"""

from __future__ import annotations

import numpy as np

from antemill.tournament.statistics.cells import cluster_starts
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.matches import Integers, SlotTable


def unpaired(table: SlotTable) -> Floats:
    """float64[cells]: the squared weight that each run has more in one seat than in the other, summed over runs."""
    left = np.bincount(table.cluster, weights=table.weight * _seat(table), minlength=table.clusters)
    return np.add.reduceat(left**2, cluster_starts(table)[1])


def row_variance(table: SlotTable, prior: float) -> Floats:
    """float64[games], chips^2: of single rows about their pair's mean and the seat's; NaN where nothing shows it.

    The games' common variance counts as `prior` degrees of freedom of each game.
    """
    starts, games = cluster_starts(table)[1], len(table.games)
    cell = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, table.clusters)))[table.cluster]
    seat = _seat(table)
    share = table.weight / np.bincount(cell, weights=table.weight)[cell]
    margin, side = (values - _means(values, share, cell) for values in (table.margin * seat, seat))
    slope = _ratio(_by(table.game, margin * side * table.weight, games), _by(table.game, side**2 * table.weight, games))
    rows = np.bincount(cell)[cell]
    left = 1.0 - 2.0 * share + _by(cell, share**2, len(starts))[cell]  # of a square, about a weighted mean
    square = _ratio((margin - slope[table.game] * side) ** 2, left) * (1.0 - 1.0 / rows)
    seats = _by(table.game, side**2, games) > 0.0
    free = np.maximum(_by(table.game, 1.0 - 1.0 / rows, games) - seats, 0.0)
    spread = _by(table.game, square, games)
    common = spread.sum() / free.sum() if free.any() else np.nan
    return np.asarray((spread + prior * common) / (free + prior), np.float64)


def _seat(table: SlotTable) -> Floats:
    """float64[rows]: 1 where the lower of the two models is Alice, -1 where Bob."""
    return np.where(table.alice < table.bob, 1.0, -1.0)


def _means(values: Floats, share: Floats, cell: Integers) -> Floats:
    return np.asarray(np.bincount(cell, weights=values * share)[cell], np.float64)


def _by(code: Integers, values: Floats, size: int) -> Floats:
    return np.bincount(code, weights=values, minlength=size).astype(np.float64)


def _ratio(above: Floats, below: Floats) -> Floats:
    return np.divide(above, below, out=np.zeros(len(above)), where=below > 1e-12)
