"""The whole policy of small games: what a best response wins from a player that was asked at every information set.

The shares of a player's answers in each set are its behaviour strategy. Its exploitability, what a best response wins a
match on average over both seats, and what it loses to the equilibrium follow by computation. The exploitability of a
strategy that was estimated from few answers is too large on average, since a best response also exploits the noise. So
as many answers are drawn many times from a smoothed strategy, with half an answer more of each action (a parametric
bootstrap). The mean excess of these draws is subtracted, and the interval is as wide as they spread.

Two things make the estimate spread further than its bootstrap. The variance of shares that are estimated from n answers
is too small by n - 1 to n, as every variance about an estimated mean (Bessel's correction). And the excess is itself a
guess, which is large where the exploitability came out small, so its size is a part of the standard error.

Answers that look better than they are by chance also seem to spread less. So the error is at least that of what the
best response wins, by the variances of the decisions under the smoothed strategy (the delta method). This bounds the
error of the exploitability, which is the largest of what all responses win: the largest of jointly normal figures has
at most the largest of their variances. Half an answer more of each action is the mean of the posterior by Jeffreys'
prior. The interval is Student's, whose degrees of freedom follow from these variances (Welch and Satterthwaite). It is
cut at zero, below which neither the exploitability nor the loss of a policy can be.
docs/statistics.md has the derivation.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from antemill.solver.evaluation.measures import best_response, measure
from antemill.solver.game import Array
from antemill.solver.policies.profile import StrategyProfile
from antemill.solver.trees.sequence_form import Side, fill_immediate_values, realization_plan
from antemill.tournament.cards.play import MatchRecord, read_match
from antemill.tournament.cards.slots import read_slot
from antemill.tournament.evaluation.ask import PLACE, SET, SHARES, asked_in, is_question
from antemill.tournament.evaluation.game_tree import GameTree
from antemill.tournament.evaluation.known import RunGames
from antemill.tournament.evaluation.regrets import entry
from antemill.tournament.runs import Record
from antemill.tournament.statistics.losses import Loss, above_zero, interval

DRAWS, _SMOOTHING, _SEED = 200, 0.5, 40
_SHOWN = 5  # punished decisions of a player in a game
_LEAST = 0.0005  # chips a match: decisions that are punished by less are left out
_MANY = 1e9  # degrees of freedom of an interval from many draws


class Punished(Struct, frozen=True):
    """A decision that the best response punishes. cost: chips a match (the mean of both seats) that the player would
    win more against that best response by `best` in place of its mix. item: a question about it."""

    item: str
    seat: int
    phase: str
    mix: str
    best: str
    cost: float


class Whole(Struct, frozen=True):
    """A player's whole policy of a game, chips a match. samples: answers in each set, at most. missing: sets without an
    answer, which count as played at random. exploitability: an estimate; observed: of the answers' shares as they are;
    value: what they win as Alice from themselves as Bob; responses: what a best response wins from them as Alice, and
    as Bob, whose mean is `observed`. loss: to the equilibrium; exact: exploitability and loss of a player whose policy
    is known. Without samples of single actions there is no error."""

    player: str
    game: str
    sets: int
    samples: int
    questions: int
    missing: int
    exploitability: Loss
    observed: float
    value: float
    responses: tuple[float, float]
    loss: Loss
    exact: tuple[float, float] | None
    punished: list[Punished]


class Answers:
    """The answers of a player in a game: sums of shares for each sequence, and how many there are in each set."""

    def __init__(self, where: GameTree) -> None:
        self.where = where
        self.sums = tuple(np.zeros(side.sequences) for side in where.sides)
        self.counts = tuple(np.zeros(len(side.parent_sequence), np.int64) for side in where.sides)
        self.stated = False  # whether there are stated mixes among them

    @property
    def fewest(self) -> int:
        """The fewest answers in a set that has any."""
        return int(min(counts[counts > 0].min(initial=1 << 30) for counts in self.counts))

    def add(self, seat: int, number: int, place: int, shares: list[float] | None) -> None:
        """Count an answer: one action, or the shares of all."""
        side = self.where.sides[seat]
        low, high = int(side.start[number]), int(side.start[number + 1])
        self.counts[seat][number] += 1
        self.stated |= shares is not None
        if shares is None:
            self.sums[seat][low + place] += 1.0
        else:
            self.sums[seat][low:high] += shares

    def strategies(self, smoothing: float = 0.0) -> StrategyProfile:
        """Both seats' shares, uniform where nothing was answered. smoothing: answers more of each action."""
        alice, bob = (self._shares(seat, smoothing) for seat in (0, 1))
        return alice, bob

    def _shares(self, seat: int, smoothing: float) -> Array:
        side = self.where.sides[seat]
        width = np.diff(side.start)
        empty = (self.counts[seat] == 0) & (smoothing == 0)
        more = np.repeat(np.where(empty, 1.0, smoothing), width)
        total = np.repeat(self.counts[seat] + width * np.where(empty, 1.0, smoothing), width)
        return np.concatenate((np.ones(1), (self.sums[seat][1:] + more) / total))

    def redrawn(self, rng: np.random.Generator, policy: StrategyProfile, times: int) -> list[StrategyProfile]:
        """Strategies by as many answers as there are, drawn from a policy."""
        alice, bob = (_draws(rng, self.where.sides[seat], policy[seat], self.counts[seat], times) for seat in (0, 1))
        return list(zip(alice, bob, strict=True))


