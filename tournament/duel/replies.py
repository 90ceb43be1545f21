"""Reads the proposer's puzzle and sample solution, or the solver's attempt, from a reply (T5).

The proposer answers with one Python code block and ends with the line `SOLUTION: x`; more than one block, or more than
one such line, is a failure. A solver may think aloud, so its last such line counts. Nothing is repaired: a text without
quotation marks is the player's error. Where the server takes a schema, the same parts are texts of one JSON object.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from antemill.llm import Reply
from antemill.tournament.replies import ReplyError, blocks, json_answer, last_line, object_schema, text_in

_TEXT = {"type": "string"}
PUZZLE_SCHEMA = object_schema(program=_TEXT, explanation=_TEXT, solution=_TEXT)
ATTEMPT_SCHEMA = object_schema(solution=_TEXT)


class Puzzle(NamedTuple):
    """A proposer's puzzle."""

    code: str
    solution: str
    explanation: str  # the rest of the reply, which is private


def read_puzzle(reply: Reply) -> Puzzle:
    """The proposer's puzzle. Raises ReplyError with the reason if the reply has none."""
    if reply.schema:
        explanation = json_answer(reply.text, "program", schema=True).get("explanation")
        program, solution = text_in(reply.text, "program"), text_in(reply.text, "solution")
        return Puzzle(program.strip("\n"), solution.strip(), str(explanation or "").strip())
    text = reply.text.replace("\r\n", "\n")
    found = blocks(text)
    if len(found) != 1:
        raise ReplyError(f"Your reply has {len(found) or 'no'} Python code blocks instead of one.")
    block = found[0]
    outside = text[: block.start()] + text[block.end() :]
    if len(re.findall(r"^[ \t]*SOLUTION:", outside, re.MULTILINE)) > 1:
        raise ReplyError("Your reply has more than one line `SOLUTION: x`.")
    solution, place = last_line(outside, "SOLUTION")
    if "\n" in outside[place:].strip():
        raise ReplyError("Your reply has text after the line `SOLUTION: x`.")
    if not block[1].strip():
        raise ReplyError("Your code block is empty.")
    return Puzzle(block[1].rstrip("\n"), solution, outside[:place].strip())


def read_attempt(reply: Reply) -> str:
    """The solver's attempt. Raises ReplyError with the reason if there is none."""
    if reply.schema:
        return text_in(reply.text, "solution").strip()
    return last_line(reply.text.replace("\r\n", "\n"), "SOLUTION")[0]
