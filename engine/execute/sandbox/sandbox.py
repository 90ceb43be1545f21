"""The sandbox: lanes of workers that conduct checks, on the execution layer's pool; and the self-check before any.

Nothing is judged before the self-check has passed on this machine: verdicts are right, and opening files, connecting,
forking, executing, and exceeding time or memory are refused. There is no unprotected fallback: without it there are no
verdicts.
"""

import asyncio
import platform
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Self, TypeVar, cast

from antemill.engine.errors import ExecutionError
from antemill.engine.execute.job import Job, Outcome, stopped
from antemill.engine.execute.pool import LanePool, default_workers
from antemill.engine.execute.progress import Progress, silent
from antemill.engine.execute.runner import run
from antemill.engine.execute.sandbox.contract import Check, CheckLimits, LostError, OutputCheck, PuzzleCheck, Verdict

T = TypeVar("T")
_MACHINES = ("x86_64", "aarch64", "arm64")
_BRIEF = CheckLimits(seconds=2.0, memory_mb=64)
_INSTANT = CheckLimits(seconds=0.3, memory_mb=64)  # for the check that must run into its limit
_FOREVER = PuzzleCheck("def mystery(x):\n    while True:\n        pass\n", "1", _INSTANT)


def _attempt(*lines: str) -> PuzzleCheck:
    """A puzzle whose verdict is "true" if an action succeeds that must fail."""
    body = "".join(f"    {line}\n" for line in lines)
    return PuzzleCheck(f"import os, socket, time\ndef mystery(x):\n{body}    return True\n", "1", _BRIEF)


# name of a test: (the check, the right verdicts)
PROOF: dict[str, tuple[Check, tuple[str, ...]]] = {
    "a right solution": (PuzzleCheck("def mystery(x):\n    return x == [1, 'a']", "[1] + ['a']", _BRIEF), ("true",)),
    "a wrong solution": (PuzzleCheck("def mystery(x):\n    return x == 2", "3", _BRIEF), ("false",)),
    "an output": (OutputCheck("print(6 * 7)", "42", _BRIEF), ("true",)),
    "an output that differs": (OutputCheck("print({'a', 'b', 'c', 'd', 'e'})", None, _BRIEF), ("refused",)),
    "reading a file": (_attempt("open('/etc/hosts')"), ("error",)),
    "listing a folder": (_attempt("os.listdir('/etc')"), ("error",)),
    "opening a socket": (_attempt("socket.create_connection(('127.0.0.1', 9))"), ("error",)),
    "starting a process": (_attempt("if os.fork() == 0:", "    os._exit(0)"), ("error",)),
    "executing a program": (_attempt("os.execv('/bin/true', ['true'])"), ("error",)),
    "taking 200 MB": (_attempt("bytearray(200_000_000)"), ("error",)),
    "running forever": (_FOREVER, ("timeout",)),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """Whether this machine can be protected, with the reason. lost: the self-check was ended from outside."""

    usable: bool
    reason: str
    lost: bool = False


def examine() -> Finding:
    """Run the self-check."""
    if sys.platform != "linux":
        return Finding(
            False, "it needs Linux: run duels, `verify` and code questions in the container (docs/sandbox.md)."
        )
    if platform.machine() not in _MACHINES:
        return Finding(False, f"it does not know the system calls of {platform.machine()} machines.")
    from antemill.engine.execute.sandbox.judge import conduct
    from antemill.engine.execute.sandbox.process import Worker

    try:
        with closing(Worker()) as worker:
            for what, (check, right) in PROOF.items():
                verdict = conduct(worker, check)
                if verdict.verdict not in right:
                    got = f"{verdict.verdict}{': ' if verdict.detail else ''}{verdict.detail}"
                    return Finding(False, f"its self-check fails at {what} ({got}).")
    except ExecutionError as error:
        return Finding(False, str(error), isinstance(error, LostError))
    return Finding(True, f"its self-check passes: {len(PROOF)} of {len(PROOF)}.")


_found: list[Finding] = []  # of this process; the self-check runs once, or again if it was lost


def make_sandbox(workers: int | None = None) -> "Sandbox":
    """A sandbox, with one worker per processor by default; the caller closes it.

    Raises ExecutionError if this machine fails the self-check; LostError if that was ended from outside.
    """
    finding = _found[0] if _found else examine()
    if finding.lost:
        raise LostError(
            f"the sandbox's self-check was ended from outside, so nothing was executed ({finding.reason.rstrip('.')}): "
            "free memory, and run the command again."
        )
    _found[:] = [finding]
    if not finding.usable:
        raise ExecutionError(f"the sandbox cannot protect this machine, so nothing was executed: {finding.reason}")
    return Sandbox(workers)


class Sandbox:
    """Checks hostile code with `workers` workers, which start when checks come in. The caller closes it."""

    backend = "native"

    def __init__(self, workers: int | None = None) -> None:
        if workers is not None and workers < 1:
            raise ExecutionError(f"the number of workers must be at least 1, not {workers}.")
        self._pool = LanePool(_Lane, workers or default_workers())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def check_many(self, checks: Iterable[Check], on_progress: Progress = silent) -> Iterator[Verdict]:
        """The verdicts in the order of the checks; several run at a time. Raises LostError, and ExecutionError if no
        worker can be started.
        """
        jobs = [_job(number, check) for number, check in enumerate(checks)]
        for outcome in run(jobs, self._pool, on_progress=on_progress):
            yield outcome.unwrap()

    async def check(self, check: Check) -> Verdict:
        """One verdict. Any number of calls may be pending; cancelling one stops its check. Raises as `check_many`."""
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

    def __init__(self) -> None:
        from antemill.engine.execute.sandbox.process import Worker

        self._worker, self._interrupted = Worker(), False

    def perform(self, job: Job[T]) -> Outcome[T]:
        from antemill.engine.execute.sandbox.judge import conduct

        verdict: Any = conduct(self._worker, job.args[0])
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