def _draws(rng: np.random.Generator, side: Side, policy: Array, counts: Array, times: int) -> Array:
    """float64[times, sequences]: shares of answers; the policy's own where there was no answer."""
    found = np.tile(policy, (times, 1))
    widths = np.diff(side.start)
    for width in np.unique(widths):
        sets = np.flatnonzero((widths == width) & (counts > 0))
        places = side.start[sets][:, None] + np.arange(width)
        chances = policy[places] / policy[places].sum(axis=1, keepdims=True)
        drawn = rng.multinomial(counts[sets], chances, size=(times, len(sets)))
        found[:, places] = drawn / counts[sets][:, None]
    return found


def wholes(made: RunGames, records: Iterable[Record], transcript: Callable[[str], object]) -> list[Whole]:
    """All whole policies, by player and game. transcript: of an item by its key."""
    answers: dict[tuple[str, str], Answers] = {}
    items: dict[tuple[str, str], dict[tuple[int, int], str]] = defaultdict(dict)
    for record in records:
        if record.status != "done" or not is_question(record.item.data):
            continue
        slot, row = read_slot(record.item.data), record.row
        player, seat = asked_in(slot)
        key = player, slot.game
        if key not in answers:
            answers[key] = Answers(made.tree(slot.game))
        answers[key].add(seat, row[SET], row[PLACE], row[SHARES])
        items[key].setdefault((seat, row[SET]), record.item.key)

    def read(key: str) -> MatchRecord:
        return read_match(transcript(key))

    return [whole(made, *key, found, items[key], read) for key, found in answers.items()]


def whole(
    made: RunGames,
    player: str,
    game: str,
    answers: Answers,
    items: dict[tuple[int, int], str],
    read: Callable[[str], MatchRecord],
) -> Whole:
    """A player's whole policy of a game. items: a question about each set that was answered."""
    known = made.player(player, game)
    exploited, observed, lost = estimates(answers, made.perfect(game))
    policy, sides = answers.strategies(), answers.where.sides
    measured = measure(sides, policy)
    punished = [
        _punished(read(items[seat, number]), items[seat, number], seat, policy[seat], side, number, place, cost)
        for seat, side in enumerate(sides)
        for number, place, cost in _costs(sides, policy, seat)
        if (seat, number) in items
    ]
    return Whole(
        player=player,
        game=game,
        sets=sum(map(len, answers.counts)),
        samples=int(max(counts.max(initial=0) for counts in answers.counts)),
        questions=int(sum(counts.sum() for counts in answers.counts)),
        missing=int(sum(np.count_nonzero(counts == 0) for counts in answers.counts)),
        exploitability=above_zero(exploited),
        observed=observed,
        value=measured.value,
        responses=(measured.best_responses[1], measured.best_responses[0]),
        loss=above_zero(lost),
        exact=None if known is None else _exact(answers.where, known, made.perfect(game)),
        punished=sorted(punished, key=lambda one: -one.cost)[:_SHOWN],
    )


