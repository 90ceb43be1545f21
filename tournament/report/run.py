"""The report of what `antemill run` made, from its files, and again whenever one of them is newer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from antemill.engine.storage.files import write_text
from antemill.tournament.pool.layout import BENCHMARK, NAME
from antemill.tournament.pool.select import read_benchmark
from antemill.tournament.pool.stats import PoolReport, examine_pool
from antemill.tournament.report.games import Texts
from antemill.tournament.report.pool import pool_report
from antemill.tournament.solving.table import solved_beside

REPORT = "report.html"


def page_of_run(pool: PoolReport, benchmark: pa.Table | None, path: Path, texts: Sequence[Texts] | None = None) -> str:
    """The page of a pool and of the benchmark (None if there is none) at a path, with what was solved beside it.

    texts: as of `pool_report`.
    """
    return pool_report(pool, benchmark, solved_beside(path) if benchmark is not None else None, texts)


def report_of(folder: Path) -> str:
    """The page of a finished run, from its files alone. Raises StorageError or UsageError."""
    path = folder / BENCHMARK
    return page_of_run(examine_pool(folder), read_benchmark(path) if path.exists() else None, path)


def refresh_report(benchmark: Path) -> Path | None:
    """Write the report beside a benchmark of `antemill run` again, with the solved games; None if there is none."""
    folder = benchmark.parent
    report = folder / REPORT
    if not (folder / NAME).exists() or not report.exists():
        return None
    write_text(report, page_of_run(examine_pool(folder), read_benchmark(benchmark), benchmark))
    return report
