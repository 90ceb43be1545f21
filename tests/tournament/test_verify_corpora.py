"""Two corpora with known answers: 479 puzzles and 400 programs (T6, S3). Each ninth, and all in `make test-all`."""

import json
import lzma
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from antemill.engine.execute.sandbox import Check, OutputCheck, PuzzleCheck, Verdict, make_sandbox
from tests.seeds import size

DATA = Path(__file__).parents[1] / "data"


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


def judged(cases: Iterable[Case]) -> list[tuple[Case, Verdict]]:
    chosen = list(cases)[:: size(9, 1)]
    with make_sandbox() as sandbox:
        return list(zip(chosen, sandbox.check_many([case.check for case in chosen]), strict=True))


def test_the_corpora_are_complete() -> None:
    """What is judged below is what it claims to be."""
    cases = list(puzzles())
    assert len({case.name[0] for case in cases}) == len(rows("p3")) == 479
    assert {case.deserved for case in cases} == {"true", "false", "error"}
    assert sum(case.deserved == "true" for case in cases) == 670
    assert sum(case.deserved != "true" for case in cases) == 1991
    assert len({row["id"] for row in rows("cruxeval")}) == len(list(programs())) == 400


@pytest.mark.slow
def test_every_puzzle_is_judged_right() -> None:
    """T6: solutions are true; each wrong answer is false, or an error where the puzzle fails on it."""
    found = judged(puzzles())
    assert {case.name: verdict.verdict for case, verdict in found if verdict.verdict != case.deserved} == {}


@pytest.mark.slow
def test_every_program_prints_what_it_prints() -> None:
    """S3: exactly that, byte for byte."""
    found = judged(programs())
    assert [(case.name, verdict) for case, verdict in found if verdict.verdict != "true"] == []
    assert [verdict.stdout for _, verdict in found] == [case.stdout for case, _ in found]
    assert all(verdict.matches for _, verdict in found)
