"""A solution must never make a false verdict true, and an honest one must not be refused."""

import abc
import pickle
import sys
from types import ModuleType
from typing import Any

import pytest

from antemill.engine.execute.sandbox import PuzzleCheck, Sandbox
from antemill.engine.execute.sandbox.inside.values import plain, safe_library, text_policy
from tests.engine.execute.sandbox import forgeries
from tests.engine.execute.sandbox.backends import NATIVE, judged, one_worker, verdicts
from tests.engine.execute.sandbox.forgeries import ALONE, EVALUATES, FORGERIES, KEEPER, LEAKS, LIARS, MADE, STEPS
from tests.engine.execute.sandbox.honest import HONEST, MIXED, RESULTS
from tests.seeds import size

ENOUGH = 60
OPEN = f"{KEEPER}\nSIZE += 1{EVALUATES}"
SHARED = forgeries.SHARED
FORGES = "__import__('os').write(3, {!r}) and __import__('os')._exit(0)"  # into the pipe, on native
ATTACKS: dict[str, tuple[str, str]] = {  # in front of a puzzle that looks at what it keeps
    **{f"leak: {name}": leak for name, leak in LEAKS.items()},
    **{f"made: {name}": made for name, made in MADE.items()},
    **{f"alone: {name}": (SHARED, text) for name, text in ALONE.items()},
    **{
        f"at once: {name}": (code, forgeries.at_once(text, "mystery"))
        for name, (code, text) in LEAKS.items()
        if text.startswith("lambda:") and name not in forgeries.FAILING
    },
}
AT_ONCE = {
    name: forgeries.at_once(text, "Box")
    for name, text in FORGERIES.items()
    if text.startswith("lambda x:") and name != "class of a class"
}


def lies(text: str) -> str:
    return f"def mystery(x):\n    return {text}"


def test_there_are_enough_forgeries() -> None:
    assert len(FORGERIES) + len(LIARS) >= ENOUGH
    assert len({*FORGERIES.values(), *STEPS.values(), *dict(LIARS.values()).values()}) > ENOUGH
    assert len(MADE) >= ENOUGH
    assert len(AT_ONCE) >= ENOUGH


@pytest.mark.slow
def test_without_walls_every_forgery_succeeds(sandbox: Sandbox) -> None:
    """Or else it would prove nothing that they fail below. A third of them, and all in `make test-all`."""
    checks = {name: PuzzleCheck(OPEN, repr(text)) for name, text in FORGERIES.items()}
    for name, (puzzle, text) in LIARS.items():
        checks[name] = PuzzleCheck(f"def mystery(text):\n    x = eval(text)\n    return {puzzle}", repr(text))
    checks |= {f"at once: {name}": PuzzleCheck(OPEN, repr(text)) for name, text in AT_ONCE.items()}
    checks |= {name: PuzzleCheck(code + EVALUATES, repr(text)) for name, (code, text) in ATTACKS.items()}
    found = judged(sandbox, some_on_the_slow_backend(sandbox, dict(list(checks.items())[:: size(3, 1)])))
    assert [name for name in found if found[name] != "true"] == []


def some_on_the_slow_backend(sandbox: Sandbox, checks: dict[str, PuzzleCheck]) -> dict[str, PuzzleCheck]:
    """Each fourth of them, and all in `make test-all`; all of them on the quick backend."""
    return dict(list(checks.items())[:: size(4, 1) if sandbox.backend == "wasm" and NATIVE else 1])


def attempts() -> dict[str, PuzzleCheck]:
    """Every forgery in front of what it attacks."""
    checks = {name: PuzzleCheck(KEEPER, text) for name, text in FORGERIES.items()}
    checks |= {name: PuzzleCheck(lies(puzzle), text) for name, (puzzle, text) in LIARS.items()}
    checks |= {f"at once: {name}": PuzzleCheck(KEEPER, text) for name, text in AT_ONCE.items()}
    return checks | {name: PuzzleCheck(code, text) for name, (code, text) in ATTACKS.items()}


def test_no_forgery_is_true(sandbox: Sandbox) -> None:
    """All of them on the quick backend; the walls are the same code on the other one, which gets few here."""
    none_is_true(sandbox, dict(list(attempts().items())[:: 30 if sandbox.backend == "wasm" and NATIVE else 1]))


