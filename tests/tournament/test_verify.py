"""`antemill verify`: rows in, verdicts out, in order; one bad row is that row's error (T6, S3)."""

import io
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

import antemill.engine.execute.sandbox as sandboxes
from antemill.engine.errors import ExecutionError
from antemill.engine.execute.progress import Progress, silent
from antemill.engine.execute.sandbox import (
    VERDICTS,
    Check,
    CheckLimits,
    LostError,
    PuzzleCheck,
    Sandbox,
    Verdict,
)
from antemill.tournament.cli.entry import run
from antemill.tournament.verify import BATCH, LONGEST_LINE, verify

LIMITS = CheckLimits()

Row = dict[str, Any]


class Echo(Sandbox):
    """A sandbox without code: the verdict is what the solution, or the program, says; a program prints itself."""

    backend = "echo"

    def __init__(self, fail_after: int | None = None, failure: BaseException | None = None) -> None:
        self.seen: list[Check] = []
        self.closed = False
        self._fail_after, self._failure = fail_after, failure

    def check_many(self, checks: Iterable[Check], _on_progress: Progress = silent) -> Iterator[Verdict]:
        for check in checks:
            if self._failure is not None and len(self.seen) == self._fail_after:
                raise self._failure
            self.seen.append(check)
            yield self._verdict(check)

    async def check(self, check: Check) -> Verdict:
        return self._verdict(check)

    def close(self) -> None:
        self.closed = True

    def _verdict(self, check: Check) -> Verdict:
        if isinstance(check, PuzzleCheck):
            return Verdict(cast(Any, check.solution), "", 0.25, "echo")
        matches = None if check.stdout is None else check.stdout == check.code
        return Verdict("true", "", 0.25, "echo", check.code, matches)


def puzzles(*verdicts: str) -> list[Row]:
    return [{"id": number, "code": "", "solution": verdict} for number, verdict in enumerate(verdicts)]


def lines(rows: Iterable[Row]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def judged(data: bytes, kind: str = "puzzle", sandbox: Sandbox | None = None) -> tuple[list[Row], dict[str, Any]]:
    """The rows that come out of a file, and the document."""
    written: list[bytes] = []
    summary = verify(io.BytesIO(data), kind, sandbox or Echo(), LIMITS, written.append)
    assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line in written)
    return [json.loads(line) for line in written], summary.document()


# ------------------------------------------------------------------------------------------------ rows


def test_verdicts_are_in_the_order_of_the_rows() -> None:
    """More rows than one batch has."""
    asked = [VERDICTS[number % len(VERDICTS)] for number in range(BATCH + 88)]
    rows, document = judged(lines(puzzles(*asked)))
    assert [row["id"] for row in rows] == list(range(BATCH + 88))
    assert [row["verdict"] for row in rows] == asked
    assert document["counts"] == {name: asked.count(name) for name in VERDICTS}
    assert document["rows"] == BATCH + 88


def test_the_keys_of_a_puzzles_row() -> None:
    rows, _ = judged(lines([{"id": "p", "code": "", "solution": "false", "author": "somebody"}]))
    assert rows == [{"id": "p", "verdict": "false", "detail": "", "seconds": 0.25, "backend": "echo", "python": ""}]


def test_the_keys_of_a_programs_row() -> None:
    program = {"id": "a", "code": "print()"}
    rows, document = judged(lines([program, program | {"stdout": "print()"}, program | {"stdout": "x"}]), "output")
    rest = {"detail": "", "seconds": 0.25, "backend": "echo", "python": ""}
    assert [row["matches"] for row in rows] == [None, True, False]
    assert rows[0] == {"id": "a", "verdict": "true", "stdout": "print()", "matches": None, **rest}
    assert document["matches"] == {"true": 1, "false": 1}


