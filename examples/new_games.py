"""Learning from a thousand generated games, and playing a hundred that were not seen in training.

    antemill pool build pool --seeds 0:8000
    python examples/new_games.py pool
    python examples/new_games.py pool --train 50 --test 20 --decisions 200000     a smaller run

One small network plays all games. Its inputs are the observation of `vector_env`, the legal actions, the kind of
decision ("fold/call", "bet/check", ...), and the constructs of the game (`antemill.engine.rules.constructs`). It learns
by self-play: a policy gradient with a baseline and an entropy bonus, in numpy. Training games and held-out games have
different canonical digests, so no held-out game is a training game under another name.

The script prints the mean payoff against uniform play, over both seats and in units of the payoff's standard deviation
when both seats play at random, with the 95% interval over games. Uniform play itself has 0 by this measure.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from antemill.engine import GameSpec, compile_spec, rollout, streams
from antemill.engine.rules.constructs import CONSTRUCTS, constructs
from antemill.tournament.adapters import Curriculum, vector_env

KINDS, HIDDEN, LANES = 40, 128, 4  # kinds of decisions, width of the network, lanes of each game
RATE, ENTROPY, MINIBATCH = 2e-3, 0.02, 8192

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


class Lesson(NamedTuple):
    """Decisions, an entry each."""

    inputs: Floats  # float32[n, inputs]
    masks: Floats  # float32[n, actions]
    actions: Ints
    returns: Floats  # the seat's payoff in the end, in units of the game


class School:
    """Games as an environment, with the inputs of the network."""

    def __init__(self, games: Sequence[GameSpec], form: Sequence[GameSpec], kinds: dict[tuple[str, ...], int]) -> None:
        """kinds: the number of each kind of decision, by its labels; all other kinds share one number."""
        self.table = vector_env(games, LANES * len(games), events=False, form=form, copy=False)
        names = self.table.state_observation.names
        self._general = np.array([not name.startswith(("decision ", "legal ")) for name in names])
        self._first = names.index("decision 0")
        self._made_of = np.array([[name in made for name in CONSTRUCTS] for made in map(constructs, games)], np.float32)
        most = max(len(program.names.decisions) for program in self.table.programs)
        self._kinds = np.zeros((len(games), most, KINDS + 1), np.float32)
        self.unit = np.ones(len(games), np.float32)
        for i, program in enumerate(self.table.programs):
            for j, decision in enumerate(program.names.decisions):
                self._kinds[i, j, kinds.get(decision.labels, KINDS)] = 1.0
            self.unit[i] = max(1.0, rollout(program, 500, streams(1)).payoff.std())

    def inputs(self, vectors: Floats, masks: Floats, lanes: Ints) -> Floats:
        """The network's inputs in these lanes."""
        games = self.table.game[lanes]
        decisions = np.argmax(vectors[:, self._first : self._first + self._kinds.shape[1]], axis=1)
        seen = np.clip(vectors[:, self._general], -5.0, 5.0)
        return np.concatenate([seen, masks, self._kinds[games, decisions], self._made_of[games]], axis=1)

    def play(self, network: Network, seats: tuple[int, ...], dice: np.random.Generator) -> tuple[Lesson, Floats]:
        """An episode in every lane: the network at these seats, uniform play at others.

        Returns the network's decisions, and float32[lanes] Alice's payoffs in units of the games.
        """
        table = self.table
        observations, infos = table.reset()
        alice, playing = np.zeros(table.num_envs, np.float32), np.ones(table.num_envs, bool)
        kept = []
        while playing.any():
            asked = np.flatnonzero(playing & infos["asked"])
            masks = observations["action_mask"].astype(np.float32)
            odds, mine = masks.copy(), asked[np.isin(infos["seat"][asked], seats)]
            if len(mine):
                inputs = self.inputs(observations["observation"][mine], masks[mine], mine)
                odds[mine] = network.policy(inputs, masks[mine])
            actions = np.argmax(odds / dice.exponential(size=odds.shape).astype(np.float32), axis=1)
            seat = infos["seat"].copy()
            if len(mine):
                kept.append((mine, seat[mine], inputs, masks[mine], actions[mine]))
            observations, rewards, ended, _, infos = table.step(actions)
            alice[playing & ended] = (rewards * (1 - 2 * seat))[playing & ended]
            playing &= ~ended
        alice /= self.unit[table.game]
        lanes, seat, inputs, masks, actions = (np.concatenate(column) for column in zip(*kept, strict=True))
        return Lesson(inputs, masks, actions, alice[lanes] * (1 - 2 * seat)), alice

    def score(self, network: Network, episodes: int, dice: np.random.Generator) -> Floats:
        """float32[games]: the network's mean payoff against uniform play, in units of each game, over both seats."""
        total, rounds = np.zeros(len(self.unit)), -(-episodes // (2 * LANES))
        for _ in range(rounds):
            for seat in range(2):
                alice = self.play(network, (seat,), dice)[1]
                total += np.bincount(self.table.game, alice * (1 - 2 * seat)) / LANES / 2
        return (total / rounds).astype(np.float32)


class Network:
    """Two layers, with logits of the actions and the expected payoff on top; trained with Adam."""

    def __init__(self, inputs: int, actions: int, dice: np.random.Generator) -> None:
        sizes = [(inputs, HIDDEN), (HIDDEN, HIDDEN), (HIDDEN, actions + 1)]
        self.weights = [dice.normal(0, n**-0.5, (n, m)).astype(np.float32) for n, m in sizes]
        self.weights[-1] *= 0.01
        self.weights += [np.zeros(m, np.float32) for _, m in sizes]
        self._means, self._squares = ([np.zeros_like(w) for w in self.weights] for _ in range(2))
        self._steps = 0

    def _layers(self, inputs: Floats) -> tuple[Floats, Floats, Floats]:
        w1, w2, w3, b1, b2, b3 = self.weights
        first = np.maximum(inputs @ w1 + b1, 0.0)
        second = np.maximum(first @ w2 + b2, 0.0)
        return first, second, second @ w3 + b3

    def policy(self, inputs: Floats, masks: Floats) -> Floats:
        """float32[n, actions]: probabilities, 0 for what is not legal."""
        return softmax(self._layers(inputs)[2][:, :-1], masks)

    def learn(self, lesson: Lesson) -> None:
        """One step up the policy gradient, and one of the expected payoffs towards the actual ones."""
        n = len(lesson.actions)
        first, second, top = self._layers(lesson.inputs)
        odds, expected = softmax(top[:, :-1], lesson.masks), top[:, -1]
        gain = (lesson.returns - expected)[:, None]
        taken = np.zeros_like(odds)
        taken[np.arange(n), lesson.actions] = 1.0
        surprise = -np.log(np.maximum(odds, 1e-9)) * (odds > 0)
        entropy = (odds * surprise).sum(axis=1, keepdims=True)
        up = np.empty_like(top)
        up[:, :-1] = gain * (taken - odds) + ENTROPY * odds * (surprise - entropy)
        up[:, -1:] = 0.5 * gain
        up /= n
        w2, w3 = self.weights[1:3]
        down2 = (up @ w3.T) * (second > 0)
        down1 = (down2 @ w2.T) * (first > 0)
        slopes = [lesson.inputs.T @ down1, first.T @ down2, second.T @ up]
        self._climb([*slopes, down1.sum(axis=0), down2.sum(axis=0), up.sum(axis=0)])

    def _climb(self, slopes: list[Floats]) -> None:
        """A step of Adam (Kingma and Ba 2015), upwards."""
        self._steps += 1
        for weight, slope, mean, square in zip(self.weights, slopes, self._means, self._squares, strict=True):
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope**2 - square)
            size = RATE * (1 - 0.999**self._steps) ** 0.5 / (1 - 0.9**self._steps)
            weight += size * mean / (np.sqrt(square) + 1e-8)


