"""Progress: a bar on stderr for people, nothing for scripts."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Progress(Protocol):
    """What `run` reports to."""

    def __call__(self, finished: int, total: int | None, /) -> None:
        """`finished` of `total` jobs are done; total is None if nobody knows."""


def silent(finished: int, total: int | None) -> None:
    """Report nothing."""


@contextmanager
def progress_bar(description: str, total: int | None = None, quiet: bool = False) -> Iterator[Progress]:
    """A bar with the estimated time left, on stderr and only if that is a terminal; otherwise, or if quiet, nothing.

    `total` stands in where `run` knows none.
    """
    if quiet or not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()]
    with Bar(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(description, total=total)

        def update(finished: int, jobs: int | None) -> None:
            bar.update(task, completed=finished, total=total if jobs is None else jobs)

        yield update
