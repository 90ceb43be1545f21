"""Out of a reply: a setter's question, its distractors, an answer's letter (S4, S11)."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

from tournament.skate.prompts import LETTERS

_FENCE = re.compile(r"```[ \t]*[\w+-]*[^\n`]*\n(.*?)\n?[ \t]*```", re.DOTALL)
_EXPLANATION = re.compile(r"\s*\[([^\]\n]*(?:\n[^\]\n]*){0,8})\][ \t]*(?:\n|$)(.*)", re.DOTALL)
_ANSWERS = (
    re.compile(r"\b(?:answer|option)\b[^A-Za-z0-9\n]{0,12}(?:is[^A-Za-z0-9\n]{0,6})?([A-J])\b", re.IGNORECASE),
    re.compile(r"(?<![A-Za-z0-9'])[(\[*]*([A-J])[)\]*]*(?=[\s.,:;)*]|$)"),
)


class ReplyError(ValueError):
    """A reply without the parts that were asked for; its text is the reason on record."""


class Question(NamedTuple):
    """What a setter sent."""

    code: str
    explanation: str


def parse_question(reply: str) -> Question:
    """A bracketed explanation, then the program; fences are taken off wherever they stand.

    A reply without the explanation is taken as a program: it fails when it is run, if it is none. Raises ReplyError if
    there is no program.
    """
    text = reply.strip("\n")
    fenced = _FENCE.findall(text)
    found = _EXPLANATION.match(text)
    explanation = " ".join(found[1].split()) if found else ""
    body = found[2] if found else text
    if len(fenced) > 1:
        raise ReplyError(f"{len(fenced)} code blocks instead of one program")
    if fenced:
        inner = _EXPLANATION.match(fenced[0])
        explanation = explanation or (" ".join(inner[1].split()) if inner else "")
        body = inner[2] if inner else fenced[0]
    code = body.strip("\n").rstrip()
    if not code.strip():
        raise ReplyError("no program in the reply")
    return Question(code, explanation)


def parse_distractors(reply: str) -> list[str]:
    """The strings of the last JSON array in a reply; other plain values count as what they print.

    Raises ReplyError if there is none.
    """
    decoder = json.JSONDecoder()
    for start in reversed([found.start() for found in re.finditer(r"\[", reply)]):
        try:
            values, _ = decoder.raw_decode(reply, start)
        except (ValueError, RecursionError):
            continue
        if isinstance(values, list) and values and _outermost(reply, start, decoder):
            return [value if isinstance(value, str) else _printed(value) for value in values]
    raise ReplyError("no JSON array of wrong answers")


def normal(text: str) -> str:
    """A text in which white space does not count (S4): two options that differ in nothing else are equal."""
    return " ".join(text.split())


def unique_distractors(found: Sequence[str], truth: str, count: int) -> list[str]:
    """The first `count` distractors that differ from the truth and from each other, white space not counting.

    Raises ReplyError if there are fewer, or if they are empty.
    """
    seen, kept = {normal(truth), ""}, []
    for text in found:
        if normal(text) not in seen:
            seen.add(normal(text))
            kept.append(text)
    if len(kept) < count:
        raise ReplyError(f"{len(kept)} distinct wrong answers instead of {count}")
    return kept[:count]


def parse_answer(reply: str, options: int) -> int | None:
    """The place of the option that a reply chose, None if that can not be read: the last letter that is named.

    A letter behind the word "answer" or "option" counts more than one that stands alone.
    """
    letters = LETTERS[:options]
    if reply.strip().strip(".()*[]`'\"").upper() in set(letters):
        return letters.index(reply.strip().strip(".()*[]`'\"").upper())
    for pattern in _ANSWERS:
        named = [letter for letter in pattern.findall(reply) if letter.upper() in letters]
        if named:
            return letters.index(named[-1].upper())
    return None


def _outermost(reply: str, start: int, decoder: json.JSONDecoder) -> bool:
    """Whether no array that begins earlier holds the one at `start`."""
    for found in re.finditer(r"\[", reply[:start]):
        try:
            _, end = decoder.raw_decode(reply, found.start())
        except (ValueError, RecursionError):
            continue
        if end > start:
            return False
    return True


def _printed(value: object) -> str:
    return json.dumps(value) if isinstance(value, (list, dict)) else str(value)
