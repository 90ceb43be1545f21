"""Checks (`PuzzleCheck`, `OutputCheck`) and their outcome (`Verdict`).

verdict   a puzzle                                            a program
true      mystery(solution) is true                           its five runs printed the same
false     mystery(solution) is false                          (never)
error     code or solution fail, or their process died        it fails, prints too much, or its process died
timeout   it took longer than the limit                       one of its runs took longer
refused   the solution is not plain data, or a text is huge   two runs differ, it prints an address, or it is huge
"""

from dataclasses import dataclass, field
from typing import Literal

from antemill.engine.errors import ExecutionError, UsageError

MOST_SECONDS = 86_400
MOST_MEMORY = 1 << 20  # MiB


class LostError(ExecutionError):
    """A check could not be judged: its server was killed, stopped or late, every time. The code is not at fault."""


VERDICTS = ("true", "false", "error", "timeout", "refused")
VerdictName = Literal["true", "false", "error", "timeout", "refused"]


@dataclass(frozen=True, slots=True)
class CheckLimits:
    """Limits of a check (T6): for each of a program's runs, or for all of a puzzle's stages together."""

    seconds: float = 5.0  # wall time
    memory_mb: int = 256  # MiB in addition to the bare interpreter's
    output_bytes: int = 1 << 16  # printed by a program
    text_bytes: int = 1 << 20  # of code, and of a solution

    def __post_init__(self) -> None:
        """Raise UsageError for limits that could not be enforced."""
        if not 0 < self.seconds <= MOST_SECONDS:
            raise UsageError(f"a check takes more than 0 and at most {MOST_SECONDS:,} seconds, not {self.seconds:g}.")
        if not 1 <= self.memory_mb <= MOST_MEMORY:
            raise UsageError(f"a check takes 1 to {MOST_MEMORY:,} MiB of memory, not {self.memory_mb:,}.")

    @property
    def value_bytes(self) -> int:
        """The largest size in bytes of a solution's value between two interpreters."""
        return (self.memory_mb << 20) // 8


@dataclass(frozen=True, slots=True)
class PuzzleCheck:
    """The question whether `mystery` of `code` accepts the value of the expression `solution`."""

    code: str
    solution: str
    limits: CheckLimits = field(default_factory=CheckLimits)


@dataclass(frozen=True, slots=True)
class OutputCheck:
    """The question what `code` prints, and whether it is always the same. stdout: the expected output; stdin: what it
    can read.
    """

    code: str
    stdout: str | None = None
    limits: CheckLimits = field(default_factory=CheckLimits)
    stdin: str = ""


Check = PuzzleCheck | OutputCheck


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a check. `detail` is one line, partly in the words of judged code: show it, never interpret it."""

    verdict: VerdictName
    detail: str = ""
    seconds: float = 0.0
    backend: str = ""
    stdout: str | None = None  # of a program with the verdict "true"
    matches: bool | None = None  # whether it is the expected output, apart from one newline at the end; None: unknown
    python: str = ""  # version and build of the Python that judged, and its platform; empty if no code ran
