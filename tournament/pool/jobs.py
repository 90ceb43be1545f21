"""Running the jobs of a pool: the chosen executor, results in order, failures as sentences."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import closing
from typing import Any, TypeVar

from antemill.engine.errors import ExecutionError, UsageError
from antemill.engine.execute import Job, Outcome, Setup, default_workers, run
from antemill.engine.execute.ray import on_ray
from antemill.tournament.pool.early import PRELOAD
from antemill.tournament.pool.layout import DamageError
from antemill.tournament.pool.warm import warm_kernels

T = TypeVar("T")
_AGAIN = "run the same command again"
EXECUTORS = ("local", "ray")


def perform(
    jobs: Iterable[Job[T]], workers: int | None, executor: str = "local"
) -> Generator[tuple[Any, T], None, None]:
    """Yield (key, value) of the jobs, on this machine in order. Raises the DamageError of a job, ExecutionError for any
    other failure.

    executor: "local" is worker processes, or this process if there is one worker; "ray" is a cluster. workers: None is
    one per processor.
    """
    setup = Setup(PRELOAD, warm_kernels)
    kind = "serial" if (workers or default_workers()) == 1 else "processes"
    try:
        with closing(
            on_ray(jobs, workers, setup) if executor == "ray" else run(jobs, kind, workers, setup=setup)
        ) as found:
            for outcome in found:
                yield outcome.key, value_of(outcome)
    except ExecutionError as error:
        if _AGAIN in str(error):
            raise
        again = f"{str(error).rstrip('.')}; what was finished is kept, {_AGAIN} to continue."
        raise ExecutionError(again) from error


def require_workers(workers: int | None, executor: str) -> None:
    """Raise UsageError for an unknown executor or an impossible number of workers, before anything is written."""
    if executor not in EXECUTORS:
        raise UsageError(f"there is no executor '{executor}': use {' or '.join(EXECUTORS)}.")
    if workers is not None and workers < 1:
        raise UsageError(f"the number of workers is {workers}: it must be at least 1.")


def value_of(outcome: Outcome[T]) -> T:
    """The value of a job, or its error."""
    if outcome.ok:
        return outcome.unwrap()
    if isinstance(outcome.cause, DamageError):
        raise outcome.cause
    error = ExecutionError(f"the work on {outcome.key} failed: {outcome.error.rstrip('.')}.")
    if outcome.trace and outcome.cause is None:  # a bug
        error.add_note(outcome.trace)
    raise error
