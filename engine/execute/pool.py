"""The contract of every executor (`Executor`), and the pool of lanes of the executors of one machine.

A lane is one worker together with the thread that drives it. It performs one job at a time, in the thread itself or in
a worker process. The pool gives the job that has waited longest to the next free lane. The threads are daemons, so that
a job that cannot be stopped does not keep the program from ending.
"""

import atexit
import os
import queue
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeVar

from antemill.engine.execute.job import Job, Outcome, stopped

T = TypeVar("T")
AHEAD = 4  # jobs per worker that may be running, waiting, or finished but not yet taken
GRACE = 2.0  # seconds that `close` waits for a job that can only be asked to stop


@dataclass(frozen=True, slots=True)
class Setup:
    """Preparations before jobs, so that no job has to wait for them.

    preload: modules that workers import, especially large ones. warm: a function that is called on every machine with
    workers before its jobs, perhaps by several processes at a time. It must be importable, like a job's function.
    """

    preload: tuple[str, ...] = ()
    warm: Callable[[], object] | None = None


NO_SETUP = Setup()


class Executor(Protocol):
    """Performs jobs. Results depend neither on the kind of executor nor on its number of workers.

    Every executor keeps this contract (`tests/engine/execute/test_execute.py` tests all of them):

    - A submitted job gets one outcome, even if it fails or dies. It raises nothing and does not disturb other jobs.
    - A job begins when a worker is free; waiting jobs begin in the order of submission.
    - Jobs may be performed more than once (a cluster does so when it loses a node), never after their outcome is known.
    - A file, or another result that a job leaves outside of its outcome, is complete or absent.
    - After `close` nothing is left: no process, no thread that could be stopped, no future without an outcome.
    - One thread of the program calls the methods. Signals are for the program; workers never see a Ctrl-C.

    | executor | a worker is | use it for |
    |---|---|---|
    | serial | the caller | debugging, and small work |
    | threads | a thread | kernels that release the GIL |
    | processes | a process of this machine | everything else here |
    | ray | an actor of a Ray cluster | several machines |
    """

    @property
    def window(self) -> int:
        """The number of jobs that `run` submits before it takes the outcome of the first one."""

    def submit(self, job: Job[T]) -> Future[Outcome[T]]:
        """Accept a job. Its future gives an outcome for a failed job, too; it raises only if no worker can be started.

        Only the executor ends the future: its own `cancel`, which asyncio calls when a waiting task ends, does nothing.
        """

    def cancel(self, future: Future[Any]) -> None:
        """End the job of this future soon, with the status "cancelled". A finished job does not change."""

    def close(self) -> None:
        """Cancel all jobs and release the workers. A later `submit` starts new ones."""


class Lane(Protocol):
    """One worker, as its thread in the pool sees it."""

    def perform(self, job: Job[T]) -> Outcome[T]:
        """Run a job to its end. Raises ExecutionError if no worker can be started."""

    def interrupt(self) -> None:
        """Make a running `perform` return soon, with the status "cancelled". Another thread calls this."""

    def reset(self) -> None:
        """Become ready for the next job after an interrupt."""

    def close(self) -> None:
        """Release the worker."""


class LanePool:
    """An executor of `workers` lanes, which start when jobs come in. A context manager, for any number of runs."""

    def __init__(self, make_lane: Callable[[], Lane], workers: int) -> None:
        self.workers = workers
        self.make_lane = make_lane  # for a new thread
        self._lock = threading.Lock()
        self._waiting: dict[Future[Any], Job[Any]] = {}
        self._running: dict[Future[Any], Lane] = {}
        self._inbox: queue.SimpleQueue[Future[Any] | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []

    @property
    def window(self) -> int:
        return AHEAD * self.workers

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def submit(self, job: Job[T]) -> Future[Outcome[T]]:
        future: Future[Outcome[T]] = Future()
        future.set_running_or_notify_cancel()
        with self._lock:
            self._waiting[future] = job
            busy = len(self._waiting) + len(self._running)
        self._inbox.put(future)
        if len(self._threads) < min(busy, self.workers):
            self._start_thread()
        return future

    def _start_thread(self) -> None:
        if not self._threads:
            atexit.register(self.close)
        thread = threading.Thread(target=_drive, args=(self, self._inbox), name="lane", daemon=True)
        self._threads.append(thread)
        thread.start()

    def take(self, future: Future[Any], lane: Lane) -> Job[Any] | None:
        """The job of this future, for the lane's thread to begin; None if it was cancelled while it waited."""
        with self._lock:
            job = self._waiting.pop(future, None)
            if job is not None:
                self._running[future] = lane
            return job

    def release(self, future: Future[Any]) -> None:
        """Record that the lane's thread has finished this job, so that cancelling it does not interrupt the lane."""
        with self._lock:
            del self._running[future]

    def cancel(self, future: Future[Any]) -> None:
        with self._lock:
            job = self._waiting.pop(future, None)
            if future in self._running:
                self._running[future].interrupt()
        if job is not None:
            future.set_result(stopped(job, "cancelled", 0.0))

    def close(self) -> None:
        with self._lock:
            futures = [*self._waiting, *self._running]
        for future in futures:
            self.cancel(future)
        for _ in self._threads:
            self._inbox.put(None)
        end = time.monotonic() + GRACE
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))
        self._threads = []
        self._inbox = queue.SimpleQueue()
        atexit.unregister(self.close)


def _drive(pool: LanePool, inbox: queue.SimpleQueue[Future[Any] | None]) -> None:
    """The main function of a lane's thread: performs jobs in turn until it receives None."""
    # Processes started by this thread inherit the mask: Ctrl-C is for the main thread, which then stops them.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    lane = pool.make_lane()
    try:
        while (future := inbox.get()) is not None:
            job = pool.take(future, lane)
            if job is not None:
                _perform(pool, lane, future, job)
    finally:
        lane.close()


def _perform(pool: LanePool, lane: Lane, future: Future[Any], job: Job[Any]) -> None:
    """Perform one job, and pass its outcome to its future once the lane is ready for the next one."""
    outcome: Outcome[Any] | None = None
    error: BaseException | None = None
    try:
        outcome = lane.perform(job)
    except BaseException as raised:
        error = raised
    pool.release(future)
    lane.reset()
    if error is None:
        future.set_result(outcome)
    else:
        future.set_exception(error)


def default_workers() -> int:
    """The number of processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # macOS has none
    return (len(affinity(0)) if affinity else os.cpu_count()) or 1
