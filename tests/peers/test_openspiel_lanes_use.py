"""OpenSpiel's learning environments on lanes: seeds, copies, states that are taken and set, and what is refused."""

from __future__ import annotations

import copy
import gc
import pickle
from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
import pytest
from open_spiel.python import rl_environment
from open_spiel.python.rl_agent import StepOutput
from open_spiel.python.vector_env import SyncVectorEnv

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import SpecError, UsageError
from antemill.engine.machine.rollout import rollout, streams
from antemill.engine.rules.named import kuhn
from antemill.engine.rules.spec import EndGame, Steps
from antemill.tournament.adapters import openspiel_env, openspiel_vector_env
from tests.engine.machine.fuzz_specs import fuzzed
from tests.engine.machine.test_lanes import any_game
from tests.peers.lanes import any_action, compare
from tests.specs import every_construct

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
    """Together or each by itself, in any order, they show the same."""
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
    """As OpenSpiel's environment shows it, again and again; what comes next is drawn again each time."""
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


def test_long_episodes_are_played_again_from_their_beginning() -> None:
    """Their states have all decisions, of which there are more than in most games."""
    table, rng, longest = openspiel_env(fuzzed(96), seed=0), np.random.default_rng(1), 0
    for _ in range(30):
        step, actions = table.reset(), []
        while not step.last():
            actions.append((step.current_player(), any_action(step, rng)))
            step = table.step([actions[-1][1]])
        history = [(move.player, move.action) for move in table.get_state.full_history()]
        assert [move for move in history if move[0] >= 0] == actions
        longest = max(longest, len(actions))
    assert longest > 16


def test_states_at_any_moment_can_be_set() -> None:
    """A state that waits for chance goes on to a decision; one that is over says so, and a step begins the next."""
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


# ------------------------------------------------------------------------------------------ no question


def test_an_episode_in_which_nobody_is_asked_is_passed_over() -> None:
    for number in range(424, 3_000):  # the first one of this builder
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
    with pytest.raises(UsageError, match=r"1,000 episodes of Kuhn poker had no decision: take another"):
        openspiel_env(msgspec.structs.replace(silent, phases=phases)).reset()
    with pytest.raises(SpecError, match="no player ever decides anything"):
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
    shown = tables.step([StepOutput(None, None)] * 2)[0]  # no episode has begun
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
        (("kuhn", 0), {}, "`lanes` must be a whole number of at least 1, and is 0"),
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
    with pytest.raises(UsageError, match="no episode has begun in lane 1: reset it first"):
        tables.reset([True, False, True])
    with pytest.raises(UsageError, match="no episode has begun: call reset first"):
        tables.envs[0].get_time_step()
    with pytest.raises(rl_environment.InvalidParameterError, match="2 actions were passed: pass a list of one"):
        tables.envs[0].step([0, 0])
    with pytest.raises(rl_environment.InvalidParameterError, match="discount"):
        openspiel_env("kuhn", discount=2.0)
    kind = rl_environment.ObservationType.INFORMATION_STATE
    with pytest.raises(ValueError, match=r"our games have no tensor of the information state: use OBSERVATION or None"):
        openspiel_env("kuhn", observation_type=kind)


@pytest.mark.parametrize("searching", [True, False])
def test_pythons_search_for_cycles_is_left_as_it_was(searching: bool) -> None:
    """After a step, a reset, and refusals of both."""
    tables = openspiel_vector_env("kuhn", 3, seed=1)
    try:
        gc.enable() if searching else gc.disable()
        shown = tables.reset()
        assert gc.isenabled() is searching
        tables.step([StepOutput(step.observations["legal_actions"][0][0], None) for step in shown])
        assert gc.isenabled() is searching
        with pytest.raises(UsageError):
            tables.step([])
        with pytest.raises(UsageError):
            tables.reset([True])
        assert gc.isenabled() is searching
    finally:
        gc.enable()
