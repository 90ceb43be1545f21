"""A second play of some of a pool's games: how reliable its scores are, and how stable a selection is.

    scores/TIER/VERSION/again/START-STOP.parquet    the scores of up to 100 games of the pool by a second play

The first play of a game is the one that the pool's scores are from; the second has another seed.

How many selected games another play would select again is simulated from the games that were played twice. Of the fifty
games of `antemill run` the simulation says 15; three real further plays selected 16, 17 and 14 of them again.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from msgspec import Struct

from antemill.axes.reliability import Reliability, reliability
from antemill.axes.select import farthest_points
from antemill.axes.table import AXES
from antemill.engine.execute import Job
from antemill.engine.storage.places import Place
from antemill.engine.storage.store import table
from antemill.tournament.pool import select
from antemill.tournament.pool.damage import explained
from antemill.tournament.pool.grid import named
from antemill.tournament.pool.jobs import perform
from antemill.tournament.pool.layout import AGAIN, Pool
from antemill.tournament.pool.schemas import SCORES
from antemill.tournament.pool.work import Order, play_again

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
SAMPLE = 100  # games that are played twice
_NEAR = 10  # played games from whose differences a game's own is drawn
_DRAWS = 20  # simulated plays


class Retest(Struct, frozen=True, eq=False):
    """Two plays of some games. first, second: float64[games, axes], in the order of `AXES`."""

    first: Floats
    second: Floats

    def reliabilities(self) -> dict[str, Reliability]:
        """By axis."""
        return {axis: reliability(self.first[:, i], self.second[:, i]) for i, axis in enumerate(AXES)}


def write_retest(order: Order, workers: int | None, executor: str) -> None:
    """Play some games of a scored pool once more."""
    pool, seeds = order.pool, np.zeros(0, np.int64)
    for cell in pool.cells:
        seeds = np.append(seeds, pool.games(cell, ["seed"])["seed"].to_numpy())
    sample = seeds[np.unique(np.linspace(0, len(seeds) - 1, min(SAMPLE, len(seeds))).round().astype(np.int64))]
    jobs = []
    for cell in pool.cells:
        own = sample[(sample >= cell.start) & (sample < cell.stop)].tolist()
        if own:
            jobs.append(Job(f"the second play of games of {cell}", cell.start, play_again, (order, cell, own)))
    rows = [row for _, found in perform(jobs, workers, executor) for row in found] if jobs else []
    rows.sort(key=lambda row: int(row["seed"]))
    pool.write(f"{order.target}/{AGAIN}", pool.span, SCORES, table(SCORES, rows))


def read_retest(pool: Pool, tier: str, points: select.Points) -> Retest | None:
    """Two plays of some of the pool's games; None if there are none of the scores that are read."""
    folder = f"scores/{tier}/{pool.scored_by(tier)}/{AGAIN}"
    if pool.span not in named(pool.folder.names(folder)):
        return None
    again = pool.read(folder, pool.span, SCORES, ["seed", *AXES])
    if not again.num_rows:
        return None
    rows = np.searchsorted(points.seeds, again["seed"].to_numpy())
    return Retest(points.values[rows], np.column_stack([again[axis].to_numpy() for axis in AXES]))


def survivors(points: select.Points, able: Rows, chosen: Rows, pinned: Sequence[int], retest: Retest) -> float:
    """How many of the chosen games another play would choose again, on average.

    Another play is simulated: a game's axes change by the difference between both plays of one of the ten retested
    games whose state space is nearest to its own. able: rows that may be chosen.
    """
    first, second = retest.first, retest.second
    changes, size = second - first, list(AXES).index("state_space")
    near = min(_NEAR, len(first))
    values, seeds = points.values[able], points.seeds[able]
    order = np.argsort(first[:, size], kind="stable")
    place = np.searchsorted(first[order, size], values[:, size]) - near // 2
    place = np.clip(place, 0, len(first) - near)
    begin = [int(np.flatnonzero(seeds == seed)[0]) for seed in pinned]
    random, found, before = np.random.default_rng(1), [], set(chosen.tolist())
    for _ in range(_DRAWS):
        donors = order[place + random.integers(near, size=len(values))]
        signs = random.choice((-1.0, 1.0), size=(len(values), 1))
        again = able[farthest_points(values + signs * changes[donors], len(chosen), seeds, begin)]
        found.append(len(before & set(again.tolist())))
    return float(np.mean(found))


def survivors_of(pool: Pool, tier: str, points: select.Points, benchmark: pa.Table) -> float | None:
    """How many games of a benchmark another play would choose again, on average.

    points: all accepted games at the tier. benchmark: in the order of selection. None if the games were not played
    twice, or if the benchmark was chosen in another way, such as from some games alone.
    """
    retest, able = read_retest(pool, tier, points), np.arange(len(points.seeds))
    if retest is None or not 0 < benchmark.num_rows <= len(able) or not np.isfinite(points.values).all():
        return None
    chosen = farthest_points(points.values, benchmark.num_rows, points.seeds, [])
    if points.seeds[chosen].tolist() != benchmark["seed"].to_pylist():
        return None
    return survivors(points, able, chosen, (), retest)


class Selected(Struct, frozen=True, eq=False):
    """A benchmark. survivors: how many of its games another such selection would choose again, on average; None if the
    pool's games were not played twice.
    """

    benchmark: pa.Table
    survivors: float | None


def select_from_plays(
    folder: str | os.PathLike[str] | Place,
    count: int = 50,
    tier: str = "fast",
    limits: select.Limits | None = None,
) -> Selected:
    """As `select_games`, with what the second play says of the selection."""
    with explained(folder):
        pool, points = select.points_to_select(folder, count, tier)
        limits = limits or select.Limits()
        able = select.eligible(pool, tier, points, limits)
        chosen = select.chosen_of(points, able, count, limits.pinned)
        retest = read_retest(pool, tier, points)
        again = None if retest is None else survivors(points, able, chosen, limits.pinned, retest)
        return Selected(select.benchmark_of(pool, points, chosen), again)
