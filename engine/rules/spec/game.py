"""A whole game: its deck, chips and phases; reading and writing it as JSON."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from antemill.engine.rules.limits import MAX_RANKS, MAX_SUITS
from antemill.engine.rules.spec.phases import Phase
from antemill.engine.rules.spec.values import Name, PhaseName, Stake, VariableName


class Deck(Struct, frozen=True, forbid_unknown_fields=True):
    """One card of every rank in every suit. Ranks are their values in ascending order (J=11, Q=12, K=13, A=14)."""

    ranks: Annotated[tuple[int, ...], Meta(min_length=1, max_length=MAX_RANKS)]
    suits: Annotated[tuple[str, ...], Meta(min_length=1, max_length=MAX_SUITS)]


class GameSpec(Struct, frozen=True, forbid_unknown_fields=True):
    """A whole game.

    chips: each player's starting stack. phases: the nodes of the phase graph, in a fixed order. sequence: the names of
    the main phases in order of play. variables: the names of the game's variables.
    """

    name: Name
    deck: Deck
    chips: Stake
    phases: Annotated[tuple[Phase, ...], Meta(min_length=1)]
    sequence: Annotated[tuple[PhaseName, ...], Meta(min_length=1)]
    variables: tuple[VariableName, ...] = ()
    version: Literal[1] = 1

    def phase(self, name: str) -> Phase:
        """The phase called `name`; KeyError if there is none."""
        for phase in self.phases:
            if phase.name == name:
                return phase
        raise KeyError(name)

    def __repr__(self) -> str:
        cards = len(self.deck.ranks) * len(self.deck.suits)
        return f"<GameSpec {self.name!r}: {cards} cards, {self.chips} chips each, {len(self.phases)} phases>"


_decoder = msgspec.json.Decoder(GameSpec)
_encoder = msgspec.json.Encoder()


def to_json(spec: GameSpec) -> bytes:
    """The spec as compact JSON; `from_json` returns an equal spec."""
    return _encoder.encode(spec)


def from_json(data: bytes | str) -> GameSpec:
    """Read a spec. Raises `msgspec.ValidationError` or `msgspec.DecodeError`, which name the path of the fault."""
    return _decoder.decode(data)
