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
    """A legal spec as a text, without the parts that no play depends on: equal forms are the same game.

    The seats are exchanged if the rules name the second seat more often, or equally often and the exchanged text is
    smaller. A game and its mirror image are the same, since players play a game in both seats. Phases that no play
    reaches do not count. Raises SpecError if the other phases make no game: one is missing, one performs itself, or the
    sequence does not end with a showdown.
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
    """32 hex digits that identify the game: equal for specs with equal `canonical_form`, whatever their names."""
    return _digest(f"{FORM}\n{canonical_form(spec)}")


@cache
def form_hash() -> str:
    """16 hexadecimal digits that change with the code of the digests: all digests of a pool are made by one code."""
    return shared().digest([__name__])


def rules_digest(spec: GameSpec) -> str:
    """32 hex digits of the spec as it is written, without its names: the cheaper and weaker digest."""
    return _digest(nameless(spec))


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
