"""The protocol of players, and the loop that plays a match between two."""

from __future__ import annotations

from typing import Protocol, TypeAlias

from antemill.engine.match import Match, Result
from antemill.tournament.players.observation import Observation

Choice: TypeAlias = str | int  # an option's name, or an amount


class Player(Protocol):
    """A player chooses at each decision. A bot's choice is a function of the observation alone."""

    @property
    def name(self) -> str:
        """The player's name in results."""
        ...

    def choose(self, observation: Observation) -> Choice:
        """A choice from the menu: an option's name, or an amount."""
        ...


def play(match: Match, alice: Player, bob: Player) -> Result:
    """Play a match to its end. A player's illegal choice raises IllegalChoiceError."""
    seats = (alice, bob)
    while not match.over:
        match.apply(seats[match.seat].choose(Observation(match)))
    return match.result
