"""OpenSpiel's learning environments on lanes: the time steps of its own over our states, and its agents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from open_spiel.python import rl_environment
from open_spiel.python.algorithms.random_agent import RandomAgent
from open_spiel.python.algorithms.tabular_qlearner import QLearner
from open_spiel.python.rl_agent import StepOutput
from open_spiel.python.rl_environment import TimeStep
from open_spiel.python.vector_env import SyncVectorEnv

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import UsageError
from antemill.engine.machine import layout as at
from antemill.engine.machine.observe import recall_key
from antemill.engine.machine.rollout import rollout, streams
from antemill.engine.rules.named import kuhn, leduc
from antemill.engine.rules.spec import GameSpec
from antemill.tournament.adapters import openspiel_env, openspiel_vector_env
from tests.engine.machine.fuzz_specs import fuzzed
from tests.engine.machine.test_lanes import any_game
from tests.peers.lanes import any_action, compare
from tests.specs import every_construct
from tests.tournament.adapters.test_hidden import hidden


@pytest.mark.parametrize("make", [kuhn, every_construct])
def test_time_steps_are_openspiels(make: Callable[[], GameSpec]) -> None:
    compare(make(), 3, 3, 40)


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 3_000), st.integers(1, 5), st.integers(0, 5))
def test_time_steps_are_openspiels_in_drawn_and_fuzzed_games(number: int, lanes: int, seed: int) -> None:
    spec = any_game(number)
    if rollout(compile_spec(spec), 1_000 * lanes, streams(seed)).rows:
        compare(spec, seed, lanes, 15, discount=0.5)
    else:
        with pytest.raises(UsageError, match="had no decision"):
            compare(spec, seed, lanes, 15)


def test_what_is_said_of_the_game_is_openspiels() -> None:
    ours, theirs = openspiel_vector_env("7@0.4", 3), rl_environment.Environment("antemill(game=7@0.4)")
    assert isinstance(ours, SyncVectorEnv)
    assert isinstance(ours.envs[0], rl_environment.Environment)
    assert (len(ours), ours.observation_spec()) == (3, theirs.observation_spec())
    for env in (ours.envs[2], openspiel_env("7@0.4"), openspiel_env(theirs.game), openspiel_env(generate(7, 0.4))):
        for name in ("name", "num_players", "num_actions_per_step", "is_turn_based", "max_game_length"):
            assert getattr(env, name) == getattr(theirs, name)
        assert (env.observation_spec(), env.action_spec()) == (theirs.observation_spec(), theirs.action_spec())
        assert env.use_observation is theirs.use_observation
    assert openspiel_env(theirs.game).game is theirs.game


# ------------------------------------------------------------------------------------------ nothing hidden


def what_is_shown(step: TimeStep, seat: int) -> object:
    return tuple(step.observations["info_state"][seat]), tuple(step.observations["legal_actions"][seat])


def swaps(spec: GameSpec, seed: int) -> tuple[int, int]:
    """(what a seat, asked or not, can have been told in several hidden worlds, how much of it is shown in several
    ways).
    """
    table, rng = openspiel_vector_env(spec, 100, seed=seed), np.random.default_rng(seed)
    lanes, shown = table._lanes.lanes, table.reset()
    worlds: dict[object, set[object]] = defaultdict(set)
    ways: dict[object, set[object]] = defaultdict(set)
    for _ in range(20):
        for lane, step in enumerate(shown):
            state, player = lanes.states[lane], step.current_player()
            for seat in range(2):
                decision = int(state[at.DECISION]) if player == seat else -1
                told = seat, player < 0, decision, int(recall_key(state, seat, max(decision, 0)))
                worlds[told].add(hidden(state, seat))
                ways[told].add(what_is_shown(step, seat))
        shown = table.step([StepOutput(any_action(step, rng), None) for step in shown])[0]
    several = [told for told in worlds if len(worlds[told]) > 1]
    return len(several), sum(len(ways[told]) > 1 for told in several)


def test_nothing_hidden_is_shown_to_either_seat() -> None:
    found = [swaps(spec, 1) for spec in (leduc(), every_construct(), generate(1), fuzzed(2))]
    assert sum(several for several, _ in found) > 100
    assert [leaks for _, leaks in found] == [0] * len(found)


def test_an_illegal_action_is_refused_and_nothing_is_played() -> None:
    tables = openspiel_vector_env("kuhn", 4, seed=1)
    tables.reset()
    before = [str(env.get_state) for env in tables.envs]
    for action in (2, -1, None, 10**30):
        with pytest.raises(UsageError, match="lane 3"):
            tables.step([StepOutput(0, None)] * 3 + [StepOutput(action, None)])
    assert [str(env.get_state) for env in tables.envs] == before


# ------------------------------------------------------------------------------------------ agents


def run(table: rl_environment.Environment, agents: list[Any], episodes: int, test: bool = False) -> float:
    """The loop of OpenSpiel's examples; the mean of the first player's returns."""
    total = 0.0
    for _ in range(episodes):
        step = table.reset()
        while not step.last():
            output = agents[step.observations["current_player"]].step(step, is_evaluation=test)
            step = table.step([output.action])
        for agent in agents:
            agent.step(step, is_evaluation=test)
        total += step.rewards[0]
    return total / episodes


def test_openspiels_learners_learn() -> None:
    """Of Kuhn poker's first player, random play against random play earns 1/8, a best response 1/2."""
    np.random.seed(1)
    table = openspiel_env("kuhn", seed=1)
    actions = table.action_spec()["num_actions"]
    agents = [QLearner(0, actions, step_size=0.05), RandomAgent(1, actions)]
    assert run(table, agents, 1_000, test=True) == pytest.approx(1 / 8, abs=0.15)
    run(table, agents, 3_000)
    assert run(table, agents, 1_000, test=True) > 0.25
