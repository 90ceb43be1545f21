"""What crosses between a solution that names the puzzle's functions, classes or objects, and the puzzle."""

import pytest

from engine.execute.sandbox import PuzzleCheck, Sandbox
from tests.engine.execute.sandbox.backends import judged
from tests.engine.execute.sandbox.borders import ACROSS, CROSSINGS, IMPOSSIBLE, REFUSED, puzzle
from tests.engine.execute.sandbox.forgeries import EVALUATES
from tests.engine.execute.sandbox.guards import GUARDED, OPEN, THROWN


def test_nothing_that_the_puzzle_keeps_crosses(sandbox: Sandbox) -> None:
    found = judged(sandbox, {name: PuzzleCheck(*check) for name, check in CROSSINGS.items()})
    assert {name: verdict for name, verdict in found.items() if verdict not in ("false", "error", "refused")} == {}


@pytest.mark.slow
def test_without_walls_everything_crosses(sandbox: Sandbox) -> None:
    checks = {name: PuzzleCheck(code + EVALUATES, repr(text)) for name, (code, text) in CROSSINGS.items()}
    found = judged(sandbox, checks)
    assert [name for name in found if found[name] != "true"] == []


def test_what_a_solution_gives_is_the_puzzles_own(sandbox: Sandbox) -> None:
    """No stand-in gets to the puzzle, of which it could find what holds for no object of that class."""
    found = judged(sandbox, {name: PuzzleCheck(puzzle(body), text) for name, (body, text) in IMPOSSIBLE.items()})
    assert {name: verdict for name, verdict in found.items() if verdict != "false"} == {}


def test_honest_solutions_cross(sandbox: Sandbox) -> None:
    found = judged(sandbox, {name: PuzzleCheck(puzzle(body), text) for name, (body, text) in ACROSS.items()})
    assert {name: verdict for name, verdict in found.items() if verdict != "true"} == {}


def test_what_can_not_cross_is_refused(sandbox: Sandbox) -> None:
    found = judged(sandbox, {name: PuzzleCheck(puzzle(body), text) for name, (body, text) in REFUSED.items()})
    assert {name: verdict for name, verdict in found.items() if verdict != "refused"} == {}


_GUARDED = {f"{name} {place}": one for name, found in GUARDED.items() for place, one in enumerate(found)}


def test_what_python_guards_is_guarded(sandbox: Sandbox) -> None:
    """A view asks what Python would ask, no less and no more often."""
    found = judged(sandbox, {name: PuzzleCheck(*check) for name, check in _GUARDED.items()})
    assert {name: verdict for name, verdict in found.items() if verdict not in ("false", "refused")} == {}


@pytest.mark.slow
def test_python_says_the_same_of_what_is_guarded(sandbox: Sandbox) -> None:
    checks = {name: PuzzleCheck(code + EVALUATES, repr(text)) for name, (code, text) in _GUARDED.items()}
    assert {name: verdict for name, verdict in judged(sandbox, checks).items() if verdict == "true"} == {}


def test_exceptions_carry_nothing_across(sandbox: Sandbox) -> None:
    found = judged(sandbox, {text: PuzzleCheck(code, text) for code, text in THROWN})
    assert {text: verdict for text, verdict in found.items() if verdict == "true"} == {}


def test_what_is_open_stays_open(sandbox: Sandbox) -> None:
    found = judged(sandbox, {code + text: PuzzleCheck(code, text) for code, text in OPEN})
    assert {text: verdict for text, verdict in found.items() if verdict != "true"} == {}
