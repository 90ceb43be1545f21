"""The first difference between two games, by their canonical forms."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import NamedTuple

from antemill.engine.rules.canonical.digests import canonical_form
from antemill.engine.rules.canonical.words import in_words
from antemill.engine.rules.spec import GameSpec

_FORM = re.compile(r"deck (?P<deck>.*?);chips (?P<chips>.*?);lead (?P<lead>.*?);(?P<steps>\{.*)", re.DOTALL)
_PARTS = re.compile(r"[;{}\[\]|]|(?<!\d)/")  # a digit before it: the odds of a cost
_MARK, _ALL = re.compile(r"(\$[a-z]\d+);"), re.compile(r"all\[([^\[\]]*)\]")
_CHIPS, _ENOUGH = "the chips of each player", "more than a play can cost"
_OPENING = ";|{["  # after a part: another one follows
_HEADS = (
    ("deck", "the deck"),
    ("chips", _CHIPS),
    ("lead", "the first lead"),
)


class Difference(NamedTuple):
    """The first place at which two canonical forms differ."""

    where: str
    first: str  # the first game's part there, in the words of its form; "" if it has none
    second: str

    @property
    def in_words(self) -> tuple[str, str]:
        """Each game's part there, in words; the form's own text in quotes if the words are equal."""
        absent = _ENOUGH if self.where == _CHIPS else "nothing"
        first, second = (in_words(part) if part else absent for part in (self.first, self.second))
        return (first, second) if first != second else (f"'{self.first}'", f"'{self.second}'")


def first_difference(first: GameSpec, second: GameSpec) -> Difference | None:
    """The first difference between the canonical forms of two games; None if they are the same game.

    Games of different forms may be the same game in a way that only a search of the game tree can show. Raises
    SpecError for a spec that has no form.
    """
    forms = canonical_form(first), canonical_form(second)
    if forms[0] == forms[1]:
        return None
    one, other = (_FORM.fullmatch(_flat(form)) for form in forms)
    assert one is not None
    assert other is not None
    for name, words in _HEADS:
        if one[name] != other[name]:
            return Difference(words, one[name], other[name])
    pairs = zip_longest(_steps(one["steps"]), _steps(other["steps"]), fillvalue="")
    place, (mine, theirs) = next((i, pair) for i, pair in enumerate(pairs, 1) if pair[0] != pair[1])
    return Difference(f"step {place}", *_inside(mine, theirs))


def _flat(form: str) -> str:
    """The form with separators removed from its marks and conditions."""
    form = _MARK.sub(r"\1", form)
    while _ALL.search(form):
        form = _ALL.sub(r"all(\1)", form)
    return form


def _steps(block: str) -> list[str]:
    """The steps of the outermost block."""
    steps, depth = [""], 0
    for letter in block[1:-1]:
        depth += (letter in "{[") - (letter in "}]")
        if depth == 0 and letter == ";":
            steps.append("")
        else:
            steps[-1] += letter
    return steps


def _inside(mine: str, theirs: str) -> tuple[str, str]:
    """The innermost parts of two different steps that contain the first letter that differs."""
    shared = next(
        (at for at, (a, b) in enumerate(zip(mine, theirs, strict=False)) if a != b), min(len(mine), len(theirs))
    )
    begun = max((part.end() for part in _PARTS.finditer(mine[:shared])), default=0)

    def part(step: str) -> str:
        end = _PARTS.search(step, max(begun, shared))
        return step[begun : end.start() if end else len(step)]

    found = part(mine), part(theirs)
    return (_after(mine, shared), _after(theirs, shared)) if found[0] == found[1] else found


def _after(step: str, end: int) -> str:
    """The part that follows the one that ends at `end`; "" after the last part of a block."""
    return _PARTS.split(step[end:].lstrip(_OPENING), maxsplit=1)[0] if step[end : end + 1] in (*_OPENING,) else ""
