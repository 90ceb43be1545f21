"""Learning a game by self-play, with the learner's distance from an equilibrium.

    python examples/self_play.py                              Kuhn, Leduc and three generated games
    python examples/self_play.py kuhn --decisions 1000000     one game, a smaller run

A policy gradient on a table: a row of logits for each information set that was met, by its key. Both seats play by
the same table on `vector_env`. After every batch the rows that were visited take one step of magnetic mirror descent
(Sokota et al., "A unified approach to reinforcement learning, quantal response equilibria, and two-player zero-sum
games", 2023): up the values of the actions, and back towards uniform play,

    logits <- (logits + rate * (values - mean value)) / (1 + rate * temperature)

The value of an action is a running mean of the payoffs that followed it. Rate and temperature fall with the batches,
so that the policy itself, not only its average over time, comes close to an equilibrium. The script prints and plots
its exact exploitability on the game's tree, which the learner never sees.
"""

from __future__ import annotations

import argparse
import time
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from antemill.solver import exploitability
from antemill.tournament.adapters import TreeObservations, vector_env
from antemill.tournament.adapters.gymnasium import VectorTable
from antemill.tournament.adapters.tree_observations import Batch

GAMES = ("kuhn", "leduc", "2@0.1", "13@0.1", "20@0.1")
LANES = 1024
RATE, TEMPERATURE, MEMORY = 0.2, 0.3, 0.6

Rows = npt.NDArray[np.int64]
Matrix = npt.NDArray[np.float64]


class Point(NamedTuple):
    """A measurement during learning."""

    decisions: int
    seconds: float  # of learning alone
    exploitability: float  # chips


class Learner:
    """A row of logits and of values for each information set that was met."""

    def __init__(self, actions: int) -> None:
        self.rows: dict[int, int] = {}  # by information key
        self.legal, self.logits, self.sums, self.counts = np.zeros((4, 0, actions))

    def find(self, keys: Rows, masks: npt.NDArray[Any]) -> Rows:
        """The row of each key; a new one begins with uniform play."""
        found, first, where = np.unique(keys, return_index=True, return_inverse=True)
        rows = np.array([self.rows.setdefault(key, len(self.rows)) for key in found.tolist()])
        if new := len(self.rows) - len(self.legal):
            more = ((0, new), (0, 0))
            self.legal, self.logits, self.sums, self.counts = (
                np.pad(column, more) for column in (self.legal, self.logits, self.sums, self.counts)
            )
            self.legal[rows] = masks[first]
        return rows[where]

    def policy(self, rows: Rows) -> Matrix:
        """float[n, actions]: how these rows are played."""
        weights = self.legal[rows] * np.exp(self.logits[rows] - self.logits[rows].max(axis=1, keepdims=True))
        odds: Matrix = weights / weights.sum(axis=1, keepdims=True)
        return odds

    def learn(self, rows: Rows, actions: Rows, payoffs: Matrix, rate: float, temperature: float) -> None:
        """One step from a batch of decisions, an entry each: row, action, and the payoff in the end."""
        seen = np.unique(rows)
        self.sums[seen] *= MEMORY
        self.counts[seen] *= MEMORY
        np.add.at(self.sums, (rows, actions), payoffs)
        np.add.at(self.counts, (rows, actions), 1.0)
        values = self.sums[seen] / np.maximum(self.counts[seen], 1e-9)
        values -= (self.policy(seen) * values).sum(axis=1, keepdims=True)
        self.logits[seen] = (self.logits[seen] + rate * values * self.legal[seen]) / (1.0 + rate * temperature)

    def play_all(self, batch: Batch) -> Matrix:
        """What is played in a batch of information sets; uniform in those that the learner has not met."""
        return self.policy(self.find(batch.keys, batch.masks))


