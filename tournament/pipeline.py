"""`antemill run`: GENSTRAT's pipeline from candidate seeds to a benchmark and its report, resumable at every stage.

seeds -> pool of games -> fast scores -> selection -> precise scores of the selected -> report.html

The paper selects by fast scores. With the tier "exact" the pool is scored and the games are selected at that one.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from msgspec import Struct

from antemill.engine.builder.caps import BENCHMARK_CAPS, Caps
from antemill.engine.errors import UsageError
from antemill.engine.storage.files import sweep, write_text
from antemill.engine.storage.places import place
from antemill.tournament.pool.build import Built, build_pool
from antemill.tournament.pool.jobs import perform, require_workers
from antemill.tournament.pool.layout import BENCHMARK
from antemill.tournament.pool.lock import working
from antemill.tournament.pool.precise import score_benchmark
from antemill.tournament.pool.retest import select_from_plays
from antemill.tournament.pool.score import score_pool
from antemill.tournament.pool.select import require_tier
from antemill.tournament.pool.stats import PoolReport, examine_pool
from antemill.tournament.report.game_texts import jobs_of_texts
from antemill.tournament.report.pool import REPORT, page_of_run


class Finished(Struct, frozen=True, eq=False):
    """What a run made. benchmark and its path are None if no candidate was accepted. survivors: how many of its games
    another play would select again; None if that is not known.
    """

    built: Built
    pool: PoolReport
    benchmark: pa.Table | None
    benchmark_path: Path | None
    report_path: Path
    survivors: float | None


def run_pipeline(
    folder: Path,
    seeds: tuple[int, int],
    count: int = 50,
    workers: int | None = None,
    quiet: bool = False,
    tier: str = "fast",
    complexity: tuple[float, float] | None = None,
    caps: Caps = BENCHMARK_CAPS,
) -> Finished:
    """Run what is not done yet. The files depend on all arguments but `workers`.

    tier: to select by. complexity, caps: as of `build_pool`.

    Raises UsageError for an unknown tier, StorageError if the folder holds another pool or damaged files, or if another
    process works there, ExecutionError if a worker died.
    """
    if count < 1:
        raise UsageError(f"cannot select {count} games: the count must be at least 1.")
    require_workers(workers, "local")
    require_tier(tier)
    place(folder).make()
    with working(folder):
        return _run(folder, seeds, count, workers, quiet, tier, complexity, caps)


def _run(
    folder: Path,
    seeds: tuple[int, int],
    count: int,
    workers: int | None,
    quiet: bool,
    tier: str,
    complexity: tuple[float, float] | None,
    caps: Caps,
) -> Finished:
    """Run what is not done yet; no other process works in the folder."""
    path = folder / BENCHMARK
    benchmark, texts, survivors = None, None, None
    new = not (folder / REPORT).exists()
    built = build_pool(folder, seeds, complexity, workers, quiet=quiet, caps=caps)
    score_pool(folder, tier, workers, quiet=quiet)
    if built.accepted:
        selected = select_from_plays(folder, count, tier)
        survivors = selected.survivors
        benchmark = score_benchmark(path, selected.benchmark, workers, quiet)
        if new:
            texts = [text for _, text in perform(jobs_of_texts(benchmark), workers)]
    pool = examine_pool(folder, tier)
    sweep(folder)
    write_text(folder / REPORT, page_of_run(pool, benchmark, path, texts))
    return Finished(built, pool, benchmark, path if built.accepted else None, folder / REPORT, survivors)
