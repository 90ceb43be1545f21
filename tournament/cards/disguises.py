"""Games of a run in disguise: each is also played under other names, in other ranks and chips, with the same cards.

The rules keep the seats in runs, because a play seed then deals the same cards to the game and to all its disguises.
Seats are exchanged in words: in half of the disguises, prompts call Alice Bob, and Bob Alice. This is the same game by
construction, also where positions are assigned, whose first leader is always Alice.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from antemill.engine.disguise.disguise import Disguise, distinct
from antemill.engine.rules.spec import GameSpec

MARK = "~"  # between a game's label and the number of its disguise


class Form(Struct, frozen=True):
    """Which disguise of which game a match is played in, as it is kept with the match.

    of: the game's label. number: of the disguise among the game's, from 1. seed: as in `antemill game disguise GAME
    --seed SEED --keep-seats`. scale: chips of the disguise for one chip of the game. turned: whether prompts call Alice
    Bob, and Bob Alice. words: what prompts say for moves, auctions, antes, pots and showdowns, as in
    `antemill.engine.match.Game`.
    """

    of: str
    number: int
    seed: int
    scale: int
    turned: bool = False
    words: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """What the disguise is called in the run."""
        return f"{self.of}{MARK}{self.number}"


def several(label: str, spec: GameSpec, count: int, seed: int) -> Iterator[tuple[Form, Disguise]]:
    """So many disguises of a game, which all differ. seed: of the run. Raises UsageError if there are not so many."""
    for number, made in enumerate(distinct(spec, count, seed), 1):
        yield Form(label, number, made.seed, made.scale, made.turned, made.words), made
