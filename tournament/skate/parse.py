"""Out of a reply: a setter's question, its distractors, an answer's letter (S4, S11)."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Sequence
from typing import NamedTuple

from tournament.skate.letter import meant
from tournament.skate.markup import plain
from tournament.skate.prompts import LETTERS

_THOUGHT = re.compile(  # at the begin, or up to a closing tag on its own line: some templates open it themselves
    r"\A\s*<(think|thinking)>.*?(?:</\1>|\Z)|\A.*^[ \t]*</think(?:ing)?>[ \t]*$",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_FENCE = re.compile(
    r"^(?P<space>[ \t]*)(?P<fence>`{3,}|~{3,})[ \t]*(?P<tag>[\w+.#-]*)[^\n`]*\n(?P<code>.*?)"
    r"(?:^[ \t]*(?P=fence)[`~]*[ \t]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)
_ONE_LINE = re.compile(r"(`{3,})[ \t]*(?P<tag>python3?\b|py\b|)[ \t]*(?P<code>[^\n`][^\n]*?)[ \t]*\1[ \t]*(?=\n|\Z)")
_PYTHON = frozenset(("python", "python3", "py", "py3"))
_EXPLAINED = re.compile(r"^[ \t*_>#]*(?:explanation:?[ \t*_]*)?\[", re.MULTILINE | re.IGNORECASE)
_LINES, _BRACKETS = 9, 50  # of an explanation, at most
_LONGEST = 20_000  # characters of a text that is looked at as Python


class ReplyError(ValueError):
    """A reply without the parts that were asked for; its text is the reason on record."""


class Question(NamedTuple):
    """What a setter sent."""

    code: str
    explanation: str


def parse_question(reply: str) -> Question:
    """A bracketed explanation, then the program; fences are taken off wherever they stand.

    The explanation may hold brackets itself, and the program may follow on its line: it ends at the first bracket that
    has Python and nothing else behind it. A reply without an explanation is taken as a program: it fails when it is
    run, if it is none. Raises ReplyError if there is no program.
    """
    text = reply.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff\u200b")
    text = _THOUGHT.sub("", text).strip("\n")
    block = _block(text)
    explanation, code = _split(
        text if block is None else _dedented(block["code"], block.groupdict().get("space") or "")
    )
    if block is not None and not explanation:
        explanation = _outside(text[: block.start()]) or _outside(text[block.end() :])
    code = code.strip("\n").rstrip()
    if not code.strip():
        raise ReplyError("no program in the reply")
    return Question(code, explanation)


def _block(text: str) -> re.Match[str] | None:
    """The one block of code, None if there is none. Of several it is the only one that is said to be Python."""
    blocks = list(_FENCE.finditer(text)) or list(_ONE_LINE.finditer(text))
    if len(blocks) > 1:
        said = [block for block in blocks if block["tag"].lower() in _PYTHON]
        if len(said) != 1:
            raise ReplyError(f"{len(blocks)} code blocks instead of one program")
        blocks = said
    return blocks[0] if blocks else None


def _split(text: str) -> tuple[str, str]:
    """Explanation and program. If several brackets could end the explanation, the first one before Python does."""
    found = _EXPLAINED.search(text)
    if found is None or (found.start() and _is_python(text)):
        return "", text
    first = found.end()
    ends = [first + i for i, letter in enumerate(text[first : first + _LONGEST]) if letter == "]"]
    ends = [end for end in ends[:_BRACKETS] if text.count("\n", first, end) < _LINES]
    if not ends:
        return "", text
    for end in ends:
        if (code := _after(text, end)).strip() and _is_python(code):
            return " ".join(text[first:end].split()), code
    lines = [end for end in ends if not text[end + 1 :].partition("\n")[0].strip(" \t*_")]
    if not lines:
        return "", text
    return " ".join(text[first : lines[0]].split()), _after(text, lines[0])


def _after(text: str, end: int) -> str:
    """What follows the bracket that ends an explanation, without the marks of bold type."""
    return text[end + 1 :].lstrip(" \t").removeprefix("**").lstrip(" \t:") if end + 1 < len(text) else ""


def _outside(text: str) -> str:
    """The explanation in what stands around a block, "" if there is none."""
    found = _EXPLAINED.search(text)
    end = text.rfind("]")
    return " ".join(text[found.end() : end].split()) if found and end > found.end() else ""


def _dedented(code: str, space: str) -> str:
    """The code of a block that is indented as a whole, as in a list."""
    return "\n".join(line.removeprefix(space) for line in code.split("\n"))


def _is_python(text: str) -> bool:
    """Whether a text can be read as a program. Nothing of it runs."""
    if len(text) > _LONGEST:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def parse_distractors(reply: str) -> list[str]:
    """The strings of the longest JSON array in a reply, the last of several; other values count as what they print.

    Raises ReplyError if there is none.
    """
    decoder = json.JSONDecoder(strict=False)  # line breaks may stand in a text as they are
    found: list[list[object]] = []
    reply = _THOUGHT.sub("", reply)
    place = reply.find("[")
    while place >= 0:
        try:
            values, place = decoder.raw_decode(reply, place)
            found += [values] if isinstance(values, list) and values else []
        except ValueError:
            place += 1
        except RecursionError:
            raise ReplyError("arrays nested too deeply") from None
        place = reply.find("[", place)
    if not found:
        raise ReplyError("no JSON array of wrong answers")
    longest = max(map(len, found))
    chosen = next(values for values in reversed(found) if len(values) == longest)
    return [value if isinstance(value, str) else _printed(value) for value in chosen]


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
    """The place of the option that a reply means, None if that can not be read: `tournament.skate.letter` says how."""
    letters = LETTERS[:options]
    letter = meant(plain(reply), letters)
    return letters.index(letter) if letter in letters else None


def _printed(value: object) -> str:
    return json.dumps(value) if isinstance(value, (list, dict)) else str(value)