@pytest.mark.slow
def test_no_forgery_is_true_on_the_slow_backend_either() -> None:
    with one_worker("wasm") as sandbox:
        none_is_true(sandbox, some_on_the_slow_backend(sandbox, attempts()))


def none_is_true(sandbox: Sandbox, checks: dict[str, PuzzleCheck]) -> None:
    found = judged(sandbox, checks)
    assert {name: found[name] for name in found if found[name] not in ("false", "error", "refused")} == {}


@pytest.mark.slow
def test_what_a_forgery_that_runs_changes_is_its_own(sandbox: Sandbox) -> None:
    """Where the code is allowed to run, it runs to its end, and the puzzle finds everything as it was."""
    checks = {name: (KEEPER, text) for name, text in FORGERIES.items()} | {
        f"at once: {name}": (KEEPER, text) for name, text in AT_ONCE.items()
    }
    checks |= {f"alone: {name}": (SHARED, text) for name, text in ALONE.items()}
    some = some_on_the_slow_backend(sandbox, {name: PuzzleCheck(*check) for name, check in checks.items()})
    found = judged(sandbox, some)
    harmless = [name for name in found if found[name] == "false"]
    assert len(harmless) > 30 * len(some) // len(checks)
    opposite = {"return changed()": "return not changed()", "return shared() != before": "return shared() == before"}
    for word, other in opposite.items():
        checks = {name: (code.replace(word, other), text) for name, (code, text) in checks.items()}
    again = judged(sandbox, {name: PuzzleCheck(*checks[name]) for name in harmless})
    assert set(again.values()) == {"true"}, again


def test_to_hold_things_and_put_them_together_runs_no_code(sandbox: Sandbox) -> None:
    """Of objects and classes whose every operator changes what the puzzle looks at."""
    found = judged(sandbox, {text: PuzzleCheck(forgeries.QUIET, text) for text in forgeries.IN_QUIET})
    assert {text for text in found if found[text] != "true"} == set()


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
    """A walk to be steered by the puzzle's own functions, and nothing but these."""
    puzzle = """
place = [0, 0]
def right(n):
    place[0] += n
def up(n):
    place[1] += n
forward = place.extend
def mystery(x):
    return place == [2, 3]
"""
    wanted = {
        "[right(2), up(3), up]": "true",
        "[right(2), up(2), up]": "false",
        "[right(2), place.append(3), up]": "false",
        "[place.__init__([2, 3]), up]": "refused",
        "[forward([2, 3]), up]": "refused",
        "lambda: (right(2), up(3))": "refused",
    }
    found = judged(sandbox, {text: PuzzleCheck(puzzle, text) for text in wanted})
    assert found == wanted


def test_what_the_puzzle_names_is_the_puzzles_to_give(sandbox: Sandbox) -> None:
    """A method of its list that the puzzle has named, and calls itself, is no other than a function that does so."""
    puzzle = "KEPT = []\npush = {}\ndef mystery(f):\n    f(1)\n    return KEPT == [1]"
    for push, other in {"KEPT.append": "refused", "lambda n: KEPT.append(n)": "true"}.items():
        found = verdicts(sandbox, *(PuzzleCheck(puzzle.format(push), text) for text in ("push", "[push][0]", "int")))
        assert [verdict.verdict for verdict in found] == ["true", other, "false"]


def test_arguments_lead_where_they_lead(sandbox: Sandbox) -> None:
    """The puzzle hands an object over, and with it its class and what that keeps."""
    puzzle = "class Box:\n    kept = []\ndef mystery(f):\n    f(Box())\n    return Box.kept == [1]"
    assert verdicts(sandbox, PuzzleCheck(puzzle, "lambda box: type(box).kept.append(1)"))[0].verdict == "true"


