"""The tags and tokens of a reply, outside of code, and what each of them does."""

from __future__ import annotations

import re
from typing import NamedTuple

from antemill.tournament.reading.forms import ENDS, HTML, INNER, OTHERS, OWN, PLAIN, ROLE, TAG, THINKS
from antemill.tournament.reading.source import protected


class Mark(NamedTuple):
    """A tag or a token in a reply. kind: it opens or closes a thought ("think", "end") or an element ("open", "close"),
    or it is a token ("token"), the end of a turn ("over"), or the name of a turn's speaker ("role").
    """

    kind: str
    name: str
    start: int
    end: int
    pair: bool = False  # counts only in a pair


def marks_in(text: str) -> list[Mark]:
    """All tags and tokens that count, in order."""
    spans, place = protected(text), 0
    found: list[Mark] = []
    both = sorted(
        [*TAG.finditer(text), *PLAIN.finditer(text)], key=lambda one: (one.start(), one.re is not PLAIN, one.end())
    )
    reached = 0
    for one in both:
        if one.start() < reached:
            continue
        while place < len(spans) and spans[place][1] <= one.start():
            place += 1
        if place < len(spans) and spans[place][0] <= one.start():
            continue
        mark = Mark("over" if _over(one[0].strip("<>[]")) else "token", one[0], *one.span())
        if one.re is TAG:
            mark = _mark_of(one)
        if mark.kind:
            found.append(mark)
            reached = mark.end
    return found


def _over(name: str) -> bool:
    return bool(ENDS.fullmatch(name.lower().replace("▁", "_").replace(" ", "_")))


def _mark_of(found: re.Match[str]) -> Mark:
    start, end = found.span()
    if found["token"]:
        return Mark(kind_of(found["token"]), found["token"].lower(), start, end)
    if half := found["half"] or found["half_closed"]:
        thinks = half.lower() == "channel" or INNER.search(half)
        kind = ("think" if found["half"] else "end") if thinks else "token"
        if half.lower() == "turn":
            kind = "role" if found["half"] else "over"
        return Mark(kind, half.lower(), start, end)
    angle = bool(found["name"])
    name, closes = found["name"] or found["name_2"], bool(found["end"] or found["end_2"])
    thinks = bool(THINKS.search(name))
    if found["empty"] or len(name) == 1 or (found["attributes"] and "=" not in found["attributes"] and not thinks):
        return Mark("", "", start, end)
    if thinks:
        alone = angle or found[0][0] in "◁⟨" or (found[0][0] == "[" and name.isupper())
        return Mark("end" if closes else "think", name.lower(), start, end, pair=not alone)
    plain = bool(HTML.fullmatch(name.lower())) or (not angle and found[0][0] not in "[◁⟨【" and not closes)
    kind = "" if plain else "close" if closes else "open"
    return Mark(kind, name.lower(), start, end, pair=not angle)


def kind_of(token: str) -> str:
    """The kind of a token in bars."""
    name = token.lower().replace("▁", "_").replace(" ", "_").replace("-", "_")
    if INNER.search(name):
        return "end" if re.match(r"/|end|close|stop", name) or re.search(r"_(?:end|suffix|close)\Z", name) else "think"
    if name in OTHERS or name in OWN or ROLE.fullmatch(name):
        return "role"
    return "over" if _over(name) else "token"
