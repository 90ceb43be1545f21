"""TorchRL's PPO in self-play against frozen copies of itself. `python examples/torchrl_ppo.py starter-2`."""

from __future__ import annotations

import sys
import time

import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs import GymWrapper
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import antemill as am

FRAMES, FROZEN, RATE, ENTROPY = 1_024, 256, 1e-3, 0.3  # rate and entropy fall, so that the last policy counts


def learn(game: str = "starter-2", seconds: float = 240.0) -> list[float]:
    """Learn for so long; the exploitability of uniform play, and ten measurements."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    table = am.selfplay(game, frozen=FROZEN, events=False, flat=False)
    size, actions = (table.reset()[0][name].size for name in ("observation", "action_mask"))
    net = nn.Sequential(nn.Linear(size, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, actions))
    table.follow(net)
    value = nn.Sequential(nn.Linear(size, 64), nn.Tanh(), nn.Linear(64, 1))
    logits = TensorDictModule(net, in_keys=["observation"], out_keys=["logits"])
    keys = {"logits": "logits", "mask": "action_mask"}
    actor = ProbabilisticActor(logits, in_keys=keys, distribution_class=MaskedCategorical, return_log_prob=True)
    critic = ValueOperator(value, in_keys=["observation"])
    gains = GAE(gamma=1.0, lmbda=1.0, value_network=critic, average_gae=True)
    loss = ClipPPOLoss(actor, critic, entropy_coeff=ENTROPY)
    adam = torch.optim.Adam(loss.parameters())
    wrapped = GymWrapper(table, categorical_action_encoding=True)
    collector = Collector(wrapped, actor, frames_per_batch=FRAMES, total_frames=-1)
    found, began = [am.exploitability(game, lambda batch: batch.masks)], time.monotonic()
    for batch in collector:
        left = 1 - (spent := time.monotonic() - began) / seconds
        adam.param_groups[0]["lr"], loss.entropy_coeff = RATE * max(left, 0.0), torch.tensor(ENTROPY * max(left, 0.0))
        if len(found) < 1 + 10 * spent / seconds or left <= 0:
            found.append(am.exploitability(game, net))
            print(f"{spent:6.0f} s  {found[-1]:.3f} chips a game (uniform play: {found[0]:.3f})")
        if left <= 0:
            return found
        for _ in range(4):
            gains(batch)
            for part in batch[torch.randperm(len(batch))].split(256):
                terms = loss(part)
                adam.zero_grad()
                sum(terms[name] for name in ("loss_objective", "loss_critic", "loss_entropy")).backward()
                adam.step()
    return found


if __name__ == "__main__":
    learn(sys.argv[1] if len(sys.argv) > 1 else "starter-2", *map(float, sys.argv[2:3]))
