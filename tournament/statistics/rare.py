"""Players whose margins look as if a few large pots decided their mean: no interval holds for them.

A mean that hangs on one match in fifty is estimated by the few such matches that were played. If they go to one side
and there was none, the interval is about the other matches and does not hold the mean at all; where there was one, it
is anything. No method sees pots that were not played, so the tables name the players who have few of them.
"""

from __future__ import annotations

import numpy as np

from antemill.tournament.statistics.cells import cluster_sums
from antemill.tournament.statistics.matches import SlotTable

FEWEST = 15.0  # runs that a player's noise comes from, below which an interval may fail
SHARE = 1.0 / 12.0  # of its runs; a third where margins are normal


def rare_pots(table: SlotTable) -> tuple[str, ...]:
    """The players whose noise comes from a few of their runs: (sum of squares)² over the sum of fourth powers."""
    sums, starts = cluster_sums(table)
    cell = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, table.clusters)))
    count, total = (np.add.reduceat(values, starts) for values in (sums.count, sums.total))
    square = (sums.total / sums.count - (total / count)[cell]) ** 2
    players, size = np.concatenate((sums.low[cell], sums.high[cell])), len(table.models)
    runs, squares, fourth = (
        np.bincount(players, np.tile(values, 2), size) for values in (np.ones(len(cell)), square, square**2)
    )
    effective = np.divide(squares**2, fourth, out=np.full(size, np.inf), where=fourth > 0.0)
    few = (effective < FEWEST) & (effective < SHARE * runs)
    return tuple(name for name, there in zip(table.models, few, strict=True) if there)


def warning(players: tuple[str, ...]) -> str:
    """What a table says of them; "" if there is none."""
    if not players:
        return ""
    return (
        f"**A few large pots decide the mean of {', '.join(players)}: where such pots go to one side, intervals hold "
        "far less often than 95%.**"
    )
