"""Starter games: five games of rising complexity for newcomers; the gate accepts them.

    spec = STARTERS["starter-2"].spec()          as GAME: starter-2

Each is the builder's game of a seed at a complexity, under a name of its own, and adds constructs to the previous ones.
They were chosen among seeds 0 to 1,499. The gate accepts each of them under each of 300 seeds and by every reading of
what a phase is. In equilibrium no player wins more than a fifth of a chip a game. The trees (186, 1,166, 5,783, 20,658
and 51,315 nodes) are solved to .001 chips in less than a second.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec

from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import GameSpec

__all__ = ["KNOWN", "STARTERS", "Starter"]


class Starter(NamedTuple):
    """A starter game. what: its content in a few words. canonical: its canonical digest when it was chosen."""

    name: str  # of the game, in its rulebook
    seed: int
    complexity: float
    what: str
    canonical: str

    def spec(self) -> GameSpec:
        """The game, which the builder draws."""
        from antemill.engine.builder.generate import generate  # here: it loads numba, which help texts do not need

        return msgspec.structs.replace(generate(self.seed, self.complexity), name=self.name)


STARTERS: Final[Mapping[str, Starter]] = MappingProxyType(
    {
        "starter-1": Starter(
            "Starter 1",
            17,
            0.0,
            "one round of fixed bets, as in Kuhn poker, with five cards; the lower card wins",
            "7eccf1f0cd3aa5d4549762cf8e7e6d9b",
        ),
        "starter-2": Starter(
            "Starter 2",
            719,
            0.1,
            "secret choices at the same time, a private draw, and a round of fixed bets",
            "8f59eca998110d1b4b8815bed215b530",
        ),
        "starter-3": Starter(
            "Starter 3",
            702,
            0.1,
            "peeks, challenges on a card, and bets of any size",
            "9885868e7b4174b7dbbd1a1e6556081d",
        ),
        "starter-4": Starter(
            "Starter 4",
            565,
            0.2,
            "a betting loop with fixed and free rounds, draws, and positions",
            "1bb9ad02e325e42e69d98e1068e23a3e",
        ),
        "starter-5": Starter(
            "Starter 5",
            1219,
            0.3,
            "an auction of a peek, steals, swaps, scores, two suits, and a betting loop",
            "9a9dc66ec450c6fadee5c9887b100e57",
        ),
    }
)
KNOWN: Final = (*NAMED, *STARTERS)  # names of games: those written by hand, then the starter games
