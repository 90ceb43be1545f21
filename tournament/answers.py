"""What a model's reply means on a menu: strict JSON, then a lenient reading, then nothing (N3, appendix F).

1. Strict: the whole reply is one JSON object, `{"action": CHOICE}`.
2. Lenient: JSON amid other text, in code fences, with other keys, cut off at its end, with single quotes or none. The
   LAST one that names an action counts. Only JSON, or a fragment of it, commits to an action: a move is never guessed
   from prose. Thoughts before the answer are removed first: `antemill.tournament.reading` says how.
3. Otherwise the caller plays a random legal action, and records why:

    refusal     the model, or its provider, declined to answer: nothing that it says commits to anything
    illegal     the reply commits to something that is not on the menu
    truncated   the reply was cut off before it named an action
    empty       there is no text at all
    unparsable  there is text, but no JSON that names an action; or nothing but reasoning, which does not count

An amount above the maximum is no failure: it is clamped (G24). Where the paper's lenient parser is not described
further, these rules are ours.
"""

from __future__ import annotations

import json
import re
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from msgspec import Struct

from antemill.engine.match import IllegalChoiceError, Match, Menu, Played
from antemill.tournament import reading

SILENT = "reasoning, beside which nothing was said"
Cause = Literal["illegal", "unparsable", "truncated", "empty", "refusal"]
CAUSES: tuple[Cause, ...] = get_args(Cause)
Value: TypeAlias = Any  # of JSON

_LONGEST = 50_000  # characters at the end of the answer that are read
_LONGEST_READ = 1_000_000  # characters at the end of a reply with its thoughts
_MOST = 200  # braces in them at which an object may begin
_DEEPEST = 20  # objects within objects that may name the action
_DIGITS = 18  # significant digits of a number
_HUGE = int(10**_DIGITS)
_KEY = re.compile(r"""(?:"action"|'action'|(?<=[{,])\s*action)\s*:[ \t\r\n]*""")
_VALUES = (
    re.compile(r'"(?P<text>(?:[^"\\\n]|\\.)*)(?P<end>"|\Z|\n)'),
    re.compile(r"'(?P<text>(?:[^'\\\n]|\\.)*)(?P<end>'|\Z|\n)"),
    re.compile(r"(?P<text>[^\"'\s{}\[\],:][^\"{}\[\],:\n]*)(?P<end>[},\n]|\Z)"),
)


class Reading(Struct, frozen=True):
    """The reading of a reply. action: what it commits to, or None. cause: why it cannot be played as it is, None if it
    can. lenient: whether the strict parser failed. taken: what was removed first, in words.
    """

    action: str | int | float | None
    cause: Cause | None
    lenient: bool
    taken: str = ""


class _Found(NamedTuple):
    """A value that the reply names as its action. open: nothing follows that ends it."""

    value: Value
    open: bool


def read_action(text: str, truncated: bool, menu: Menu, refused: bool = False, thought: bool = False) -> Reading:
    """Read a reply. truncated, refused: whether the provider says that it was cut off, or declined. thought: whether it
    shows a text of reasoning beside the answer's, which commits to nothing. Never raises.
    """
    if refused:
        return Reading(None, "refusal", False)
    found, lenient, taken = _strict(text), False, ""
    if found is None:
        said = reading.read(text[-_LONGEST_READ:], truncated, lambda rest: _lenient(_end(rest)) is not None)
        found, lenient, taken = _lenient(_end(reading.MARKS.sub("", said.text))), True, said.note
    if found is None:
        if thought and not text.strip() and not truncated:
            taken = SILENT
        return Reading(None, unread(text, "length" if truncated else "", thought), True, taken)
    if truncated and found.open:
        return Reading(None, "truncated", True, taken)
    action = _plain(found.value, menu)
    return Reading(action, None if _legal(action, menu) else "illegal", lenient, taken)


def unread(text: str, finish: str, thought: bool = False) -> Cause:
    """Why a reply without an answer has none, whatever was asked. finish: as in `antemill.llm.Reply`."""
    if finish in ("length", "refusal"):
        return "truncated" if finish == "length" else "refusal"
    return "unparsable" if text.strip() or thought else "empty"


def play_reading(match: Match, found: Reading, text: str) -> Played:
    """Play what was read on `Game.shown` of the menu, or a random legal action, which is recorded with the reply's text
    as what was submitted.

    Raises MatchOverError.
    """
    if found.cause is None and match.game.words and not match.menu.amounts:
        place = match.game.shown(match.menu).resolve(found.action).place
        assert place is not None  # a legal option
        return match.apply(match.menu.choice(place))
    if found.cause is None or (match.menu.amounts and found.action is not None):
        return match.apply(found.action)  # an impossible amount becomes a random one
    return match.apply_random(text[-_LONGEST:])


