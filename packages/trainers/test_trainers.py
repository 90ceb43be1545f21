"""Libraries for training take our environments by their own quick starts, and learn.

Each test takes seconds on the CPU with the real library, in an environment of its own (`make test-libraries`).
"""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector as TianshouCollector
from tianshou.data import VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net
from torchrl.collectors import Collector
from torchrl.envs import ActionMask, GymEnv, GymWrapper, TransformedEnv, check_env_specs
from torchrl.envs.libs.pettingzoo import PettingZooWrapper

import antemill as am
from antemill.engine.machine.policy import UNIFORM
from antemill.tournament.adapters.pettingzoo import env as table_for_two
from examples.ppo import learn

UNIFORM_ALICE = 0.125  # chips a game of Kuhn poker in which both seats play uniformly


@pytest.fixture(autouse=True)
def _seeded() -> None:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    np.random.seed(0)  # Tianshou draws from it


def test_the_bounds_that_learners_are_measured_by() -> None:
    log = am.rollout("kuhn", 100_000, am.streams(1), UNIFORM, UNIFORM)
    assert np.mean(log.episodes["payoff"].to_numpy()) == pytest.approx(UNIFORM_ALICE, abs=0.02)


def test_maskable_ppo_learns_kuhn_against_random_play() -> None:
    check_env(am.env("kuhn"))
    model = MaskablePPO(
        "MlpPolicy",
        make_vec_env(lambda: am.env("kuhn"), n_envs=8),
        n_steps=64,
        batch_size=128,
        learning_rate=3e-3,
        gamma=1.0,
        seed=0,
    )
    before, _ = evaluate_policy(model, am.env("kuhn"), n_eval_episodes=1_000, deterministic=False, warn=False)
    model.learn(6_000)
    after, _ = evaluate_policy(model, am.env("kuhn"), n_eval_episodes=1_000, deterministic=False, warn=False)
    assert before < 0.3
    assert after > 0.38  # of 0.5 at best; the error of this mean is 0.05


def test_ppo_without_masks_takes_the_environment_too() -> None:
    model = PPO("MlpPolicy", gymnasium.make("antemill/Leduc-v0"), n_steps=64, batch_size=64, n_epochs=1)
    model.learn(128)
    assert model.num_timesteps == 128


@pytest.mark.parametrize("opponent", ["random", None])
def test_torchrl_takes_single_environments(opponent: str | None) -> None:
    flat = GymEnv("antemill/Kuhn-v0", opponent=opponent)
    for table in (flat, GymWrapper(am.env("kuhn", opponent=opponent, flat=False))):
        check_env_specs(table)
        assert table.rollout(20)["next", "done"][-1]
    collector = Collector(flat, None, frames_per_batch=64, total_frames=128)
    assert [len(batch) for batch in collector] == [64, 64]
    collector.shutdown()
    masked = TransformedEnv(GymWrapper(am.env("leduc", opponent=opponent, flat=False)), ActionMask())
    played = masked.rollout(64, break_when_any_done=False)
    chosen = played["action"].argmax(-1)
    assert played["action_mask"].gather(1, chosen[:, None]).all()
    assert set(chosen.tolist()) == {0, 1, 2}


def test_torchrl_takes_many_lanes() -> None:
    """Same-step autoreset, flat: TorchRL reads no dictionary among final observations."""
    table = GymWrapper(gymnasium.make_vec("antemill/Kuhn-v0", num_envs=8, autoreset="same-step"))
    check_env_specs(table)
    played = table.rollout(50, break_when_any_done=False)
    assert played.shape == (8, 50)
    ended = played["next", "done"]
    assert ended.sum() > 150
    assert not played["next", "reward"][~ended].any()
    assert played["next", "reward"][ended].abs().min() > 0


def test_torchrl_takes_pettingzoo() -> None:
    table = PettingZooWrapper(table_for_two("kuhn"), use_mask=True)
    check_env_specs(table)
    assert table.rollout(20)["next", "done"][-1]


def test_tianshou_learns_kuhn_against_random_play() -> None:
    one = am.env("kuhn")
    assert one.observation_space.shape is not None
    net = Net(state_shape=one.observation_space.shape, action_shape=2, hidden_sizes=[32])
    policy = DiscreteQLearningPolicy(
        model=net,
        action_space=one.action_space,
        observation_space=one.observation_space,
        eps_training=0.3,
        eps_inference=0.0,
    )
    learner = DQN(policy=policy, optim=AdamOptimizerFactory(lr=3e-3), gamma=1.0, target_update_freq=50)
    many = [DummyVectorEnv([lambda: am.env("kuhn") for _ in range(4)]) for _ in range(2)]
    train = TianshouCollector(learner, many[0], VectorReplayBuffer(4_000, 4))
    test = TianshouCollector(learner, many[1])
    train.collect(n_step=400, random=True, reset_before_collect=True)  # as in Tianshou's own quick start
    learner.run_training(
        OffPolicyTrainerParams(
            training_collector=train,
            test_collector=test,
            max_epochs=1,
            epoch_num_steps=1_200,
            collection_step_num_env_steps=40,
            update_step_num_gradient_steps_per_sample=0.1,
            batch_size=64,
            test_step_num_episodes=4,
            show_progress=False,
        )
    )
    stored = train.buffer.sample(0)[0].obs  # all of it: three cards, at Alice's first and second decision
    assert len({row.tobytes() for row in stored}) == 6
    assert test.collect(n_episode=800, reset_before_collect=True).returns.mean() > 0.3


def test_tianshou_takes_pettingzoo() -> None:
    table = PettingZooEnv(table_for_two("leduc"))
    seen, _ = table.reset(seed=1)
    assert (seen["agent_id"], seen["mask"]) == ("player_0", [True, True, False])
    assert seen["obs"] in table.observation_space["observation"]


def test_the_example_comes_near_an_equilibrium() -> None:
    uniform, points = learn("kuhn", 60_000, points=3)
    assert uniform == pytest.approx(11 / 24)
    assert points[-1].exploitability < 0.32
