"""Judges solutions by executing the code in a sandbox; a player's own claim does not count (T6)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Protocol

from antemill.engine.execute.sandbox import CheckLimits, PuzzleCheck, Sandbox, Verdict, make_sandbox
from antemill.tournament.duel.config import DuelConfig


class Judge(Protocol):
    """Checks puzzles. Several checks may run at once."""

    async def check(self, puzzle: str, solution: str) -> Verdict:
        """Evaluate the solution, and the puzzle with it. Both may be hostile.

        Raises LostError, which stops the run, if the machine rather than the code prevented a verdict.
        """
        ...


class SandboxJudge:
    """The judge of every real duel."""

    def __init__(self, sandbox: Sandbox, limits: CheckLimits) -> None:
        self._sandbox = sandbox
        self._limits = limits

    async def check(self, puzzle: str, solution: str) -> Verdict:
        """One check in the sandbox."""
        return await self._sandbox.check(PuzzleCheck(puzzle, solution, self._limits))


def holds(verdict: Verdict | None) -> bool:
    """Whether the solution is right: only the verdict "true" counts."""
    return verdict is not None and verdict.verdict == "true"


def puzzle_name(code: str) -> str:
    """A short name for a puzzle: equal for equal code."""
    return hashlib.blake2b(code.encode(errors="surrogatepass"), digest_size=8).hexdigest()


@contextmanager
def sandbox_judges() -> Iterator[Callable[[DuelConfig], Judge]]:
    """Makes judges for configurations, and closes their sandboxes at the end.

    Making one raises ExecutionError if this machine can not be protected.
    """
    with ExitStack() as stack:

        def judge(config: DuelConfig) -> Judge:
            table = config.duel
            sandbox = make_sandbox()
            stack.callback(sandbox.close)
            return SandboxJudge(sandbox, CheckLimits(seconds=table.seconds, memory_mb=table.memory))

        yield judge
