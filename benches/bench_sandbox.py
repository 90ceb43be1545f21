"""Hostile code judged, on all processors."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from antemill.engine.execute.sandbox import Check, OutputCheck, PuzzleCheck, make_sandbox
from benches.timing import Bench, Piece


def _puzzle(number: int) -> Check:
    """A literal for its solution."""
    digits = sum(map(int, str(number)))
    code = f"def mystery(x):\n    return x > {number - 1} and sum(map(int, str(x))) == {digits}"
    return PuzzleCheck(code, f"{number}")


def _expression(number: int) -> Check:
    """A solution that is evaluated before it is judged."""
    code = f"def mystery(x):\n    return x[::-1] == '{'ab' * 5}{number}'[::-1]"
    return PuzzleCheck(code, f"'ab' * 5 + str({number})")


def _program(number: int) -> Check:
    """A program whose output is known: five runs."""
    lines = "".join(f"{i * number}\n" for i in range(5))
    return OutputCheck(f"for i in range(5):\n    print(i * {number})", lines)


@pytest.mark.parametrize(("kind", "make"), [("puzzles", _puzzle), ("expressions", _expression), ("programs", _program)])
def bench_judging(bench: Bench, kind: str, make: Callable[[int], Check]) -> None:
    sandbox = bench.stack.enter_context(make_sandbox())
    checks = [make(number) for number in range(100, 100 + bench.size(400, 4))]

    def judge() -> None:
        wrong = [verdict for verdict in sandbox.check_many(checks) if verdict.verdict != "true"]
        assert not wrong, wrong[0]

    bench(f"native-{kind}", "checks/s", [Piece(judge, len(checks))])
