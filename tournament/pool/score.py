"""`pool score`: cells of games in, cells of scores out; the generator is never run.

    scores/TIER/VERSION/START-STOP.parquet

VERSION is that of all axes at the tier (`antemill.axes.exact.scores.version_of`). Scores of other versions stay, so
that versions can be compared. Values of an unchanged axis are copied from them: after a change of one axis only that
one is computed. The versions of the axes are in the metadata of each file.
"""

from __future__ import annotations

import os

from msgspec import Struct

from antemill.axes.exact.scores import version_of
from antemill.engine.execute import Job, progress_bar
from antemill.engine.storage.places import Place
from antemill.tournament.pool.damage import explained
from antemill.tournament.pool.grid import named
from antemill.tournament.pool.jobs import perform, require_workers
from antemill.tournament.pool.layout import AGAIN, complete_pool
from antemill.tournament.pool.lock import swept, working
from antemill.tournament.pool.retest import write_retest
from antemill.tournament.pool.select import require_tier
from antemill.tournament.pool.versions import packages
from antemill.tournament.pool.work import Order, score_cell


class Scored(Struct, frozen=True):
    """What `score_pool` did: games that have scores now, and how many of them this call played."""

    games: int
    scored: int
    tier: str


def score_pool(
    folder: str | os.PathLike[str] | Place,
    tier: str = "fast",
    workers: int | None = None,
    executor: str = "local",
    quiet: bool = False,
) -> Scored:
    """Score the pool's accepted games at a tier where that was not done yet.

    Raises UsageError for an unknown tier, StorageError for an unfinished or damaged pool, and if another process works
    on it, ExecutionError if a worker died; finished cells stay.
    """
    require_workers(workers, executor)
    require_tier(tier)
    with working(folder), explained(folder):
        pool = complete_pool(folder)
        older = tuple(version for version in pool.folder.folders(f"scores/{tier}") if version != version_of(tier))
        order = Order(pool, packages(), tier, version_of(tier), older)
        there = {*named(pool.folder.names(order.target))}
        missing = [cell for cell in pool.cells if cell not in there]
        total, scored = pool.span.size, 0
        with swept(pool.folder, order.target), progress_bar(f"{tier} scores", total, quiet) as bar:
            done = total - sum(cell.size for cell in missing)
            jobs = (Job(cell, cell.start, score_cell, (cell.stop, order)) for cell in missing)
            for cell, count in perform(jobs, workers, executor) if missing else ():
                scored += count
                bar(done := done + cell.size, total)
        if missing or pool.span not in named(pool.folder.names(f"{order.target}/{AGAIN}")):
            write_retest(order, workers, executor)
        return Scored(sum(pool.games(cell, ["seed"]).num_rows for cell in pool.cells), scored, tier)
