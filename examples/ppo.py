"""Proximal policy optimisation in self-play, with the exact exploitability over time. It needs PyTorch.

    python examples/ppo.py                                    Kuhn poker
    python examples/ppo.py starter-3 --decisions 2000000      another small game

One network plays both seats of `vector_env`, in the manner of CleanRL's scripts: clipped policy gradient (Schulman et
al. 2017), a bonus for entropy, the mask of legal actions on the logits. Returns are the payoffs of whole episodes,
since the decisions in between are the opponent's too. Rate and entropy fall with the batches; with enough entropy the
policy itself comes near an equilibrium (Rudolph et al. 2025, "Reevaluating policy gradient methods for
imperfect-information games").
"""

from __future__ import annotations

import argparse
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from antemill.solver import exploitability
from antemill.tournament.adapters import TreeObservations, vector_env
from antemill.tournament.adapters.gymnasium import VectorTable
from antemill.tournament.adapters.tree_observations import Batch

LANES, EPOCHS, CLIP = 512, 4, 0.2
RATE, ENTROPY = 5e-3, 0.1


class Point(NamedTuple):
    """A measurement during learning."""

    decisions: int
    exploitability: float  # chips


class Player(nn.Module):  # type: ignore[misc]
    """A network with a head for the policy and one for the expected payoff."""

    def __init__(self, inputs: int, actions: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.policy, self.value = nn.Linear(64, actions), nn.Linear(64, 1)

    def forward(self, seen: Any, masks: Any) -> tuple[torch.distributions.Categorical, Tensor]:
        """What is played, and what is expected."""
        inside = self.body(torch.as_tensor(seen))
        logits = self.policy(inside).masked_fill(torch.as_tensor(masks) == 0, -1e9)
        return torch.distributions.Categorical(logits=logits, validate_args=False), self.value(inside).squeeze(1)

    def odds(self, batch: Batch) -> Tensor:
        """What is played in a batch of information sets."""
        with torch.no_grad():
            probabilities: Tensor = self(batch.observations, batch.masks)[0].probs
        return probabilities


def play(table: VectorTable, player: Player) -> list[Tensor]:
    """An episode in every lane: observations, masks, actions, their log probabilities, values, and payoffs."""
    observations, infos = table.reset()
    alice, playing = np.zeros(table.num_envs, np.float32), np.ones(table.num_envs, bool)
    kept, lanes, seats = [], [], []
    while playing.any():
        seen, masks = (torch.from_numpy(observations[name]) for name in ("observation", "action_mask"))
        with torch.no_grad():
            policy, values = player(seen, masks)
            actions = policy.sample()
            row = seen, masks, actions, policy.log_prob(actions), values
        asked, seat = np.flatnonzero(playing & infos["asked"]), infos["seat"]
        kept.append([column[asked] for column in row])
        lanes.append(asked)
        seats.append(seat[asked])
        observations, rewards, ended, _, infos = table.step(actions.numpy())
        alice[playing & ended] = (rewards * (1 - 2 * seat))[playing & ended]
        playing &= ~ended
    payoffs = alice[np.concatenate(lanes)] * (1 - 2 * np.concatenate(seats).astype(np.float32))
    return [*(torch.cat(column) for column in zip(*kept, strict=True)), torch.from_numpy(payoffs)]


def update(player: Player, adam: torch.optim.Optimizer, batch: list[Tensor], entropy: float, unit: float) -> None:
    """Some passes over a batch of decisions."""
    seen, masks, actions, before, values, payoffs = batch
    returns = payoffs / unit
    gains = returns - values
    gains = (gains - gains.mean()) / (gains.std() + 1e-8)
    for _ in range(EPOCHS):
        for part in torch.randperm(len(actions)).chunk(4):
            policy, expected = player(seen[part], masks[part])
            ratio = (policy.log_prob(actions[part]) - before[part]).exp()
            gain = torch.min(ratio * gains[part], ratio.clamp(1 - CLIP, 1 + CLIP) * gains[part]).mean()
            loss = 0.5 * (returns[part] - expected).pow(2).mean() - gain - entropy * policy.entropy().mean()
            adam.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(player.parameters(), 0.5)
            adam.step()


def learn(game: str, decisions: int, points: int = 10, seed: int = 0) -> tuple[float, list[Point]]:
    """Learn a game for so many decisions. Returns the exploitability of uniform play, and the measurements."""
    torch.manual_seed(seed)
    table = vector_env(game, LANES, events=False)
    table.reset(seed=seed)
    sets = TreeObservations(table.programs[0])
    player = Player(table.state_observation.size, table.state_observation.actions)
    adam = torch.optim.Adam(player.parameters(), lr=RATE)
    uniform = exploitability(sets.tree, sets.profile(lambda batch: batch.masks))
    found: list[Point] = []
    done, unit = 0, 0.0
    while done < decisions:
        batch = play(table, player)
        unit = unit or float(batch[-1].std())  # payoffs are in units of their deviation in the first batch
        left = 1.0 - done / decisions
        adam.param_groups[0]["lr"] = RATE * left
        update(player, adam, batch, ENTROPY * left, unit)
        done += len(batch[0])
        if done >= decisions * (len(found) + 1) / points:
            found.append(Point(done, exploitability(sets.tree, sets.profile(player.odds))))
    return uniform, found


def main() -> None:
    """Learn the named game, and print the exploitability over time."""
    ask = argparse.ArgumentParser(description="Learn a small game by PPO, and measure the exact exploitability.")
    ask.add_argument("game", nargs="?", default="kuhn", help="a game as on antemill's command line")
    ask.add_argument("--decisions", type=int, default=500_000, help="decisions of both seats")
    ask.add_argument("--seed", type=int, default=0)
    asked = ask.parse_args()
    uniform, points = learn(asked.game, asked.decisions, seed=asked.seed)
    print(f"{0:>11,}  {uniform:.4f}  chips a game (uniform play)")
    for point in points:
        print(f"{point.decisions:>11,}  {point.exploitability:.4f}")


if __name__ == "__main__":
    main()
