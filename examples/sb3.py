"""MaskablePPO of sb3-contrib in self-play against frozen copies of itself. `python examples/sb3.py starter-2`."""

from __future__ import annotations

import sys
import time

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env

import antemill as am

TABLES, FROZEN = 8, 64  # environments, and episodes after which each copies the learner


class Measured(BaseCallback):  # type: ignore[misc]
    """Measures the exploitability ten times; rate and entropy fall meanwhile, so that the last policy counts."""

    def __init__(self, game: str, seconds: float) -> None:
        super().__init__()
        self.game, self.seconds, self.began = game, seconds, time.monotonic()
        self.found = [am.exploitability(game, lambda batch: batch.masks)]

    def _on_step(self) -> bool:
        return time.monotonic() - self.began < self.seconds

    def _on_rollout_end(self) -> None:
        spent = time.monotonic() - self.began
        self.model.ent_coef = 0.3 * max(0.0, 1 - spent / self.seconds)
        if len(self.found) < 1 + 10 * spent / self.seconds:
            self.found.append(am.exploitability(self.game, self.model))
            print(f"{spent:6.0f} s  {self.found[-1]:.3f} chips a game (uniform play: {self.found[0]:.3f})")


def learn(game: str = "starter-2", seconds: float = 240.0) -> list[float]:
    """Learn for so long; the exploitability of uniform play, and ten measurements."""
    torch.set_num_threads(1)
    tables = make_vec_env(lambda: am.selfplay(game, frozen=FROZEN, events=False), n_envs=TABLES)
    size = {"n_steps": 128, "batch_size": 256, "n_epochs": 4}
    model = MaskablePPO("MlpPolicy", tables, learning_rate=1e-3, gamma=1.0, ent_coef=0.3, seed=0, **size)
    tables.env_method("follow", model)
    measured = Measured(game, seconds)
    model.learn(10**9, callback=measured)
    return [*measured.found, am.exploitability(game, model)]


if __name__ == "__main__":
    print(learn(sys.argv[1] if len(sys.argv) > 1 else "starter-2", *map(float, sys.argv[2:3]))[-1])
