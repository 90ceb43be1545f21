"""Running the jobs of a pool: the executor that was asked for, results in order, failures as sentences."""

from __future__ import annotations

from collections.abc import Container, Generator, Hashable, Iterable
from contextlib import closing
from typing import Any, TypeVar

from engine.errors import ExecutionError, UsageError
from engine.execute import Job, Outcome, default_workers, run
from engine.execute.progress import Progress
from tournament.pool.warm import warm_kernels

T = TypeVar("T")
PRELOAD = ("tournament.pool.work", "tournament.pool.scoring")  # for all stages: there is one server of workers
EXECUTORS = ("local", "ray")


def perform(
    jobs: Iterable[Job[T]], workers: int | None, executor: str, done: Container[Hashable], bar: Progress
) -> Generator[tuple[Any, T]]:
    """Yield (key, value) of the jobs that are not `done`, in order.

    executor: "local" is worker processes, or this process if there is one worker; "ray" is a cluster. workers: None is
    one per processor. Raises ExecutionError for the first job that fails.
    """
    if executor == "local" and (workers or default_workers()) == 1:
        executor = "serial"
    elif executor == "local":
        warm_kernels()
    with closing(run(jobs, executor, workers, done=done, on_progress=bar, preload=PRELOAD)) as outcomes:
        for outcome in outcomes:
            yield outcome.key, _value(outcome)


def require_workers(workers: int | None, executor: str) -> None:
    """Raise UsageError for an unknown executor or an impossible number of workers, before anything is written."""
    if executor not in EXECUTORS:
        raise UsageError(f"there is no executor '{executor}': use {' or '.join(EXECUTORS)}.")
    if workers is not None and workers < 1:
        raise UsageError(f"can not work with {workers} workers: the number must be at least 1.")


def _value(outcome: Outcome[T]) -> T:
    if outcome.ok:
        return outcome.unwrap()
    error = ExecutionError(
        f"the work on {outcome.key} failed: {outcome.error.rstrip('.')}; what was finished is kept, "
        "run the same command again to continue."
    )
    if outcome.trace:
        error.add_note(outcome.trace)
    raise error
