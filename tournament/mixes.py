"""What a model's reply means where probabilities over the legal actions are asked for (`answer = "mix"`).

The reply is a JSON object `{"mix": {OPTION: PROBABILITY, ...}}`, the last of its text. Options that are left out have
probability 0. A sum that differs from 1 by at most `TOLERANCE` is rescaled; where every legal action has a number, the
numbers are odds, and any sum is rescaled: small models that are held to a schema state them so.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from antemill.engine.machine.chance import uniform
from antemill.engine.match import IllegalChoiceError, Match, Menu
from antemill.llm import Reply
from antemill.tournament.replies import ReplyError, json_answer, object_schema

TOLERANCE = 0.05  # how far a sum may be from 1 before it is rescaled
LISTED = 50  # actions of a menu up to which a schema names them
Mix = tuple[float, ...]


def mix_parser(menu: Menu) -> Callable[[Reply], Mix]:
    """Reads the probabilities of the menu's entries, which add up to 1."""

    def parse(reply: Reply) -> Mix:
        stated = json_answer(reply.text, "mix", reply.schema)["mix"]
        if not isinstance(stated, dict):
            raise ReplyError('"mix" is no object of actions with their probabilities.')
        found: dict[int, float] = {}
        for option, share in stated.items():
            place = _place(option, menu)
            number = isinstance(share, int | float) and not isinstance(share, bool)
            if not number or not 0 <= share < 1e9 or (place is None and share > 0):
                raise ReplyError(f"`{option[:80]}: {share!s:.80}` is no legal action with a probability.", "illegal")
            if place is not None:
                found[place] = found.get(place, 0.0) + share
        total = math.fsum(found.values())
        if total <= 0 or (len(found) < len(menu) and abs(total - 1) > TOLERANCE):
            raise ReplyError(f"The probabilities add up to {total:g}, not to 1.", "illegal")
        return tuple(found.get(place, 0.0) / total for place in range(len(menu)))

    return parse


def _place(option: str, menu: Menu) -> int | None:
    """Where an option is in the menu; an amount above the maximum counts as it. None if it is not there."""
    try:
        return menu.resolve(option).place
    except IllegalChoiceError:
        return None


def draw(match: Match, probabilities: Mix) -> tuple[int, float]:
    """The place in the menu that a stated mix draws, and the number in [0, 1) that it was drawn by: always the same for
    a decision of a match, whatever was stated."""
    number = float(uniform(*match.draws(match.seat)))
    total = 0.0
    for place, share in enumerate(probabilities):
        total += share
        if number < total:
            return place, number
    # the sum is 1 but for rounding
    return max(place for place, share in enumerate(probabilities) if share > 0.0), number


def mix_schema(menu: Menu, moves: bool = True) -> dict[str, Any] | None:
    """A JSON schema of the answers; None where the menu is long, or may not be told."""
    if not moves or len(menu) > LISTED:
        return None
    names = [str(menu.choice(place)) for place in range(len(menu))]
    return object_schema(mix=object_schema(**{name: {"type": "number"} for name in names}))
