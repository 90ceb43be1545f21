"""The paper's bootstrap, for its own tables: whole units are drawn again by multinomial weights (GENSTRAT section 5).

Resampling n units n times with replacement is the same as giving each a multinomial weight. The estimators need rows
only through sums by game and pair, so a replicate is a weighted sum of the units' sums, and the estimators run once, on
arrays with a leading axis of replicates. The unit is the four-tuple (game, pair, run), whose matches share their cards,
or a given cluster. Replicate b is the same for every number of replicates.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from antemill.engine.errors import UsageError
from antemill.tournament.statistics.cells import Cells, unit_sums
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.matches import SlotTable

REPLICATES = 2000  # B of the leaderboard and of the ablation
MOST = 1_000_000  # that can be asked for
FEWER = 500  # B of tertiles, pairs and strengths by game
_BLOCK = 1 << 17  # weights at a time: they stay in the processor's cache


def check_replicates(count: int) -> None:
    """Raises UsageError if there are too few replicates for a spread."""
    if count < 2:
        raise UsageError(f"a bootstrap needs 2 or more replicates, not {count}: raise the number.")


def cluster_bootstrap(table: SlotTable, replicates: int = REPLICATES, seed: int = 0) -> Cells:
    """The cells with sums float64[replicates, cells] of resampled units."""
    parts = unit_sums(table)
    drawn = parts.sums.map(lambda _: np.empty((replicates, len(parts.starts))))
    names = ("count", "total", "seats", "squares")
    for rows, weights in weight_blocks(table.units, replicates, seed):
        each = weights[:, parts.unit]
        for name in names:
            getattr(drawn, name)[rows] = np.add.reduceat(each * getattr(parts.sums, name), parts.starts, axis=1)
    return drawn


def multinomial_weights(units: int, replicates: int, seed: int = 0) -> Floats:
    """float64[replicates, units]: how often each unit is drawn; every row sums to `units`."""
    return np.concatenate([block for _, block in weight_blocks(units, replicates, seed)])


def weight_blocks(units: int, replicates: int, seed: int = 0) -> Iterator[tuple[slice, Floats]]:
    """The weights a few replicates at a time: (which rows, float64[rows, units])."""
    if units < 1 or replicates < 1:
        raise ValueError(f"a bootstrap needs units and replicates, not {units} and {replicates}")
    random, size = np.random.default_rng(seed), max(1, _BLOCK // units)
    for row in range(0, replicates, size):
        count = min(size, replicates - row)
        drawn = random.integers(units, size=(count, units)) + np.arange(count)[:, None] * units
        weights = np.bincount(drawn.ravel(), minlength=count * units).reshape(count, units)
        yield slice(row, row + count), weights.astype(np.float64)
