"""Libraries for training take our environments by their own quick starts, and learn (`make test-libraries`)."""

from __future__ import annotations

from typing import Any

import pytest
from stable_baselines3.common.env_checker import check_env
from torchrl.envs import ActionMask, GymWrapper, TransformedEnv, check_env_specs
from torchrl.envs.libs.pettingzoo import PettingZooWrapper

import antemill as am
from antemill.tournament.adapters.pettingzoo import env as table_for_two
from examples import ppo, sb3, torchrl_ppo


@pytest.mark.parametrize("script", [ppo, sb3, torchrl_ppo], ids=["ours", "sb3", "torchrl"])
def test_self_play_comes_near_an_equilibrium_of_starter_2(script: Any) -> None:
    uniform, *points = script.learn("starter-2", 240.0)
    assert uniform == pytest.approx(1.325)
    assert points[-1] < 0.4


def test_the_libraries_take_our_environments() -> None:
    check_env(am.env("kuhn"))
    masked = TransformedEnv(GymWrapper(am.env("leduc", flat=False, events=False)), ActionMask())
    check_env_specs(masked)
    played = masked.rollout(64, break_when_any_done=False)
    assert played["action_mask"].gather(1, played["action"].argmax(-1)[:, None]).all()
    table = PettingZooWrapper(table_for_two("kuhn"), use_mask=True)
    check_env_specs(table)
    assert table.rollout(20)["next", "done"][-1]
