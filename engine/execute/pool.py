"""What every executor offers (`Executor`), and the pool of lanes that those of one machine are made of.

A lane is one worker together with the thread that drives it. It performs one job at a time: in the thread itself or in
a worker process. The pool gives the job that has waited longest to the next lane that is free. The threads are daemons,
so that a job which cannot be stopped does not keep the program from ending.
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
AHEAD = 4  # jobs that may be running, waiting or finished but not yet taken, per worker
GRACE = 2.0  # seconds that `close` waits for a job that can only be asked to stop


@dataclass(frozen=True, slots=True)
class Setup:
    """What is done once before jobs, so that none of them has to wait for it.

    preload: modules that workers import, heavy ones above all. warm: called on every machine that has workers, before
    any of its jobs; there it may be called by several processes at a time. It must be importable, as a job's function.
    """

    preload: tuple[str, ...] = ()
    warm: Callable[[], object] | None = None


NO_SETUP = Setup()


class Executor(Protocol):
    """Performs jobs. Their results depend neither on which executor it is nor on how many workers it has.

    Every executor keeps this contract (`tests/engine/execute/test_execute.py` holds all of them to it):

    - A job that is submitted gets one outcome, even if it fails or dies. It raises nothing, and no other job notices.
    - A job begins when a worker is free, jobs that wait in the order of submission.
    - Jobs may be performed more than once (a cluster does so when it loses a node), never after their outcome is known.
    - A file, or another result that a job leaves outside of its outcome, is complete or absent.
    - Limits: processes and ray enforce them from outside, serial and threads at the job's next `checkpoint`.
    - After `close` nothing is left: no process, no thread that could be stopped, no future without an outcome.
    - Methods are called by one thread, that of the program; signals are its own, workers never see a Ctrl-C.

    | executor | a worker is | use it for |
    |---|---|---|
    | serial | the caller | debugging; what is not worth a process |
    | threads | a thread | kernels that release the GIL |
    | processes | a process of this machine | everything else here |
    | ray | an actor of a Ray cluster | several machines |
    """

    @property
    def window(self) -> int:
        """How many jobs `run` should hand over before it takes the outcome of the first one."""

    def submit(self, job: Job[T]) -> Future[Outcome[T]]:
        """Accept a job. Its future gives an outcome for a failed job, too; it raises only if no worker can be had.

        Only the executor ends the future: its own `cancel`, which asyncio calls when a waiting task ends, does nothing.
        """

    def cancel(self, future: Future[Any]) -> None:
        """End the job of this future soon, with the status "cancelled". A job that is finished stays as it is."""

    def close(self) -> None:
        """Cancel everything and release the workers. A later `submit` starts new ones."""


class Lane(Protocol):
    """One worker, as its thread in the pool sees it."""

    def perform(self, job: Job[T]) -> Outcome[T]:
        """Run a job to its end. Raises ExecutionError if no worker can be had."""

    def interrupt(self) -> None:
        """Make the `perform` that is running return soon, with the status "cancelled". Another thread calls this."""

    def reset(self) -> None:
        """Become ready for the next job after an interrupt."""

    def close(self) -> None:
        """Release the worker."""


class LanePool:
    """An executor of `workers` lanes, started when jobs come in. A context manager, good for any number of runs."""

    def __init__(self, make_lane: Callable[[], Lane], workers: int) -> None:
        self.workers = workers
        self._make_lane = make_lane
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
        """The job of this future, which the lane's thread begins; None if it was cancelled while it waited."""
        with self._lock:
            job = self._waiting.pop(future, None)
            if job is not None:
                self._running[future] = lane
            return job

    def release(self, future: Future[Any]) -> None:
        """Note that the lane's thread is done with this job, so that the lane is not interrupted because of it."""
        with self._lock:
            del self._running[future]

    def lane(self) -> Lane:
        """Make a lane for a new thread."""
        return self._make_lane()

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
    """Perform jobs one after the other, until None comes instead of one. This is what a lane's thread runs."""
    # Processes started from here inherit the mask: Ctrl-C is for the main thread, which then stops them.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    lane = pool.lane()
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
