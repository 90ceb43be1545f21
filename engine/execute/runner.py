"""`run` submits jobs to an executor and yields their outcomes in the order of the jobs.

It works ahead: a limited number of jobs, the executor's window, is submitted before the first outcome is taken.
"""

from collections import deque
from collections.abc import Callable, Container, Generator, Hashable, Iterable, Sized
from concurrent.futures import Future
from typing import TypeVar

from antemill.engine.errors import ExecutionError
from antemill.engine.execute.job import Job, Outcome
from antemill.engine.execute.pool import NO_SETUP, Executor, Setup, default_workers
from antemill.engine.execute.processes import processes
from antemill.engine.execute.progress import Progress
from antemill.engine.execute.rayexec import RayPool
from antemill.engine.execute.threads import Serial, threads

T = TypeVar("T")
EXECUTORS = ("serial", "threads", "processes", "ray")


def make_executor(name: str, workers: int | None = None, setup: Setup = NO_SETUP) -> Executor:
    """The executor of this name ("local" is another name of "processes"), with one worker per processor by default.

    The caller closes it. Raises ExecutionError for an unknown name, or if the executor cannot be used.
    """
    if workers is not None and workers < 1:
        raise ExecutionError(f"the number of workers must be at least 1, not {workers}.")
    if name == "serial":
        return Serial()
    if name == "threads":
        return threads(workers or default_workers())
    if name in ("processes", "local"):
        if setup.warm is not None:
            setup.warm()
        return processes(workers or default_workers(), setup.preload)
    if name == "ray":
        return RayPool(workers, setup)
    raise ExecutionError(f"there is no executor {name!r}: use one of {', '.join(EXECUTORS)}.")


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
    exception inside it (KeyboardInterrupt), cancels the submitted jobs; use `contextlib.closing` around a loop that may
    be left early. An executor given by name is closed at the end; one given as an object stays open for the next run.
    `on_progress(finished, total)` counts the skipped jobs as finished; total is None if `jobs` has no length. Raises
    ExecutionError if the executor cannot be used. A failed job does not raise: see `Outcome.unwrap`.
    """
    if not isinstance(executor, str):
        return _stream(jobs, executor, done, on_progress)
    return _stream_and_close(jobs, make_executor(executor, workers, setup), done, on_progress)


def _stream_and_close(
    jobs: Iterable[Job[T]], executor: Executor, done: Container[Hashable], on_progress: Progress | None
) -> Generator[Outcome[T], None, None]:
    try:
        yield from _stream(jobs, executor, done, on_progress)
    finally:
        executor.close()


def _stream(
    jobs: Iterable[Job[T]], executor: Executor, done: Container[Hashable], on_progress: Progress | None
) -> Generator[Outcome[T], None, None]:
    count = _counter(len(jobs) if isinstance(jobs, Sized) else None, on_progress)
    pending: deque[Future[Outcome[T]]] = deque()

    def take() -> Outcome[T]:
        outcome = pending[0].result()  # it stays in the queue during the wait, so that an interrupt cancels it too
        pending.popleft()
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
    finally:
        for future in reversed(pending):  # the latest first, so that no lane begins a job that is about to be cancelled
            executor.cancel(future)


def _counter(total: int | None, on_progress: Progress | None) -> Callable[[], None]:
    finished = 0

    def count() -> None:
        nonlocal finished
        finished += 1
        if on_progress is not None:
            on_progress(finished, total)

    return count
