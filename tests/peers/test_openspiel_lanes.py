"""OpenSpiel's learning environments on lanes: the time steps of its own over our states, and its agents."""

from __future__ import annotations

import copy
import pickle
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

import msgspec
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

from engine.builder.generate import generate
from engine.compiler.compile import compile_spec
from engine.errors import SpecError, UsageError
from engine.machine import layout as at
from engine.machine.observe import recall_key
from engine.machine.rollout import rollout, streams
from engine.rules.named import NAMED, kuhn, leduc
from engine.rules.spec import EndGame, GameSpec, Steps
from tests.engine.machine.fuzz_specs import fuzzed
from tests.engine.machine.test_lanes import any_game
from tests.peers.lanes import Followed, any_action, followed
from tests.specs import every_construct
from tests.tournament.adapters.test_hidden import hidden
from tournament.adapters import openspiel_env, openspiel_vector_env

Show = Callable[[TimeStep, int], object]


def compare(spec: GameSpec, seed: int, lanes: int, steps: int, **options: Any) -> None:
    """Steps and resets of ours and of OpenSpiel's, of all lanes and of some, are the same to the letter."""
    ours, theirs = openspiel_vector_env(spec, lanes, seed=seed, **options), followed(spec, seed, lanes, **options)
    rng = np.random.default_rng(seed)
    shown = ours.reset()
    assert repr(shown) == repr(theirs.reset())
    for _ in range(steps):
        if rng.random() < 0.1:
            some = (rng.random(lanes) < 0.3).tolist()
            shown = ours.reset(some)
            assert repr(shown) == repr(theirs.reset(some))
            continue
        outputs = [StepOutput(any_action(step, rng), None) for step in shown]
        renew = bool(rng.random() < 0.7)
        mine = ours.step(outputs, renew)
        assert repr(mine) == repr(theirs.step(outputs, renew))
        shown = mine[0]
    states = [env.get_state for env in ours.envs]
    assert [str(state) for state in states] == [str(env.get_state) for env in theirs.envs]
    assert [state.history() for state in states] == [env.get_state.history() for env in theirs.envs]


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
        with pytest.raises(UsageError, match="nobody was asked anything"):
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
        for number in range(80):  # the first one is a reset, since nothing has been dealt
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
    table, rng = openspiel_vector_env(spec, 200, seed=seed), np.random.default_rng(seed)
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


# ------------------------------------------------------------------------------------------ seeds, copies, states


def played(table: SyncVectorEnv, steps: int = 12) -> str:
    """What is shown of random play, from a reset on."""
    rng, shown = np.random.default_rng(3), table.reset()
    found = [repr(shown)]
    for _ in range(steps):
        shown, *rest = table.step([StepOutput(any_action(step, rng), None) for step in shown], reset_if_done=True)
        found += [repr(shown), repr(rest)]
    return "\n".join(found)


def test_a_seed_is_a_series_of_episodes() -> None:
    first, second = (openspiel_vector_env("leduc", 5, seed=8) for _ in range(2))
    text = played(first)
    assert played(second) == text
    assert played(second) != text  # it goes on
    for env in second.envs:
        env.seed(8)
    assert played(second) == text
    assert played(openspiel_vector_env("leduc", 5, seed=9)) != text
    assert len({played(openspiel_vector_env("leduc", 5)) for _ in range(3)}) == 3


def test_a_new_seed_changes_nothing_of_an_episode_that_is_played() -> None:
    tables = [openspiel_env("leduc", seed=1) for _ in range(2)]
    for table in tables:
        table.reset()
    tables[1].seed(5)
    while not tables[0].get_time_step().last():
        assert repr(tables[0].step([0])) == repr(tables[1].step([0]))
    assert str(tables[0].get_state) == str(tables[1].get_state)


