"""A game as a `gymnasium.Env`: gymnasium's own checks, the episodes of `vector_env`, and its names for `make`."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

import antemill as am
from antemill.engine.errors import UsageError
from antemill.tournament.adapters.registered import GAMES, register
from antemill.tournament.adapters.single import SingleTable

Options = dict[str, Any]
RANDOM = -1  # no legal action: a uniform player's is taken


def rewards(table: SingleTable, episodes: int, seed: int = 4) -> list[float]:
    """Of the first episodes of a series, by uniform play."""
    found = []
    table.reset(seed=seed)
    for _ in range(episodes):
        over = False
        while not over:
            _, reward, over, _, _ = table.step(RANDOM)
        found.append(reward)
        table.reset()
    return found


@pytest.mark.parametrize("options", [{}, {"seat": "bob"}, {"events": False}, {"flat": False}])
@pytest.mark.parametrize("game", ["kuhn", "leduc", "9"])
def test_gymnasiums_own_checks(game: str, options: Options) -> None:
    check_env(am.env(game, **options), skip_render_check=True)


@pytest.mark.parametrize("seat", ["alice", "bob"])
@pytest.mark.parametrize("opponent", ["random", "mixed"])
def test_episodes_are_those_of_a_rollout(seat: Any, opponent: str) -> None:
    table = am.env("leduc", opponent=opponent, seat=seat)
    dealer = table.table.lanes[0].dealer
    policies = (None, dealer.bob) if seat == "alice" else (dealer.alice, None)
    log = am.rollout("leduc", 40, am.streams(4), *policies)
    sign = 1 if seat == "alice" else -1
    assert rewards(table, 40) == (sign * log.episodes["payoff"].to_numpy()).tolist()


def test_a_policy_that_is_known_sits_opposite() -> None:
    """Against an equilibrium, a learner who plays it too gets the game's value, -1/18 an ante."""
    table = am.env("kuhn", opponent="cfr")
    mean = float(np.mean(rewards(table, 400)))
    assert mean < 0  # uniform play loses to it
    best = am.env("kuhn", opponent="best:random", seat="bob")
    assert np.mean(rewards(best, 400)) < -0.2


def test_masks_are_the_legal_actions() -> None:
    table = am.env("leduc", opponent="mixed")
    with pytest.raises(UsageError, match="no episode has begun: call reset first"):
        table.action_masks()
    with pytest.raises(UsageError, match="no episode has begun: call reset first"):
        table.step(0)
    _, info = table.reset(seed=1)
    seen, dice = set(), np.random.default_rng(1)
    for _ in range(60):
        mask = table.action_masks()
        assert mask.dtype == np.bool_
        assert mask.tolist() == info["action_mask"].astype(bool).tolist()
        seen.add(tuple(mask.tolist()))
        legal = int(dice.choice(np.flatnonzero(mask)))
        _, _, over, cut, info = table.step(legal)
        assert not info["masked"]
        assert not cut
        if over:
            assert table.action_masks().all()
            assert not info["asked"]
            with pytest.raises(UsageError, match="the episode has ended: call reset"):
                table.step(0)
            _, info = table.reset()
    assert len(seen) == 2
    strict = am.env("leduc", illegal="refused")
    strict.reset(seed=1)
    with pytest.raises(UsageError, match=r"action 2 is not legal in lane 0 now: choose one of \[0, 1\]"):
        strict.step(2)


def test_what_it_gives_is_the_callers() -> None:
    table = am.env("kuhn", opponent="random")
    stored = [table.reset(seed=1)[0]]
    while len(stored) < 60:
        observation, _, over, _, _ = table.step(RANDOM)
        stored.append(observation)
        if over:
            stored.append(table.reset()[0])
    assert len({array.tobytes() for array in stored}) > 12
    with pytest.raises(UsageError, match="needs an opponent"):
        am.env("kuhn", opponent=None)


@pytest.mark.parametrize("name", GAMES)
def test_gymnasium_knows_the_names(name: str) -> None:
    register()  # antemill was imported before gymnasium here
    given: Options = {"game": "9"} if GAMES[name] is None else {}
    table = gymnasium.make(f"antemill/{name}-v0", **given)
    observation, _ = table.reset(seed=3)
    many = gymnasium.make_vec(f"antemill/{name}-v0", num_envs=4, **given)
    assert many.single_observation_space == table.observation_space
    assert many.single_action_space == table.action_space
    assert np.array_equal(many.reset(seed=3)[0][0], observation)
    assert (many.num_envs, many.metadata["autoreset_mode"]) == (4, gymnasium.vector.AutoresetMode.NEXT_STEP)


def test_gymnasium_imports_us_by_the_name_before_the_colon() -> None:
    code = (
        "import gymnasium; print(gymnasium.make('antemill:antemill/Kuhn-v0', opponent='cfr').reset(seed=1)[1]['seat'])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "0\n"


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda table: pickle.loads(pickle.dumps(table))])
def test_a_copy_plays_on_by_itself(copied: Any) -> None:
    table = am.env("leduc")
    table.reset(seed=1)
    twin = copied(table)
    assert np.array_equal(twin.action_masks(), table.action_masks())
    for _ in range(3):
        got, want = twin.step(RANDOM), table.step(RANDOM)
        assert np.array_equal(got[0], want[0])
        if got[2]:
            twin.reset()
            table.reset()


@pytest.mark.slow
@pytest.mark.parametrize("made", [SyncVectorEnv, partial(AsyncVectorEnv, context="spawn"), AsyncVectorEnv])
def test_many_side_by_side(made: Any) -> None:
    """Also in processes, which import antemill themselves; each plays what it plays alone."""
    table = made([partial(am.env, "leduc") for _ in range(2)])
    alone = [am.env("leduc") for _ in range(2)]
    try:
        shown, _ = table.reset(seed=5)
        single = [one.reset(seed=5 + lane)[0] for lane, one in enumerate(alone)]
        assert np.array_equal(shown, single)
        for _ in range(8):
            shown, gained, ended, _, infos = table.step(np.full(2, RANDOM))
            for lane, one in enumerate(alone):
                if one._over:
                    single[lane] = one.reset()[0]
                else:
                    single[lane], reward, over, _, _ = one.step(RANDOM)
                    assert (gained[lane], ended[lane]) == (reward, over)
            assert np.array_equal(shown, single)
            assert infos["action_mask"].shape == (2, 3)
    finally:
        table.close()
