"""Random play of Kuhn and Leduc poker by other systems. Every function makes a piece of work that counts decisions.

What is logged differs, and stands in the names: ours logs action, menu, three information keys and more; pgx keeps its
whole trajectories (observation, mask, action, rewards); OpenSpiel's rollouts in C++ log nothing, its recorded
trajectories the number of an information state, the mask and the action, and from Python it makes the information
state's string.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from antemill.engine.machine.rollout import rollout, streams
from antemill.tournament.bench.machine import play
from antemill.tournament.bench.measure import Setting, Work, once
from antemill.tournament.bench.sample_games import named

GAMES = {"kuhn": ("kuhn_poker", 3), "leduc": ("leduc_poker", 8)}  # OpenSpiel's name; decisions of the longest episode
PGX_GAMES = {"kuhn": "kuhn_poker", "leduc": "leduc_holdem"}


def ours(game: str, setting: Setting) -> Sequence[Work]:
    """Antemill."""
    return [play(named(game), setting.size(100_000, 200))]


# ------------------------------------------------------------------------------------------ pgx


def pgx(batch: int, game: str, setting: Setting) -> Sequence[Work]:
    """Whole trajectories of a batch: with games restarted when they are over, or played to the end of the last one.

    The faster of the two is measured.
    """
    size = setting.size(batch, 10)
    both = [_pgx(game, size, steps, renewed) for renewed, steps in ((True, 64), (False, GAMES[game][1]))]
    return [max(both, key=lambda work: work.amount / min(_twice(work)))]


def _twice(work: Work) -> list[float]:
    once(work)
    return [once(work) for _ in range(2)]


def _pgx(game: str, batch: int, steps: int, renewed: bool) -> Work:
    jax, numpy = importlib.import_module("jax"), importlib.import_module("jax.numpy")
    env = importlib.import_module("pgx").make(PGX_GAMES[game])
    step = env.step
    if renewed:
        step = importlib.import_module("pgx.experimental").auto_reset(env.step, env.init)
    init, step = jax.vmap(env.init), jax.vmap(step)

    def one(state: Any, key: Any) -> tuple[Any, Any]:
        choice, chance = jax.random.split(key)
        logits = numpy.where(state.legal_action_mask, 0.0, -numpy.inf)
        action = jax.random.categorical(choice, logits, axis=-1)
        live = ~(state.terminated | state.truncated)
        keys = jax.random.split(chance, batch)
        after = step(state, action, keys) if renewed else step(state, action)
        kept = (state.observation, state.legal_action_mask, state.current_player, action, after.rewards, live)
        return after, kept

    @jax.jit  # type: ignore[untyped-decorator]
    def trajectories(key: Any) -> Any:
        first, rest = jax.random.split(key)
        state = init(jax.random.split(first, batch))
        return jax.lax.scan(one, state, jax.random.split(rest, steps))[1]

    key = jax.random.PRNGKey(1)
    live = trajectories(key)[-1]
    decisions = batch * steps if renewed else int(live.sum())
    return Work(lambda: jax.block_until_ready(trajectories(key)), decisions)


# ------------------------------------------------------------------------------------------ OpenSpiel


def _spiel(game: str) -> tuple[Any, Any]:
    module = importlib.import_module("pyspiel")
    return module, module.load_game(GAMES[game][0])


def openspiel_nothing(game: str, setting: Setting) -> Sequence[Work]:
    """Rollouts in C++ after the deal, nothing logged: one step of its tree search, which evaluates the root by them.

    Decisions are counted by the mean of random play, which is the same after any deal of Kuhn and of Leduc.
    """
    module, spiel_game = _spiel(game)
    episodes = setting.size(20_000, 20)
    evaluator = module.RandomRolloutEvaluator(episodes, 1)
    search = module.MCTSBot(spiel_game, evaluator, 2.0, 1, 100, False, 1, False)
    root = spiel_game.new_initial_state()
    while root.is_chance_node():
        root.apply_action(root.legal_actions()[0])
    return [Work(lambda: search.step(root), episodes * _mean(game))]


def openspiel_states(game: str, setting: Setting) -> Sequence[Work]:
    """Trajectories recorded in C++: the number of the information state, the mask, the action."""
    module, spiel_game = _spiel(game)
    episodes = setting.size(5_000, 20)
    table = {
        state: [(action, 1 / len(row)) for action, _ in row]
        for state, row in module.GetRandomPolicy(spiel_game, 1).policy_table().items()
    }
    uniform = module.TabularPolicy(table)
    numbers = {state: number for number, state in enumerate(table)}

    def record() -> Any:
        return module.record_batched_trajectories(spiel_game, [uniform, uniform], numbers, episodes, False, 1, -1)

    return [Work(record, episodes * _mean(game))]


@cache
def _mean(game: str) -> float:
    """Decisions of an episode of random play."""
    episodes = 100_000
    return rollout(named(game), episodes, streams(1)).rows / episodes


def openspiel_python(game: str, setting: Setting) -> Sequence[Work]:
    """A loop in Python, with the information state's string at every decision."""
    _, spiel_game = _spiel(game)

    def episode(dice: random.Random) -> int:
        state, decisions = spiel_game.new_initial_state(), 0
        while not state.is_terminal():
            if not state.is_chance_node():
                state.information_state_string()
                decisions += 1
            state.apply_action(dice.choice(state.legal_actions()))
        return decisions

    return [_counted(episode, setting.size(2_000, 5))]


# ------------------------------------------------------------------------------------------ rlcard


def rlcard(game: str, setting: Setting) -> Sequence[Work]:
    """The leanest loop: its game without its environment, nothing logged. It has no Kuhn poker."""
    assert game == "leduc"
    env = importlib.import_module("rlcard").make("leduc-holdem", {"seed": 1})

    def episode(dice: random.Random) -> int:
        env.game.init_game()
        decisions = 0
        while not env.game.is_over():
            env.game.step(dice.choice(env.game.get_legal_actions()))
            decisions += 1
        return decisions

    return [_counted(episode, setting.size(2_000, 5))]


def _counted(episode: Callable[[random.Random], int], episodes: int) -> Work:
    """So many episodes, the same in every call."""

    def run() -> int:
        dice = random.Random(1)
        return sum(episode(dice) for _ in range(episodes))

    return Work(run, run())
