"""Libraries for training take our environments by their own quick starts, and learn (`make test-libraries`)."""

from __future__ import annotations

import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3.common.env_checker import check_env
from torchrl.envs import ActionMask, GymWrapper, TransformedEnv, check_env_specs
from torchrl.envs.libs.pettingzoo import PettingZooWrapper

import antemill as am
from antemill.tournament.adapters.pettingzoo import env as table_for_two


def test_maskable_ppo_learns_kuhn_against_random_play() -> None:
    torch.set_num_threads(1)
    check_env(am.env("kuhn"))
    model = MaskablePPO("MlpPolicy", am.env("kuhn"), n_steps=512, learning_rate=3e-3, gamma=1.0, seed=0).learn(6_000)
    after, _ = evaluate_policy(model, am.env("kuhn"), n_eval_episodes=1_000, deterministic=False, warn=False)
    assert after > 0.38  # of 0.5 at best; random play wins less than 0.1, and the error of this mean is 0.05


def test_torchrl_takes_single_environments_and_pettingzoo() -> None:
    masked = TransformedEnv(GymWrapper(am.env("leduc", flat=False)), ActionMask())
    check_env_specs(masked)
    played = masked.rollout(64, break_when_any_done=False)
    assert played["action_mask"].gather(1, played["action"].argmax(-1)[:, None]).all()
    table = PettingZooWrapper(table_for_two("kuhn"), use_mask=True)
    check_env_specs(table)
    assert table.rollout(20)["next", "done"][-1]
