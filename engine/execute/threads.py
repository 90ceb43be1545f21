"""The executors without processes: `Serial` and `threads`.

Neither of them can stop a job: one that is cancelled ends at its next `checkpoint`. A job that kills its process kills
the program. Use threads for jobs that spend their time in kernels without the GIL, and serial for debugging: it runs a
job on the caller's own stack.
"""

import threading
from concurrent.futures import Future
from typing import Any, TypeVar

from antemill.engine.execute.job import Job, Outcome, perform
from antemill.engine.execute.pool import LanePool

T = TypeVar("T")


class Serial:
    """Performs each job at its submission, on the calling thread."""

    window = 1

    def submit(self, job: Job[T]) -> Future[Outcome[T]]:
        future: Future[Outcome[T]] = Future()
        future.set_result(perform(job))
        return future

    def cancel(self, future: Future[Any]) -> None:
        """Nothing to do: all submitted jobs are finished."""

    def close(self) -> None:
        """Nothing to release."""


class _ThreadLane:
    """A lane that performs jobs in its own thread."""

    def __init__(self) -> None:
        self._cancelled = threading.Event()

    def perform(self, job: Job[T]) -> Outcome[T]:
        return perform(job, self._cancelled)

    def interrupt(self) -> None:
        self._cancelled.set()

    def reset(self) -> None:
        self._cancelled.clear()

    def close(self) -> None:
        pass


def threads(workers: int) -> LanePool:
    """An executor of threads in this process."""
    return LanePool(_ThreadLane, workers)
