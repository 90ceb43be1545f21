"""Which policy a seat plays by, from what users name: a bot, a file, or a policy."""

from __future__ import annotations

import os

from engine.errors import UsageError
from engine.machine.policy import UNIFORM, Policy, PolicyKind
from engine.machine.program import Program
from engine.match import Game
from solver.policies.file import require_game
from solver.policies.on_tree import kernel_policy
from solver.policies.solution import SavedPolicy
from tournament.players.policy import PolicyPlayer
from tournament.players.registry import make_bot
from tournament.players.scripted import Random
from tournament.players.solved import SolvedPlayer


def seat_policy(opponent: str | os.PathLike[str] | Policy | SavedPolicy, game: Game) -> Policy:
    """The policy that kernels play for a bot's name, the path of a saved policy or of a folder of them, or a policy.

    Raises UsageError for a policy of another game, a player that plays no policy, or one over an abstraction,
    StorageError for a file that can not be read.
    """
    if isinstance(opponent, Policy):
        _require_fit(opponent, game.program)
        return opponent
    if isinstance(opponent, SavedPolicy):
        require_game(opponent.solution, game.program, "this policy")
        return kernel_policy(game.program, opponent.table)
    if not isinstance(opponent, str | os.PathLike):
        raise UsageError(f"{opponent!r} is no policy: use random, l1, mixed, cfr, or the path of a policy.")
    player = make_bot(os.fspath(opponent), game)
    if isinstance(player, Random):
        return UNIFORM
    if isinstance(player, PolicyPlayer):
        return player.policy
    if isinstance(player, SolvedPlayer):
        return kernel_policy(game.program, player.saved.table)
    raise UsageError(f"'{opponent}' is no policy of numbers: use random, l1, mixed, cfr, or the path of a policy.")


def _require_fit(policy: Policy, program: Program) -> None:
    """Raise UsageError if the policy's decision types are not the game's, where it has any."""
    if policy.kind not in set(PolicyKind):
        raise UsageError(f"there are no policies of kind {policy.kind}: use those of engine.machine.policy.")
    kinds = len(program.names.decisions)
    fits = {
        PolicyKind.MIXED: policy.offsets.tolist() == program.action_offsets.tolist(),
        PolicyKind.GREEDY: len(policy.fallback) == kinds,
    }
    if not fits.get(PolicyKind(policy.kind), True):
        raise UsageError(f"the policy is for another game than {program.names.game}: its decision types differ.")
