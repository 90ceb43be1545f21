"""Reads a setter's question, its distractors, or an answer's letter from a reply (S4, S11)."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from antemill.tournament.reading import Fence, fences, is_python, read
from antemill.tournament.skate.letter import meant
from antemill.tournament.skate.markup import plain
from antemill.tournament.skate.program import program
from antemill.tournament.skate.prompts import LETTERS

_ONE_LINE = re.compile(
    r"(?<!`{8})(`{3,}+)[ \t]*(?P<tag>python3?\b|py\b|)[ \t]*(?P<code>[^\n`][^\n]{0,1000}?)[ \t]*\1[ \t]*(?=\n|\Z)"
)
_PYTHON = frozenset(("python", "python3", "py", "py3"))
_BRACKETS = {"[": "]", "【": "】", "\uff3b": "\uff3d"}
_EXPLAINED = re.compile(r"^[ \t*_>#]*(?:explanation:?[ \t*_]*)?([\[【\uff3b])", re.MULTILINE | re.IGNORECASE)
_QUOTED = re.compile(r"(['\"`])[\[\]【】\uff3b\uff3d]\1")  # a bracket that opens and closes nothing
_LONGEST = 2_000  # characters of an explanation, at most
_LISTS = 50  # brackets at which a list in Python's form may begin
_SCANNED = 1 << 22  # characters of arrays that do not end: thousands, one within the other, take no time
_LONGEST_LIST = 20_000  # characters of one
_LIST = re.compile(r"\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|[\[\]]", re.DOTALL)
_LAST_COMMA = re.compile(r",(\s*[\]}])")
_NAMED = re.compile(r"answer|output|text|option|distractor|value|result|content|wrong", re.IGNORECASE)
_NUMBERED = re.compile(r"(?:id|index|number|letter|label|no|n|i)", re.IGNORECASE)


class ReplyError(ValueError):
    """A reply lacks a required part. The error's text is the reason on record."""


class ParsedQuestion(NamedTuple):
    """A setter's question."""

    code: str
    explanation: str


def parse_question(reply: str) -> ParsedQuestion:
    """The question in a reply: a bracketed explanation, then the program. Fences are removed.

    The explanation may contain brackets, and the program may follow on its line. A reply without an explanation is
    read as a program, which fails when it is run if it is not one. No line of a program is lost: only text that cannot
    be a part of it is removed (`antemill.tournament.skate.program`). Raises ReplyError if there is no program.
    """
    return _question(read(reply.replace("\r\n", "\n").replace("\r", "\n"), holds=_has_program).text)


def _has_program(text: str) -> bool:
    try:
        return is_python(_question(text).code)
    except ReplyError:
        return False


def _question(text: str) -> ParsedQuestion:
    """The question in the text of an answer. Raises ReplyError."""
    text = text.strip("\n")
    explanation, code = _split(text)
    block = None if code.strip() and is_python(code) else _block(text)
    if block is not None:
        explanation, code = _split(block.code)
        explanation = explanation or _outside(text[: block.start]) or _outside(text[block.end :])
    code = code.strip("\n").rstrip()
    if not code.strip():
        raise ReplyError("no program in the reply")
    return ParsedQuestion(code, explanation)


def _block(text: str) -> Fence | None:
    """The one block of code, None if there is none. Of several blocks it is the only one marked as Python."""
    blocks = list(fences(text)) or [
        Fence(found["tag"], found["code"], found.start(), found.end(), True) for found in _ONE_LINE.finditer(text)
    ]
    if len(blocks) > 1:
        said = [block for block in blocks if block.language in _PYTHON]
        if len(said) != 1:
            raise ReplyError(f"{len(blocks)} code blocks instead of one program")
        blocks = said
    return blocks[0] if blocks else None


