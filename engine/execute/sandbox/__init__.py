"""Judges hostile Python: does a solution solve a puzzle, what does a program print.

    with make_sandbox("auto") as sandbox:
        for verdict in sandbox.check_many([PuzzleCheck(code, solution), OutputCheck(program)]):
            ...

contract       checks, limits, verdicts; what a sandbox and a backend offer
choose         make_sandbox, and the self-check that a backend must pass
pool           the sandbox: workers of a backend on the execution layer's lanes
conduct        how a check is made of stages
helper_worker  a worker made of helper processes (helper: one process, request and wire: messages to it)
inside         what runs beside judged code, in an interpreter that is thrown away
native         the backend of forks (Linux)
wasm           the backend of WebAssembly (guest: how its interpreter is built)

docs/sandbox.md explains who is protected from whom, and how.
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
