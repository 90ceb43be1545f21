"""Random play on vectorised environments, stepped from outside as a learner does: what every step hands out is made.

Every piece of work counts decisions. What is handed out differs: ours gives the present and the legal actions, with or
without all events since the seat was last asked; pgx its observation and the legal actions, as arrays of JAX;
OpenSpiel's `SyncVectorEnv` a list of objects with the tensor of the information state and the legal actions, and ours
as such a one the same list with what both seats see. Actions are drawn where that is cheapest: by the environment
itself in ours, by JAX in the compiled step of pgx, by Python from such lists.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from antemill.engine.rules.named import NAMED
from antemill.tournament.bench.measure import Setting, UnavailableError, Work
from antemill.tournament.bench.peers.peers import OPENSPIEL
from antemill.tournament.bench.peers.random_play import GAMES, PGX_GAMES
from antemill.tournament.bench.training import vector_play


def ours(batch: int, events: bool, copy: bool, game: str, setting: Setting) -> Sequence[Work]:
    """Antemill's `vector_env`."""
    return vector_play([NAMED[game]()], batch, events, setting, copy)


def pgx(batch: int, game: str, setting: Setting) -> Sequence[Work]:
    """pgx: a compiled step of a batch with `auto_reset`, called from Python. Every step is a decision in every lane."""
    jax, numpy = importlib.import_module("jax"), importlib.import_module("jax.numpy")
    env = importlib.import_module("pgx").make(PGX_GAMES[game])
    renewed = jax.vmap(importlib.import_module("pgx.experimental").auto_reset(env.step, env.init))
    lanes, steps = setting.size(batch, 10), setting.size(100, 4)

    @jax.jit  # type: ignore[untyped-decorator]
    def step(state: Any, key: Any) -> tuple[Any, Any]:
        choice, chance, rest = jax.random.split(key, 3)
        logits = numpy.where(state.legal_action_mask, 0.0, -numpy.inf)
        action = jax.random.categorical(choice, logits, axis=-1)
        return renewed(state, action, jax.random.split(chance, lanes)), rest

    init = jax.jit(jax.vmap(env.init))

    def play() -> None:
        key = jax.random.PRNGKey(1)
        state = init(jax.random.split(key, lanes))
        for _ in range(steps):
            state, key = step(state, key)
        jax.block_until_ready(state)

    return [Work(play, lanes * steps)]


def openspiel(game: str, setting: Setting) -> Sequence[Work]:
    """OpenSpiel's `SyncVectorEnv` over its `rl_environment`; restarted where an episode is over."""
    return _openspiel_play(partial(_sync_vector_env, GAMES[game][0]), 100, 10, setting)


def openspiel_on_ours(game: str, setting: Setting) -> Sequence[Work]:
    """The same over our states in OpenSpiel."""
    importlib.import_module("antemill.tournament.adapters.openspiel")
    return _openspiel_play(partial(_sync_vector_env, f"antemill(game={game})"), 100, 10, setting)


def ours_in_openspiel(batch: int, game: str, setting: Setting) -> Sequence[Work]:
    """Antemill's `openspiel_vector_env`. Raises UnavailableError without OpenSpiel."""
    if not OPENSPIEL.installed:
        raise UnavailableError(OPENSPIEL.advice)
    make = importlib.import_module("antemill.tournament.adapters.openspiel_lanes").openspiel_vector_env
    return _openspiel_play(lambda lanes: make(game, lanes, seed=1), batch, 10_000 // batch, setting)


def _sync_vector_env(name: str, lanes: int) -> Any:
    module = importlib.import_module("open_spiel.python.vector_env")
    environment = importlib.import_module("open_spiel.python.rl_environment")
    samplers = [environment.ChanceEventSampler(seed) for seed in range(lanes)]
    return module.SyncVectorEnv([environment.Environment(name, chance_event_sampler=sampler) for sampler in samplers])


def _openspiel_play(make: Callable[[int], Any], batch: int, steps: int, setting: Setting) -> Sequence[Work]:
    output = importlib.import_module("open_spiel.python.rl_agent").StepOutput
    lanes, steps = setting.size(batch, 4), setting.size(steps, 3)
    table = make(lanes)

    def play() -> None:
        dice, seen = random.Random(1), table.reset()
        for _ in range(steps):
            actions = [
                output(dice.choice(one.observations["legal_actions"][one.observations["current_player"]]), None)
                for one in seen
            ]
            seen = table.step(actions, reset_if_done=True)[0]

    return [Work(play, lanes * steps)]
