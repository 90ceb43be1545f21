"""Games of a run in disguise: each is also played under other names, in other ranks and chips, with the same cards.

Seats are kept in runs, because a play seed then deals the same cards to the game and to all its disguises; every player
sits in both seats anyhow.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from antemill.engine.disguise.disguise import Disguise, disguised
from antemill.engine.errors import UsageError
from antemill.engine.rules.spec import GameSpec
from antemill.engine.seeding import derive

MARK = "~"  # between a game's label and the number of its disguise
_TRIES = 100  # seeds for each disguise that is wanted


class Form(Struct, frozen=True):
    """Which disguise of which game a match is played in, as it is kept with the match.

    of: the game's label. number: of the disguise among the game's, from 1. seed: as in `antemill game disguise GAME
    --seed SEED --keep-seats`. scale: chips of the disguise for one chip of the game.
    """

    of: str
    number: int
    seed: int
    scale: int

    @property
    def label(self) -> str:
        """What the disguise is called in the run."""
        return f"{self.of}{MARK}{self.number}"


def several(label: str, spec: GameSpec, count: int, seed: int) -> Iterator[tuple[Form, Disguise]]:
    """So many disguises of a game, which all differ. seed: of the run. Raises UsageError if there are not so many."""
    found = [spec]
    for number in range(count * _TRIES):
        if len(found) > count:
            return
        own = derive(seed, number) >> 32  # of 32 bits, so that it can be typed
        made = disguised(spec, own, seats=False)
        if made.game not in found:
            yield Form(label, len(found), own, made.scale), made
            found.append(made.game)
    if len(found) <= count:
        raise UsageError(f"{label} has only {len(found) - 1} different disguises: ask for fewer.")