def softmax(logits: Floats, masks: Floats) -> Floats:
    """Probabilities of the legal actions."""
    legal = np.where(masks > 0, logits, -np.inf)
    weights = np.exp(legal - legal.max(axis=1, keepdims=True))
    odds: Floats = weights / weights.sum(axis=1, keepdims=True)
    return odds


class Result(NamedTuple):
    """The scores after training, float32[games], against uniform play."""

    decisions: int
    seconds: float  # of learning
    train: Floats  # on some of the training games
    holdout: Floats


def learn(
    train: Sequence[GameSpec], holdout: Sequence[GameSpec], decisions: int, episodes: int, seed: int = 0
) -> Result:
    """Train on some games for so many decisions, and play others. episodes: of each evaluated game."""
    form, dice = [*train, *holdout], np.random.default_rng(seed)
    labels = Counter(kind.labels for game in train for kind in compile_spec(game).names.decisions)
    kinds = {kind: number for number, (kind, _) in enumerate(labels.most_common(KINDS))}
    school = School(train, form, kinds)
    observations, _ = school.table.reset(seed=seed)
    every = np.arange(school.table.num_envs)
    masks = observations["action_mask"].astype(np.float32)
    network = Network(school.inputs(observations["observation"], masks, every).shape[1], masks.shape[1], dice)
    done, begun = 0, time.perf_counter()
    while done < decisions:
        lesson, _ = school.play(network, (0, 1), dice)
        order = dice.permutation(len(lesson.actions))
        for part in np.array_split(order, max(1, len(order) // MINIBATCH)):
            network.learn(Lesson._make(column[part] for column in lesson))
        done += len(order)
    seconds = time.perf_counter() - begun
    scores = []
    for games in (train[: len(holdout)], holdout):
        test = School(games, form, kinds)
        test.table.reset(seed=seed + 1)
        scores.append(test.score(network, episodes, dice))
    return Result(done, seconds, *scores)


def main() -> None:
    """Train, evaluate, print."""
    ask = argparse.ArgumentParser(description="Train one policy on many games; play games not seen in training.")
    ask.add_argument("pool", help="a folder of `antemill pool build`")
    ask.add_argument("--train", type=int, default=1000, help="games to train on")
    ask.add_argument("--test", type=int, default=100, help="games that are held out")
    ask.add_argument("--decisions", type=int, default=4_000_000, help="decisions to train on, of both seats")
    ask.add_argument("--episodes", type=int, default=200, help="episodes of each game in the evaluation")
    ask.add_argument("--seed", type=int, default=0)
    asked = ask.parse_args()
    sides = [
        list(islice(Curriculum(asked.pool, side=side).games, count))
        for side, count in (("train", asked.train), ("holdout", asked.test))
    ]
    assert not {game.digest for game in sides[0]} & {game.digest for game in sides[1]}
    train, holdout = ([game.spec for game in side] for side in sides)
    result = learn(train, holdout, asked.decisions, asked.episodes, asked.seed)
    print(f"{len(train)} games, {result.decisions:,} decisions, {result.seconds:.0f} s of learning")
    for what, scores in (("trained on", result.train), ("never seen", result.holdout)):
        error = 1.96 * scores.std(ddof=1) / len(scores) ** 0.5
        print(f"  {len(scores):>4} games {what}: {scores.mean():.3f} +- {error:.3f}, above 0 in {(scores > 0).sum()}")


if __name__ == "__main__":
    main()
