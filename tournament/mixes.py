"""What a model's reply means where probabilities over the legal actions are asked for (`answer = "mix"`).

1. Strict: the whole reply is one JSON object, `{"mix": {OPTION: PROBABILITY, ...}}`, whose probabilities add up to 1.
2. Lenient: JSON amid other text, with other keys or without the key `mix`, single quotes or none; percentages ("30%",
   or numbers that add up to 100) and fractions ("1/3"); a list of options with their probabilities; the single action
   of the usual answer, which has probability 1; lines of "option: probability". The LAST one counts. Options that are
   left out have probability 0. A sum that differs from 1 by at most `TOLERANCE` is rescaled. Where the object under
   `mix` gives every legal action a number, of which none is negative, the numbers are odds, and any sum is rescaled:
   small models that are held to a schema state them so.
3. Otherwise the caller plays a random legal action and records why, with the causes of `antemill.tournament.answers`:
   a sum that is too far from 1 and not of all actions, a negative number or an option that is not on the menu is
   "illegal".

Thoughts are removed first, as from every reply (`antemill.tournament.reading`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any, TypeAlias

from msgspec import Struct

from antemill.engine.machine.chance import uniform
from antemill.engine.match import IllegalChoiceError, Match, Menu
from antemill.tournament import reading
from antemill.tournament.answers import SILENT, Cause, object_at, unread

TOLERANCE = 0.05  # how far a sum may be from 1 before it is rescaled
_EXACT = 1e-6  # the same for a strict reply
LONGEST = 50_000  # characters at the end of an answer that are read
_MOST = 200  # braces at which an object may begin
LISTED = 50  # actions of a menu up to which a schema names them
_DEEPEST = 5  # objects within objects
Stated: TypeAlias = list[tuple[str, Any]]  # options and what is said of them, in the reply's order

_FRACTION = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*/\s*(\d+(?:\.\d*)?|\.\d+)\s*")
_DECIMAL = re.compile(r"\s*([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)\s*(%?)\s*")
_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?:\s*/\s*\d+(?:\.\d*)?)?\s*%?"
_PAIR = re.compile(rf"""\s*["'`*]*([^"'`*{{}}:=,;\n]+?)["'`*]*\s*[:=]\s*["'`*]*({_NUMBER})["'`*.]*\s*""")
_BULLET = re.compile(r"\s*(?:[-*\u2022]\s+)?")
_BLOCK = re.compile(r"\{([^{}]*)\}")
_NAMES, _SHARES = (
    ("option", "action", "name", "label", "move", "amount"),
    ("probability", "p", "prob", "weight", "share"),
)


class MixReading(Struct, frozen=True):
    """The reading of a reply. probabilities: of the menu's entries, which add up to 1; None where `cause` says why
    there are none. lenient: whether the strict parser failed. taken: what was removed first, in words."""

    probabilities: tuple[float, ...] | None
    cause: Cause | None
    lenient: bool
    taken: str = ""


def read_mix(text: str, truncated: bool, menu: Menu, refused: bool = False, thought: bool = False) -> MixReading:
    """Read a reply; arguments as of `antemill.tournament.answers.read_action`. Never raises."""
    if refused:
        return MixReading(None, "refusal", False)
    if (strict := _strict(text, menu)) is not None:
        return MixReading(strict, None, False)
    said = reading.read(text[-1_000_000:], truncated, lambda rest: _stated(rest[-LONGEST:], menu) is not None)
    found, taken = _stated(reading.MARKS.sub("", said.text)[-LONGEST:], menu), said.note
    if found is None:
        if thought and not text.strip() and not truncated:
            taken = SILENT
        return MixReading(None, unread(text, "length" if truncated else "", thought), True, taken)
    probabilities = _shares(found, menu, TOLERANCE)
    return MixReading(probabilities, None if probabilities is not None else "illegal", True, taken)


def draw(match: Match, probabilities: tuple[float, ...]) -> tuple[int, float]:
    """The place in the menu that a stated mix draws, and the number in [0, 1) that it was drawn by: always the same for
    a decision of a match, whatever was stated."""
    number = float(uniform(*match.draws(match.seat)))
    total = 0.0
    for place, share in enumerate(probabilities):
        total += share
        if number < total:
            return place, number
    return max(
        place for place, share in enumerate(probabilities) if share > 0.0
    ), number  # the sum is 1 but for rounding


def mix_schema(menu: Menu, moves: bool = True) -> dict[str, Any] | None:
    """A JSON schema of the answers; None where the menu is long, or may not be told."""
    if not moves or len(menu) > LISTED:
        return None
    names = [str(menu.choice(place)) for place in range(len(menu))]
    shares = {
        "type": "object",
        "properties": {name: {"type": "number"} for name in names},
        "required": names,
        "additionalProperties": False,
    }
    return {"type": "object", "properties": {"mix": shares}, "required": ["mix"], "additionalProperties": False}


# ---------------------------------------------------------------------------------------------- numbers


