"""Reads a setter's question, its distractors, or an answer's letter from a reply (S4, S6, S11)."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable
from typing import Any

from antemill.llm import Reply
from antemill.tournament.replies import ReplyError, blocks, json_answer, last_line, object_schema, text_in
from antemill.tournament.skate.prompts import LETTERS

_TEXT = {"type": "string"}
QUESTION_SCHEMA = object_schema(explanation=_TEXT, program=_TEXT)
_FENCE = re.compile(r"^[ \t]*```.*\n?", re.MULTILINE)
_EXPLAINED = re.compile(r"^[ \t]*\[(.*?)\][ \t]*$", re.MULTILINE | re.DOTALL)


def read_question(reply: Reply) -> tuple[str, str]:
    """The program and its explanation: brackets, then the program, which may be fenced. Raises ReplyError."""
    if reply.schema:
        explanation = json_answer(reply.text, "program", schema=True).get("explanation")
        return text_in(reply.text, "program").strip("\n"), str(explanation or "").strip()
    text = reply.text.replace("\r\n", "\n")
    for found in _EXPLAINED.finditer(text):
        rest = text[found.end() :]
        fenced = blocks(rest)
        code = (fenced[0][1] if len(fenced) == 1 else _FENCE.sub("", rest)).strip("\n").rstrip()
        if code.strip() and _is_python(code):
            return code, " ".join(found[1].split())
    raise ReplyError("Your reply is no explanation in square brackets that a Python program follows.")


def _is_python(text: str) -> bool:
    """Whether a text parses as a program. It is not executed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def distractors_schema(count: int) -> dict[str, Any]:
    """A JSON schema of `count` texts."""
    return object_schema(distractors={"type": "array", "items": _TEXT, "minItems": count, "maxItems": count})


def distractors_reader(truth: str, count: int) -> Callable[[Reply], list[str]]:
    """Reads `count` wrong answers, which differ from the truth and from each other in more than white space (S4)."""

    def parse(reply: Reply) -> list[str]:
        found = json_answer(reply.text, "distractors", reply.schema)["distractors"]
        if not isinstance(found, list) or not all(isinstance(one, str | int | float) for one in found):
            raise ReplyError('"distractors" is no list of texts.')
        kept: dict[str, str] = {}
        for text in map(str, found):
            kept.setdefault(" ".join(text.split()), text)
        wrong = [text for form, text in kept.items() if form not in ("", " ".join(truth.split()))]
        if len(wrong) < count:
            raise ReplyError(f"{len(wrong)} distinct wrong answers instead of {count}.", "illegal")
        return wrong[:count]

    return parse


def answer_schema(options: int) -> dict[str, Any]:
    """A JSON schema of a letter."""
    return object_schema(answer={"type": "string", "enum": list(LETTERS[:options])})


def answer_reader(options: int) -> Callable[[Reply], int]:
    """Reads the place of the option whose letter was named."""

    def parse(reply: Reply) -> int:
        if reply.schema:
            said = json_answer(reply.text, "answer", True)["answer"]
        else:
            said = last_line(reply.text, "ANSWER")[0].strip(" *`.()")
        if not isinstance(said, str) or len(said) != 1 or said not in LETTERS[:options]:
            raise ReplyError(f"`{said!s:.80}` is not among the letters A to {LETTERS[options - 1]}.", "illegal")
        return LETTERS.index(said)

    return parse
