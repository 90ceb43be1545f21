"""OpenSpiel's learning environments on lanes: the time steps of its own over our states, and its agents."""

from __future__ import annotations

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

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import UsageError
from antemill.engine.machine.rollout import rollout, streams
from antemill.engine.rules.named import kuhn
from antemill.engine.rules.spec import GameSpec
from antemill.tournament.adapters import openspiel_env, openspiel_vector_env
from tests.engine.machine.test_lanes import any_game
from tests.peers.lanes import compare
from tests.specs import every_construct


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


# ------------------------------------------------------------------------------------------ nothing hidden


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
