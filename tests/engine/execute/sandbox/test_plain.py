"""Programs print here what they print in a Python that nothing guards, on two machines.

`data/style_programs.txt` and `data/many_programs.txt` have programs in many styles; where a title ends with ~, the
guest's Python has other words for it. `data/module_programs.txt` has programs that use modules and functions of which
the rule refuses some: where a title ends with !, the program is refused, though it prints the same everywhere. P3's
puzzles are programs that print what they say of an answer, right or wrong, and CRUXEval's programs print. Each runs in
plain processes of this Python (`unguarded`) and in the sandbox. In CI a part of P3 and CRUXEval does, and all of them
in `make test-all`.
"""

import re
from collections.abc import Callable
from functools import cache

import pytest

from antemill.engine.execute.sandbox import OutputCheck, Sandbox, Verdict
from tests.engine.execute.sandbox.backends import NATIVE, sandbox, verdicts
from tests.engine.execute.sandbox.test_asked import blocks
from tests.engine.execute.sandbox.unguarded import Printed, printed
from tests.seeds import fresh
from tests.tournament.test_verify_corpora import rows

__all__ = ["sandbox"]
STYLES = {**blocks("style_programs.txt"), **blocks("many_programs.txt")}
MODULES = blocks("module_programs.txt")
SOME = dict(list(STYLES.items())[::9])
REFUSALS = 0.01  # of the programs that print the same on both machines


def puzzles() -> dict[str, str]:
    """P3's puzzles as programs: each prints what it says of an answer."""
    answers = (
        (f"{row['id']} {number}", row["code"], answer)
        for row in rows("p3")
        for number, answer in enumerate([row["solution"], *row["also_true"], *(text for text, _ in row["wrong"])])
    )
    return {what: f"{code}\nprint(mystery({answer}))\n" for what, code, answer in answers if len(answer) < 2000}


def outputs() -> dict[str, str]:
    """CRUXEval's programs."""
    return {row["id"]: row["code"] for row in rows("cruxeval")}


# The programs, and every how many of them are compared in CI.
CORPORA: dict[str, tuple[Callable[[], dict[str, str]], int]] = {
    "styles": (lambda: STYLES, 1),
    "puzzles": (puzzles, 16),
    "outputs": (outputs, 8),
    "modules": (lambda: MODULES, 2),
}


@cache
def plain(programs: tuple[str, ...]) -> tuple[list[Printed], list[Printed]]:
    """What the programs print on the two machines, whatever the backend."""
    return printed(programs, 0), printed(programs, 1)


def compared(sandbox: Sandbox, programs: dict[str, str]) -> tuple[dict[str, object], list[str]]:
    """What is wrong, by program, and the programs that are refused although nothing differs."""
    here, there = plain(tuple(programs.values()))
    found = verdicts(sandbox, *map(OutputCheck, programs.values()))
    wrong: dict[str, object] = {}
    refused = []
    for what, one, other, verdict in zip(programs, here, there, found, strict=True):
        if sandbox.backend == "wasm" and what.endswith("~"):
            continue
        if one == other and not one.fails and verdict.verdict == "refused":
            refused.append(what)
        elif not _is_right(one, other, verdict):
            wrong[what] = one, other, verdict
    return wrong, refused


def _is_right(one: Printed, other: Printed, verdict: Verdict) -> bool:
    """Whether a verdict is what two machines show."""
    if one != other:
        return verdict.verdict != "true"
    if one.fails:
        return verdict.verdict in ("error", "refused")
    return verdict.verdict == "true" and verdict.stdout == one.stdout


def test_some_programs_print_what_plain_python_prints(sandbox: Sandbox) -> None:
    """The slow backend prints each third; the corpora below are for both."""
    assert len(SOME) > 20
    given = dict(list(SOME.items())[:: 3 if sandbox.backend == "wasm" and NATIVE else 1])
    assert compared(sandbox, given) == ({}, [])


def test_there_are_two_thousand_programs() -> None:
    assert sum(len(set(programs().values())) for programs, _ in CORPORA.values()) > 2000


@pytest.mark.slow
@pytest.mark.parametrize("corpus", CORPORA)
def test_programs_print_what_plain_python_prints(sandbox: Sandbox, corpus: str) -> None:
    """No wrong truth, and few refusals."""
    programs, part = CORPORA[corpus]
    given = dict(list(programs().items())[:: part if fresh() is None else 1])
    wrong, refused = compared(sandbox, given)
    assert [*wrong] == [], wrong
    known = {what for what in given if what.endswith("!")}
    assert known <= {*refused}
    assert len({*refused} - known) <= REFUSALS * len(given), refused


def test_the_refused_are_few_among_all() -> None:
    """With those that use refused modules."""
    programs = {f"{name} {what}" for name, (given, _) in CORPORA.items() for what in given()}
    assert sum(what.endswith("!") for what in programs) <= REFUSALS * len(programs)


def test_the_plain_python_has_two_machines() -> None:
    """What hangs on the machine differs between them, and the end of a program is its own."""
    programs = [
        "import time\nprint(time.localtime(0).tm_hour)",
        "print({'a', 'b', 'c', 'd', 'e'})",
        "import sys\nprint(sys.argv[0][-10:])",
        "class A:\n    def __del__(self):\n        print('gone')\na = A()\nprint(1)\nexit(3)",
    ]
    here, there = printed(programs, 0), printed(programs, 1)
    assert [one != other for one, other in zip(here, there, strict=True)] == [True, True, True, False]
    assert here[-1] == Printed("1\ngone\n", False)
    assert printed(["print(1)\n1 / 0"], 0) == [Printed("1\n", True)]
    assert re.fullmatch(r"program\.py\n", here[2].stdout)