def _split(text: str) -> tuple[str, str]:
    """Explanation and program. The explanation ends at the first possible bracket that a program follows.

    Without such a program it ends at the balanced bracket, if nothing else is on its line.
    """
    found = _EXPLAINED.search(text)
    if found is None or (found.start() and not _introduced(text, found)):
        return "", program(text) or text
    first = found.end()
    balanced = _balanced(text, first, found[1])
    if balanced is not None and " for " in text[first:balanced] and is_python(f"[{text[first:balanced]}]"):
        return "", program(text) or text  # a program that begins with a comprehension
    for end in _ends(text, first, _BRACKETS[found[1]], balanced):
        if (code := program(_after(text, end))) and code.strip():
            return " ".join(text[first:end].split()), code
    if balanced is None or text[balanced + 1 :].partition("\n")[0].strip(" \t*_"):
        return "", text
    return " ".join(text[first:balanced].split()), _after(text, balanced)


def _introduced(text: str, found: re.Match[str]) -> bool:
    """Whether the text before a bracket is prose, not the start of a program that goes on with a list."""
    lines = [line for line in text[: found.start()].split("\n") if line.strip()]
    return not is_python(text) and not any("=" in line or _is_code(line.strip()) for line in lines)


def _is_code(line: str) -> bool:
    return not line.isalpha() and (is_python(line) or is_python(f"{line}\n pass"))


def _balanced(text: str, first: int, bracket: str) -> int | None:
    """The place where the bracket before `first` is closed. Brackets in quotation marks do not count."""
    inside = _QUOTED.sub("   ", text[first : first + _LONGEST])
    depth = 1
    for i, letter in enumerate(inside):
        depth += (letter == bracket) - (letter == _BRACKETS[bracket])
        if not depth:
            return first + i
    return None


def _ends(text: str, first: int, closing: str, balanced: int | None) -> list[int]:
    """The possible ends of an explanation: up to its balanced bracket, or in its first line if there is none."""
    last = text.find("\n", first) if balanced is None else balanced + 1
    inside = text[first : last if last >= 0 else len(text)][:_LONGEST]
    return [first + i for i, letter in enumerate(inside) if letter == closing]


def _after(text: str, end: int) -> str:
    """The text after the bracket that ends an explanation, without the marks of bold type."""
    return text[end + 1 :].lstrip(" \t").removeprefix("**").lstrip(" \t:") if end + 1 < len(text) else ""


def _outside(text: str) -> str:
    """The explanation in the text around a block, "" if there is none."""
    found = _EXPLAINED.search(text)
    end = text.rfind(_BRACKETS[found[1]]) if found else -1
    return " ".join(text[found.end() : end].split()) if found and end > found.end() else ""


def parse_distractors(reply: str, truth: str, count: int) -> list[str]:
    """`count` wrong answers from the JSON array in a reply. Values that are not strings count as their printed form.

    Of several arrays the choice is one with enough wrong answers that is not the program's own output, then one with
    strings, then one of several values, then the last. A subscript counts only if there is no other array. Raises
    ReplyError if there is none, or if too few of its strings differ from the truth and from each other.
    """
    reply = read(reply, holds=lambda rest: next(_arrays(rest), None) is not None).text
    found = list(_arrays(reply))
    if not found:
        raise ReplyError("no JSON array of wrong answers")

    def likely(array: tuple[int, list[object]]) -> tuple[bool, bool, bool, bool, bool, int]:
        place, values = array
        subscript = bool(re.match(r"[\w)\]]", reply[place - 1 : place]))
        is_truth = _items(truth) == _items(" ".join(map(_printed, values)))
        enough = len(_wrong(map(_printed, values), truth)) >= count
        strings = any(isinstance(value, str) for value in values)
        return not subscript, not is_truth, enough, strings, len(values) > 1, place

    return unique_distractors([_printed(value) for value in max(found, key=likely)[1]], truth, count)


def _items(text: str) -> list[str]:
    """The elements of a printed sequence, in any notation."""
    return re.findall(r"[^\s\[\](){}'\",]+", text)