BAD = {  # what: (line, the id that is kept, what the reason names)
    "no JSON": (b"garbage", None, "JSON is malformed"),
    "half a row": (b'{"id": 7, "code": "x"', None, "truncated"),
    "no object": (b"[1, 2]", None, "object"),
    "no code": (b'{"id": 7, "solution": "1"}', 7, "code"),
    "no solution": (b'{"id": "seven", "code": "x"}', "seven", "solution"),
    "no id": (b'{"code": "x", "solution": "1"}', None, "id"),
    "code that is no text": (b'{"id": 7, "code": 3, "solution": "1"}', 7, "code"),
    "a solution that is no text": (b'{"id": 7, "code": "x", "solution": [1]}', 7, "solution"),
    "an id that is none": (b'{"id": [7], "code": "x", "solution": "1"}', None, "id"),
    "an id that is a fraction": (b'{"id": 7.5, "code": "x", "solution": "1"}', None, "id"),
    "an id that JSON cannot hold": (b'{"id": 1%s, "code": "", "solution": "1"}' % (b"0" * 30), None, "id"),
    "bytes that are no text": (b'{"id": 7, "code": "\xff", "solution": "1"}', 7, "utf-8"),
    "half a surrogate pair": (rb'{"id": "\ud800", "code": "x", "solution": "1"}', None, "surrogate"),
    "half a pair in the code": (rb'{"id": 7, "code": "\udfff", "solution": "1"}', 7, "half of a surrogate pair"),
    "a bottomless nest": (b'{"id": 7, "code": ' + b"[" * 100_000, None, "line 2"),
    "a line without an end": (b'{"id": 7, "code": "' + b"x" * LONGEST_LINE, None, f"{LONGEST_LINE} bytes"),
    "a zero": (b"\0", None, "line 2"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_row_is_that_rows_error(what: str) -> None:
    line, identity, named = BAD[what]
    sandbox = Echo()
    before, after = puzzles("true", "false")
    rows, document = judged(lines([before]) + line + b"\n" + lines([after]), sandbox=sandbox)
    assert [row["verdict"] for row in rows] == ["true", "error", "false"]
    assert rows[1]["id"] == identity
    assert rows[1]["detail"].startswith("line 2 is ")
    assert named in rows[1]["detail"]
    assert rows[1]["backend"] == "echo"
    assert [cast(PuzzleCheck, check).solution for check in sandbox.seen] == ["true", "false"]
    assert document["counts"]["error"] == 1


def test_empty_lines_and_a_byte_order_mark_are_no_rows() -> None:
    first, second = (lines([row]) for row in puzzles("true", "false"))
    rows, _ = judged(b"\xef\xbb\xbf" + first + b"\n  \r\n" + second.rstrip(b"\n"))
    assert [row["verdict"] for row in rows] == ["true", "false"]
    assert judged(b"")[0] == []


# ------------------------------------------------------------------------------------------------ long files


class Endless(io.RawIOBase):
    """A file of rows without an end; knows how many were read."""

    def __init__(self, row: bytes) -> None:
        self.row, self.read_rows = row, 0

    def readline(self, _limit: int | None = -1, /) -> bytes:
        self.read_rows += 1
        return self.row


class EnoughError(Exception):
    """Raised to leave an endless file."""


def test_rows_are_read_as_they_are_judged() -> None:
    file = Endless(lines(puzzles("true")))
    ahead: list[int] = []

    def write(_: bytes) -> None:
        ahead.append(file.read_rows - len(ahead))
        if len(ahead) == 4 * BATCH:
            raise EnoughError

    with pytest.raises(EnoughError):
        verify(cast(Any, file), "puzzle", Echo(), LIMITS, write)
    assert max(ahead) <= BATCH


def test_a_batch_of_huge_rows_is_small() -> None:
    """Rows of 8 MiB each: five of them fill a batch."""
    file = Endless(lines([{"id": 1, "code": "x" * (8 << 20), "solution": "true"}]))

    def write(_: bytes) -> None:
        raise EnoughError

    with pytest.raises(EnoughError):
        verify(cast(Any, file), "puzzle", Echo(), LIMITS, write)
    assert file.read_rows <= 5


# ------------------------------------------------------------------------------------------------ the commands


@pytest.fixture
def echo(monkeypatch: pytest.MonkeyPatch) -> Callable[[Echo], Echo]:
    """Puts a sandbox in the place of the real ones."""

    def install(sandbox: Echo) -> Echo:
        monkeypatch.setattr(sandboxes, "make_sandbox", lambda *_, **__: sandbox)
        return sandbox

    return install


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command that succeeds prints; nothing may go to stderr, which is no terminal here."""
    assert run(["verify", *arguments]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def complaint(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The sentence of a command that fails."""
    assert run(["verify", *arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n"), err[-2:], err[:10]) == ("", 1, ".\n", "antemill: ")
    return err


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Two good rows and a bad one between them."""
    path = tmp_path / "rows.jsonl"
    path.write_bytes(lines(puzzles("true")) + b"garbage\n" + lines(puzzles("refused")))
    return path


def test_rows_go_to_stdout_or_to_the_file(
    file: Path, echo: Callable[[Echo], Echo], capsys: pytest.CaptureFixture[str]
) -> None:
    sandbox = echo(Echo())
    printed = said(capsys, "puzzle", str(file))
    assert [json.loads(line)["verdict"] for line in printed.splitlines()] == ["true", "error", "refused"]
    assert sandbox.closed
    told = said(capsys, "puzzle", str(file), "-o", str(file.with_name("out.jsonl")))
    assert file.with_name("out.jsonl").read_text() == printed
    assert "1 true, 1 error, 1 refused (echo" in told
    assert sorted(path.name for path in file.parent.iterdir()) == ["out.jsonl", "rows.jsonl"]


@pytest.mark.parametrize("name", ["rows.jsonl", "link"])
def test_the_file_is_never_written_over_itself(
    name: str, file: Path, echo: Callable[[Echo], Echo], capsys: pytest.CaptureFixture[str]
) -> None:
    echo(Echo())
    file.with_name("link").symlink_to(file)
    before = file.read_bytes()
    target = file.parent / name.format(file.parent.name)
    assert "is the file with the rows" in complaint(capsys, "puzzle", str(file), "-o", str(target))
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("failure", "code"), [(ExecutionError("no worker can be had."), 2), (KeyboardInterrupt(), 130)]
)
@pytest.mark.parametrize("old", [None, "old\n"])
def test_what_is_not_complete_is_not_written(
    failure: BaseException,
    code: int,
    old: str | None,
    file: Path,
    echo: Callable[[Echo], Echo],
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = file.with_name("out.jsonl")
    if old is not None:
        out.write_text(old)
    before = sorted(file.parent.iterdir())
    sandbox = echo(Echo(fail_after=1, failure=failure))
    assert run(["verify", "puzzle", str(file), "-o", str(out)]) == code
    assert capsys.readouterr().out == ""
    assert sorted(file.parent.iterdir()) == before
    assert old is None or out.read_text() == old
    assert sandbox.closed


def test_a_loss_of_the_machine_ends_it_with_the_reason(
    file: Path, tmp_path: Path, echo: Callable[[Echo], Echo], capsys: pytest.CaptureFixture[str]
) -> None:
    """No row says of a check that could not be judged that it failed."""
    echo(Echo(1, LostError("a check could not be judged, 2 times: it was killed by SIGKILL.")))
    out = tmp_path / "out.jsonl"
    assert run(["verify", "puzzle", str(file), "-o", str(out)]) == 2
    said = capsys.readouterr()
    assert "killed by SIGKILL" in said.err
    assert said.out == ""
    assert not out.exists()


# ------------------------------------------------------------------------------------------------ real backends

TWO = "def mystery(x):\n    return x == 2"
PUZZLES = [
    {"id": "true", "code": TWO, "solution": " 1 + 1 "},
    {"id": "false", "code": TWO, "solution": "3"},
    {"id": "error", "code": TWO, "solution": "1) or (True"},
    {"id": "timeout", "code": "def mystery(x):\n    while True:\n        pass", "solution": "1"},
    {"id": "refused", "code": "def mystery(f):\n    return f(2)", "solution": "lambda x: x.__class__"},
]
PROGRAMS = [
    {"id": "true", "code": "print('é', 6 * 7)", "stdout": "é 42"},
    {"id": "true", "code": "print(int(input()) * 2)", "stdin": "21\n", "stdout": "42"},
    {"id": "error", "code": "print(1 / 0)"},
    {"id": "timeout", "code": "while True:\n    pass"},
    {"id": "refused", "code": "import time\nprint(time.time())"},
]


@pytest.mark.slow
def test_all_verdicts_by_a_real_backend(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "rows.jsonl"
    options = ("--timeout", "5")
    file.write_bytes(lines(PUZZLES))
    rows = [json.loads(line) for line in said(capsys, "puzzle", str(file), *options).splitlines()]
    assert [row["verdict"] for row in rows] == [row["id"] for row in PUZZLES]
    assert {row["backend"] for row in rows} == {"native"}
    assert rows[3]["detail"] == "not finished within 5 seconds"
    file.write_bytes(lines(PROGRAMS))
    rows = [json.loads(line) for line in said(capsys, "output", str(file), *options).splitlines()]
    assert [row["verdict"] for row in rows] == [row["id"] for row in PROGRAMS]
    assert [(row["stdout"], row["matches"]) for row in rows] == [("é 42\n", True), ("42\n", True), *[(None, None)] * 3]


# ------------------------------------------------------------------------------------------------ doctor


def test_limits_reach_the_checks() -> None:
    sandbox, limits = Echo(), CheckLimits(seconds=1.5, memory_mb=17)
    verify(io.BytesIO(lines(puzzles("true"))), "puzzle", sandbox, limits, len)
    assert sandbox.seen == [PuzzleCheck("", "true", limits)]


def test_json_is_one_document(file: Path, echo: Callable[[Echo], Echo], capsys: pytest.CaptureFixture[str]) -> None:
    echo(Echo())
    document = json.loads(said(capsys, "puzzle", str(file), "--json"))
    assert document.pop("seconds") >= 0
    counts = {"true": 1, "false": 0, "error": 1, "timeout": 0, "refused": 1}
    assert document == {"rows": 3, "counts": counts, "backend": "echo"}
    out = file.with_name("out.jsonl")
    assert json.loads(said(capsys, "puzzle", str(file), "-o", str(out), "--json"))["counts"] == counts
    assert len(out.read_text().splitlines()) == 3
