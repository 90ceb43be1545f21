"""The two digests of a game's rules: of the spec without names, and of the game itself."""

from __future__ import annotations

import hashlib
from functools import cache

from antemill.engine.digests import shared
from antemill.engine.rules.canonical.facts import Facts
from antemill.engine.rules.canonical.marks import settle
from antemill.engine.rules.canonical.nameless import nameless
from antemill.engine.rules.canonical.rounds import Writer
from antemill.engine.rules.spec import GameSpec

FORM = "antemill game 1"  # changes with the meaning of the form, so that no two forms are mistaken for each other


def canonical_form(spec: GameSpec) -> str:
    """What is left of a legal spec without all on which no play depends: equal forms are the same game.

    The seats are exchanged if the second is named more often, or as often and the text is the lesser one: players
    play a game in both seats, so that a game and its mirror image ask the same. Phases that no play reaches do not
    count. Raises SpecError if the others are no game: one is missing, one performs itself, or none is a showdown.
    """
    facts = Facts(spec)

    def seen(swapped: bool) -> str:
        return settle(lambda marks: Writer(facts, marks, swapped).game())

    form = seen(False)
    first, second = form.count(" A"), form.count(" B")
    if not facts.exchangeable or first > second:
        return form
    return seen(True) if first < second else min(form, seen(True))


def canonical_digest(spec: GameSpec) -> str:
    """32 hex digits that name the game itself: equal for specs of the same `canonical_form`, with any names."""
    return _digest(f"{FORM}\n{canonical_form(spec)}")


@cache
def form_hash() -> str:
    """16 hexadecimal digits that change with the code that makes the digests: a pool holds digests of one making."""
    return shared().digest([__name__])


def rules_digest(spec: GameSpec) -> str:
    """32 hex digits of the spec as it is written, without its names: the cheaper and weaker digest."""
    return _digest(nameless(spec))


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
