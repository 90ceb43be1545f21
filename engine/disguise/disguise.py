"""A game in disguise.

Names, order of listing, ranks, chips and seats are changed in turn. A change after which the canonical digest differs
is undone and listed in `kept`, so the disguise has the digest of its game; the end checks it. The digest does not
depend on some changes, which the disguise therefore records: the new names, the factor of the chips, and whether the
seats are exchanged, either in the rules or only in texts. The words for moves, auctions, antes, pots and showdowns are
not part of the rules: only prompts change them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from msgspec import Struct

from antemill.engine.disguise.changes import Renaming, mirrored, naming, renamed, reordered, reranked, scaled
from antemill.engine.disguise.themes import THEMES, Theme
from antemill.engine.errors import SpecError, UsageError
from antemill.engine.rules.check import check
from antemill.engine.rules.same import canonical_digest
from antemill.engine.rules.spec import GameSpec
from antemill.engine.seeding import derive

_TRIES = 100  # the most seeds per requested disguise
FACTORS = (2, 3, 5, 10)  # of chips


class Disguise(Struct, frozen=True):
    """A game that is the same as another.

    original: the game. game: its disguise. digest: the canonical digest of both. names: old and new names. scale: the
    chips of the disguise per chip of the game, also in payoffs. exchanged: whether Alice of the disguise is Bob of the
    game. turned: whether the rules keep the seats and prompts call Alice Bob, and Bob Alice. words: a vocabulary for
    prompts, for moves, auctions, antes, pots and showdowns; `words_of` finds it from the game. Prompts of
    `Game(disguise.game, disguise.turned)` do both. changed: the names of the changes. kept: the names of changes that
    were not made, because the canonical form cannot show that the game stays the same.
    """

    original: GameSpec
    game: GameSpec
    seed: int
    theme: str
    digest: str
    names: Renaming
    scale: int
    exchanged: bool
    turned: bool
    words: tuple[str, ...]
    changed: tuple[str, ...]
    kept: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<Disguise of {self.original.name!r}: {self.game.name!r}, changed {', '.join(self.changed)}>"


class _Work:
    """A spec on its way into disguise."""

    def __init__(self, spec: GameSpec) -> None:
        self.spec, self.digest = spec, canonical_digest(spec)
        self.changed: list[str] = []
        self.kept: list[str] = []

    def change(self, what: str, made: GameSpec | None) -> bool:
        """Make a change if the new spec is legal and the same game; returns whether it is."""
        same = made is not None and not check(made) and canonical_digest(made) == self.digest
        if made is None or not same:
            self.kept.append(what)
        elif made != self.spec:
            self.spec = made
            self.changed.append(what)
        return same


def disguised(spec: GameSpec, seed: int = 0, theme: str | None = None, seats: bool = True) -> Disguise:
    """A disguise of a legal game, drawn by a seed.

    theme: the name of a theme; None: drawn by the seed. seats: whether the rules may exchange the seats. If False, a
    play seed deals the same cards to the disguise as to the game, and the seats may be exchanged only in texts.
    """
    rng = random.Random(f"disguise {seed}")
    words = _theme(theme) if theme is not None else rng.choice(THEMES)
    factor, exchange = rng.choice(FACTORS), rng.random() < 0.5
    work = _Work(spec)
    exchanged = seats and exchange and work.change("seats", mirrored(spec))
    turned = exchange and not seats
    work.changed += ["names of the seats"] if turned else []
    scale = factor if work.change("chips", scaled(work.spec, factor)) else 1
    makers: tuple[tuple[str, Callable[[GameSpec, random.Random], GameSpec]], ...]
    makers = ("ranks", reranked), ("order", reordered)
    for what, make in makers:
        work.change(what, make(work.spec, rng))
    names = naming(work.spec, words, rng)
    work.change("names", renamed(work.spec, names, words.title))
    if canonical_digest(work.spec) != work.digest or "names" not in work.changed:
        raise SpecError(f"no disguise of {spec.name!r} by seed {seed} is the same game; this is a fault of Antemill.")
    changed, kept, moved = (*work.changed, "words"), tuple(work.kept), (exchanged, turned)
    return Disguise(spec, work.spec, seed, words.name, work.digest, names, scale, *moved, words.words, changed, kept)


def distinct(spec: GameSpec, count: int, seed: int) -> Iterator[Disguise]:
    """Different disguises of a game that keep its seats, by seeds of 32 bits.

    Raises UsageError if fewer than `count` are found.
    """
    found = [spec]
    for number in range(count * _TRIES):
        if len(found) > count:
            return
        made = disguised(spec, derive(seed, number) >> 32, seats=False)
        if made.game not in found:
            found.append(made.game)
            yield made
    if len(found) <= count:
        raise UsageError(f"{spec.name} has only {len(found) - 1} different disguises: ask for fewer.")


def _theme(name: str) -> Theme:
    return next(theme for theme in THEMES if theme.name == name)
