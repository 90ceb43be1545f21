"""Judges solutions by executing the code in a sandbox; a player's own claim does not count (T6)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Protocol

from msgspec import Struct

from antemill.engine.execute.sandbox import CheckLimits, PuzzleCheck, Sandbox, Verdict, make_sandbox
from antemill.tournament.duel.config import DuelConfig


class Judge(Protocol):
    """Checks puzzles. Several checks may run at once."""

    async def check(self, puzzle: str, solution: str) -> Verdict:
        """Evaluate the solution, and the puzzle with it. Both may be hostile.

        Raises LostError, which stops the run, if the machine rather than the code prevented a verdict.
        """
        ...


class SandboxJudge(Struct, frozen=True):
    """The judge of every real duel: one check in the sandbox for each solution."""

    sandbox: Sandbox
    limits: CheckLimits

    async def check(self, puzzle: str, solution: str) -> Verdict:
        """See `Judge`."""
        return await self.sandbox.check(PuzzleCheck(puzzle, solution, self.limits))


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
            sandbox = make_sandbox()
            stack.callback(sandbox.close)
            return SandboxJudge(sandbox, CheckLimits(seconds=config.duel.seconds, memory_mb=config.duel.memory))

        yield judge
