"""PPO (Schulman et al. 2017) in 60 lines: one network in both seats of a game. `python examples/ppo.py starter-2`."""

import sys
import time

import numpy as np
import torch
from torch import nn

import antemill as am
from antemill.tournament.adapters.gymnasium import VectorTable

LANES, EPOCHS, CLIP, RATE, ENTROPY = 512, 4, 0.2, 3e-3, 0.3  # rate and entropy fall, so that the last policy counts


def episodes(table: VectorTable, net: nn.Module) -> list[torch.Tensor]:
    """An episode in every lane: observations, masks, actions, their log probabilities, and payoffs of their seats."""
    (seen, infos), lanes, kept, alice = table.reset(), np.arange(LANES), [], np.zeros(LANES, np.float32)
    playing = np.ones(LANES, bool)
    while playing.any():
        observed, masks = torch.as_tensor(seen), torch.as_tensor(infos["action_mask"])
        policy = torch.distributions.Categorical(logits=net(observed).detach().masked_fill(masks == 0, -1e9))
        actions, here, seat = policy.sample(), lanes[playing & infos["asked"]], infos["seat"]
        rows = observed, masks, actions, policy.log_prob(actions), torch.as_tensor(lanes), torch.as_tensor(seat)
        kept.append([column[here] for column in rows])
        seen, rewards, ended, _, infos = table.step(actions.numpy())
        alice[playing & ended] = (rewards * (1 - 2 * seat))[playing & ended]
        playing &= ~ended
    *batch, where, seats = (torch.cat(column) for column in zip(*kept, strict=True))
    return [*batch, torch.as_tensor(alice)[where] * (1 - 2 * seats)]


def learn(game: str = "starter-2", seconds: float = 240.0) -> list[float]:
    """Learn for so long; the exploitability of uniform play, and ten measurements."""
    torch.manual_seed(0)
    table = am.vector_env(game, LANES, events=False, flat=True)
    size, actions = table.state_observation.size, table.state_observation.actions
    net = nn.Sequential(nn.Linear(size, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, actions))
    value = nn.Sequential(nn.Linear(size, 64), nn.Tanh(), nn.Linear(64, 1))
    adam = torch.optim.Adam([*net.parameters(), *value.parameters()])
    (found, began), _ = ([am.exploitability(game, lambda batch: batch.masks)], time.monotonic()), table.reset(seed=0)
    while (left := 1 - (time.monotonic() - began) / seconds) > 0:
        observed, masks, chosen, before, payoffs = episodes(table, net)
        adam.param_groups[0]["lr"], returns = RATE * left, payoffs / table.specs[0].chips
        for part in (part for _ in range(EPOCHS) for part in torch.randperm(len(chosen)).chunk(4)):
            policy = torch.distributions.Categorical(logits=net(observed[part]).masked_fill(masks[part] == 0, -1e9))
            error = returns[part] - value(observed[part]).squeeze(1)
            gain, ratio = error.detach() / (error.std() + 1e-8), (policy.log_prob(chosen[part]) - before[part]).exp()
            clipped = torch.min(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain).mean()
            adam.zero_grad()
            (error.pow(2).mean() - clipped - ENTROPY * left * policy.entropy().mean()).backward()
            adam.step()
        if len(found) < 1 + 10 * (time.monotonic() - began) / seconds:
            found.append(am.exploitability(game, net))
            print(f"{time.monotonic() - began:6.0f} s  {found[-1]:.3f} chips a game (uniform play: {found[0]:.3f})")
    return found


if __name__ == "__main__":
    learn(sys.argv[1] if len(sys.argv) > 1 else "starter-2", *map(float, sys.argv[2:3]))
