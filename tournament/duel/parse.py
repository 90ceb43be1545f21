"""Reads the proposer's puzzle and sample solution, or the solver's attempt, from a reply (T5).

The proposer answers with one Python code block and ends with the line `SOLUTION: x`; more than one block, or more than
one such line, is a format failure. A solver may think aloud, so its last such line counts. Nothing is repaired: a text
without quotation marks is the player's error. Only one pair of backticks around the solution, or around its line, is
removed if the configuration says so.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from antemill.tournament.reading import Said, fences, read, unwrapped

_SOLUTION = re.compile(r"^[ \t]*SOLUTION:[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_WRAPPED = re.compile(r"^[ \t]*`(SOLUTION:[^\n]*)`[ \t]*$", re.MULTILINE)
_PYTHON = frozenset({"", "python", "python3", "py"})


class FormatError(ValueError):
    """A reply lacks a required part. The error's text is the reason on record."""


class Puzzle(NamedTuple):
    """A proposer's puzzle."""

    code: str
    solution: str
    explanation: str  # the rest of the reply, which is private


def parse_puzzle(reply: str, strip_backticks: bool = False) -> Puzzle:
    """The proposer's puzzle. Raises FormatError with the reason if the reply has none."""
    reply = unwrapped(answer(reply).text)
    blocks = [block for block in fences(reply) if block.closed and block.language in _PYTHON]
    if len(blocks) != 1:
        raise FormatError("no Python code block" if not blocks else f"{len(blocks)} code blocks instead of one")
    block = blocks[0]
    outside = reply[: block.start] + reply[block.end :]
    if strip_backticks:
        outside = _WRAPPED.sub(r"\1", outside)
    lines = list(_SOLUTION.finditer(outside))
    if len(lines) != 1:
        raise FormatError("no line 'SOLUTION: x'" if not lines else f"{len(lines)} lines 'SOLUTION: x' instead of one")
    if outside[lines[0].end() :].strip():
        raise FormatError("text after the line 'SOLUTION: x'")
    code = block.code.rstrip("\n")
    if not code.strip():
        raise FormatError("an empty code block")
    return Puzzle(code, _value(lines[0], strip_backticks), outside[: lines[0].start()].strip())


def parse_attempt(reply: str, strip_backticks: bool = False) -> str:
    """The solver's attempt: its last line `SOLUTION: x`. Raises FormatError with the reason if there is none."""
    reply = unwrapped(answer(reply).text)
    lines = list(_SOLUTION.finditer(_WRAPPED.sub(r"\1", reply) if strip_backticks else reply))
    if not lines:
        raise FormatError("no line 'SOLUTION: x'")
    return _value(lines[-1], strip_backticks)


def answer(reply: str, truncated: bool = False) -> Said:
    """The part of a reply that is read, without thoughts (`antemill.tournament.reading`) and with plain line breaks."""
    text = reply.replace("\r\n", "\n").replace("\r", "\n")
    return read(text, truncated, lambda rest: _SOLUTION.search(unwrapped(rest)) is not None)


def _value(line: re.Match[str], strip_backticks: bool) -> str:
    value = line[1]
    if strip_backticks and len(value) > 1 and value[0] == value[-1] == "`":
        value = value[1:-1].strip()
    if not value:
        raise FormatError("an empty solution")
    return value
