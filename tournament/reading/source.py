"""Code in a reply: fences as CommonMark defines them, and the spans of Python and JSON in which no tag counts."""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from antemill.tournament.reading.forms import TAG

LONGEST = 20_000  # most characters of a text that is examined as Python
MOST = 200  # most values of JSON, lines where a program may begin, and elements that are examined
_SCANNED = 1 << 21  # characters of values that do not end: many, one within the other, take no time
_TICKED = re.compile(r"(?<!`)(`{1,2})(?!`)[^`\n]+\1(?!`)")
_QUOTED = re.compile(r"([\"'])(?:<[^<>\n\"']{1,60}>|\[[^\[\]\n\"']{1,40}\])\1")  # a tag that is mentioned
_STRUCK = re.compile(
    r"<s>[^<\n]{1,400}</s>(?!\s*(?:\Z|<s>|\[INST))", re.IGNORECASE
)  # HTML's strike-through, not the end of a turn


class Fence(NamedTuple):
    """A block between code fences. code: without the fences' indentation; start, end: including the fences."""

    info: str
    code: str
    start: int
    end: int
    closed: bool

    @property
    def language(self) -> str:
        """The first word after the opening fence, in lower case."""
        return _LANGUAGE.match(self.info)[0].lower()  # type: ignore[index]  # it matches everything


_FENCE = re.compile(r"^(?P<space>(?:[ ]{0,3}+>[ ]?+)*+[ \t]*+)(?P<fence>`{3,}+|~{3,}+)(?P<info>[^\n]*)$", re.MULTILINE)
_LANGUAGE = re.compile(r"[\w+.#-]*")
_CLOSINGS = 8  # most closing fences that are tried for a block of Python, whose strings may contain fences


def fences(text: str) -> Iterator[Fence]:
    """The blocks of code by the rules of CommonMark, also in the items of lists.

    A block goes on to a fence of the same sort that is at least as long and has nothing after it, or to the end. A
    fence within a string of a program closes nothing: a block marked as Python goes on until it is valid Python.
    """
    lines = list(_FENCE.finditer(text))
    last: dict[str, int] = {}  # the last line that could close a block, so that the search is not repeated
    for i, line in enumerate(lines):
        if not line["info"].strip():
            last[line["fence"][0]] = i
    place = 0
    while place < len(lines):
        line = lines[place]
        place += 1
        mark, indent = line["fence"][0], len(line["space"])
        if mark == "`" and "`" in line["info"]:
            continue
        first = min(line.end() + 1, len(text))
        closing = _closing(text, lines, place, last.get(mark, -1), line, first)
        stop = lines[closing].start() if closing is not None else len(text)
        end = lines[closing].end() if closing is not None else len(text)
        code = text[first:stop]
        if indent:
            code = "\n".join(_outdented(one, line["space"]) for one in code.split("\n"))
        yield Fence(line["info"].strip(), code, line.start(), end, closing is not None)
        place = len(lines) if closing is None else closing + 1


def _closing(
    text: str, lines: Sequence[re.Match[str]], place: int, last: int, opening: re.Match[str], first: int
) -> int | None:
    """The number of the line that closes a block."""
    found: list[int] = []
    language = opening["info"].strip().partition(" ")[0].lower()
    python = language in ("", "py", "py3") or language.startswith("python")
    for i in range(place, last + 1):
        line = lines[i]
        apart = len(line["space"]) - (len(opening["space"]) if len(opening["space"]) > 3 else 0)
        if line["fence"].startswith(opening["fence"]) and not line["info"].strip() and apart <= 3:
            found.append(i)
            if not python or len(found) > _CLOSINGS or is_python(text[first : line.start()]):
                break
    if not found:
        return None
    whole = len(found) > 1 and python and is_python(text[first : lines[found[-1]].start()])
    return found[-1] if whole and text[first : lines[found[-1]].start()].strip() else found[0]


