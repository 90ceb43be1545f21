"""Progress: a bar on stderr for people, nothing for scripts."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import ProgressColumn


class Progress(Protocol):
    """The function that `run` calls after each job."""

    def __call__(self, finished: int, total: int | None, /) -> None:
        """Report that `finished` of `total` jobs are done; total is None if their number is unknown."""


def silent(finished: int, total: int | None) -> None:
    """Report nothing."""


def is_watched(quiet: bool) -> bool:
    """Whether progress is shown: stderr is a terminal, and the user did not ask for quiet."""
    return not quiet and sys.stderr.isatty()


def terminal_bar(*columns: ProgressColumn, transient: bool = False) -> Bar:
    """A bar on stderr: description, bar, these columns, estimated time left. transient: it is erased at the end."""
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    every = (TextColumn("{task.description}"), BarColumn(), *columns, TimeRemainingColumn())
    return Bar(*every, console=Console(stderr=True), transient=transient)


@contextmanager
def progress_bar(description: str, total: int | None = None, quiet: bool = False) -> Iterator[Progress]:
    """A bar with the estimated time left, on stderr if that is a terminal and the user did not ask for quiet.

    total: the number of jobs, used if `run` does not know it.
    """
    if not is_watched(quiet):
        yield silent
        return
    from rich.progress import MofNCompleteColumn, TimeElapsedColumn

    with terminal_bar(MofNCompleteColumn(), TimeElapsedColumn(), transient=True) as bar:
        task = bar.add_task(description, total=total)

        def update(finished: int, jobs: int | None) -> None:
            bar.update(task, completed=finished, total=total if jobs is None else jobs)

        yield update
