"""The sandbox: workers that conduct checks, each driven by a thread; and the self-check before any.

Nothing is judged before the self-check has passed on this machine: verdicts are right, and opening files, connecting,
forking, executing, and exceeding time or memory are refused. There is no unprotected fallback: without it there are no
verdicts.
"""

import asyncio
import platform
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from antemill.engine.errors import ExecutionError
from antemill.engine.execute.progress import Progress, silent
from antemill.engine.execute.sandbox.contract import Check, CheckLimits, LostError, OutputCheck, PuzzleCheck, Verdict
from antemill.engine.execute.workers import AHEAD, default_workers

if TYPE_CHECKING:
    from antemill.engine.execute.sandbox.process import Worker

_MACHINES = ("x86_64", "aarch64", "arm64")
_BRIEF = CheckLimits(seconds=2.0, memory_mb=64)
_INSTANT = CheckLimits(seconds=0.3, memory_mb=64)  # for the check that must run into its limit


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
    "running forever": (PuzzleCheck("def mystery(x):\n    while True: pass", "1", _INSTANT), ("timeout",)),
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
        self._size = workers or default_workers()
        self._threads: ThreadPoolExecutor | None = None
        self._idle: list[Worker] = []
        self._busy: dict[object, Worker] = {}  # by the check that it conducts

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def check_many(self, checks: Iterable[Check], on_progress: Progress = silent) -> Iterator[Verdict]:
        """The verdicts in the order of the checks; several run at a time. Raises LostError, and ExecutionError if no
        worker can be started.
        """
        every, done = list(checks), 0
        pending: deque[Future[Verdict]] = deque()
        try:
            for number, check in enumerate(every, 1):
                pending.append(self._submit(object(), check))
                while pending and (number == len(every) or len(pending) >= AHEAD * self._size):
                    verdict = pending[0].result()
                    pending.popleft()
                    on_progress(done := done + 1, len(every))
                    yield verdict
        finally:
            if pending:
                self.close()

    async def check(self, check: Check) -> Verdict:
        """One verdict. Any number of calls may be pending; cancelling one stops its check. Raises as `check_many`."""
        token = object()
        future = self._submit(token, check)
        try:
            return await asyncio.shield(asyncio.wrap_future(future))
        except asyncio.CancelledError:
            future.cancel()
            self._end(token)
            raise

    def close(self) -> None:
        """End all checks and release the workers. A later check starts new ones."""
        threads, self._threads = self._threads, None
        if threads is not None:
            threads.shutdown(wait=False, cancel_futures=True)
            for token in list(self._busy):
                self._end(token)
            threads.shutdown()
        while self._idle:
            self._idle.pop().close()

    def _submit(self, token: object, check: Check) -> "Future[Verdict]":
        self._threads = self._threads or ThreadPoolExecutor(self._size, "sandbox")
        return self._threads.submit(self._conduct, token, check)

    def _conduct(self, token: object, check: Check) -> Verdict:
        """Perform a check, in a thread."""
        from antemill.engine.execute.sandbox.judge import conduct
        from antemill.engine.execute.sandbox.process import Worker

        with suppress(IndexError):
            self._busy[token] = self._idle.pop()
        worker = self._busy.setdefault(token, Worker())
        try:
            return conduct(worker, check)
        finally:
            self._idle.append(self._busy.pop(token))

    def _end(self, token: object) -> None:
        """End what a check runs, if it has begun."""
        if (worker := self._busy.get(token)) is not None:
            worker.kill()