def action_schema(menu: Menu, moves: bool = True) -> dict[str, Any]:
    """A JSON schema of the answers. moves: whether it may say which actions are legal."""
    kind: dict[str, Any] = {"type": "integer"} if menu.amounts else {"type": "string"}
    if moves:
        kind |= {"minimum": menu.low, "maximum": menu.high} if menu.amounts else {"enum": list(menu.labels)}
    return {"type": "object", "properties": {"action": kind}, "required": ["action"], "additionalProperties": False}


def _plain(value: Value, menu: Menu) -> str | int | float | None:
    """The value as a submission. An option is named, not numbered, so a number stands for its digits there."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return json.dumps(value)[:200]
    action: str | int | float = reading.MARKS.sub("", value) if isinstance(value, str) else value
    return action if menu.amounts or isinstance(action, str) else str(action)


def _legal(action: str | int | float | None, menu: Menu) -> bool:
    try:
        return menu.resolve(action).place is not None
    except IllegalChoiceError:
        return False


# ---------------------------------------------------------------------------------------------- JSON


def _whole(digits: str) -> int:
    """A whole number; beyond all amounts there is no need to be exact (and int() refuses thousands of digits)."""
    if len(digits) <= _DIGITS:
        return int(digits)
    return -_HUGE if digits.startswith("-") else _HUGE


_JSON = json.JSONDecoder(parse_int=_whole, strict=False)


def _strict(text: str) -> _Found | None:
    decoded = object_at(text.strip(), 0)
    if decoded is None or decoded[1] != len(text.strip()) or decoded[0].keys() != {"action"}:
        return None
    return _Found(decoded[0]["action"], False)


def _end(text: str) -> str:
    """The end of a reply that is read; this bounds the time that a hostile reply takes."""
    text = text[-_LONGEST:]
    braces = text.count("{")
    return "{" + "{".join(text.split("{")[-_MOST:]) if braces > _MOST else text


def _lenient(text: str) -> _Found | None:
    """The last action, of complete objects or of the broken ones between them."""
    last, place, rest = None, text.find("{"), 0
    while place >= 0:
        decoded = object_at(text, place)
        if decoded is None:
            place = text.find("{", place + 1)
            continue
        last = _broken(text[rest:place]) or last
        content, rest = decoded
        if not _DENIED.search(text, max(0, place - 40), place):
            last = _named(content) or last
        place = text.find("{", rest)
    return _broken(text[rest:]) or last


_DENIED = re.compile(  # in front of an action that the reply turns down
    r"(?:\b(?:not|never|than|instead of|unlike|considered|thought about|avoid(?:ing)?|nicht|statt|pas|"
    r"plutôt que|en vez de|em vez de|anziché|niet|не)|不是?|而非|(?<![}\w.!])~~|<(?:del|s|strike)>)[ \t`*_(\"']*\Z",
    re.IGNORECASE,
)


def object_at(text: str, place: int) -> tuple[dict[str, Value], int] | None:
    """The JSON object that begins there, and where it ends."""
    try:
        content, end = _JSON.raw_decode(text, place)
    except (ValueError, RecursionError):
        return None
    return (content, end) if isinstance(content, dict) else None


def _named(content: dict[str, Value], depth: int = 0) -> _Found | None:
    """The action that an object names, itself or in an object within."""
    if "action" in content:
        return _Found(content["action"], False)
    found = None
    for value in content.values():
        if isinstance(value, dict) and depth < _DEEPEST:
            found = _named(value, depth + 1) or found
    return found


def _broken(text: str) -> _Found | None:
    """The last action named in text that is not a complete object."""
    last = None
    for key in _KEY.finditer(text):
        for pattern in _VALUES:
            if match := pattern.match(text, key.end()):
                last = _Found(_scalar(match["text"], pattern), match["end"] == "")
                break
        else:
            last = _Found("", True) if key.end() == len(text) else last
    return last


def _scalar(text: str, pattern: re.Pattern[str]) -> Value:
    """A value of a broken object: JSON if it is that, else its text."""
    try:
        return _JSON.decode(f'"{text}"' if pattern is _VALUES[0] else text)
    except (ValueError, RecursionError):
        return text.strip()