def estimates(answers: Answers, perfect: StrategyProfile) -> tuple[Loss, float, Loss]:
    """The exploitability with its interval, that of the shares as they are, and the loss to the equilibrium.

    The intervals are not cut at zero.
    """
    where, policy = answers.where, answers.strategies()
    observed, lost = _exploitability(where, policy), _loss(where, policy, perfect)
    if answers.stated:
        return Loss(observed, None, None, None), observed, Loss(lost, None, None, None)
    smooth, rng = answers.strategies(_SMOOTHING), np.random.default_rng(_SEED)
    drawn = answers.redrawn(rng, smooth, DRAWS)
    exploited = [_exploitability(where, one) for one in drawn]
    excess = math.fsum(exploited) / DRAWS - _exploitability(where, smooth)
    losses = [_loss(where, one, perfect) for one in drawn]
    if (few := answers.fewest) < 2:
        return Loss(observed - excess, None, None, None), observed, Loss(lost, None, None, None)
    wider = math.sqrt(few / (few - 1))
    least, freedom = _by_decision(answers, smooth)
    return (
        interval(observed - excess, math.hypot(max(wider * float(np.std(exploited)), least), excess), freedom),
        observed,
        interval(lost, wider * float(np.std(losses)), _MANY),
    )


def _by_decision(answers: Answers, policy: StrategyProfile) -> tuple[float, float]:
    """The standard error of the exploitability against the best responses to a policy, by the variance that it has at
    each decision for as many answers, and its degrees of freedom."""
    variances, freedoms = [], []
    for seat, counts in enumerate(answers.counts):
        for one in _exploited(answers.where.sides, policy, seat):
            if (free := int(counts[one.number]) - 1) > 0:
                variances.append(one.weight**2 * float(one.shares @ (one.values - one.value) ** 2) / free)
                freedoms.append(free)
    total = math.fsum(variances)
    fourth = math.fsum(variance**2 / free for variance, free in zip(variances, freedoms, strict=True))
    return math.sqrt(total), total**2 / fourth if fourth else _MANY


def _exact(where: GameTree, policy: StrategyProfile, perfect: StrategyProfile) -> tuple[float, float]:
    return _exploitability(where, policy), _loss(where, policy, perfect)


def _exploitability(where: GameTree, policy: StrategyProfile) -> float:
    return measure(where.sides, policy).exploitability


def _loss(where: GameTree, policy: StrategyProfile, perfect: StrategyProfile) -> float:
    """Chips a match that a policy loses to another, the mean of both seats."""
    return -sum(where.value(seat, policy[seat], perfect[1 - seat]) for seat in (0, 1)) / 2


class _Decision(NamedTuple):
    """A decision against the best response: the shares of its actions and their values, the mean of these, and what one
    chip at it weighs in the exploitability. number: of the information set."""

    number: int
    shares: Array
    values: Array
    value: float
    weight: float


def _exploited(sides: tuple[Side, Side], policy: StrategyProfile, seat: int) -> Iterator[_Decision]:
    """The decisions of a seat against the best response to its policy, the last ones first."""
    side, own = sides[seat], policy[seat]
    response = best_response(sides, 1 - seat, own)
    values, plan = np.empty(side.sequences), realization_plan(side, own)
    fill_immediate_values(side, realization_plan(sides[1 - seat], response), values)
    for number in range(len(side.parent_sequence) - 1, -1, -1):
        low, high = int(side.start[number]), int(side.start[number + 1])
        value, before = float(own[low:high] @ values[low:high]), int(side.parent_sequence[number])
        yield _Decision(number, own[low:high], values[low:high], value, float(plan[before]) / 2)
        values[before] += value


def _costs(sides: tuple[Side, Side], policy: StrategyProfile, seat: int) -> list[tuple[int, int, float]]:
    """(set, place of the best action, chips a match) of the decisions of a seat that its best response punishes."""
    found = []
    for one in _exploited(sides, policy, seat):
        cost = one.weight * float(one.values.max() - one.value)
        if cost > _LEAST:
            found.append((one.number, int(one.values.argmax()), cost))
    return found


def _punished(
    record: MatchRecord, item: str, seat: int, policy: Array, side: Side, number: int, place: int, cost: float
) -> Punished:
    decision = record.transcript.decisions[-1]
    shares = policy[int(side.start[number]) : int(side.start[number + 1])]
    mix = ", ".join(f"{entry(decision, i)} {share:.0%}" for i, share in enumerate(shares) if share >= _LEAST)
    return Punished(item, seat, decision.phase, mix, entry(decision, place), cost)
