"""Hostile code judged, on all processors: each backend of the sandbox."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from antemill.engine.errors import ExecutionError
from antemill.engine.execute.sandbox import BACKENDS, Check, OutputCheck, PuzzleCheck, make_sandbox
from antemill.tournament.bench.measure import Measurement, Setting, UnavailableError, Work


def _puzzle(number: int) -> Check:
    """One with a literal for its solution: a single stage."""
    digits = sum(map(int, str(number)))
    return PuzzleCheck(
        f"def mystery(x):\n    return x > {number - 1} and sum(map(int, str(x))) == {digits}", f"{number}"
    )


def _expression(number: int) -> Check:
    """One whose solution has to be evaluated before it is judged: two stages."""
    return PuzzleCheck(
        f"def mystery(x):\n    return x[::-1] == '{'ab' * 5}{number}'[::-1]", f"'ab' * 5 + str({number})"
    )


def _program(number: int) -> Check:
    """A program whose output is known: two runs."""
    lines = "".join(f"{i * number}\n" for i in range(5))
    return OutputCheck(f"for i in range(5):\n    print(i * {number})", lines)


_KINDS: dict[str, tuple[str, Callable[[int], Check]]] = {
    "puzzles": ("puzzles judged", _puzzle),
    "expressions": ("puzzles judged whose solution is evaluated first", _expression),
    "programs": ("programs run, twice each", _program),
}


def _judge(backend: str, make: Callable[[int], Check], setting: Setting) -> Sequence[Work]:
    try:
        sandbox = setting.stack.enter_context(make_sandbox(backend))
    except ExecutionError as error:
        raise UnavailableError(str(error)) from error
    checks = [make(number) for number in range(100, 100 + setting.size(400, 4))]

    def judge() -> None:
        wrong = [verdict for verdict in sandbox.check_many(checks) if verdict.verdict != "true"]
        assert not wrong, wrong[0]

    return [Work(judge, len(checks))]


MEASUREMENTS = tuple(
    Measurement(
        f"{backend}-{kind}", "sandbox", f"{words}, {backend} backend", "checks/s", partial(_judge, backend, make)
    )
    for backend in BACKENDS[1:]
    for kind, (words, make) in _KINDS.items()
)