def play(table: VectorTable, learner: Learner, dice: np.random.Generator) -> tuple[Rows, Rows, Matrix]:
    """One episode in every lane: row, action and the seat's payoff of each decision in it."""
    observations, infos = table.reset()
    kept, alice, playing = [], np.zeros(table.num_envs), np.ones(table.num_envs, bool)
    while playing.any():
        asked = np.flatnonzero(playing & infos["asked"])
        rows = learner.find(table.lanes[0].keys()[asked], observations["action_mask"][asked])
        odds = learner.policy(rows)
        chosen = np.argmax(odds / dice.exponential(size=odds.shape), axis=1)  # a draw from each row
        seats = infos["seat"].copy()
        kept.append((asked, seats[asked], rows, chosen))
        actions = np.argmax(observations["action_mask"], axis=1)
        actions[asked] = chosen
        observations, rewards, ended, _, infos = table.step(actions)
        alice[playing & ended] = (rewards * (1 - 2 * seats))[playing & ended]
        playing &= ~ended
    lanes, seats, rows, chosen = (np.concatenate(column) for column in zip(*kept, strict=True))
    return rows, chosen, alice[lanes] * (1 - 2 * seats)


def learn(game: str, decisions: int, points: int = 20, lanes: int = LANES, seed: int = 0) -> tuple[float, list[Point]]:
    """Learn a game for so many decisions. Returns the exploitability of uniform play, and the measurements."""
    table, dice = vector_env(game, lanes, events=False, copy=False), np.random.default_rng(seed)
    table.reset(seed=seed)
    sets, learner = TreeObservations(table.programs[0]), Learner(table.state_observation.actions)
    uniform = exploitability(sets.tree, sets.profile(learner.play_all))
    found: list[Point] = []
    done, seconds, batch, unit = 0, 0.0, 0, 1.0
    while done < decisions:
        begun = time.perf_counter()
        rows, actions, payoffs = play(table, learner, dice)
        if not batch:
            unit = payoffs.std()  # values are in units of the deviation of random play
        falling = (1.0 + batch / 10) ** -0.5
        learner.learn(rows, actions, payoffs / unit, RATE * falling, TEMPERATURE * falling)
        done, batch, seconds = done + len(rows), batch + 1, seconds + time.perf_counter() - begun
        if done >= decisions * (len(found) + 1) / points:
            found.append(Point(done, seconds, exploitability(sets.tree, sets.profile(learner.play_all))))
    return uniform, found


def plot(curves: dict[str, tuple[float, list[Point]]], path: str) -> None:
    """Exploitability against decisions, as a share of that of uniform play."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    for game, (uniform, points) in curves.items():
        axes.plot(
            [point.decisions for point in points], [point.exploitability / uniform for point in points], label=game
        )
    axes.set(xscale="log", yscale="log", xlabel="decisions", ylabel="exploitability (uniform play: 1)")
    axes.grid(visible=True, alpha=0.3)
    axes.legend()
    figure.savefig(path)


def main() -> None:
    """Learn the named games, print a line for each, and plot the curves."""
    ask = argparse.ArgumentParser(description="Learn games by self-play, and measure the exact exploitability.")
    ask.add_argument("games", nargs="*", default=GAMES, help="games as on antemill's command line; small ones")
    ask.add_argument("--decisions", type=int, default=6_000_000, help="decisions of both seats, for each game")
    ask.add_argument("--seed", type=int, default=0)
    ask.add_argument("--plot", default="self_play.svg", help="file for the figure")
    asked = ask.parse_args()
    print(f"{'game':>10}  {'decisions':>11}  {'seconds':>7}  {'uniform':>8}  {'learned':>8}  chips a game")
    curves = {}
    for game in asked.games:
        uniform, points = curves[game] = learn(game, asked.decisions, seed=asked.seed)
        last = points[-1]
        print(
            f"{game:>10}  {last.decisions:>11,}  {last.seconds:>7.1f}  {uniform:>8.4f}  {last.exploitability:>8.4f}",
            flush=True,
        )
    plot(curves, asked.plot)


if __name__ == "__main__":
    main()
