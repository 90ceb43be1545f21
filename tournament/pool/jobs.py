"""Running the jobs of a pool: the executor that was asked for, results in order, failures as sentences."""

from __future__ import annotations

from collections.abc import Container, Generator, Hashable, Iterable, Iterator
from contextlib import closing, contextmanager
from typing import Any, TypeVar

from engine.errors import ExecutionError, UsageError
from engine.execute import Executor, Job, Outcome, Progress, Setup, default_workers, make_executor, run, silent
from tournament.pool.warm import warm_kernels

T = TypeVar("T")
_LIGHT = ("engine.storage.lean", "tournament.pool.work")
# There is one server of workers in a process, with what its first team needs: a process that builds and then scores
# takes the first of these for both.
SETUP = Setup((*_LIGHT, "tournament.pool.scoring", "tournament.pool.loaded"), warm_kernels)
TO_BUILD = Setup((*_LIGHT, "tournament.pool.loaded_to_build"), warm_kernels)
_AGAIN = "run the same command again"
EXECUTORS = ("local", "ray")


@contextmanager
def team(workers: int | None, executor: str, setup: Setup = SETUP) -> Iterator[Executor]:
    """The workers for several rounds of `perform`.

    executor: "local" is worker processes, or this process if there is one worker; "ray" is a cluster. workers: None is
    one per processor.
    """
    if executor == "local" and (workers or default_workers()) == 1:
        executor = "serial"
    with closing(make_executor(executor, workers, setup)) as found:
        yield found


def perform(
    jobs: Iterable[Job[T]], executor: Executor, done: Container[Hashable] = (), bar: Progress = silent
) -> Generator[tuple[Any, T]]:
    """Yield (key, value) of the jobs that are not `done`, in order. Raises ExecutionError for the first that fails."""
    with closing(run(jobs, executor, done=done, on_progress=bar)) as outcomes:
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
    sentence = f"the work on {outcome.key} failed: {outcome.error.rstrip('.')}"
    if _AGAIN not in sentence:
        sentence += f"; what was finished is kept, {_AGAIN} to continue"
    error = ExecutionError(f"{sentence}.")
    if outcome.trace and "\nengine.errors." not in outcome.trace:  # a mistake of ours
        error.add_note(outcome.trace)
    raise error
