"""The executor of worker processes, which can be killed.

A worker that was killed, died, or ran out of memory is replaced before its lane's next job.
"""

import pickle
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from multiprocessing import current_process
from typing import Any, TypeVar

from antemill.engine.errors import ExecutionError
from antemill.engine.execute.child import LEAVING, Child
from antemill.engine.execute.job import Job, Outcome, failed, stopped
from antemill.engine.execute.pool import LanePool, default_workers
from antemill.engine.execute.worker import READY

T = TypeVar("T")
STARTING = 120.0  # seconds that a worker has to start
DYING = 0.05  # seconds for a worker that closed its connection to end by itself, so that its exit code tells the cause


def processes(workers: int, preload: tuple[str, ...] = (), afresh: bool = False) -> LanePool:
    """An executor of worker processes. preload: modules that jobs need, especially large ones.

    afresh: workers are not forked from the server of workers, for jobs that make files that the server loads.
    """
    return LanePool(partial(_ProcessLane, preload, afresh), workers)


@contextmanager
def beside(job: Job[Any]) -> Iterator[None]:
    """Perform a job in another process during this block, and end it with the block. Its outcome is not reported.

    Without a second processor, or in a worker (which may not start processes), the job is not performed.
    """
    if default_workers() == 1 or current_process().daemon:
        yield
        return
    with processes(1, afresh=True) as other:
        other.submit(job)
        yield


class _ProcessLane:
    """A lane that performs jobs in a worker process. It starts one for its first job, and after the loss of one."""

    def __init__(self, preload: tuple[str, ...], afresh: bool) -> None:
        self._preload = preload
        self._afresh = afresh
        self._lock = threading.Lock()  # guards the two below
        self._child: Child | None = None
        self._interrupted = False

    def perform(self, job: Job[T]) -> Outcome[T]:
        try:
            call = encode(job)
        except Exception as error:
            return failed(job.key, "it cannot be sent to a worker", error)
        start = time.perf_counter()
        try:
            connection = self._ready_child().connection
            connection.send_bytes(call)
            answer = connection.recv_bytes()
            start = time.perf_counter()
            if answer == READY:
                answer = connection.recv_bytes()
        except (EOFError, OSError):
            how = self._end(DYING)
            return stopped(job, "cancelled" if self._interrupted else "crashed", time.perf_counter() - start, how)
        outcome: Outcome[T] = decode(job, answer)
        if outcome.status == "memory":
            self._end(0.0)  # the worker's state is unknown
        return outcome

    def interrupt(self) -> None:
        with self._lock:
            self._interrupted = True
            if self._child is not None:
                self._child.kill()

    def reset(self) -> None:
        if self._interrupted:
            self._end(0.0)
            self._interrupted = False

    def close(self) -> None:
        self._end(LEAVING)

    def _ready_child(self) -> Child:
        """A running worker. Raises ExecutionError if none starts, EOFError if the lane is interrupted meanwhile."""
        if self._child is not None and self._child.alive():
            return self._child
        self._end(0.0)
        child = Child(self._preload, self._afresh)
        with self._lock:
            self._child = child
            if self._interrupted:
                child.kill()
        try:
            if child.connection.poll(STARTING):
                child.connection.recv_bytes()
                return child
            how = self._end(0.0) + f" after {STARTING:.0f} seconds"
        except (EOFError, OSError):
            if self._interrupted:
                raise
            how = self._end(DYING)
        raise ExecutionError(f"a worker process did not start ({how}): see above if it has printed a message.")

    def _end(self, patience: float) -> str:
        """End the worker, if there is one; returns how it ended."""
        with self._lock:
            child, self._child = self._child, None
        return "it was gone" if child is None else child.end(patience)


def encode(job: Job[Any]) -> bytes:
    """A job as bytes. Raises ExecutionError, or an error of pickle, for a job that no worker can read."""
    if getattr(job.function, "__module__", None) == "__main__":
        raise ExecutionError(f"workers do not import __main__: move {job.function.__qualname__} to another module.")
    return pickle.dumps(job, protocol=5)


def decode(job: Job[T], answer: bytes) -> Outcome[T]:
    """The outcome that a worker sent."""
    try:
        outcome: Outcome[T] = pickle.loads(answer)
    except Exception as error:
        return failed(job.key, "its result cannot be read", error)
    return replace(outcome, key=job.key)
