"""The executors without processes: `Serial` and `threads`.

Neither can stop a job: a time limit is noticed at the job's next `checkpoint` (or when the job returns, and then too
it is a "timeout"), and memory is not capped. A job that dies takes the program along. Use threads for jobs that spend
their time in nogil kernels; use serial to debug, because it runs the job on the caller's own stack.
"""

import threading
from concurrent.futures import Future
from typing import Any, TypeVar

from engine.execute.job import Job, Outcome, perform
from engine.execute.pool import LanePool

T = TypeVar("T")


class Serial:
    """Performs each job at its submission, on the calling thread."""

    window = 1

    def submit(self, job: Job[T]) -> Future[Outcome[T]]:
        future: Future[Outcome[T]] = Future()
        future.set_result(perform(job))
        return future

    def cancel(self, future: Future[Any]) -> None:
        """Nothing to do: what was submitted is finished."""

    def close(self) -> None:
        """Nothing to release."""


class _ThreadLane:
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
