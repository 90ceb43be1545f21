"""What programs ask of their own things is judged when they run: what depends on nothing is accepted, and no other.

`data/honest_programs.txt` has programs and what they print everywhere. Those of `data/depending_programs.txt` depend on
addresses, hashes, attributes of the interpreter, text that is put together, how deep calls can go, the clock or chance.
"""

from pathlib import Path

import pytest

from antemill.engine.execute.sandbox import OutputCheck, Sandbox
from tests.engine.execute.sandbox.backends import verdicts

DATA = Path(__file__).parents[3] / "data"


def blocks(name: str) -> dict[str, str]:
    """The programs of a file by their titles, the lines that begin with ###."""
    parts = (DATA / name).read_text(encoding="utf-8").removeprefix("### ").split("\n### ")
    return {title: text for title, _, text in (part.partition("\n") for part in parts)}


HONEST = {what: tuple(text.split("\n--- prints\n")) for what, text in blocks("honest_programs.txt").items()}
DEPENDING = blocks("depending_programs.txt")


def test_there_are_many_of_them() -> None:
    assert len(HONEST) > 35
    assert len(DEPENDING) > 130


def test_what_depends_on_nothing_is_accepted(sandbox: Sandbox) -> None:
    found = verdicts(sandbox, *(OutputCheck(code, stdout) for code, stdout in HONEST.values()))
    assert {what: one for what, one in zip(HONEST, found, strict=True) if not one.matches} == {}


def test_what_depends_on_more_is_never_true(sandbox: Sandbox) -> None:
    found = verdicts(sandbox, *map(OutputCheck, DEPENDING.values()))
    passed = {what for what, one in zip(DEPENDING, found, strict=True) if one.verdict == "true"}
    if found[0].python.startswith("3.12."):  # calls through C have a limit of their own there, the same in every run
        passed -= {what for what in passed if what.startswith("depth")}
    assert passed == set()
    assert sum(one.verdict == "error" for one in found) < 10


WAYS = ["str(X)", "f'{X}'", "'%s' % (X,)", "'{}'.format(X)", "format(X)", "repr(X)", "ascii([X])"]
THINGS = ["object()", "len.__call__", "(lambda: 0)", "iter([])", "(i for i in [])", "[].append"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("thing", THINGS)
def test_a_text_with_an_address_is_noticed_wherever_it_is_made(sandbox: Sandbox, way: str, thing: str) -> None:
    """Caught, thrown away or compared."""
    (verdict,) = verdicts(sandbox, OutputCheck(f"x = {way.replace('X', thing)}\nprint(len(x) > 0)"))
    assert verdict.verdict == "refused", verdict
    assert "it uses an object's address" in verdict.detail


def test_an_own_text_is_no_address(sandbox: Sandbox) -> None:
    program = "class A:\n    def __repr__(self):\n        return 'A'\nclass B(list):\n    pass\n"
    program += "print(A(), [A()], f'{A()!r}', B([1]), {1: A()}, ValueError(A()), print.__name__, int, range(3))"
    (verdict,) = verdicts(sandbox, OutputCheck(program, "A [A] A [1] {1: A} A print <class 'int'> range(0, 3)"))
    assert verdict.matches, verdict
