"""Running the jobs of a pool: the chosen executor, results in order, failures as sentences."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import closing
from typing import Any, TypeVar

from antemill.engine.errors import ExecutionError, UsageError
from antemill.engine.execute import Job, Outcome, Setup, default_workers, run
from antemill.tournament.pool.early import TO_SCORE
from antemill.tournament.pool.layout import DamageError
from antemill.tournament.pool.warm import warm_kernels

T = TypeVar("T")
_AGAIN = "run the same command again"
EXECUTORS = ("local", "ray")


def perform(
    jobs: Iterable[Job[T]], workers: int | None, executor: str = "local", preload: tuple[str, ...] = TO_SCORE
) -> Generator[tuple[Any, T], None, None]:
    """Yield (key, value) of the jobs in order. Raises the DamageError of a job, ExecutionError for any other failure.

    executor: "local" is worker processes, or this process if there is one worker; "ray" is a cluster. workers: None is
    one per processor.
    """
    alone = executor == "local" and (workers or default_workers()) == 1
    name = "serial" if alone else executor
    with closing(run(jobs, name, workers, setup=Setup(preload, warm_kernels))) as outcomes:
        for outcome in outcomes:
            yield outcome.key, value_of(outcome)


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
    sentence = f"the work on {outcome.key} failed: {outcome.error.rstrip('.')}"
    if _AGAIN not in sentence:
        sentence += f"; what was finished is kept, {_AGAIN} to continue"
    error = ExecutionError(f"{sentence}.")
    if outcome.trace and outcome.cause is None:  # a bug
        error.add_note(outcome.trace)
    raise error
