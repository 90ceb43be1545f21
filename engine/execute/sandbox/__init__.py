"""Judges hostile Python: whether a solution solves a puzzle, and what a program prints.

    with make_sandbox("auto") as sandbox:
        for verdict in sandbox.check_many([PuzzleCheck(code, solution), OutputCheck(program)]):
            ...

contract       checks, limits, verdicts; the contracts of a sandbox and of a backend
choose         make_sandbox, and the self-check that a backend must pass
pool           the sandbox: workers of a backend on the execution layer's lanes
conduct        the stages of a check
helper_worker  a worker made of helper processes (helper: one process; request and wire: messages to it)
inside         our code in the interpreter of judged code, which is used once
native         the backend of forks (Linux)
wasm           the backend of WebAssembly (guest: the build of its interpreter)

docs/sandbox.md explains what is protected from what, and how.
"""

from antemill.engine.execute.sandbox.choose import BACKENDS, Finding, make_sandbox, survey
from antemill.engine.execute.sandbox.contract import (
    VERDICTS,
    Check,
    CheckLimits,
    LostError,
    OutputCheck,
    PuzzleCheck,
    Sandbox,
    Verdict,
)

__all__ = [
    "BACKENDS",
    "VERDICTS",
    "Check",
    "CheckLimits",
    "Finding",
    "LostError",
    "OutputCheck",
    "PuzzleCheck",
    "Sandbox",
    "Verdict",
    "make_sandbox",
    "survey",
]