def test_lanes_can_be_played_one_by_one() -> None:
    """Together or each by itself, in whatever order, they show the same."""
    together, apart = (openspiel_vector_env("7@0.4", 6, seed=2) for _ in range(2))
    rng, steps = np.random.default_rng(1), together.reset()
    alone = {lane: apart.envs[lane].reset() for lane in (3, 1, 0, 5, 4, 2)}
    for _ in range(30):
        assert repr([alone[lane] for lane in range(6)]) == repr(steps)
        actions = [any_action(step, rng) for step in steps]
        steps = together.step([StepOutput(action, None) for action in actions])[0]
        alone = {int(lane): apart.envs[lane].step([actions[lane]]) for lane in rng.permutation(6)}


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda given: pickle.loads(pickle.dumps(given))])
def test_a_copy_plays_on_by_itself(copied: Callable[[Any], Any]) -> None:
    tables = openspiel_vector_env(every_construct(), 4, seed=6)
    rng, steps = np.random.default_rng(1), tables.reset()
    tables.envs[1].set_state(tables.envs[0].get_state)
    for _ in range(4):
        steps = tables.step([StepOutput(any_action(step, rng), None) for step in steps], reset_if_done=True)[0]
        steps = tables.reset([False] * 4)
    twin = copied(tables)
    for _ in range(20):
        outputs = [StepOutput(any_action(step, rng), None) for step in steps]
        mine = tables.step(outputs, reset_if_done=True)
        assert repr(twin.step(outputs, reset_if_done=True)) == repr(mine)
        assert [str(env.get_state) for env in twin.envs] == [str(env.get_state) for env in tables.envs]
        steps = mine[0]


def test_a_state_that_is_set_is_gone_on_from_with_new_cards() -> None:
    """As OpenSpiel's environment shows it, again and again; what comes next is drawn anew each time."""
    table, boards = openspiel_env("leduc", seed=1), Counter[str]()
    table.reset()
    table.step([1])
    before = table.get_state
    theirs = rl_environment.Environment(table.game)
    theirs.set_state(before)
    for _ in range(300):
        table.set_state(before)
        assert repr(table.get_time_step()) == repr(theirs.get_time_step())
        assert str(table.get_state) == str(before)
        table.step([1])  # both have checked: a card is turned
        [card] = [line for line in str(table.get_state).splitlines() if "board" in line]
        boards[card] += 1
        assert table.get_state.history()[: len(before.history())] == before.history()
    assert len(boards) == 3
    assert min(boards.values()) > 30


def test_states_at_any_moment_can_be_set() -> None:
    """A state that waits for chance goes on to a decision; one that is over is shown to be, and a step begins anew."""
    assert openspiel_env("kuhn").get_state is None
    table = openspiel_env("kuhn", seed=1)
    table.set_state(table.game.new_initial_state())
    assert table.get_time_step().current_player() == 0
    assert not table.is_chance_node
    state = table.get_state
    while not state.is_terminal():
        state.apply_action(0)
    table.set_state(state)
    step = table.get_time_step()
    assert (step.last(), step.rewards) == (True, state.returns())
    assert table.step([0]).first()
    with pytest.raises(rl_environment.InvalidStateError):
        table.set_state(openspiel_env("leduc").game.new_initial_state())


# ------------------------------------------------------------------------------------------ nobody is asked


def test_an_episode_in_which_nobody_is_asked_is_passed_over() -> None:
    for number in range(3_000):
        spec = any_game(number)
        log = rollout(compile_spec(spec), 60, streams(1))
        asked = sorted(set(log.episode.tolist()))
        if 5 < len(asked) < 50:
            break
    table = openspiel_env(spec, seed=1)
    for episode in asked[:5]:
        table.reset()
        assert table._lanes.lanes.episodes[0] == episode
    compare(spec, 1, 3, 25)


def test_a_game_in_which_nobody_is_ever_asked_is_refused() -> None:
    silent = kuhn()
    first = silent.phases[0]
    assert isinstance(first, Steps)
    phases = (msgspec.structs.replace(first, steps=(*first.steps, EndGame())), *silent.phases[1:])
    with pytest.raises(UsageError, match=r"in 1,000 episodes of Kuhn poker nobody was asked anything: take another"):
        openspiel_env(msgspec.structs.replace(silent, phases=phases)).reset()
    with pytest.raises(SpecError, match="nobody ever decides anything"):
        openspiel_env(msgspec.structs.replace(kuhn(), sequence=kuhn().sequence[:1]))


# ------------------------------------------------------------------------------------------ refusals


