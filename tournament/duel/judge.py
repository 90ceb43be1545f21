"""Who says whether a solution holds: the code is executed, in a sandbox, and nobody's word is taken for it (T6)."""

from __future__ import annotations

import hashlib
from typing import Protocol

from msgspec import Struct


class Verdict(Struct, frozen=True):
    """What came of `mystery(solution)`.

    verdict: "true", "false", "error", "timeout" or "refused"; all but the first mean that the solution is wrong.
    detail: one line why. seconds: of the check. backend: the sandbox that judged.
    """

    verdict: str
    detail: str
    seconds: float
    backend: str

    @property
    def holds(self) -> bool:
        """Whether the solution is right."""
        return self.verdict == "true"


class Judge(Protocol):
    """Checks puzzles. Several checks may be under way at once."""

    async def check(self, puzzle: str, solution: str) -> Verdict:
        """Evaluate the solution, and the puzzle with it. Both may be hostile."""
        ...


def puzzle_name(code: str) -> str:
    """A short name for a puzzle: equal for equal code."""
    return hashlib.blake2b(code.encode(errors="surrogatepass"), digest_size=8).hexdigest()
