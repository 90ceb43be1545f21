"""The policy of a seat, from a bot's name, a file, a policy, or a model that has learned."""

from __future__ import annotations

import os
from typing import Any

from antemill.engine.arguments import ArgumentValueError, described
from antemill.engine.errors import UsageError
from antemill.engine.machine.policy import UNIFORM, Policy, require_single
from antemill.engine.match import Game
from antemill.solver.policies.on_tree import kernel_policy
from antemill.tournament.adapters.learned import as_policy
from antemill.tournament.players.policy import PolicyPlayer
from antemill.tournament.players.registry import BEST, make_bot
from antemill.tournament.players.scripted import Random
from antemill.tournament.players.solved import SolvedPlayer

_KNOWN = "use random, l1, mixed, cfr, the path of a policy, or best: before one of these, for a best response to it"


def seat_policy(opponent: Any, game: Game) -> Policy:
    """The policy that kernels play for a bot's name, or for what `as_policy` takes.

    Raises UsageError for a policy of another game, of several rows or over an abstraction, and for a player without a
    known policy; StorageError for a file that cannot be read.
    """
    if isinstance(opponent, Policy):
        require_single(opponent, game.program)
        return opponent
    if not isinstance(opponent, str | os.PathLike):
        return kernel_policy(game.program, as_policy(game, opponent))
    if (name := os.fspath(opponent)) == BEST:
        raise UsageError(
            "best is a response to the other seat's policy, and a learner's is not known: name the policy, as "
            "best:random, best:cfr and best:PATH do."
        )
    try:
        player = make_bot(name, game)
    except (OSError, ValueError):  # not a possible path
        raise ArgumentValueError(f"{described(opponent)} is no policy: {_KNOWN}.") from None
    if isinstance(player, Random):
        return UNIFORM
    if isinstance(player, PolicyPlayer):
        return player.policy
    if isinstance(player, SolvedPlayer):
        return kernel_policy(game.program, player.saved.table)
    raise UsageError(f"'{opponent}' is no policy of numbers: {_KNOWN}.")