def _arrays(reply: str) -> Iterator[tuple[int, list[object]]]:
    """Each array that is not empty, and its start: in the notation of JSON or Python, with or without a comma at its
    end, of values or of objects that hold them.
    """
    decoder = json.JSONDecoder(strict=False)  # texts may contain plain line breaks
    place, tried, left = reply.find("["), 0, _SCANNED
    while place >= 0 and left > 0:
        end = place + 1
        try:
            values, end = decoder.raw_decode(reply, place)
        except json.JSONDecodeError as error:
            values, tried, left = None, tried + 1, left - (error.pos - place)
            if tried <= _LISTS and (literal := _literal(reply, place)):
                values, end = literal
        except RecursionError:
            raise ReplyError("arrays nested too deeply") from None
        if isinstance(values, list) and values:
            yield place, _bare(values)
        place = reply.find("[", end)


def _literal(reply: str, place: int) -> tuple[list[object], int] | None:
    """The list at this place in Python's notation, or in JSON with a comma at its end, and the place of its end."""
    depth, end = 0, place
    for found in _LIST.finditer(reply, place, place + _LONGEST_LIST):
        depth += {"[": 1, "]": -1}.get(found[0], 0)
        end = found.end()
        if not depth:
            break
    if depth or end - place < 3:
        return None
    text = reply[place:end]
    forms: tuple[Callable[[str], object], ...] = (ast.literal_eval, _without_last_comma)
    for form in forms:
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError, TypeError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            values = form(text)
            if isinstance(values, list) and values and any(isinstance(value, (str, dict)) for value in values):
                return values, end
    return None


def _without_last_comma(text: str) -> object:
    return json.loads(_LAST_COMMA.sub(r"\1", text), strict=False)


def _bare(values: list[object]) -> list[object]:
    """The values of objects, if all are objects: the field that differs from object to object, if there is one."""
    objects = [value for value in values if isinstance(value, dict)]
    if len(objects) < len(values) or not all(objects):
        return values
    shared = [key for key in objects[0] if all(key in one for one in objects)]
    texts = [key for key in shared if len({str(one[key]) for one in objects}) == len(objects)]
    texts = [key for key in texts if _NAMED.search(str(key))] or [
        key
        for key in texts
        if not _NUMBERED.fullmatch(str(key)) and not all(isinstance(one[key], int) for one in objects)
    ]
    if texts:
        return [one[texts[0]] for one in objects]
    single = all(len(one) == 1 for one in objects)
    return [next(iter(one.values())) for one in objects] if single else values


def normal(text: str) -> str:
    """A text for comparison without white space (S4): options that differ only in white space are equal."""
    return " ".join(text.split())


def unique_distractors(found: Sequence[str], truth: str, count: int) -> list[str]:
    """The first `count` distractors that differ from the truth and from each other in more than white space.

    Raises ReplyError if there are fewer, or if they are empty.
    """
    kept = _wrong(found, truth)
    if len(kept) < count:
        raise ReplyError(f"{len(kept)} distinct wrong answers instead of {count}")
    return kept[:count]


def _wrong(found: Iterable[str], truth: str) -> list[str]:
    """The texts that differ from the truth and from each other."""
    seen, kept = {normal(truth), ""}, []
    for text in found:
        if normal(text) not in seen:
            seen.add(normal(text))
            kept.append(text)
    return kept


class Answered(NamedTuple):
    """The option that a reply means. place: None if it cannot be read. sure: the rank of the claim, "" if there is
    none, see `antemill.tournament.skate.letter`. others: other claimed places. taken: the removed parts, in words.
    """

    place: int | None
    sure: str = ""
    others: tuple[int, ...] = ()
    taken: str = ""


def read_answer(reply: str, options: int) -> Answered:
    """The option that a reply means, read as in `antemill.tournament.skate.letter`."""
    letters = LETTERS[:options]
    said = read(reply, holds=lambda rest: meant(plain(rest), letters).letter in letters)
    found = meant(plain(said.text), letters)
    others = tuple(letters.index(one) for one in found.others if one in letters)
    return Answered(letters.index(found.letter) if found.letter in letters else None, found.sure, others, said.note)


def _printed(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value) if isinstance(value, (list, dict)) else str(value)
