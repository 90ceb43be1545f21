"""The commands of `antemill verify`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from antemill.tournament.cli.arguments import AsJson

Puzzles = Annotated[Path, Parameter(help="JSON lines, each with id, code and solution.", show_default=False)]
Programs = Annotated[Path, Parameter(help="JSON lines, each with id and code (and stdout, stdin).", show_default=False)]
Output = Annotated[Path | None, Parameter(name=["--output", "-o"], help="The file for the verdicts. [default: stdout]")]
Timeout = Annotated[float, Parameter(help="Time limit in seconds for a puzzle, or for each of a program's five runs.")]


def puzzle(
    file: Puzzles,
    *,
    output: Output = None,
    timeout: Timeout = 5.0,
    json: AsJson = False,
) -> None:
    """Judge solutions: does mystery() accept them?

    Rows {id, code, solution} in; solution is an expression, whose value the function mystery of the code accepts or
    not.

        antemill verify puzzle puzzles.jsonl -o verdicts.jsonl
    """
    _verify("puzzle", file, output, timeout, json)


def output(
    file: Programs,
    *,
    output: Output = None,
    timeout: Timeout = 5.0,
    json: AsJson = False,
) -> None:
    """Run programs: what do they print, the same every time?

    Rows {id, code} in, optionally with the expected stdout, and stdin.

        antemill verify output programs.jsonl -o verdicts.jsonl
    """
    _verify("output", file, output, timeout, json)


def _verify(kind: str, file: Path, target: Path | None, timeout: float, json: bool) -> None:
    from antemill.engine.errors import UsageError
    from antemill.engine.execute.progress import progress_bar
    from antemill.engine.execute.sandbox import CheckLimits, make_sandbox
    from antemill.tournament.cli.output import print_json
    from antemill.tournament.verify import open_rows, verify

    limits = CheckLimits(seconds=timeout)
    if target is not None and target.exists() and file.exists() and target.samefile(file):
        raise UsageError(f"{target} is the file with the rows: name another one for the verdicts.")
    start = time.monotonic()
    quiet = target is None and not json and sys.stdout.isatty()  # the rows show how far it is
    with open_rows(file) as rows, _destination(target, json) as write, make_sandbox() as judge:
        with progress_bar(file.name, None if quiet else _count(file), quiet) as bar:
            summary = verify(rows, kind, judge, limits, write, lambda done: bar(done, None))
        backend = judge.backend
    document = summary.document() | {"seconds": round(time.monotonic() - start, 3), "backend": backend}
    if json:
        print_json(document)
    elif target is not None:
        _say(document, target)


@contextmanager
def _destination(target: Path | None, json: bool) -> Iterator[Callable[[bytes], object]]:
    """The destination of rows: a file that is complete or absent, stdout, or none."""
    from antemill.engine.storage.files import atomic_write

    if target is not None:
        with atomic_write(target) as file:
            yield file.write
    elif json:
        yield len
    else:
        yield _print


def _print(line: bytes) -> None:
    sys.stdout.buffer.write(line)  # JSON is UTF-8 on every terminal
    if sys.stdout.isatty():
        sys.stdout.flush()


def _count(file: Path) -> int | None:
    """The number of lines, if a progress bar is shown."""
    if not sys.stderr.isatty() or not file.is_file():
        return None
    with file.open("rb") as lines:
        return sum(chunk.count(b"\n") for chunk in iter(lambda: lines.read(1 << 20), b""))


def _say(document: dict[str, Any], target: Path) -> None:
    from antemill.tournament.cli.output import say

    counts = ", ".join(f"{count} {name}" for name, count in document["counts"].items() if count) or "no rows"
    matches = f", {document['matches']['true']} as expected" if "matches" in document else ""
    sentence = f"{target} is written: {counts}{matches} ({document['backend']}, {document['seconds']:.1f} s)."
    say(sentence)
