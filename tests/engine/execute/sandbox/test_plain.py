"""Programs print here what they print in a Python that nothing guards, on two machines.

`data/style_programs.txt` and `data/many_programs.txt` have programs in many styles. Each runs in plain processes of
this Python (`unguarded`) and in the sandbox. Where a title ends with ~, the guest's Python has other words for it.
"""

import re
from collections.abc import Callable

import pytest

from antemill.engine.execute.sandbox import OutputCheck, Sandbox, Verdict
from tests.engine.execute.sandbox.backends import sandbox, verdicts
from tests.engine.execute.sandbox.test_asked import blocks
from tests.engine.execute.sandbox.unguarded import Printed, printed
from tests.tournament.test_verify_corpora import rows

__all__ = ["sandbox"]
STYLES = {**blocks("style_programs.txt"), **blocks("many_programs.txt")}
SOME = dict(list(STYLES.items())[::6])
REFUSALS = 0.01  # of the programs that print the same on both machines


def puzzles() -> dict[str, str]:
    """P3's puzzles as programs: each prints what it says of its solution."""
    short = (row for row in rows("p3") if len(row["solution"]) < 2000)
    return {row["id"]: f"{row['code']}\nprint(mystery({row['solution']}))\n" for row in short}


def compared(sandbox: Sandbox, programs: dict[str, str]) -> tuple[dict[str, object], list[str]]:
    """What is wrong, by program, and the programs that are refused although nothing differs."""
    here, there = (printed(list(programs.values()), machine) for machine in (0, 1))
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
    return verdict.verdict == "error" if one.fails else verdict.verdict == "true" and verdict.stdout == one.stdout


def test_some_programs_print_what_plain_python_prints(sandbox: Sandbox) -> None:
    assert len(SOME) > 20
    assert compared(sandbox, SOME) == ({}, [])


@pytest.mark.slow
@pytest.mark.parametrize("programs", [lambda: STYLES, puzzles], ids=["styles", "puzzles"])
def test_programs_print_what_plain_python_prints(sandbox: Sandbox, programs: Callable[[], dict[str, str]]) -> None:
    """No wrong truth, and few refusals. (CRUXEval's outputs are in its file: `test_verify_corpora` compares them.)"""
    given = programs()
    assert len(given) > 150
    wrong, refused = compared(sandbox, given)
    assert [*wrong] == [], wrong
    assert len(refused) < REFUSALS * len(given), refused


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
