"""Players by name."""

from __future__ import annotations

from collections.abc import Callable

from engine.errors import UsageError
from engine.match import Game
from tournament.players.player import Player
from tournament.players.policy import PolicyPlayer, l1_policy, mixed_policy
from tournament.players.scripted import Aggressive, Passive, Random

BOTS: dict[str, Callable[[Game], Player]] = {
    "random": lambda game: Random(),
    "passive": Passive,
    "aggressive": Aggressive,
    "l1": lambda game: PolicyPlayer("l1", l1_policy(game)),
    "mixed": lambda game: PolicyPlayer("mixed", mixed_policy(game)),
}


def make_bot(name: str, game: Game) -> Player:
    """The bot of that name, made for the game. Raises UsageError if there is none."""
    if name not in BOTS:
        raise UsageError(f"there is no player '{name}': use {', '.join(BOTS)}.")
    return BOTS[name](game)