def _shares(stated: Stated, menu: Menu, tolerance: float) -> tuple[float, ...] | None:
    """The probabilities of the menu's entries; None if the text states no mix."""
    found = [0.0] * len(menu)
    for option, value in stated:
        share = _number(value)
        if share is None or not math.isfinite(share) or share < 0:
            return None
        place = _place(option, menu)
        if place is None and share > 0:
            return None
        if place is not None:
            found[place] += share
    total = math.fsum(found)
    for whole in (1.0, 100.0):
        if abs(total - whole) <= tolerance * whole:
            return tuple(share / total for share in found)
    return None


def _number(value: Any) -> float | None:
    """A number, a percentage or a fraction; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value) if abs(value) < _HUGE else None
    if not isinstance(value, str):
        return None
    if found := _FRACTION.fullmatch(value):
        below = float(found[2])
        return float(found[1]) / below if below > 0 else None
    if found := _DECIMAL.fullmatch(value):
        return float(found[1]) / (100 if found[2] else 1)
    return None


_HUGE = 10**9


def _place(option: str, menu: Menu) -> int | None:
    """Where an option is in the menu; an amount above the maximum counts as it. None if it is not there."""
    try:
        return menu.resolve(option).place
    except IllegalChoiceError:
        return None


# ---------------------------------------------------------------------------------------------- text


def _strict(text: str, menu: Menu) -> tuple[float, ...] | None:
    text = text.strip()
    decoded = object_at(text, 0) if text.startswith("{") else None
    if decoded is None or decoded[1] != len(text) or decoded[0].keys() != {"mix"}:
        return None
    shares = decoded[0]["mix"]
    plain = isinstance(shares, dict) and all(type(one) in (int, float) for one in shares.values())
    if not plain or abs(sum(shares.values()) - 1) > _EXACT:
        return None
    return _shares(list(shares.items()), menu, _EXACT)


def _stated(text: str, menu: Menu) -> Stated | None:
    """The last mix that a text states, in any of the forms; None without any."""
    last = None
    for found in _objects(text):
        last = _of(found, menu) or last
    if last is not None:
        return last
    for block in _BLOCK.finditer(text):
        last = _pairs(re.split(r"[,;\n]", block[1])) or last
    return last or _lines(text, menu)


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The complete JSON objects of a text, from the first to the last."""
    place, tried = text.find("{"), 0
    while place >= 0 and tried < _MOST:
        decoded = object_at(text, place)
        tried += decoded is None
        if decoded is not None:
            yield decoded[0]
        place = text.find("{", place + 1 if decoded is None else decoded[1])


def _of(content: dict[str, Any], menu: Menu, depth: int = 0) -> Stated | None:
    """The mix that an object states: under `mix`, as the one action, by its own keys, or in an object within it."""
    if "mix" in content:
        return _odds(_table(content["mix"]), menu)
    if isinstance(content.get("action"), str | int) and not isinstance(content["action"], bool):
        return [(str(content["action"]), 1.0)]
    if content and all(_place(key, menu) is not None and _number(value) is not None for key, value in content.items()):
        return list(content.items())
    found = None
    for value in content.values():
        if isinstance(value, dict) and depth < _DEEPEST:
            found = _of(value, menu, depth + 1) or found
    return found


def _odds(stated: Stated | None, menu: Menu) -> Stated | None:
    """A mix that gives every entry of the menu a number, rescaled to 1; any other one as it is."""
    numbers = [_number(value) for _, value in stated or ()]
    places = {_place(str(option), menu) for option, _ in stated or ()}
    if stated is None or places != set(range(len(menu))) or not all(one is not None and one >= 0 for one in numbers):
        return stated
    shares = [one or 0.0 for one in numbers]
    whole = math.fsum(shares) or 1.0
    return [(option, share / whole) for (option, _), share in zip(stated, shares, strict=True)]


def _table(value: Any) -> Stated | None:
    """Options with numbers: an object, or a list of pairs or of objects of two entries."""
    if isinstance(value, dict):
        return list(value.items()) or None
    if not isinstance(value, list):
        return None
    found = [_row(one) for one in value]
    return [row for row in found if row is not None] if found and None not in found else None


def _row(value: Any) -> tuple[str, Any] | None:
    if isinstance(value, list) and len(value) == 2:
        return str(value[0]), value[1]
    if not isinstance(value, dict):
        return None
    name = next((value[key] for key in _NAMES if key in value), None)
    share = next((value[key] for key in _SHARES if key in value), None)
    return None if name is None or share is None else (str(name), share)


def _pairs(parts: list[str]) -> Stated | None:
    """Every part as "option: number"; None if one of them is anything else."""
    matches = [_PAIR.fullmatch(part) for part in parts if part.strip()]
    found = [(match[1].strip(), match[2].strip()) for match in matches if match is not None]
    return found if found and len(found) == len(matches) else None


def _lines(text: str, menu: Menu) -> Stated | None:
    """The last block of lines that are "option: number" each, for options of the menu."""
    last: Stated | None = None
    block: Stated = []
    for line in [*text.splitlines(), ""]:
        rest = line[_BULLET.match(line).end() :]  # type: ignore[union-attr]  # it matches every line
        found = _pairs(rest.split(",")) or []
        if found and all(_place(option, menu) is not None for option, _ in found):
            block += found
        elif block:
            last, block = block, []
    return last