def test_an_illegal_action_is_refused_and_nothing_is_played() -> None:
    tables = openspiel_vector_env("kuhn", 4, seed=1)
    before = repr(tables.reset())
    for action in (2, -1, 99, 10**30, np.uint64(2**64 - 1)):
        with pytest.raises(UsageError, match=r"action \S+ is not legal in lane 3 now: choose one of \[0, 1\]\."):
            tables.step([StepOutput(0, None)] * 3 + [StepOutput(action, None)])
        with pytest.raises(UsageError, match=r"is not legal in lane 1 now"):
            tables.envs[1].step([action])
    tables.envs[3].set_state(tables.envs[3].get_state)  # which lets all lanes go on that have an answer
    assert repr(tables.reset([False] * 4)) == before.replace("FIRST: 0", "MID: 1").replace(
        "rewards=None, discounts=None", "rewards=[0.0, 0.0], discounts=[1.0, 1.0]"
    )
    checked = openspiel_env("kuhn", enable_legality_check=True)
    checked.reset()
    with pytest.raises(rl_environment.IllegalActionError, match=r"action 5 is not legal in lane 0 now"):
        checked.step([5])


@pytest.mark.parametrize("action", [None, 0.0, "0", [0], np.array([0])])
def test_what_is_no_whole_number_is_refused(action: Any) -> None:
    tables = openspiel_vector_env("kuhn", 2, seed=1)
    tables.reset()
    with pytest.raises(UsageError, match=r"the action of lane 1 is .*: pass a whole number"):
        tables.step([StepOutput(0, None), StepOutput(action, None)])


def test_what_a_lane_that_is_over_gets_is_ignored() -> None:
    tables = openspiel_vector_env("kuhn", 2, seed=1)
    shown = tables.step([StepOutput(None, None)] * 2)[0]  # nothing has been dealt
    assert all(step.first() for step in shown)
    while not shown[0].last():
        shown[0] = tables.envs[0].step([0])
    shown = tables.step([StepOutput(None, None), StepOutput(np.int64(0), None)])[0]
    assert (shown[0].first(), shown[1].mid()) == (True, True)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("kuhm",), {}, "there is no game 'kuhm'"),
        ((["kuhn", "leduc"],), {}, "2 games are named: an environment of OpenSpiel plays one"),
        ((True,), {}, "True is no game"),
        (("kuhn", 0), {}, "0 lanes can not be played: ask for at least one"),
        (("kuhn", 1.5), {}, "the number of lanes is 1.5: pass a whole number"),
        (("kuhn", 10**14), {}, "100,000,000,000,000 lanes do not fit into memory: ask for fewer"),
        (("kuhn", 10**30), {}, "lanes do not fit into memory: ask for fewer"),
        (("kuhn",), {"seed": "x"}, "the seed is 'x': pass a whole number"),
    ],
)
def test_senseless_arguments_are_refused(arguments: tuple[Any, ...], options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        openspiel_vector_env(*arguments, **options)


def test_wrong_use_is_refused() -> None:
    tables = openspiel_vector_env("kuhn", 3, seed=1)
    with pytest.raises(UsageError, match="2 step outputs do not fit: 3 lanes need one each"):
        tables.step([StepOutput(0, None)] * 2)
    with pytest.raises(UsageError, match="2 truth values do not fit: 3 lanes need one each"):
        tables.reset([True, False])
    with pytest.raises(UsageError, match="nothing has been dealt in lane 1: reset it first"):
        tables.reset([True, False, True])
    with pytest.raises(UsageError, match="nothing has been dealt: call reset first"):
        tables.envs[0].get_time_step()
    with pytest.raises(rl_environment.InvalidParameterError, match="2 actions were passed: pass a list of one"):
        tables.envs[0].step([0, 0])
    with pytest.raises(rl_environment.InvalidParameterError, match="discount"):
        openspiel_env("kuhn", discount=2.0)
    kind = rl_environment.ObservationType.INFORMATION_STATE
    with pytest.raises(ValueError, match=r"our games have no tensor of the information state: use OBSERVATION or None"):
        openspiel_env("kuhn", observation_type=kind)
