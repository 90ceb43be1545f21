"""Checks a second of the sandbox, on all processors: puzzles and predicted outputs, both backends."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from engine.execute.sandbox import Check, OutputCheck, PuzzleCheck, Sandbox, make_sandbox

Benchmark = Any  # pytest-benchmark's fixture, which is untyped
DATA = Path(__file__).resolve().parent.parent / "tests" / "data"
ROUNDS = 5


@cache
def rows(name: str) -> tuple[Any, ...]:
    """The corpus of that name."""
    with lzma.open(DATA / f"{name}.jsonl.xz", "rt", encoding="utf-8") as file:
        return tuple(map(json.loads, file))


def puzzles() -> Iterator[Check]:
    """Literals, as most solutions are: one stage each."""
    return (PuzzleCheck(row["code"], row["solution"]) for row in rows("p3"))


def expressions() -> Iterator[Check]:
    """Solutions that have to be evaluated: two stages each."""
    return (PuzzleCheck(row["code"], f"({row['solution']},)[0]") for row in rows("p3"))


def programs() -> Iterator[Check]:
    """Two runs each."""
    return (OutputCheck(row["code"], row["stdout"]) for row in rows("cruxeval"))


@pytest.fixture(scope="module", params=["native", "wasm"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    with make_sandbox(request.param) as made:
        assert all(v.verdict == "true" for v in made.check_many(list(islice(puzzles(), 20))))  # all workers are up
        yield made


@pytest.mark.parametrize("kind", [puzzles, expressions, programs])
def bench_checks(benchmark: Benchmark, sandbox: Sandbox, kind: Any) -> None:
    checks = list(islice(kind(), 400))

    def all_checks() -> None:
        assert all(verdict.verdict == "true" for verdict in sandbox.check_many(checks))

    benchmark.pedantic(all_checks, rounds=ROUNDS)
    benchmark.extra_info["checks_per_second"] = len(checks) / benchmark.stats.stats.median
