"""Attacks on five runs: state that leaks between them, ways to count them, forks that outlive, forged values (D8).

`data/run_attacks.txt` has them with the verdicts that show that nothing was gained; the 113 of `attacks` are tested
elsewhere. After each, the next check is right, and no process is left.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from antemill.engine.execute.sandbox import Check, CheckLimits, OutputCheck, PuzzleCheck, Sandbox
from tests.engine.execute.sandbox.backends import NATIVE, verdicts
from tests.engine.execute.sandbox.host import descendants

DATA = Path(__file__).parents[3] / "data" / "run_attacks.txt"
ENOUGH = 40
BRIEF = CheckLimits(seconds=2.0)
RIGHT = OutputCheck("import os\nprint(os.listdir('.'), len(os.environ) > 3)", "[] True")
pytestmark = pytest.mark.skipif(not NATIVE, reason="the sandbox is Linux's")


def attacks() -> dict[str, tuple[str, Check]]:
    """What is expected, and the check."""
    found: dict[str, tuple[str, Check]] = {}
    for part in DATA.read_text("utf-8").split("### ")[1:]:
        title, said, text = part.split("\n", 2)
        code, puzzle, solution = text.partition("--- solution\n")
        check: Check = PuzzleCheck(code, solution, BRIEF) if puzzle else OutputCheck(code, None, BRIEF)
        found[title] = (said.removeprefix("--- "), check)
    return found


ATTACKS = attacks()


def test_there_are_enough_attacks() -> None:
    assert len(ATTACKS) >= ENOUGH


@pytest.mark.parametrize("name", ATTACKS)
def test_nothing_is_gained(sandbox: Sandbox, name: str) -> None:
    expected, check = ATTACKS[name]
    verdicts(sandbox, RIGHT, PuzzleCheck("def mystery(x):\n    return True", "1"))  # all servers have started
    processes = descendants()
    found, right = verdicts(sandbox, check, RIGHT)
    wanted, _, printed = expected.partition(" ")
    if found.verdict == "timeout" != wanted:  # a busy machine
        check = replace(check, limits=CheckLimits(seconds=60.0))
        found, right = verdicts(sandbox, check, RIGHT)
    assert found.verdict == wanted, found
    assert not printed or (found.stdout or "").strip() == printed
    assert (right.verdict, right.matches) == ("true", True)
    assert descendants() == processes
