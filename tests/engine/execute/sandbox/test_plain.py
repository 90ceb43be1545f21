"""Honest programs in many styles print here what they print in a Python that nothing guards.

`data/style_programs.txt` has the programs. Each runs in a plain process of this Python, and in the sandbox; what they
print is the same in every version, so the guest is compared with the same output.
"""

import subprocess
import sys

from antemill.engine.execute.sandbox import OutputCheck, Sandbox
from tests.engine.execute.sandbox.backends import sandbox, verdicts
from tests.engine.execute.sandbox.test_asked import blocks

__all__ = ["sandbox"]
STYLES = blocks("style_programs.txt")


def plain(code: str) -> str:
    """What a process that runs this code prints."""
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def test_honest_programs_print_what_plain_python_prints(sandbox: Sandbox) -> None:
    assert len(STYLES) > 25
    expected = [plain(code) for code in STYLES.values()]
    assert all(expected)
    found = verdicts(
        sandbox, *(OutputCheck(code, stdout) for code, stdout in zip(STYLES.values(), expected, strict=True))
    )
    assert {what: one for what, one in zip(STYLES, found, strict=True) if not one.matches} == {}
