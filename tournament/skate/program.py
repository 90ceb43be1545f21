"""The program in what a setter sent, out of what people put around one: prompts, backticks, indentation, prose (S11).

A text that is Python stays as it is. Of any other nothing goes but what can be no part of a program, and only if Python
is left: a program with an error in it keeps all of its lines, and fails when it is run.
"""

from __future__ import annotations

import re
import textwrap

from antemill.tournament.reading import LONGEST, is_python

_CLOSING = 20  # lines of prose behind a program, at most

_TICKED = re.compile(r"[ \t]*`([^`\n]+)`[ \t]*")
_PROMPT = re.compile(r"(?:>>>|\.\.\.)(?: |$)")
_TAG = re.compile(r"\A\s*(?:python[\d.]*|py3?)[ \t]*\n", re.IGNORECASE)  # of a fence that is not there
_AROUND = r"[\s*_#>:-]*"
_HEADING = re.compile(
    rf"{_AROUND}(?:(?:the|full|complete|python[\d.]*|py3?|code|program|snippet|puzzle|question|\d+)\b{_AROUND})+"
    r"|[ \t]*[*-]{3,}[ \t]*",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[\s*_>`-]*[A-Z][\w'’]*,? [^=]*[.:!?][\s*_`]*")


def program(text: str) -> str | None:
    """The program that a text holds, None if it is none, or if there is more in it than a program and prose."""
    if len(text) > LONGEST:
        return None
    text = _TAG.sub("", text)
    bare = _without_prompts(_without_ticks(textwrap.dedent(text)))
    return next((one for one in (text, bare, _without_prose(bare)) if is_python(one)), None)


def is_prose(line: str) -> bool:
    """Whether a line is a heading or a sentence, which no line of a program looks like."""
    if _HEADING.fullmatch(line):
        return True
    code = line.strip()
    return bool(_SENTENCE.fullmatch(line)) and not is_python(code) and not is_python(f"{code}\n pass")


def _without_prose(text: str) -> str:
    """The text without the lines of prose, and the empty ones, that it begins and ends with."""
    lines = text.split("\n")
    begin = next((i for i, line in enumerate(lines) if line.strip() and not is_prose(line)), 0)
    last = range(len(lines) - 1, max(begin, len(lines) - _CLOSING) - 1, -1)
    end = next((i for i in last if lines[i].strip() and not is_prose(lines[i])), len(lines) - 1)
    return textwrap.dedent("\n".join(lines[begin : end + 1]))


def _without_ticks(text: str) -> str:
    """Of a program in single backticks what is inside of them."""
    found = [_TICKED.fullmatch(line) for line in text.split("\n") if line.strip()]
    inside = [one[1] for one in found if one]
    return "\n".join(inside) if inside and len(inside) == len(found) else text


def _without_prompts(text: str) -> str:
    """What was typed in a session of the interpreter. Lines without a prompt are its output, if Python is left."""
    lines = text.strip("\n").split("\n")
    if not lines[0].startswith(">>>"):
        return text
    typed = "\n".join(_PROMPT.sub("", line, count=1) for line in lines if _PROMPT.match(line))
    return typed if is_python(typed) else "\n".join(_PROMPT.sub("", line, count=1) for line in lines)
