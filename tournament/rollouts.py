"""Rollouts in which bots, solved policies and saved policies play."""

from __future__ import annotations

import os
from typing import Any, SupportsIndex, TypeAlias

from antemill.engine.arguments import wrong_type
from antemill.engine.machine.policy import Policy
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import Streams
from antemill.engine.match import Game
from antemill.engine.public import play
from antemill.engine.public.games import ProgramLike, as_program
from antemill.engine.public.log import EpisodeLog
from antemill.solver.policies.on_tree import kernel_policy
from antemill.solver.policies.policy import Policy as SolvedPolicy
from antemill.solver.policies.solution import SavedPolicy
from antemill.tournament.adapters.seating import seat_policy

PlayerLike: TypeAlias = "Policy | SavedPolicy | SolvedPolicy | str | os.PathLike[str]"


def rollout(
    game: ProgramLike,
    episodes: SupportsIndex = 1_000,
    keys: Streams | SupportsIndex = 0,
    alice: PlayerLike = play.RANDOM,
    bob: PlayerLike = play.RANDOM,
) -> EpisodeLog:
    """Play episodes of a game and log every decision.

    game: a program, or what names a game (rules, "kuhn", 9, "7@0.1"), which is compiled. episodes: 0 or more. keys:
    from `streams`, or a seed for them. alice, bob: a bot's name ("random", "l1", "mixed", "cfr", "best:random"), the
    path of a saved policy, a solved policy, or a policy for kernels. The same arguments give the same log.
    Raises TypeError, ValueError or UsageError for arguments that do not fit, such as a policy for another game.
    """
    program = as_program(game, "game")
    return play.rollout(program, episodes, keys, _seated(alice, "alice", program), _seated(bob, "bob", program))


def _seated(player: Any, name: str, program: Program) -> Policy | str:
    """The policy that `play.rollout` takes for a player."""
    if player is None or isinstance(player, Policy):
        return play.RANDOM if player is None else player
    if isinstance(player, SolvedPolicy):
        return kernel_policy(program, player)
    if not isinstance(player, str | os.PathLike | SavedPolicy):
        wrong_type(name, player, "a bot's name, a policy or the path of one")
    return seat_policy(player, Game.of(program))
