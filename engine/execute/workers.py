"""Threads and worker processes: `concurrent.futures` with order, a bounded window, and death with the parent.

On Linux worker processes are forked from a server that has imported the `preload` modules once (the forkserver of
multiprocessing), so that a new worker takes milliseconds and shares their memory. There is one server per program, with
the modules of the first executor. On other systems every worker is a new Python (spawn) and imports everything itself.
Workers do not import the caller's `__main__`. Each holds the end of a pipe whose other end this process holds: it kills
itself, with all that it has started, when that closes, so workers end with their executor and with this process, at
once unless a kernel holds the GIL. Ctrl-C reaches this process alone.
"""

import importlib
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Container, Generator, Hashable, Iterable, Iterator, Sized
from concurrent.futures import BrokenExecutor, CancelledError, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from multiprocessing import current_process, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerContext, SpawnContext
from types import ModuleType
from typing import Any, Self, TypeVar

from antemill.engine.errors import ExecutionError
from antemill.engine.execute.job import Job, Outcome, failed, perform
from antemill.engine.execute.progress import Progress

T = TypeVar("T")
EXECUTORS = ("serial", "threads", "processes")
AHEAD = 4  # jobs per worker that may be running, waiting, or finished but not yet taken
_DIED = "a worker process died: it was killed, crashed, could not start, or there was not enough memory."


@dataclass(frozen=True, slots=True)
class Setup:
    """Preparations before jobs, so that no job has to wait for them.

    preload: modules that workers import, especially large ones. warm: a function that is called on every machine with
    workers before its jobs. It must be importable, like a job's function.
    """

    preload: tuple[str, ...] = ()
    warm: Callable[[], object] | None = None


NO_SETUP = Setup()


class Executor:
    """Performs jobs in this thread ("serial"), in threads, or in worker processes, which start when jobs come in.

    Results depend neither on the kind nor on the number of workers. One thread of the program calls the methods. A
    context manager: after `close` no process is left; threads finish the jobs that they have begun.
    """

    def __init__(
        self, kind: str, workers: int | None = None, preload: tuple[str, ...] = (), afresh: bool = False
    ) -> None:
        """workers: by default one per processor. preload: as of `Setup`. afresh: workers are not forked from the
        server, for jobs that make files that it loads. Raises ExecutionError for an unknown kind or no workers.
        """
        if kind not in EXECUTORS:
            raise ExecutionError(f"there is no executor {kind!r}: use one of {', '.join(EXECUTORS)}.")
        if workers is not None and workers < 1:
            raise ExecutionError(f"the number of workers must be at least 1, not {workers}.")
        self._kind, self._preload, self._afresh = kind, preload, afresh
        self.workers = 1 if kind == "serial" else workers or default_workers()
        self.window = 1 if kind == "serial" else AHEAD * self.workers  # jobs that `run` submits before it takes one
        self._inner: ThreadPoolExecutor | ProcessPoolExecutor | None = None
        self._life: tuple[Connection, ...] = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def submit(self, job: Job[T]) -> "Future[Outcome[T]]":
        """Accept a job. Its future gives an outcome, or raises ExecutionError: a worker is lost, or this is closed.

        It cannot be cancelled; asyncio tries to when a waiting task ends.
        """
        future: Future[Outcome[T]] = Future()
        future.set_running_or_notify_cancel()
        if self._kind == "serial":
            future.set_result(perform(job))
        else:
            self._begun(job).add_done_callback(lambda done: _settle(job, future, done))
        return future

    def _begun(self, job: Job[T]) -> "Future[Outcome[T]]":
        if self._kind == "threads":
            self._inner = self._inner or ThreadPoolExecutor(self.workers, "worker")
            return self._inner.submit(perform, job)
        if getattr(job.function, "__module__", None) == "__main__":
            raise ExecutionError(f"workers do not import __main__: move {job.function.__qualname__} to another module.")
        with _quiet_start():
            if self._inner is None:
                self._life = multiprocessing.Pipe(duplex=False)
                context = _context(self._preload, self._afresh)
                self._inner = ProcessPoolExecutor(self.workers, context, _begin, (self._life[0], self._preload))
            try:
                return self._inner.submit(perform, job)
            except (BrokenExecutor, OSError, EOFError) as error:  # the server has died, too
                raise ExecutionError(_DIED) from error

    def close(self) -> None:
        """End processes, and all jobs that have not begun. A later `submit` starts new workers."""
        inner, self._inner = self._inner, None
        for end in self._life:
            end.close()
        if inner is not None:
            inner.shutdown(wait=self._kind == "processes", cancel_futures=True)


