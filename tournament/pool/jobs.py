"""Running the jobs of a pool: the chosen executor, results in order, failures as sentences."""

from __future__ import annotations

from collections.abc import Container, Generator, Hashable, Iterable, Iterator
from contextlib import closing, contextmanager
from typing import Any, TypeVar

from antemill.engine.errors import ExecutionError, UsageError
from antemill.engine.execute import Executor, Job, Outcome, Progress, Setup, default_workers, make_executor, run, silent
from antemill.tournament.pool import early
from antemill.tournament.pool.warm import warm_kernels

T = TypeVar("T")
SETUP = Setup(early.TO_SCORE, warm_kernels)
TO_BUILD = Setup(early.TO_BUILD, warm_kernels)
_AGAIN = "run the same command again"
EXECUTORS = ("local", "ray")


class Crew:
    """Workers for several steps: started when a step first needs them, and kept until the end."""

    def __init__(self, workers: int | None, executor: str, setup: Setup = SETUP) -> None:
        """executor: "local" is worker processes, or this process if there is one worker; "ray" is a cluster.

        workers: None is one per processor. Raises UsageError as `require_workers`.
        """
        require_workers(workers, executor)
        self._workers, self._setup = workers, setup
        alone = executor == "local" and (workers or default_workers()) == 1
        self._name = "serial" if alone else executor
        self._executor: Executor | None = None

    @property
    def started(self) -> bool:
        """Whether any step has needed workers."""
        return self._executor is not None

    def executor(self) -> Executor:
        """The workers, for rounds of `perform`."""
        if self._executor is None:
            self._executor = make_executor(self._name, self._workers, self._setup)
        return self._executor

    def close(self) -> None:
        """Release the workers, if there were any."""
        if self._executor is not None:
            self._executor.close()
            self._executor = None


@contextmanager
def team(workers: int | None, executor: str, setup: Setup = SETUP, crew: Crew | None = None) -> Iterator[Executor]:
    """The workers for several rounds of `perform`: those of the crew, which keeps them, or new ones."""
    if crew is not None:
        yield crew.executor()
        return
    with closing(Crew(workers, executor, setup)) as own:
        yield own.executor()


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
        raise UsageError(f"the number of workers is {workers}: it must be at least 1.")


def _value(outcome: Outcome[T]) -> T:
    if outcome.ok:
        return outcome.unwrap()
    sentence = f"the work on {outcome.key} failed: {outcome.error.rstrip('.')}"
    if _AGAIN not in sentence:
        sentence += f"; what was finished is kept, {_AGAIN} to continue"
    error = ExecutionError(f"{sentence}.")
    if outcome.trace and "\nantemill.engine.errors." not in outcome.trace:  # a bug
        error.add_note(outcome.trace)
    raise error
