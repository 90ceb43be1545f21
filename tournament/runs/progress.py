"""A bar on stderr for people: items, dollars, fallbacks, time-outs, time left."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tournament.runs.item import Record
from tournament.runs.runner import Report
from tournament.runs.store import Counts


@contextmanager
def run_bar(name: str, counts: Counts, total: int | None, quiet: bool = False) -> Iterator[Report | None]:
    """What a runner reports to; None if stderr is no terminal, or if quiet. counts: from earlier sessions."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[what]}")]
    sums: list[float] = [counts.done + counts.discarded, counts.cost, counts.fallbacks, counts.timeouts]
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name, total=total, completed=int(sums[0]), what=_text(sums))

        def report(record: Record | None, total: int | None) -> None:
            if record is not None:
                for i, value in enumerate((1, record.cost, record.fallbacks, record.timeouts)):
                    sums[i] += value
            bar.update(task, completed=sums[0], total=total, what=_text(sums))

        yield report


def _text(sums: list[float]) -> str:
    return f"${sums[1]:.4g}  {sums[2]:.0f} fallbacks  {sums[3]:.0f} time-outs"
