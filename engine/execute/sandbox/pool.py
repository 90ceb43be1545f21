"""The sandbox: lanes of workers that conduct checks, on the execution layer's pool and `run`."""

import asyncio
from collections.abc import Iterable, Iterator
from typing import Any, Self, TypeVar, cast

from antemill.engine.errors import ExecutionError
from antemill.engine.execute.job import Job, Outcome, stopped
from antemill.engine.execute.pool import LanePool, default_workers
from antemill.engine.execute.progress import Progress, silent
from antemill.engine.execute.runner import run
from antemill.engine.execute.sandbox.conduct import conduct
from antemill.engine.execute.sandbox.contract import Backend, Check, Verdict

T = TypeVar("T")


class SandboxPool:
    """A `Sandbox` of `workers` workers of a backend, which start when checks come in."""

    def __init__(self, backend: Backend, workers: int | None = None) -> None:
        if workers is not None and workers < 1:
            raise ExecutionError(f"the number of workers must be at least 1, not {workers}.")
        self._backend = backend
        self._pool = LanePool(lambda: _Lane(backend), workers or default_workers())

    @property
    def backend(self) -> str:
        return self._backend.name

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def check_many(self, checks: Iterable[Check], on_progress: Progress = silent) -> Iterator[Verdict]:
        """The verdicts in order. Raises ExecutionError if no worker can be started."""
        jobs = [_job(number, check) for number, check in enumerate(checks)]
        for outcome in run(jobs, self._pool, on_progress=on_progress):
            yield outcome.unwrap()

    async def check(self, check: Check) -> Verdict:
        """One verdict. Raises ExecutionError if no worker can be started."""
        future = self._pool.submit(_job(0, check))
        try:
            # Shielded, because only the pool may end this future.
            outcome = await asyncio.shield(asyncio.wrap_future(future))
        except asyncio.CancelledError:
            self._pool.cancel(future)
            raise
        return outcome.unwrap()

    def close(self) -> None:
        self._pool.close()


def _job(number: int, check: Check) -> Job[Verdict]:
    return Job(number, 0, _never, (check,))


def _never(_seed: int, _check: Check) -> Verdict:
    """The function of a job; never called, since the lane performs the check itself."""
    raise ExecutionError("a check runs in a sandbox only.")


class _Lane:
    """One worker in the pool."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._worker = backend.worker()
        self._interrupted = False

    def perform(self, job: Job[T]) -> Outcome[T]:
        verdict: Any = conduct(self._worker, job.args[0], self._backend.name)
        if self._interrupted:
            return stopped(job, "cancelled", verdict.seconds)
        return Outcome(job.key, "ok", cast(T, verdict), seconds=verdict.seconds)

    def interrupt(self) -> None:
        self._interrupted = True
        self._worker.kill()

    def reset(self) -> None:
        self._interrupted = False

    def close(self) -> None:
        self._worker.close()
