"""Two corpora with known answers, judged by every backend: 479 puzzles and 400 programs (T6, S3).

Each third answer, by the slow one of two backends each ninth, and everything in `make test-all`.
"""

import json
import lzma
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from antemill.engine.execute.sandbox import Check, OutputCheck, PuzzleCheck, Verdict, make_sandbox
from tests.engine.execute.sandbox.backends import HERE, NATIVE
from tests.seeds import size

DATA = Path(__file__).parents[1] / "data"

# What a backend judges otherwise in the corpora: {(row, solution): its verdict}. Neither does anything: what sets the
# guest apart (see KNOWN, below) is not in them, and its Python 3.14 words some errors differently, no more.
DIFFERENCES: dict[str, dict[tuple[str, str], str]] = {"native": {}, "wasm": {}}


@dataclass(frozen=True)
class Case:
    """A check and the verdict that it deserves."""

    name: tuple[str, str]
    check: Check
    deserved: str
    stdout: str | None = None


@cache
def rows(name: str) -> tuple[Any, ...]:
    """The corpus of that name."""
    with lzma.open(DATA / f"{name}.jsonl.xz", "rt", encoding="utf-8") as file:
        return tuple(map(json.loads, file))


def puzzles() -> Iterable[Case]:
    """Right answers, whether written by hand or found otherwise, and wrong ones with their verdicts."""
    for row in rows("p3"):
        answers = [*((text, "true") for text in (row["solution"], *row["also_true"])), *map(tuple, row["wrong"])]
        for text, deserved in answers:
            yield Case((row["id"], text), PuzzleCheck(row["code"], text), deserved)


def programs() -> Iterable[Case]:
    for row in rows("cruxeval"):
        yield Case((row["id"], ""), OutputCheck(row["code"], row["stdout"]), "true", row["stdout"])


def of(backend: str, cases: Iterable[Case]) -> list[Case]:
    """What a backend judges of the cases."""
    return list(cases)[:: size(9 if backend == "wasm" and NATIVE else 3, 1)]


def judge(backend: str, cases: list[Case]) -> list[Verdict]:
    with make_sandbox(backend) as sandbox:
        return list(sandbox.check_many([case.check for case in cases]))


def test_the_corpora_are_complete() -> None:
    """What is judged below is what it claims to be."""
    cases = list(puzzles())
    assert len({case.name[0] for case in cases}) == len(rows("p3")) == 479
    assert {case.deserved for case in cases} == {"true", "false", "error"}
    assert sum(case.deserved == "true" for case in cases) == 670
    assert sum(case.deserved != "true" for case in cases) == 1991
    assert len({row["id"] for row in rows("cruxeval")}) == len(list(programs())) == 400


@pytest.mark.slow
@pytest.mark.parametrize("backend", HERE)
def test_every_puzzle_is_judged_right(backend: str) -> None:
    """T6: solutions are true; each wrong answer is false, or an error where the puzzle fails on it."""
    cases = of(backend, puzzles())
    found = judge(backend, cases)
    wrong = {c.name: v.verdict for c, v in zip(cases, found, strict=True) if v.verdict != c.deserved}
    assert wrong == DIFFERENCES[backend]
    assert {verdict.backend for verdict in found} == {backend}


@pytest.mark.slow
@pytest.mark.parametrize("backend", HERE)
def test_every_program_prints_what_it_prints(backend: str) -> None:
    """S3: exactly that, byte for byte; the rule refuses none, and none depends on the hash seed."""
    cases = of(backend, programs())
    found = judge(backend, cases)
    assert [(c.name, v.verdict, v.detail) for c, v in zip(cases, found, strict=True) if v.verdict != "true"] == []
    assert [verdict.stdout for verdict in found] == [case.stdout for case in cases]
    assert all(verdict.matches for verdict in found)


# ------------------------------------------------------------------------------------------------ beyond the corpora

_EQUALS = "import {module}\ndef mystery(x):\n    return ({what}) == x"
_IMPORTS = "import {module}\ndef mystery(x):\n    return True"


def _equals(module: str, what: str, value: str) -> PuzzleCheck:
    return PuzzleCheck(_EQUALS.format(module=module, what=what), value)


def _imports(module: str) -> PuzzleCheck:
    return PuzzleCheck(_IMPORTS.format(module=module), "0")


# what docs/sandbox.md says the guest cannot do, or does otherwise: (check, verdict of native, verdict of wasm)
KNOWN = {
    "sys.maxsize": (_equals("sys", "sys.maxsize", "2**63 - 1"), "true", "false"),
    "the guest's sys.maxsize": (_equals("sys", "sys.maxsize", "2**31 - 1"), "false", "true"),
    "hash of a large int": (_equals("sys", "hash(2**40)", "2**40"), "true", "false"),
    "hash of a fraction": (_equals("sys", "hash(0.5)", "2**60"), "true", "false"),
    "size of a pointer": (_equals("struct", "struct.calcsize('P')", "8"), "true", "false"),
    "the longest range": (_equals("sys", "len(range(2**31))", "2**31"), "true", "error"),
    "digits of a Decimal": (_equals("decimal", "decimal.MAX_PREC", "10**18 - 1"), "true", "false"),
    "key derivation": (_equals("hashlib", "len(hashlib.pbkdf2_hmac('sha256', b'a', b'b', 1))", "32"), "true", "error"),
    "hashes of OpenSSL": (_equals("hashlib", "callable(hashlib.scrypt)", "True"), "true", "error"),
    "bzip2": (_equals("bz2", "len(bz2.compress(b'')) > 0", "True"), "true", "error"),
    "xz": (_equals("lzma", "len(lzma.compress(b'')) > 0", "True"), "true", "error"),
    "TLS": (_imports("ssl"), "true", "error"),
    "a module that is not in the snapshot": (_imports("wsgiref.util"), "true", "error"),
}
