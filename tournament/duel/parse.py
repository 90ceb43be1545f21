"""Out of a reply: the proposer's puzzle and sample solution, the solver's attempt (T5).

The proposer answers with one Python code block and ends with the line `SOLUTION: x`; more than one block, or more than
one such line, is a format failure. A solver may think aloud, so its last such line counts. Nothing is repaired: an
unquoted text stays an error of the player. Only one pair of backticks around the solution, or around its line, may be
taken off, on request.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from antemill.tournament.reading import Said, fences, read, unwrapped

_SOLUTION = re.compile(r"^[ \t]*SOLUTION:[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_WRAPPED = re.compile(r"^[ \t]*`(SOLUTION:[^\n]*)`[ \t]*$", re.MULTILINE)
_PYTHON = frozenset({"", "python", "python3", "py"})


class FormatError(ValueError):
    """A reply without the parts that were asked for; its text is the reason on record."""


class Puzzle(NamedTuple):
    """What a proposer sent."""

    code: str
    solution: str
    explanation: str  # everything else, private


def parse_puzzle(reply: str, strip_backticks: bool = False) -> Puzzle:
    """The proposer's puzzle. Raises FormatError, with the reason, if the reply is not one."""
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
    """The solver's attempt: its last line `SOLUTION: x`. Raises FormatError, with the reason, if there is none."""
    reply = unwrapped(answer(reply).text)
    lines = list(_SOLUTION.finditer(_WRAPPED.sub(r"\1", reply) if strip_backticks else reply))
    if not lines:
        raise FormatError("no line 'SOLUTION: x'")
    return _value(lines[-1], strip_backticks)


def answer(reply: str, truncated: bool = False) -> Said:
    """What of a reply is read, with one kind of line breaks: without thoughts, see `antemill.tournament.reading`."""
    text = reply.replace("\r\n", "\n").replace("\r", "\n")
    return read(text, truncated, lambda rest: _SOLUTION.search(unwrapped(rest)) is not None)


def _value(line: re.Match[str], strip_backticks: bool) -> str:
    value = line[1]
    if strip_backticks and len(value) > 1 and value[0] == value[-1] == "`":
        value = value[1:-1].strip()
    if not value:
        raise FormatError("an empty solution")
    return value
