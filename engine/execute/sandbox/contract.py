"""Checks (`PuzzleCheck`, `OutputCheck`), their outcome (`Verdict`), and the contract of a backend.

verdict   a puzzle                                            a program
true      mystery(solution) is true                           two runs printed the same
false     mystery(solution) is false                          two runs printed different things
error     code or solution fail, or their process died        it fails, prints too much, or its process died
timeout   it took longer than the limit                       the same, for one of the runs
refused   the solution breaks the policy, or a text is huge   the static rule objects, or the text is huge

A failure of the machine is not a verdict: a check whose helper is lost is judged again, and then LostError is raised.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, Protocol

from antemill.engine.errors import ExecutionError, UsageError
from antemill.engine.execute.progress import Progress, silent

MOST_SECONDS = 86_400
MOST_MEMORY = 1 << 20  # MiB


class LostError(ExecutionError):
    """A check could not be judged: its helper was killed, stopped or late, every time. The code is not at fault."""


VERDICTS = ("true", "false", "error", "timeout", "refused")
VerdictName = Literal["true", "false", "error", "timeout", "refused"]


@dataclass(frozen=True, slots=True)
class CheckLimits:
    """Limits of a check (T6): for each of a program's two runs, or for all of a puzzle's stages together."""

    seconds: float = 5.0  # wall time
    memory_mb: int = 256  # MiB in addition to the bare interpreter's
    output_bytes: int = 1 << 16  # printed by a program
    text_bytes: int = 1 << 20  # of code, and of a solution

    def __post_init__(self) -> None:
        """Raise UsageError for limits that no backend could enforce."""
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
    """The question what `code` prints, and whether it is always the same. stdout: the expected output."""

    code: str
    stdout: str | None = None
    limits: CheckLimits = field(default_factory=CheckLimits)


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
    python: str = ""  # version and build of the Python that judged, as in sys.version; empty if no code ran


class Sandbox(Protocol):
    """Checks hostile code. A context manager; the caller closes it."""

    @property
    def backend(self) -> str:
        """The name of the backend: "native" or "wasm"."""

    def check_many(self, checks: Iterable[Check], on_progress: Progress = silent) -> Iterator[Verdict]:
        """The verdicts in the order of the checks; several checks run at a time. Raises LostError."""

    async def check(self, check: Check) -> Verdict:
        """One verdict. Any number of calls may be pending; cancelling one stops its check. Raises LostError."""

    def close(self) -> None:
        """Stop all checks and release the workers."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply of a stage: a letter (of `inside.stages`, or T: true, F: false, S: too slow, D: died), and its data."""

    letter: str
    data: bytes
    seconds: float

    @property
    def text(self) -> str:
        """The data as one printable line."""
        line = self.data.decode(errors="replace").partition("\n")[0]
        return "".join(char if char.isprintable() else "\ufffd" for char in line)[:500]


class Worker(Protocol):
    """Runs one stage at a time, each in a new interpreter. Any thread may call `kill`, one thread the other methods."""

    python: str  # version and build of the Python that ran the last stage, as sys.version has it

    def call(self, stage: str, first: bytes, second: bytes, limits: CheckLimits, seconds: float, seed: int) -> Reply:
        """Run a stage for at most `seconds`. seed: 0 or 1, one of two hash seeds.

        Judged code never makes it raise. After a loss it starts a new interpreter; raises LostError if that does not
        help.
        """

    def kill(self) -> None:
        """End the running stage, which counts as died; the next call starts a new interpreter."""

    def close(self) -> None:
        """Release it."""


class Backend(Protocol):
    """A way to run judged code."""

    @property
    def name(self) -> str:
        """Its name in verdicts."""

    def worker(self) -> Worker:
        """A new worker. This call or the worker's first one raises ExecutionError if this machine cannot run one."""
