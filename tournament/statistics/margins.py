"""Plain mean margins by model and game, without adjustment for opponents (GENSTRAT appendices K and O, tables 6, 8).

Both tables average over play-seed groups: a group (a cluster of the slot table) holds the two seat assignments of one
run, and its mean counts once.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.matches import Integers, SlotTable, codes


class Reference(Struct, frozen=True, eq=False):
    """All models' margins against one player, by game. NaN where they never met it there."""

    models: tuple[str, ...]  # without the player itself
    mean: Floats  # float64[games, models]; mean of the group means
    error: Floats  # float64[games, models]; their standard deviation over the root of their number; NaN for one group
    groups: Integers  # int64[games, models]
    slots: Integers  # int64[games, models]
    average: Floats  # float64[models]; mean over the games played


def pair_mean_margins(table: SlotTable) -> Floats:
    """float64[games, models]: mean margin of the model on the game over its play-seed groups; NaN if it has none."""
    game, low, high, mean, _ = _groups(table)
    cell = np.concatenate((game, game)) * len(table.models) + np.concatenate((low, high))
    size = len(table.games) * len(table.models)
    count = np.bincount(cell, minlength=size)
    total = np.bincount(cell, weights=np.concatenate((mean, -mean)), minlength=size)
    found = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    return np.asarray(found.reshape(len(table.games), len(table.models)), np.float64)


def reference_margins(table: SlotTable, player: str) -> Reference:
    """Margins against `player`, such as a solver's policy. Raises UsageError if it is not in the table."""
    code = int(codes(table.models, [player], "player")[0])
    game, low, high, mean, slots = _groups(table)
    mine = (low == code) | (high == code)
    other = np.where(low == code, high, low)[mine]
    margin = np.where(low == code, -mean, mean)[mine]
    shape = (len(table.games), len(table.models))
    cell, size = game[mine] * len(table.models) + other, shape[0] * shape[1]
    groups = np.bincount(cell, minlength=size)
    centre = np.bincount(cell, weights=margin, minlength=size) / np.maximum(groups, 1)
    squares = np.bincount(cell, weights=(margin - centre[cell]) ** 2, minlength=size)
    error = np.sqrt(squares / np.maximum(groups - 1, 1) / np.maximum(groups, 1))
    kept = [i for i in range(len(table.models)) if i != code]
    played = np.bincount(cell, weights=slots[mine], minlength=size)

    def shaped(values: Floats | Integers) -> Floats:
        return np.asarray(values.reshape(shape)[:, kept], np.float64)

    means = shaped(np.where(groups > 0, centre, np.nan))
    met = np.isfinite(means)
    average = np.where(met, means, 0.0).sum(axis=0) / np.where(met.any(axis=0), met.sum(axis=0), np.nan)
    return Reference(
        models=tuple(table.models[i] for i in kept),
        mean=means,
        error=shaped(np.where(groups > 1, error, np.nan)),
        groups=shaped(groups.astype(np.int64)).astype(np.int64),
        slots=shaped(played).astype(np.int64),
        average=average,
    )


def _groups(table: SlotTable) -> tuple[Integers, Integers, Integers, Floats, Integers]:
    """Game, low, high, low's mean margin and rows of every group."""
    first = np.unique(table.cluster, return_index=True)[1]
    toward_low = np.where(table.alice < table.bob, table.margin, -table.margin)
    weight = np.bincount(table.cluster, weights=table.weight)
    mean = np.bincount(table.cluster, weights=toward_low * table.weight) / weight
    return table.game[first], table.low[first], table.high[first], mean, np.bincount(table.cluster).astype(np.int64)
