"""A solution must never make a false verdict true, and an honest one must not be refused."""

import abc
import sys
from types import ModuleType
from typing import Any

import pytest

from engine.execute.sandbox import PuzzleCheck, Sandbox
from engine.execute.sandbox.inside import library, policy
from tests.engine.execute.sandbox.backends import judged, verdicts
from tests.engine.execute.sandbox.forgeries import EVALUATES, FORGERIES, KEEPER, LEAKS, LIARS, STEPS
from tests.engine.execute.sandbox.honest import HONEST, RESULTS

ENOUGH = 60
OPEN = f"{KEEPER}\nSIZE += 1{EVALUATES}"
UNCHANGED = KEEPER.replace("return changed()", "return not changed()")


def lies(text: str) -> str:
    return f"def mystery(x):\n    return {text}"


def test_there_are_enough_forgeries() -> None:
    assert len(FORGERIES) + len(LIARS) >= ENOUGH
    assert len({*FORGERIES.values(), *STEPS.values(), *dict(LIARS.values()).values()}) > ENOUGH


@pytest.mark.slow
def test_without_walls_every_forgery_succeeds(sandbox: Sandbox) -> None:
    """Or else it would prove nothing that they fail below."""
    checks = {name: PuzzleCheck(OPEN, repr(text)) for name, text in FORGERIES.items()}
    for name, (puzzle, text) in LIARS.items():
        checks[name] = PuzzleCheck(f"def mystery(text):\n    x = eval(text)\n    return {puzzle}", repr(text))
    checks |= {f"leak: {name}": PuzzleCheck(code + EVALUATES, repr(text)) for name, (code, text) in LEAKS.items()}
    found = judged(sandbox, checks)
    assert [name for name in found if found[name] != "true"] == []


def test_no_forgery_is_true(sandbox: Sandbox) -> None:
    checks = {name: PuzzleCheck(KEEPER, text) for name, text in FORGERIES.items()}
    checks |= {name: PuzzleCheck(lies(puzzle), text) for name, (puzzle, text) in LIARS.items()}
    checks |= {f"leak: {name}": PuzzleCheck(code, text) for name, (code, text) in LEAKS.items()}
    found = judged(sandbox, checks)
    assert {name: found[name] for name in found if found[name] not in ("false", "error", "refused")} == {}


@pytest.mark.slow
def test_what_a_forgery_that_runs_changes_is_its_own(sandbox: Sandbox) -> None:
    """Where the code is allowed to run, it runs to its end, and the puzzle finds everything as it was."""
    found = judged(sandbox, {name: PuzzleCheck(KEEPER, text) for name, text in FORGERIES.items()})
    harmless = [name for name in found if found[name] == "false"]
    assert len(harmless) > 30
    again = judged(sandbox, {name: PuzzleCheck(UNCHANGED, FORGERIES[name]) for name in harmless})
    assert set(again.values()) == {"true"}, again


@pytest.mark.parametrize("name", STEPS)
def test_a_way_out_is_refused(sandbox: Sandbox, name: str) -> None:
    (verdict,) = verdicts(sandbox, PuzzleCheck(KEEPER, STEPS[name]))
    assert verdict.verdict == "refused", verdict
    assert verdict.detail.startswith("a solution that is not plain data must not "), verdict


def test_what_the_puzzle_hands_over_is_the_solutions_to_change(sandbox: Sandbox) -> None:
    """Arguments are the puzzle's rules: a function may be asked to sort a list."""
    puzzle = "def mystery(f):\n    rows = [3, 1, 2]\n    f(rows)\n    return rows == [1, 2, 3]"
    assert verdicts(sandbox, PuzzleCheck(puzzle, "lambda rows: rows.sort()"))[0].verdict == "true"
    assert verdicts(sandbox, PuzzleCheck(puzzle, "lambda rows: sorted(rows)"))[0].verdict == "false"


def test_what_a_solution_calls_of_the_puzzle_works_as_the_puzzle_says(sandbox: Sandbox) -> None:
    """A walk to be steered by the puzzle's own functions."""
    puzzle = """
place = [0, 0]
def right(n):
    place[0] += n
def up(n):
    place[1] += n
def mystery(f):
    f()
    return place == [2, 3]
"""
    found = verdicts(
        sandbox,
        PuzzleCheck(puzzle, "lambda: (right(2), up(3))"),
        PuzzleCheck(puzzle, "lambda: (right(2), up(2))"),
        PuzzleCheck(puzzle, "lambda: place.__init__([2, 3])"),
        PuzzleCheck(puzzle, "lambda: place.extend([2, 3])"),
    )
    assert [verdict.verdict for verdict in found] == ["true", "false", "refused", "false"]


