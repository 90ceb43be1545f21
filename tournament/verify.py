"""Files of puzzles and programs, judged: JSON lines in, one verdict a row out, in order (T6, S3).

A puzzle is a row `{id, code, solution}`, a program `{id, code}` with an optional `stdout` that is expected and an
optional `stdin` that it can read; other fields are ignored, and so are empty lines. A line that is not such a row has
the verdict "error" and keeps its place. Rows are read, judged and written in batches, so a file may be larger than
memory.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from antemill.engine.errors import UsageError
from antemill.engine.execute.sandbox import VERDICTS, Check, CheckLimits, OutputCheck, PuzzleCheck, Sandbox, Verdict

KINDS = ("puzzle", "output")
LONGEST_LINE = 16 << 20  # bytes
BATCH = 512  # rows
_BATCH_BYTES = 32 << 20  # bytes at which a batch is full, even with few rows
_INTEGERS = range(-(1 << 63), 1 << 64)  # that JSON is written with
_BOM = b"\xef\xbb\xbf"

Id = str | int | None


class _Puzzle(msgspec.Struct):
    id: str | int
    code: str
    solution: str


class _Program(msgspec.Struct):
    id: str | int
    code: str
    stdout: str | None = None
    stdin: str = ""


class _Identity(msgspec.Struct):
    id: str | int | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the file: what to check, or else what is wrong with the line."""

    id: Id
    check: Check | None
    problem: str
    size: int  # bytes of the line


@dataclass(slots=True)
class Tally:
    """What came out so far."""

    counts: Counter[str] = field(default_factory=Counter)
    matches: Counter[bool] = field(default_factory=Counter)  # of programs with an expected output

    def document(self) -> dict[str, Any]:
        """Counts of all verdicts; also of matches, if an output was expected."""
        document: dict[str, Any] = {
            "rows": self.counts.total(),
            "counts": {name: self.counts[name] for name in VERDICTS},
        }
        if self.matches:
            document["matches"] = {"true": self.matches[True], "false": self.matches[False]}
        return document


def open_rows(path: Path) -> BinaryIO:
    """Open the file. Raises UsageError if it cannot be read."""
    try:
        return path.open("rb")
    except OSError as error:
        raise UsageError(
            f"cannot read {path}: {(error.strerror or str(error)).lower()}; name a file of JSON lines."
        ) from error


def rows(file: BinaryIO, kind: str, limits: CheckLimits) -> Iterator[Row]:
    """The rows of a file of puzzles or of outputs (`kind`)."""
    decoder: Any = msgspec.json.Decoder(_Puzzle if kind == "puzzle" else _Program)
    for number, (line, whole) in enumerate(_lines(file), 1):
        if number == 1:
            line = line.removeprefix(_BOM)
        if not whole:
            yield Row(None, None, f"line {number} is longer than {LONGEST_LINE} bytes", LONGEST_LINE)
        elif line.strip():
            yield _row(line, number, decoder, limits)


def _lines(file: BinaryIO) -> Iterator[tuple[bytes, bool]]:
    """The lines, and whether each is complete: the rest of a line that is too long is skipped."""
    while line := file.readline(LONGEST_LINE + 1):
        whole = len(line) <= LONGEST_LINE
        yield line if whole else b"", whole
        while not line.endswith(b"\n") and (line := file.readline(1 << 20)):
            pass


def _row(line: bytes, number: int, decoder: Any, limits: CheckLimits) -> Row:
    try:
        found = decoder.decode(line)
        if isinstance(found.id, int) and found.id not in _INTEGERS:
            raise ValueError("its id is too large a number")
        for text in (found.id, found.code):
            str(text).encode()
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        halved = _halved(line)
        identity, reason = (
            (_identity(line), _reason(error))
            if halved is None
            else (_identity(halved), "it has half of a surrogate pair")
        )
        return Row(identity, None, f"line {number} is no row: {reason}", len(line))
    if isinstance(found, _Puzzle):
        return Row(found.id, PuzzleCheck(found.code, found.solution, limits), "", len(line))
    return Row(found.id, OutputCheck(found.code, found.stdout, limits, found.stdin), "", len(line))


def _identity(line: bytes) -> Id:
    """The id of a line that is wrong in other ways; None if it has none."""
    try:
        found = msgspec.json.decode(line, type=_Identity).id
        return None if isinstance(found, int) and found not in _INTEGERS else found
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None


def _halved(line: bytes) -> bytes | None:
    """The line with its id alone if it has half of a surrogate pair, which is no character; else None."""
    found: Any = None
    try:
        found = json.loads(line)
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps({"id": found.get("id") if isinstance(found, dict) else None}).encode()
    except (ValueError, RecursionError):
        pass
    return None


def _reason(error: Exception) -> str:
    text = str(error).partition("\n")[0] or type(error).__name__
    return text if text[:2].isupper() else text[:1].lower() + text[1:]


def judge(
    found: Iterable[Row], sandbox: Sandbox, on_row: Callable[[int], None] = lambda _: None
) -> Generator[tuple[Row, Verdict], None, None]:
    """Every row with its verdict, in order. `on_row` gets the number of finished rows."""
    done = 0
    for batch in _batches(iter(found)):
        with closing(_verdicts(batch, sandbox)) as verdicts:
            for row, verdict in zip(batch, verdicts, strict=True):
                done += 1
                on_row(done)
                yield row, verdict


def _batches(found: Iterator[Row]) -> Iterator[list[Row]]:
    while first := list(islice(found, 1)):
        batch, size = first, first[0].size
        for row in islice(found, BATCH - 1):
            batch.append(row)
            size += row.size
            if size >= _BATCH_BYTES:
                break
        yield batch


def _verdicts(batch: list[Row], sandbox: Sandbox) -> Generator[Verdict, None, None]:
    judged = iter(sandbox.check_many([row.check for row in batch if row.check is not None]))
    for row in batch:
        yield Verdict("error", row.problem, 0.0, sandbox.backend) if row.check is None else next(judged)


def encode(row: Row, verdict: Verdict, kind: str) -> bytes:
    """A line of the answer."""
    output = {"stdout": verdict.stdout, "matches": verdict.matches} if kind == "output" else {}
    rest = {"detail": verdict.detail, "seconds": round(verdict.seconds, 6), "backend": verdict.backend}
    rest["python"] = verdict.python
    return msgspec.json.encode({"id": row.id, "verdict": verdict.verdict, **output, **rest}) + b"\n"


def verify(
    file: BinaryIO,
    kind: str,
    sandbox: Sandbox,
    limits: CheckLimits,
    write: Callable[[bytes], object],
    on_row: Callable[[int], None] = lambda _: None,
) -> Tally:
    """Judge a file; `write` gets the lines of the answer. Raises LostError if a row could not be judged."""
    summary = Tally()
    with closing(judge(rows(file, kind, limits), sandbox, on_row)) as judged:
        for row, verdict in judged:
            summary.counts[verdict.verdict] += 1
            if verdict.matches is not None:
                summary.matches[verdict.matches] += 1
            write(encode(row, verdict, kind))
    return summary