def _outdented(line: str, space: str) -> str:
    """A line of a block without the indentation of its fence."""
    kept = 0
    while kept < min(len(space), len(line)) and (line[kept] == space[kept] or line[kept] in " \t"):
        kept += 1
    return line[kept:]


def is_python(text: str) -> bool:
    """Whether a text parses as a program. It is not executed."""
    if len(text) > LONGEST:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


@lru_cache(maxsize=8)  # a reply is looked at several times while it is read
def protected(text: str) -> tuple[tuple[int, int], ...]:
    """The places where tags do not count: strings and comments of Python, values of JSON, backticks. Sorted."""
    found = [found.span() for found in _TICKED.finditer(text)] if "`" in text else []
    found += [found.span() for pattern in (_QUOTED, _STRUCK) for found in pattern.finditer(text)]
    found += _strings(text, 0)
    for first, stop in _programs(text):
        found += _strings(text[first:stop], first)
    for place in _beginnings(text):
        if strings := _strings(text[place:], place):
            found += strings
            break
    return tuple(_merged(found + list(_values(text))))


def _programs(text: str) -> Iterator[tuple[int, int]]:
    """The texts between fences that may be programs, even if a thought before them left a fence open."""
    lines = list(_FENCE.finditer(text))[-MOST:] if "```" in text or "~~~" in text else []
    tried = 0
    for i, line in enumerate(lines):
        for closing in lines[i + 1 : i + 1 + _CLOSINGS]:
            tried += 1
            if tried > MOST:
                return
            if closing["fence"].startswith(line["fence"]) and not closing["info"].strip():
                yield line.end() + 1, closing.start()


def _beginnings(text: str) -> Iterator[int]:
    """The starts of possible programs up to the end of a reply: after one of its first lines, or after a tag."""
    seen = 0
    for line in re.finditer(r"\n", text):
        before = text[text.rfind("\n", 0, line.start()) + 1 : line.start()].rstrip()
        if seen < 12 or before.endswith((">", "]", "】")):
            seen += 1
            yield line.end()
        if seen > 30:
            return
    for found in list(re.finditer(r"[>\]][ \t]*(?=[a-z@#])", text[:4_000]))[:10]:
        yield found.end()


def _strings(text: str, offset: int) -> list[tuple[int, int]]:
    """The strings and comments with brackets in a text of Python, moved by `offset`."""
    if not text.strip() or not TAG.search(text) or not is_python(text):
        return []
    begins = [0]
    for line in text.split("\n"):
        begins.append(begins[-1] + len(line) + 1)
    found: list[tuple[int, int]] = []
    depth, start = 0, 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            name = tokenize.tok_name[token.type]
            begin, end = (begins[row - 1] + column for row, column in (token.start, token.end))
            if name in ("FSTRING_START", "TSTRING_START"):
                start = start if depth else begin
                depth += 1
            elif name in ("FSTRING_END", "TSTRING_END"):
                depth -= 1
                found += [] if depth else [(offset + start, offset + end)]
            elif name in ("STRING", "COMMENT") and not depth:
                found.append((offset + begin, offset + end))
    except (tokenize.TokenError, SyntaxError, IndexError):
        return []
    return found


def _values(text: str) -> Iterator[tuple[int, int]]:
    """The complete values of JSON that contain a bracket of a tag."""
    decoder = json.JSONDecoder(strict=False)
    place, tried, left = 0, 0, _SCANNED
    while tried < MOST and left > 0 and (found := re.compile(r"[{\[]\s*[\"\[{]").search(text, place)):
        tried, place = tried + 1, found.start() + 1
        try:
            _, place = decoder.raw_decode(text, found.start())
        except json.JSONDecodeError as error:
            left -= error.pos - found.start()
            continue
        except RecursionError:
            continue
        if TAG.search(text, found.start() + 1, place - 1):
            yield found.start() + 1, place - 1


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    kept: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if kept and start <= kept[-1][1]:
            kept[-1] = (kept[-1][0], max(end, kept[-1][1]))
        else:
            kept.append((start, end))
    return kept