def _settle(job: Job[Any], future: "Future[Outcome[Any]]", done: "Future[Outcome[Any]]") -> None:
    """Pass on what became of a job."""
    error = CancelledError() if done.cancelled() else done.exception()
    if error is None:
        future.set_result(done.result())
    elif isinstance(error, BrokenExecutor | CancelledError):
        future.set_exception(ExecutionError(_DIED if isinstance(error, BrokenExecutor) else "its executor was closed."))
    else:  # its call or its result cannot be sent between processes
        future.set_result(failed(job.key, error))


def run(
    jobs: Iterable[Job[T]],
    executor: Executor | str = "processes",
    workers: int | None = None,
    *,
    done: Container[Hashable] = (),
    on_progress: Progress | None = None,
    setup: Setup = NO_SETUP,
) -> Generator[Outcome[T], None, None]:
    """Yield the outcome of every job in the order of the jobs, without those whose key is in `done`.

    `jobs` is read only as far as the executor's window reaches, so it may be endless. Closing the generator, or an
    exception inside it (KeyboardInterrupt), ends the submitted jobs; use `contextlib.closing` around a loop that may be
    left early. An executor given by name is closed at the end; one given as an object stays open for the next run.
    `on_progress(finished, total)` counts the skipped jobs as finished; total is None if `jobs` has no length. Raises
    ExecutionError if the executor cannot be used or loses a worker. A failed job does not raise: see `Outcome.unwrap`.
    """
    made = Executor(executor, workers, setup.preload) if isinstance(executor, str) else executor
    if executor == "processes" and setup.warm is not None:
        setup.warm()
    return _stream(jobs, made, done, on_progress, isinstance(executor, str))


def _stream(
    jobs: Iterable[Job[T]], executor: Executor, done: Container[Hashable], on_progress: Progress | None, ours: bool
) -> Generator[Outcome[T], None, None]:
    total, finished = len(jobs) if isinstance(jobs, Sized) else None, 0
    pending: deque[Future[Outcome[T]]] = deque()
    ended = False

    def count() -> None:
        nonlocal finished
        finished += 1
        if on_progress is not None:
            on_progress(finished, total)

    def take() -> Outcome[T]:
        outcome = pending.popleft().result()
        count()
        return outcome

    try:
        for job in jobs:
            if job.key in done:
                count()
                continue
            pending.append(executor.submit(job))
            if len(pending) >= executor.window:
                yield take()
        while pending:
            yield take()
        ended = True
    finally:
        if ours or not ended:
            executor.close()


@contextmanager
def beside(job: Job[Any]) -> Iterator[None]:
    """Perform a job in another process during this block, and end it with the block. Its outcome is not reported.

    Without a second processor, or in a worker, the job is not performed.
    """
    if default_workers() == 1 or current_process().name != "MainProcess":
        yield
        return
    with closing(Executor("processes", 1, afresh=True)) as other:
        other.submit(job)
        yield


def start_server(preload: tuple[str, ...]) -> None:
    """Start the server of workers, so that it imports its modules while this process prepares jobs.

    On systems without the server it has no effect. preload: the modules, the same as for the first executor.
    """
    if sys.platform == "linux":
        from multiprocessing.forkserver import ensure_running

        with _quiet_start():
            _context(preload, afresh=False)
            ensure_running()


def default_workers() -> int:
    """The number of processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # macOS has none
    return (len(affinity(0)) if affinity else os.cpu_count()) or 1


def _context(preload: tuple[str, ...], afresh: bool) -> ForkServerContext | SpawnContext:
    if afresh or sys.platform != "linux":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["antemill.engine.execute.workers", *preload])
    return context


@contextmanager
def _quiet_start() -> Iterator[None]:
    """Keep multiprocessing from importing the caller's script into a worker, which may be slow or never end, and Ctrl-C
    from processes started in this block: until they ignore it themselves, they would print a traceback.

    They inherit a blocked SIGINT. A signal to this process is delivered when the block ends.
    """
    resource_tracker.ensure_running()  # first, since starting it lets SIGINT through again
    main = sys.modules["__main__"]
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(life: Connection, preload: tuple[str, ...]) -> None:
    """Become a worker process."""
    os.setpgid(0, 0)  # Ctrl-C does not reach this process, and a kill of its group also ends what a job has started
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.dup2(2, 1)  # a job's output must not get into the command's JSON
    threading.Thread(target=_end_with, args=(life,), daemon=True).start()
    for module in preload:
        importlib.import_module(module)


def _end_with(life: Connection) -> None:
    wait([life])  # nothing is ever sent, so this is its end
    os.killpg(0, signal.SIGKILL)
