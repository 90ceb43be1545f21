"""Players whose mean may depend on a few large pots: no interval holds for them.

If one match in fifty decides a mean, the few such matches that were played estimate it. If none was played, the
interval is about the other matches and does not hold the mean. No method sees pots that were not played, so the tables
name the players who have few of them.
"""

from __future__ import annotations

import numpy as np

from antemill.tournament.statistics.cells import cluster_sums
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.matches import SlotTable

FEWEST = 15.0  # runs that a player's noise comes from, below which an interval may fail
SHARE = 1.0 / 12.0  # of its runs; a third where margins are normal
NAMED = 10  # players whom the sentence names at most


def rare_pots(table: SlotTable, level: Floats | None = None) -> tuple[str, ...]:
    """The players whose noise comes from a few of their runs: (sum of squares)² over the sum of fourth powers.

    level: float64[models], strengths from which a run's expected margin follows; without, that is the mean of the pair
    on the game, which takes pairs that met there more than once.
    """
    runs, effective = _effective(table, level, by_game=False)
    few = (effective < FEWEST) & (effective < SHARE * runs)
    return tuple(name for name, there in zip(table.models, few, strict=True) if there)


def _effective(table: SlotTable, level: Floats | None, by_game: bool) -> tuple[Floats, Floats]:
    """float64[models] or float64[games] twice: the runs, and from how many of them the noise comes."""
    sums, starts = cluster_sums(table)
    cell = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, table.clusters)))
    count, total = (np.add.reduceat(values, starts) for values in (sums.count, sums.total))
    expected = total / count if level is None else level[sums.low] - level[sums.high]
    square = (sums.total / sums.count - expected[cell]) ** 2
    size, times = (len(table.games), 1) if by_game else (len(table.models), 2)
    group = sums.game[cell] if by_game else np.concatenate((sums.low[cell], sums.high[cell]))
    runs, squares, fourth = (
        np.bincount(group, np.tile(values, times), size) for values in (np.ones(len(cell)), square, square**2)
    )
    return runs.astype(np.float64), np.divide(squares**2, fourth, out=np.full(size, np.inf), where=fourth > 0.0)


def freedom(table: SlotTable) -> Floats:
    """float64[games]: degrees of freedom of an estimate of a game's noise; its runs, if that is normal.

    A variance from n runs of kurtosis k varies as one of 2n / (k - 1) normal ones; here k is that of the runs.
    """
    runs, effective = _effective(table, None, by_game=True)
    less = np.divide(1.0, effective, out=np.zeros(len(runs)), where=effective > 0.0) - 1.0 / np.maximum(runs, 1.0)
    return np.asarray(np.divide(2.0, less, out=np.full(len(runs), np.inf), where=less > 0.0), np.float64)


def sentence(players: tuple[str, ...]) -> str:
    """A sentence about them; "" if there is none."""
    if not players:
        return ""
    named, more = ", ".join(players[:NAMED]), len(players) - NAMED
    return (
        f"A few large pots decide the mean of {named}{f' and {more} more' if more > 0 else ''}: where such pots go to "
        "one side, intervals hold far less often than 95%."
    )


def warning(players: tuple[str, ...]) -> str:
    """`sentence`, as a table says it."""
    return f"**{sentence(players)}**" if players else ""
