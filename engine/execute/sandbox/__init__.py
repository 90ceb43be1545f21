"""Judges hostile Python: whether a solution solves a puzzle, and what a program prints.

contract    checks, limits, verdicts
judge       the stages of a check
process     a server, as its client sees it
boot        a server, from inside: it forks once for every run
conditions  what differs between the five servers
library     which modules a run finds
confine     what a run gives up
jail        what it keeps: threads, pipes, and a scratch folder
vdso        the clocks, numbers and random bytes that it is given: given.c, compiled by given.sh
values      a solution's text and its value
sandbox     make_sandbox with its self-check, and workers on the execution layer's lanes
"""

from antemill.engine.execute.sandbox.contract import (
    VERDICTS,
    Check,
    CheckLimits,
    LostError,
    OutputCheck,
    PuzzleCheck,
    Verdict,
)
from antemill.engine.execute.sandbox.sandbox import Finding, Sandbox, examine, make_sandbox

__all__ = [
    "VERDICTS",
    "Check",
    "CheckLimits",
    "Finding",
    "LostError",
    "OutputCheck",
    "PuzzleCheck",
    "Sandbox",
    "Verdict",
    "examine",
    "make_sandbox",
]
