"""Players by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from antemill.engine.errors import UsageError
from antemill.engine.match import Game
from antemill.tournament.players.player import Player
from antemill.tournament.players.policy import PolicyPlayer, l1_policy, mixed_policy
from antemill.tournament.players.scripted import Aggressive, Passive, Random

BOTS: dict[str, Callable[[Game], Player]] = {
    "random": lambda _game: Random(),
    "passive": Passive,
    "aggressive": Aggressive,
    "l1": lambda game: PolicyPlayer("l1", l1_policy(game)),
    "mixed": lambda game: PolicyPlayer("mixed", mixed_policy(game)),
}
CFR, BEST = "cfr", "best"
_BEST_OF = f"{BEST}:"  # before the name of the policy that is responded to
NAMES = (*BOTS, CFR, BEST)


def require_player(name: str, *others: str) -> None:
    """Raise UsageError unless it names a bot, the path of a policy or of a folder of them, or one of `others`."""
    while name.startswith(_BEST_OF):
        name = name.removeprefix(_BEST_OF)
    if name not in (*others, *NAMES) and not (name and Path(name).exists()):
        known = ", ".join((*others, *NAMES))
        raise UsageError(f"there is no player '{name}': use {known}, or the path of a policy.")


def make_bot(name: str, game: Game) -> Player:
    """The bot of that name, made for the game.

    `cfr` solves it first; `best:NAME` responds to another bot's policy in the best way, in either seat; a path names a
    policy or a folder of them. Raises UsageError if there is none, or if it is `best`, which does not say to whom it
    responds; StorageError for a policy that cannot be read.
    """
    require_player(name)
    if name in BOTS:
        return BOTS[name](game)
    if name == CFR:
        from antemill.tournament.players.solver_players import cfr_player

        return cfr_player(game)
    if name == BEST:
        raise UsageError(
            "best is a response to the other seat's policy, which is not known here: let a bot play there, or name the "
            f"policy, as {_BEST_OF}random or {_BEST_OF}cfr do."
        )
    if name.startswith(_BEST_OF):
        from antemill.tournament.players.solver_players import best_player

        return best_player(game, make_bot(name.removeprefix(_BEST_OF), game), 0, 1)
    from antemill.tournament.players.solved import solved_player

    return solved_player(name, game)


def make_bots(names: tuple[str, str], game: Game) -> tuple[Player, Player]:
    """The bots of Alice's and Bob's seat; `best` is made for the bot that sits opposite. Raises as `make_bot`."""
    if BEST not in names:
        return make_bot(names[0], game), make_bot(names[1], game)
    from antemill.tournament.players.solver_players import best_player

    seat = names.index(BEST)
    opponent = make_bot(names[1 - seat], game)
    best = best_player(game, opponent, seat)
    return (best, opponent) if seat == 0 else (opponent, best)