@pytest.mark.parametrize(
    "solution",
    [
        "lambda g: call(type(box.__len__)(g, lambda kept: kept.append(1)))",
        "lambda g: call(functools.lru_cache(type(box.__len__)(g, lambda kept: kept.append(1))))",
        "lambda g: call(functools.partial(g, lambda kept: kept.append(1)))",
        "lambda g: call(functools.lru_cache(lambda kept: g(lambda k: k.append(1), kept)))",
    ],
)
def test_a_function_that_was_handed_over_carries_no_code_back(sandbox: Sandbox, solution: str) -> None:
    """`g` calls what it is given; bound to a function of the solution's, it is no function of the puzzle's any more."""
    puzzle = """
import functools
KEPT = []
class Box:
    def __len__(self):
        return 1
box = Box()
def given(function, kept):
    return function(kept)
def call(function):
    return function(KEPT)
def mystery(f):
    f(given)
    return KEPT != []
"""
    assert verdicts(sandbox, PuzzleCheck(puzzle, solution))[0].verdict in ("error", "refused")


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_solution_is_right(sandbox: Sandbox, name: str) -> None:
    """It is true, and false where the puzzle says the opposite."""
    puzzle, question, solution = HONEST[name]
    code = "{}def mystery(x):\n    return {}({})"
    checks = [PuzzleCheck(code.format(puzzle, word, question), solution) for word in ("", "not ")]
    found = verdicts(sandbox, *checks)
    assert [verdict.verdict for verdict in found] == ["true", "false"], found


@pytest.mark.parametrize("name", RESULTS)
def test_truthiness_decides(sandbox: Sandbox, name: str) -> None:
    """T6: what mystery returns need not be a bool."""
    before, result, deserved = RESULTS[name]
    (verdict,) = verdicts(sandbox, PuzzleCheck(f"{before}\ndef mystery(x):\n    return {result}", "1"))
    assert verdict.verdict == deserved, verdict


@pytest.mark.parametrize("size", [100_000, 3_000_000])
def test_what_a_puzzle_prints_does_not_matter(sandbox: Sandbox, size: int) -> None:
    text = "import sys\nprint('x' * {0})\ndef mystery(x):\n    print('x' * {0}, file=sys.stderr)\n    return x == 1"
    found = verdicts(sandbox, *(PuzzleCheck(text.format(size), solution) for solution in ("1", "2", "int('1')")))
    assert [verdict.verdict for verdict in found] == ["true", "false", "true"], found


def test_an_object_of_the_puzzles_is_that_object(sandbox: Sandbox) -> None:
    puzzle = "A, B = [], []\ndef mystery(x):\n    return x[0] is A and x[1] is not B and x[1] is A"
    found = verdicts(sandbox, *(PuzzleCheck(puzzle, solution) for solution in ("[A, A]", "(A, B)", "[[], A]")))
    assert [verdict.verdict for verdict in found] == ["true", "false", "false"]


@pytest.mark.parametrize("solution", ["[eval, {}, A]", "(exec, {}, A)", "{{0: eval, 1: {}, A: 2}}"])
def test_names_of_the_puzzle_bring_no_power_with_them(sandbox: Sandbox, solution: str) -> None:
    """What only names things is evaluated as it stands, but not if one of the names is that of such a function."""
    puzzle = "A, KEPT = 5, 0\ndef mystery(x):\n    x[0](x[1])\n    return KEPT"
    text = repr("globals().__setitem__('KEPT', 1)")
    (verdict,) = verdicts(sandbox, PuzzleCheck(puzzle, solution.format(text)))
    assert verdict.verdict == "refused", verdict


# ------------------------------------------------------------------------------------------------ the library's parts

_MUTABLE = (list, dict, set, bytearray, ModuleType)


def _public(thing: Any) -> dict[str, Any]:
    """What the policy lets a solution read of it."""
    names = (name for name in dir(thing) if policy.is_harmless(name) and not name.startswith("__"))
    return {name: getattr(thing, name) for name in names if hasattr(thing, name)}


def test_no_part_of_the_library_keeps_what_can_be_changed() -> None:
    """Whatever a solution sees of it leads to functions, types and constants by any public name."""
    shown = {**library.SAFE_BUILTINS}
    for module in library.MODULES:
        shown |= {f"{module}.{name}": part for name, part in library.parts(module).items()}
    assert len(shown) > 300
    waiting, seen = list(shown.items()), set[int]()
    while waiting:
        name, thing = waiting.pop()
        assert not isinstance(thing, _MUTABLE), name
        if id(thing) not in seen and not isinstance(thing, (int, float, str, bytes, tuple)):
            seen.add(id(thing))
            waiting += [(f"{name}.{inner}", part) for inner, part in _public(thing).items()]


def test_the_public_names_of_frames_and_of_classes_are_refused() -> None:
    """All by which generators, code, tracebacks and frames lead on, and classes are changed."""
    things = {"gi_": (n for n in [1]), "co_": judged.__code__, "f_": sys._getframe()}
    for start, thing in things.items():
        led = [name for name in dir(thing) if name.startswith(start)]
        assert led
        assert not any(map(policy.is_harmless, led))
    added = {name for name in dir(abc.ABCMeta) if not name.startswith("_")} - set(dir(object))
    assert added == {"mro", "register"}
    assert not any(map(policy.is_harmless, added))
