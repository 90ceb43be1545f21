"""Random play of a game: its streams, its log, and the gate's verdict on it."""

from __future__ import annotations

from typing import Any, SupportsIndex, TypeAlias

from antemill.engine import arguments
from antemill.engine.arguments import SEED_LIMIT, wrong_type, wrong_value
from antemill.engine.machine import gate as gating
from antemill.engine.machine import rollout as machine
from antemill.engine.machine.gate import EPISODES, Gate
from antemill.engine.machine.policy import UNIFORM, Policy, require_single
from antemill.engine.machine.program import Code, Program
from antemill.engine.machine.rollout import Streams
from antemill.engine.public.games import ProgramLike, as_program
from antemill.engine.public.log import EpisodeLog

RANDOM = "random"
PolicyLike: TypeAlias = "Policy | str"
_PLAYER = f"{RANDOM!r} or a policy of this game"
_MOST_EPISODES = (1 << 31) - 1  # the log numbers episodes with 32 bits


def streams(seed: SupportsIndex, *words: SupportsIndex) -> Streams:
    """The keys of the three streams of random numbers of a rollout: chance's, Alice's and Bob's.

    seed: 0 to 2^63 - 1. words: further whole numbers, which identify the purpose of the streams. Episode i of equal
    streams has the same cards for any actions, any order of episodes and any number of threads. Raises TypeError or
    ValueError for an argument that is not a whole number, or out of range.
    """
    extra = [
        arguments.whole(word, f"words[{number}]", -SEED_LIMIT, SEED_LIMIT - 1) for number, word in enumerate(words)
    ]
    return machine.streams(arguments.seed(seed), *extra)


def rollout(
    game: ProgramLike,
    episodes: SupportsIndex = 1_000,
    keys: Streams | SupportsIndex = 0,
    alice: PolicyLike = RANDOM,
    bob: PolicyLike = RANDOM,
) -> EpisodeLog:
    """Play episodes of a game and log every decision.

    game: a program, or a name of a game (rules, "kuhn", 9, "7@0.1"), which is compiled. episodes: 0 or more. keys: from
    `streams`, or a seed for them. alice, bob: "random", or a policy that kernels play; `antemill.rollout` also takes
    the names of bots and solved policies. The same arguments give the same log. Raises TypeError, ValueError or
    UsageError for wrong arguments, such as a policy for another game.
    """
    program = as_program(game, "game")
    number = arguments.whole(episodes, "episodes", 0, _MOST_EPISODES)
    if not isinstance(keys, Streams):
        keys = streams(arguments.seed(keys, "keys"))
    players = _policy(alice, "alice", program), _policy(bob, "bob", program)
    return EpisodeLog(program, machine.rollout(program, number, keys, players[0], players[1]))


def gate(game: ProgramLike, seed: SupportsIndex = 0, episodes: SupportsIndex = EPISODES) -> Gate:
    """The acceptance gate's verdict on a game (GENSTRAT section 3), from episodes of random play.

    game: as for `rollout`. seed: 0 to 2^63 - 1, of the random play; a pool takes the game's own seed. episodes: 1 or
    more. Raises TypeError, ValueError or UsageError for wrong arguments.
    """
    program = game if isinstance(game, Code) else as_program(game, "game")
    return gating.gate(program, arguments.seed(seed), arguments.whole(episodes, "episodes", 1, _MOST_EPISODES))


def _policy(value: Any, name: str, program: Program) -> Policy:
    """The policy of a seat."""
    if value == RANDOM if isinstance(value, str) else value is None:
        return UNIFORM
    if isinstance(value, str):
        wrong_value(name, value, _PLAYER, "antemill.rollout takes the names of bots as well")
    if not isinstance(value, Policy):
        wrong_type(name, value, _PLAYER)
    require_single(value, program)
    return value
