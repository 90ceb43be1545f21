"""Our games as PettingZoo environments: its own tests, and what it does not test."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pettingzoo import AECEnv
from pettingzoo.test import api_test, seed_test

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import UsageError
from antemill.engine.machine import layout as at
from antemill.engine.machine.batch import opening, start
from antemill.engine.machine.chance import subkey
from antemill.engine.machine.rollout import streams
from antemill.engine.machine.vm import advance
from antemill.engine.rules.named import kuhn
from antemill.tournament.adapters.pettingzoo import Table, env
from tests.engine.machine.fuzz_specs import fuzzed
from tests.peers.paths import compare_pettingzoo
from tests.seeds import seeds
from tests.specs import every_construct

GAMES = ["kuhn", "3@1.0"]


# PettingZoo warns of dictionaries, which its own classic games have too.
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning")
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning")
@pytest.mark.parametrize("game", GAMES)
def test_pettingzoos_own_tests(game: str) -> None:
    api_test(env(game), num_cycles=100)
    seed_test(lambda: env(game), num_cycles=100)


def play(table: AECEnv[str, Any, int], rng: np.random.Generator) -> dict[str, float]:
    """Play to the end at random; the rewards of both."""
    total = dict.fromkeys(table.possible_agents, 0.0)
    for agent in table.agent_iter():
        observation, reward, done, cut, info = table.last()
        assert not cut
        assert table.observation_space(agent).contains(observation)
        total[agent] += reward
        legal = np.flatnonzero(info["action_mask"])
        assert done or len(info["actions"]) == len(legal)
        table.step(None if done else int(rng.choice(legal)))
    return total


def test_rewards_are_the_payoffs_once() -> None:
    table, rng = env(every_construct(), texts=True), np.random.default_rng(1)
    for seed in range(30):
        table.reset(seed=seed)
        total = play(table, rng)
        words = table.unwrapped.words
        alice = float(words[at.CHIPS] - words[at.START_CHIPS] + words[at.SCORE])
        assert total == {"player_0": alice, "player_1": -alice}


def test_a_seed_deals_the_cards_of_the_play_seed() -> None:
    program = compile_spec(kuhn())
    table = Table("kuhn")
    for seed in range(20):
        state = opening(program)
        start(state.copy(), state, subkey(streams(seed).chance, 0))
        advance(program.code, state)
        table.reset(seed=seed)
        assert [table.words[at.HANDS], table.words[at.HANDS + 60]] == [state[at.HANDS], state[at.HANDS + 60]]


def test_an_illegal_action_is_refused_and_changes_nothing() -> None:
    table = env("leduc")
    table.reset(seed=1)
    before = table.unwrapped.words.copy()
    with pytest.raises(UsageError, match=r"action 2 is not legal for player_0 now: choose one of \[0, 1\]"):
        table.step(2)
    assert np.array_equal(table.unwrapped.words, before)


def test_fuzzed_games_are_played_as_written() -> None:
    """No game of a generator: other decks, chips and constructs."""
    assert sum(compare_pettingzoo(fuzzed(seed), seed) for seed in range(20)) > 50


@pytest.mark.extended
def test_fuzzed_games_are_played_as_written_at_length() -> None:
    for seed in seeds(1_000, 1_400):
        compare_pettingzoo(fuzzed(seed), seed)
        compare_pettingzoo(fuzzed(seed, small=True), seed)
