"""How much can happen in one play of a game: upper bounds that other frameworks ask for before any play.

The bounds add up the phases in order of play and take the longest branch of each choice, so they are sound but can be
loose: a game that ends early, or a deck that runs short, is not taken into account.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

from engine.spec import (
    ActionRound,
    Auction,
    BettingLoop,
    Deal,
    DealBoard,
    Discard,
    Draw,
    FixedBetting,
    GameSpec,
    If,
    Observation,
    Option,
    Peek,
    Perform,
    Phase,
    Positions,
    Reveal,
    Score,
    Showdown,
    SideBet,
    Simultaneous,
    Steal,
    Step,
    Steps,
    Swap,
    VariableBetting,
)


class Extent(NamedTuple):
    """The most that a play can have of each."""

    decisions: int = 0
    draws: int = 0  # chance draws that are asked for
    score: int = 0  # sum of all that is scored, whoever scores

    def plus(self, other: Extent) -> Extent:
        """Both happen."""
        return Extent(*(a + b for a, b in zip(self, other, strict=True)))


def extent(spec: GameSpec) -> Extent:
    """Bounds for a whole play; the last draw is for an odd chip."""
    return _sum([*(_phase(spec, spec.phase(name)) for name in spec.sequence), Extent(draws=1)])


def _sum(parts: Iterable[Extent]) -> Extent:
    total = Extent()
    for part in parts:
        total = total.plus(part)
    return total


def _most(parts: Iterable[Extent]) -> Extent:
    """One of these happens."""
    return Extent(*map(max, zip(Extent(), *parts, strict=True)))


def _steps(spec: GameSpec, steps: Iterable[Step]) -> Extent:
    return _sum(map(partial(_step, spec), steps))


def _step(spec: GameSpec, step: Step) -> Extent:
    match step:
        case If():
            return _most((_steps(spec, step.then), _steps(spec, step.otherwise)))
        case Perform():
            return _phase(spec, spec.phase(step.phase))
        case Deal() | Draw():
            return Extent(draws=step.count * (2 if step.player == "both" else 1))
        case DealBoard():
            return Extent(draws=step.count)
        case Swap():
            return Extent(draws=2)
        case Discard() | Peek() | Reveal() | Steal():
            return Extent(draws=1)
        case Score():
            return Extent(score=step.amount)
        case _:
            return Extent()


def _phase(spec: GameSpec, phase: Phase) -> Extent:
    steps = partial(_steps, spec)
    match phase:
        case Steps():
            return steps(phase.steps)
        case FixedBetting():  # check, bet, raises, answer
            return Extent(decisions=3 + phase.raises)
        case VariableBetting():  # check, bet, amount, answer
            return Extent(decisions=4)
        case BettingLoop():
            rounds = [_phase(spec, spec.phase(phase.rounds[min(k, len(phase.rounds) - 1)])) for k in range(phase.cap)]
            return _sum([*rounds, *[steps(phase.between)] * (phase.cap - 1)])
        case ActionRound():
            return _sum([_most(map(partial(_option, spec), phase.options))] * phase.picks)
        case Simultaneous():
            return Extent(decisions=2).plus(_most([*(steps(cell.steps) for cell in phase.cells), steps(phase.others)]))
        case Auction():  # two bids, a coin
            return Extent(decisions=2, draws=1).plus(steps((phase.prize,)))
        case SideBet():
            return Extent(decisions=1)
        case Observation() | Positions() | Showdown():
            return Extent(draws=1)


def _option(spec: GameSpec, option: Option) -> Extent:
    odds = 1 if option.cost is not None and option.cost.odds is not None else 0
    return Extent(decisions=1, draws=odds).plus(_steps(spec, option.steps))
