"""OpenSpiel's learning environments on lanes: the time steps of its own over our states, and its agents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from open_spiel.python import rl_environment
from open_spiel.python.algorithms.boltzmann_tabular_qlearner import BoltzmannQLearner
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
from antemill.engine.rules.named import NAMED, kuhn, leduc
from antemill.engine.rules.spec import GameSpec
from antemill.tournament.adapters import openspiel_env, openspiel_vector_env
from tests.engine.machine.fuzz_specs import fuzzed
from tests.engine.machine.test_lanes import any_game
from tests.peers.lanes import Followed, any_action, compare
from tests.specs import every_construct
from tests.tournament.adapters.test_hidden import hidden

Show = Callable[[TimeStep, int], object]


@pytest.mark.parametrize("lanes", [1, 2, 7])
@pytest.mark.parametrize("make", [*NAMED.values(), every_construct])
def test_time_steps_are_openspiels(make: Callable[[], GameSpec], lanes: int) -> None:
    compare(make(), lanes, lanes, 60)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 3_000), st.integers(1, 5), st.integers(0, 5))
def test_time_steps_are_openspiels_in_drawn_and_fuzzed_games(number: int, lanes: int, seed: int) -> None:
    spec = any_game(number)
    if rollout(compile_spec(spec), 1_000 * lanes, streams(seed)).rows:
        compare(spec, seed, lanes, 15, discount=0.5)
    else:
        with pytest.raises(UsageError, match="had no decision"):
            compare(spec, seed, lanes, 15)


def test_time_steps_with_the_whole_state_are_openspiels() -> None:
    """It is written as OpenSpiel writes it, and read back it is the same moment."""
    for number, spec in enumerate((kuhn(), every_construct(), generate(7), fuzzed(3))):
        compare(spec, number, 3, 12, include_full_state=True)
    table = openspiel_env(leduc(), seed=1, include_full_state=True)
    game, state = pyspiel.deserialize_game_and_state(table.reset().observations["serialized_state"])
    assert game == table.game
    assert state.information_state_string() == table.get_state.information_state_string()


def test_a_single_environment_is_openspiels() -> None:
    for spec in (kuhn(), every_construct(), generate(3, 1.0)):
        ours, theirs, rng = openspiel_env(spec, seed=2), Followed(spec, 2, 0, 1), np.random.default_rng(1)
        step = None
        for number in range(80):  # the first one is a reset, since no episode has begun
            if number % 20 == 17:
                step = ours.reset()
                assert repr(step) == repr(theirs.reset())
            action = 0 if step is None else any_action(step, rng)
            step = ours.step([action])
            assert repr(step) == repr(theirs.step([action]))
            assert repr(ours.get_time_step()) == repr(theirs.get_time_step())


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


def what_the_other_is_shown(step: TimeStep, seat: int) -> object:
    return what_is_shown(step, 1 - seat)


def swaps(spec: GameSpec, seed: int, show: Show = what_is_shown) -> tuple[int, int]:
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
                ways[told].add(show(step, seat))
        shown = table.step([StepOutput(any_action(step, rng), None) for step in shown])[0]
    several = [told for told in worlds if len(worlds[told]) > 1]
    return len(several), sum(len(ways[told]) > 1 for told in several)


@pytest.mark.parametrize("block", range(3))
def test_nothing_hidden_is_shown_to_either_seat(block: int) -> None:
    specs = [kuhn(), leduc(), every_construct(), *map(generate, range(5)), *map(fuzzed, range(8))]
    found = [swaps(spec, 1) for spec in specs[block::3]]
    assert sum(several for several, _ in found) > 100
    assert [leaks for _, leaks in found] == [0] * len(found)


def test_an_environment_that_shows_the_other_hand_is_caught() -> None:
    several, leaks = swaps(leduc(), 1, what_the_other_is_shown)
    assert several >= leaks > 20


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


@pytest.mark.parametrize("learner", [QLearner, BoltzmannQLearner])
def test_openspiels_learners_learn(learner: type) -> None:
    """Of Kuhn poker's first player, random play against random play earns 1/8, a best response 1/2."""
    np.random.seed(1)
    table = openspiel_env("kuhn", seed=1)
    actions = table.action_spec()["num_actions"]
    agents = [learner(0, actions, step_size=0.05), RandomAgent(1, actions)]
    assert run(table, agents, 1_000, test=True) == pytest.approx(1 / 8, abs=0.15)
    run(table, agents, 4_000)
    assert run(table, agents, 2_000, test=True) > 0.3


def test_a_learner_with_perfect_recall_reads_the_whole_state() -> None:
    np.random.seed(1)
    table = openspiel_env("7@0.1", seed=1, include_full_state=True)

    def told(state: pyspiel.State) -> str:
        return "over" if state.is_terminal() else str(state.information_state_string())

    actions = table.action_spec()["num_actions"]
    agents = [QLearner(player, actions, info_state_to_string_override=told) for player in range(2)]
    run(table, agents, 100)
    for player, agent in enumerate(agents):
        known = [text for text in agent._q_values if text != "over"]
        assert len(known) > 3
        assert all(text.startswith(f"You are {('Alice', 'Bob')[player]}.") for text in known)


def test_batches_of_agents_as_openspiels_examples_have_them() -> None:
    tables = openspiel_vector_env("leduc", 16, seed=4)
    steps, episodes, total = tables.reset(), 0, 0.0
    agents = [RandomAgent(player, tables.envs[0].action_spec()["num_actions"]) for player in range(2)]
    while episodes < 300:
        outputs = [agents[step.current_player()].step(step) for step in steps]
        steps, rewards, done, unreset = tables.step(outputs, reset_if_done=True)
        assert not any(step.last() for step in steps)
        assert [step.first() for step in steps] == done == [step.last() for step in unreset]
        episodes += sum(done)
        total += sum(reward[0] for reward, over in zip(rewards, done, strict=True) if over)
    assert abs(total / episodes) < 1.5
