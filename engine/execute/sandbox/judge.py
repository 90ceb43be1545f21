"""The stages of a check. To this code what a run leaves behind is bytes, never instructions."""

import platform
import re
import secrets
import sys
from dataclasses import replace
from itertools import zip_longest

from antemill.engine.execute.sandbox import boot
from antemill.engine.execute.sandbox.conditions import PUZZLES, ROWS
from antemill.engine.execute.sandbox.contract import Check, OutputCheck, PuzzleCheck, Verdict
from antemill.engine.execute.sandbox.process import Ran, Worker

BACKEND = "native"
# A text with a call, a lambda or a comprehension is no literal, so that stage is left out. A wrong guess does no harm.
_NO_LITERAL = re.compile(rb"[\w)\]]\s*\(|\blambda\b|\bfor\b")
_SLACK = 1 << 16  # bytes of an answer besides a value
_FILE = 4 << 20  # bytes of a file in the scratch folder
_SHOWN = 60  # characters of a line in a verdict's sentence


def conduct(worker: Worker, check: Check) -> Verdict:
    """Perform a check. Raises LostError if it could not be judged."""
    texts = (check.code, check.solution if isinstance(check, PuzzleCheck) else check.stdin)
    try:
        code, second = (text.encode() for text in texts)
    except UnicodeEncodeError:
        return Verdict("error", "the text contains half of a surrogate pair, which is no character", 0.0, BACKEND)
    if max(len(code), len(second)) > check.limits.text_bytes:
        return Verdict("refused", f"a text is longer than {check.limits.text_bytes} bytes", 0.0, BACKEND)
    conductor = _Conductor(worker, check)
    verdict = (
        conductor.puzzle(code, second) if isinstance(check, PuzzleCheck) else conductor.output(code, second, check)
    )
    python = f"{conductor.python} on {sys.platform} {platform.machine()}" if conductor.python else ""
    return replace(verdict, backend=BACKEND, seconds=conductor.seconds, python=python)


class _Conductor:
    """One check on a worker: its limits, and the seconds of its runs so far."""

    def __init__(self, worker: Worker, check: Check) -> None:
        self._worker, self._limits = worker, check.limits
        self.seconds, self.python = 0.0, ""

    def _run(self, row: int, stage: str, texts: list[bytes], stdin: bytes, left: float, size: int) -> Ran:
        limits = self._limits
        ran = self._worker.run(row, stage, texts, stdin, left, limits.memory_mb << 20, size, limits.output_bytes)
        self.seconds += ran.seconds
        self.python = ran.python or self.python
        return ran

    def puzzle(self, code: bytes, solution: bytes) -> Verdict:
        """Ask the puzzle of a literal directly; of another value in a second process, which has seen no code of the
        solver's, while the first one finds it.
        """
        longest = self._limits.value_bytes + _SLACK

        def say(stage: str, second: bytes) -> tuple[str, bytes]:
            """The letter of the stage's answer, T and F for the secrets, S and D for none; and what follows it."""
            answers = [] if stage == "evaluate" else [secrets.token_bytes(16), secrets.token_bytes(16)]
            left = max(0.0, self._limits.seconds - self.seconds)
            ran = self._run(PUZZLES, stage, [code, second, *answers], b"", left, longest)
            if ran.how != boot.ENDED:
                return ("S", b"") if ran.how == boot.SLOW else ("D", ran.reason.encode())
            if ran.status:
                return "D", (ran.reason or f"its process ended with exit code {ran.status}").encode()
            if ran.answer in answers:
                return "FT"[answers.index(ran.answer)], b""
            letter = ran.answer[:1].decode("ascii", "replace")
            if letter in {"literal": ("N", "E"), "evaluate": ("V", "E", "R"), "judge": ("E", "R")}[stage]:
                return letter, ran.answer[1:]
            return "D", b"its process left no answer"

        letter, data = ("N", b"") if _NO_LITERAL.search(solution) else say("literal", solution)
        if letter == "N":
            letter, data = say("evaluate", solution)
        if letter == "V":
            letter, data = say("judge", data)
        if letter in "TF":
            return Verdict("true" if letter == "T" else "false")
        if letter == "S":
            return self._late()
        return Verdict("refused" if letter == "R" else "error", self._sentence(data))

    def output(self, code: bytes, stdin: bytes, check: OutputCheck) -> Verdict:
        """Run a program once under each row of conditions, until two runs differ."""
        first, status = b"", 0
        for number in range(len(ROWS)):
            longest = max(_FILE, self._limits.output_bytes + 1)
            ran = self._run(number, "run", [code], stdin, self._limits.seconds, longest)
            problem = self._problem(ran)
            if problem is not None and (not number or problem.verdict == "timeout"):
                return problem
            if problem is not None:
                return Verdict("refused", f"one run ends, and another one, as elsewhere, fails: {problem.detail}")
            if number and ran.output != first:
                return Verdict("refused", _difference(first, ran.output))
            if number and ran.status != status:
                return Verdict("refused", f"two runs end with different exit codes: {status} and {ran.status}")
            first, status = ran.output, ran.status
        try:
            stdout = first.decode()
        except UnicodeDecodeError:
            return Verdict("error", "what it prints is not text in UTF-8")
        if " at 0x" in stdout:
            return Verdict("refused", "it prints an address, which differs from run to run")
        known = None if check.stdout is None else check.stdout.removesuffix("\n")  # but for one newline (S3)
        return Verdict("true", stdout=stdout, matches=None if known is None else stdout.removesuffix("\n") == known)

    def _problem(self, ran: Ran) -> Verdict | None:
        """Why a program's run has no output, if it has none."""
        if len(ran.output) > self._limits.output_bytes:
            return Verdict("error", f"it prints more than {self._limits.output_bytes} bytes")
        if ran.how == boot.SLOW:
            return self._late()
        if ran.how != boot.ENDED or ran.status < 0:
            return Verdict("error", ran.reason)
        if ran.answer:  # the note of an exception, or what the program itself has written there, which could hide one
            return Verdict("error", self._sentence(ran.answer[1:]) or "it writes where its exception is noted")
        return None

    def _late(self) -> Verdict:
        return Verdict("timeout", f"not finished within {self._limits.seconds:g} seconds")

    def _sentence(self, data: bytes) -> str:
        """Words of judged code as one printable line."""
        line = data.decode(errors="replace").partition("\n")[0]
        line = "".join(char if char.isprintable() else "\ufffd" for char in line)[:500]
        limit = f" (the limit is {self._limits.memory_mb} MiB, none of it executable)"
        return line.rstrip(": ") + limit if "MemoryError" in line else line


def _difference(one: bytes, other: bytes) -> str:
    """The first lines that two outputs do not share, from shortly before they part."""
    pairs = zip_longest(
        one.decode(errors="replace").split("\n"), other.decode(errors="replace").split("\n"), fillvalue=""
    )
    here, there = next((pair for pair in pairs if pair[0] != pair[1]), ("", ""))
    same = next((n for n, (a, b) in enumerate(zip(here, there, strict=False)) if a != b), min(len(here), len(there)))
    begin = max(0, same - _SHOWN // 2)
    shown = (text[begin : begin + _SHOWN] for text in (here, there))
    first, second = ("".join(char if char.isprintable() else "\ufffd" for char in text) for text in shown)
    return f"two runs print different lines: {first!r} and {second!r}"
