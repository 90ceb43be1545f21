"""The report of a run whose benchmark was solved, made anew."""

from __future__ import annotations

from pathlib import Path

from engine.storage.files import write_text
from tournament.pool.layout import NAME
from tournament.pool.select import read_benchmark
from tournament.pool.stats import examine_pool
from tournament.report import pool_report
from tournament.solving.table import solved_beside

REPORT = "report.html"


def refresh_report(benchmark: Path) -> Path | None:
    """Write the report beside a benchmark of `antemill run` again, with the solved games; None if there is none."""
    folder = benchmark.parent
    report = folder / REPORT
    if not (folder / NAME).exists() or not report.exists():
        return None
    write_text(report, pool_report(examine_pool(folder), read_benchmark(benchmark), solved_beside(benchmark)))
    return report
