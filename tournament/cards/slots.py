"""A slot: one match that is to be played, with its play seed (GENSTRAT, "Pairing"; N1)."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec
from msgspec import Struct

from antemill.engine.seeding import derive
from antemill.tournament.cards.disguises import Form


class Slot(Struct, frozen=True):
    """A match between two players in a game.

    run: number of the pair of matches, one for each seating, that share a play seed. ablation: "low high anchor" of
    the sibling pair that it belongs to, None in the main schedule. disguise: the form of a game that is played in
    disguise, whose label `game` is then; None: the game as itself.
    """

    game: str
    run: int
    alice: str
    bob: str
    play_seed: int
    ablation: str | None = None
    disguise: Form | None = None

    @property
    def about(self) -> str:
        """The game, whether or not it is in disguise."""
        return self.game if self.disguise is None else self.disguise.of

    @property
    def scale(self) -> int:
        """Chips of the match for one chip of the game."""
        return 1 if self.disguise is None else self.disguise.scale

    @property
    def key(self) -> str:
        """Its name in the run."""
        key = f"{self.game}:{self.run}:{self.alice}:{self.bob}"
        return key if self.ablation is None else f"{key}:{self.ablation}"

    def data(self) -> dict[str, Any]:
        """As an item's data."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        if self.disguise is None:
            del found["disguise"]
        return found


def read_slot(data: dict[str, Any]) -> Slot:
    """A slot from an item's data."""
    return msgspec.convert(data, Slot)


def play_seed(game_seed: int, run: int, matchup: str, seed: int) -> int:
    """The seed of the cards, h(game seed, run, matchup) and the tournament's seed, below 2^63."""
    word = int.from_bytes(hashlib.blake2b(matchup.encode(), digest_size=8).digest())
    return derive(game_seed, run, word, seed) >> 1


def seatings(game: str, run: int, a: str, b: str, seed: int, ablation: str | None = None) -> list[Slot]:
    """The two matches of a run: the same cards, once with each player in Alice's place."""
    return [Slot(game, run, a, b, seed, ablation), Slot(game, run, b, a, seed, ablation)]