def test_constants_that_a_solution_forges_are_its_own(sandbox: Sandbox) -> None:
    """Where a solution runs unbound it may say what the puzzle's names stand for: only its own code sees that."""
    told = {"flag": ("data", 0), "leak": ("part", "math", "__class__"), "STATE": ("data", {"solved": True})}
    for forged in (plain.encode(told), b"", b"x" * 40, plain.encode([1]), plain.encode({"leak": 1, "flag": ()})):
        puzzle = "flag, leak, STATE = 1, 2, {'solved': False}\ndef mystery(f):\n    return f() or STATE['solved']"
        write = FORGES.format(b"I" + forged)
        (verdict,) = verdicts(sandbox, PuzzleCheck(puzzle, f"{write} if flag else (lambda: leak.__doc__)"))
        assert verdict.verdict in ("error", "refused"), verdict
        (verdict,) = verdicts(sandbox, PuzzleCheck(puzzle, f"{write} if flag else (lambda: leak and 0)"))
        assert verdict.verdict in ("error", "refused", "false"), verdict


def test_bytes_that_a_solution_forges_are_plain_data(sandbox: Sandbox) -> None:
    """Those of a bytearray, made a view of it that can only be read."""
    view = b"\x80\x05\x96" + (3).to_bytes(8, "little") + b"abc\x98."
    for forged, deserved in ((view, "error"), (view.replace(b"\x98", b""), "true")):
        data = b"V" + forged + pickle.dumps([]) + len(forged).to_bytes(8, "little")
        write = FORGES.format(data)
        (verdict,) = verdicts(sandbox, PuzzleCheck("def mystery(x):\n    return x == b'abc'", write))
        assert verdict.verdict == (deserved if sandbox.backend == "native" else "error"), verdict


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_solution_is_right(sandbox: Sandbox, name: str) -> None:
    """It is true, and false where the puzzle says the opposite."""
    puzzle, question, solution = HONEST[name]
    code = "{}def mystery(x):\n    return {}({})"
    checks = [PuzzleCheck(code.format(puzzle, word, question), solution) for word in ("", "not ")]
    found = verdicts(sandbox, *checks)
    assert [verdict.verdict for verdict in found] == ["true", "false"], found


@pytest.mark.parametrize("name", MIXED)
def test_code_of_both_in_one_is_refused_with_what_to_do(sandbox: Sandbox, name: str) -> None:
    puzzle, question, solution = MIXED[name]
    (verdict,) = verdicts(sandbox, PuzzleCheck(f"{puzzle}def mystery(x):\n    return {question}", solution))
    assert verdict.verdict == "refused", verdict
    assert "must not use the puzzle's" in verdict.detail
    assert "written anew" in verdict.detail


def test_what_is_built_is_the_puzzles_own(sandbox: Sandbox) -> None:
    """No object comes from anywhere but from the puzzle's constructors, which count them here."""
    puzzle = """
class Node:
    made = []
    def __init__(self, n):
        if n < 0:
            raise ValueError
        self.n = n
        Node.made.append(self)
def mystery(x):
    return {}
"""
    everything = puzzle.format("all(n in Node.made for n in x) and len(Node.made) == 3")
    negative = puzzle.format("any(n.n < 0 for n in x if type(n) is Node)")
    found = verdicts(
        sandbox,
        PuzzleCheck(everything, "[Node(n) for n in (1, 2, 3)]"),
        PuzzleCheck(negative, "[Node(-1)]"),
        PuzzleCheck(negative, "[Node.__new__(Node)]"),
        PuzzleCheck(negative, "[n for n in [Node(1)] for n.n in [-1]]"),
        PuzzleCheck(negative, "[type('N', (Node,), {'__init__': lambda self, n: None})(1)]"),
        PuzzleCheck(negative, "[Node(1).__dict__.update(n=-1), *Node.made]"),
    )
    assert [verdict.verdict for verdict in found] == ["true", "error", "refused", "refused", "refused", "refused"]


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
    names = (name for name in dir(thing) if text_policy.is_harmless(name) and not name.startswith("__"))
    return {name: getattr(thing, name) for name in names if hasattr(thing, name)}


def test_no_part_of_the_library_keeps_what_can_be_changed() -> None:
    """All that a solution sees of it leads to functions, types and constants by any public name."""
    shown = {**safe_library.SAFE_BUILTINS}
    for module in safe_library.MODULES:
        shown |= {f"{module}.{name}": part for name, part in safe_library.parts(module).items()}
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
        assert not any(map(text_policy.is_harmless, led))
    added = {name for name in dir(abc.ABCMeta) if not name.startswith("_")} - set(dir(object))
    assert added == {"mro", "register"}
    assert not any(map(text_policy.is_harmless, added))
