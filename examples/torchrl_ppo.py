"""TorchRL's PPO on the episodes of `examples/ppo.py`: one network in both seats. `python -m examples.torchrl_ppo`."""

from __future__ import annotations

import sys
import time

import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss

import antemill as am
from examples.ppo import ENTROPY, EPOCHS, LANES, RATE, episodes  # rate and entropy fall, so that the last policy counts


def learn(game: str = "starter-2", seconds: float = 240.0) -> list[float]:
    """Learn for so long; the exploitability of uniform play, and ten measurements."""
    torch.manual_seed(0)
    table = am.vector_env(game, LANES, events=False, flat=True)
    size, actions = table.state_observation.size, table.state_observation.actions
    net = nn.Sequential(nn.Linear(size, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, actions))
    value = nn.Sequential(nn.Linear(size, 64), nn.Tanh(), nn.Linear(64, 1))
    logits = TensorDictModule(net, in_keys=["observation"], out_keys=["logits"])
    actor = ProbabilisticActor(logits, in_keys=["logits", "mask"], distribution_class=MaskedCategorical)
    loss = ClipPPOLoss(actor, ValueOperator(value, in_keys=["observation"]), normalize_advantage=True)
    loss.set_keys(sample_log_prob="before")
    adam = torch.optim.Adam(loss.parameters())
    found, began = [am.exploitability(game, lambda batch: batch.masks)], time.monotonic()
    table.reset(seed=0)
    while (left := 1 - (time.monotonic() - began) / seconds) > 0:
        observed, masks, chosen, before, payoffs = episodes(table, net)
        returns = (payoffs / table.specs[0].chips).unsqueeze(1)
        columns = {"observation": observed, "mask": masks == 1, "action": chosen, "before": before}
        columns |= {"value_target": returns, "advantage": returns - value(observed).detach()}
        batch = TensorDict(columns, len(chosen))
        adam.param_groups[0]["lr"], loss.entropy_coeff = RATE * left, torch.tensor(ENTROPY * left)
        for part in (part for _ in range(EPOCHS) for part in torch.randperm(len(chosen)).chunk(4)):
            terms = loss(batch[part])
            adam.zero_grad()
            sum(terms[name] for name in ("loss_objective", "loss_critic", "loss_entropy")).backward()
            adam.step()
        if len(found) < 1 + 10 * (time.monotonic() - began) / seconds:
            found.append(am.exploitability(game, net))
            print(f"{time.monotonic() - began:6.0f} s  {found[-1]:.3f} chips a game (uniform play: {found[0]:.3f})")
    return found


if __name__ == "__main__":
    learn(sys.argv[1] if len(sys.argv) > 1 else "starter-2", *map(float, sys.argv[2:3]))
