"""Finds the program in a setter's text, without what surrounds it: prompts, backticks, indentation, prose (S11).

A text that is Python stays as it is. From other texts only parts that cannot belong to a program are removed, and only
if Python is left: a program with an error keeps all of its lines, and fails when it is run.
"""

from __future__ import annotations

import re
import textwrap

from antemill.tournament.reading import LONGEST, is_python

_CLOSING = 20  # most lines of prose after a program

_TICKED = re.compile(r"[ \t]*`([^`\n]+)`[ \t]*")
_PROMPT = re.compile(r"(?:>>>|\.\.\.)(?: |$)")
_TAG = re.compile(r"\A\s*(?:python[\d.]*|py3?)[ \t]*\n", re.IGNORECASE)  # the language of a missing fence
_AROUND = r"[\s*_#>:-]*"
_HEADING = re.compile(
    rf"{_AROUND}(?:(?:the|full|complete|python[\d.]*|py3?|code|program|snippet|puzzle|question|\d+)\b{_AROUND})+"
    r"|[ \t]*[*-]{3,}[ \t]*",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[\s*_>`-]*[A-Z][\w'’]*,? [^=]*[.:!?][\s*_`]*")


def program(text: str) -> str | None:
    """The program in a text; None if there is none, or if the text has more than a program and prose."""
    if len(text) > LONGEST:
        return None
    text = _TAG.sub("", text)
    bare = _without_prompts(_without_ticks(textwrap.dedent(text)))
    return next((one for one in (text, bare, _without_prose(bare)) if is_python(one)), None)


def is_prose(line: str) -> bool:
    """Whether a line is a heading or a sentence, unlike any line of a program."""
    if _HEADING.fullmatch(line):
        return True
    code = line.strip()
    return bool(_SENTENCE.fullmatch(line)) and not is_python(code) and not is_python(f"{code}\n pass")


def _without_prose(text: str) -> str:
    """The text without prose and empty lines at its beginning and end."""
    lines = text.split("\n")
    begin = next((i for i, line in enumerate(lines) if line.strip() and not is_prose(line)), 0)
    last = range(len(lines) - 1, max(begin, len(lines) - _CLOSING) - 1, -1)
    end = next((i for i in last if lines[i].strip() and not is_prose(lines[i])), len(lines) - 1)
    return textwrap.dedent("\n".join(lines[begin : end + 1]))


def _without_ticks(text: str) -> str:
    """The program without single backticks around it."""
    found = [_TICKED.fullmatch(line) for line in text.split("\n") if line.strip()]
    inside = [one[1] for one in found if one]
    return "\n".join(inside) if inside and len(inside) == len(found) else text


def _without_prompts(text: str) -> str:
    """The input of an interpreter's session. Lines without a prompt are its output, if Python is left."""
    lines = text.strip("\n").split("\n")
    if not lines[0].startswith(">>>"):
        return text
    typed = "\n".join(_PROMPT.sub("", line, count=1) for line in lines if _PROMPT.match(line))
    return typed if is_python(typed) else "\n".join(_PROMPT.sub("", line, count=1) for line in lines)
