"""How many chips and cards can move in one play of a spec, at most, and in which unit.

One pass over a play in which every branch that costs most is taken. If the starting stack covers what a seat pays in
it, no payment is ever cut short, no menu ever lacks an entry, and no fallback is ever played: how much is left in a
stack is then the same for every larger start, less the difference, and only what reads a stack can tell.

If all amounts are multiples of some unit, all stacks and pots are, and chips may be counted in units, with one
exception: a split of an odd number of chips draws for the odd one. So the unit counts only if every pot that may be
split holds an even number of units, or else half the unit if that is whole.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any

from msgspec import Struct

from engine.rules.spec import (
    ActionRound,
    Ante,
    Auction,
    BettingLoop,
    Deal,
    DealBoard,
    Draw,
    FixedBetting,
    GameSpec,
    If,
    Option,
    Perform,
    Phase,
    Positions,
    Score,
    SideBet,
    Simultaneous,
    Steal,
    Step,
    Steps,
    Transfer,
    VariableBetting,
)


class Flow(Struct, frozen=True):
    """Bounds over all plays."""

    free: bool  # no stack is ever exhausted
    unit: int  # all chips that move, and the stacks unless they are free, are multiples of it
    hand: int  # cards that a hand receives at most
    cards: int  # cards that leave the deck at most
    endless: frozenset[str]  # loops that no stack ever stops


# Counts along the most expensive way: chips paid by Alice and Bob, cards received by Alice and Bob, cards taken.
_Counts = list[int]
_PAID, _HAND, _TAKEN = 0, 2, 4


def flow(spec: GameSpec, phases: Mapping[str, Phase]) -> Flow:
    """The bounds of a spec whose `phases` are all reachable."""
    survey = _Survey(spec, phases)
    for name in spec.sequence:
        survey.phase(phases[name])
    return survey.result()


class _Survey:
    """One pass over the most expensive play."""

    def __init__(self, spec: GameSpec, phases: Mapping[str, Phase]) -> None:
        self.chips = spec.chips
        self.phases = phases
        self.counts: _Counts = [0] * 5
        self.amounts: set[int] = set()
        self.chosen = False  # somebody chooses an amount
        self.uneven: list[int] = []  # what goes into the pot, or out of it, at once and not by halves
        self.short = False  # a payment into the pot may be cut short
        self.loops: dict[str, int] = {}  # what a seat has paid at most before some check of the loop
        placed = any(isinstance(phase, Positions) for phase in phases.values())
        self.seats = (
            {"alice": (0,), "bob": (1,)} if placed else {"alice": (0,), "bob": (1,), "leader": (0,), "follower": (1,)}
        )

    def result(self) -> Flow:
        wagers = sum(phase.amount for phase in self.phases.values() if isinstance(phase, SideBet))
        free = self.paid + wagers <= self.chips
        unit = 1 if self.chosen else math.gcd(*self.amounts, 0 if free else self.chips) or 2 * self.chips
        if self.short or any(amount % (2 * unit) for amount in self.uneven):
            unit = unit // 2 if unit % 2 == 0 else 1
        endless = {name for name, paid in self.loops.items() if self.chips - paid > self.phases[name].stop_at}  # type: ignore[union-attr]
        return Flow(free, unit, max(self.counts[_HAND:_TAKEN]), self.counts[_TAKEN], frozenset(endless))

    @property
    def paid(self) -> int:
        """What a seat has paid at most."""
        return max(self.counts[_PAID:_HAND])

    def add(self, what: int, player: str, count: int) -> None:
        """Count for a player, or for each of both; also for a player who may be either."""
        for seat in self.seats.get(player, (0, 1)):
            self.counts[what + seat] += count

    def chips_move(self, amount: int) -> int:
        """An amount that counts for the unit; nobody pays more than all chips."""
        amount = min(amount, 2 * self.chips)
        self.amounts.add(amount)
        return amount

    # phases

    def phase(self, phase: Phase) -> None:
        match phase:
            case Steps():
                self.steps(phase.steps)
            case FixedBetting():
                self.add(_PAID, "both", (1 + phase.raises) * self.chips_move(phase.amount))
            case VariableBetting():
                self.chosen = True
                self.add(_PAID, "both", 2 * self.chips if phase.cap is None else phase.cap)
            case BettingLoop():
                self.loop(phase)
            case ActionRound():
                for _ in range(phase.picks):
                    self.branches([partial(self.option, phase.player, option) for option in phase.options])
            case Simultaneous():
                lists = [*(cell.steps for cell in phase.cells), phase.others]
                self.branches([partial(self.steps, steps) for steps in lists])
            case Auction():
                self.chosen = True
                self.add(_PAID, "both", phase.max_bid)
                self.step(phase.prize)
            case SideBet():
                self.chips_move(phase.amount)

    def loop(self, loop: BettingLoop) -> None:
        """A loop's rounds, with what comes between them."""
        self.loops.setdefault(loop.name, 0)
        for number in range(loop.cap):
            self.loops[loop.name] = max(self.loops[loop.name], self.paid)
            if number:
                self.steps(loop.between)
            self.phase(self.phases[loop.rounds[min(number, len(loop.rounds) - 1)]])

    def option(self, player: str, option: Option) -> None:
        """An option is paid in full or not at all."""
        if option.cost is not None:
            amount = self.chips_move(option.cost.amount)
            self.uneven.append(amount)
            self.add(_PAID, player, amount)
        self.steps(option.steps)

    def branches(self, ways: Sequence[Callable[[], None]]) -> None:
        """One of several ways is gone: the most of each count."""
        before, after = self.counts, self.counts
        for way in ways:
            self.counts = before[:]
            way()
            after = list(map(max, after, self.counts))
        self.counts = after

    # steps

    def steps(self, steps: Sequence[Step]) -> None:
        """Steps in order; antes that follow each other reach the pot together."""
        for antes, group in groupby(steps, lambda step: isinstance(step, Ante)):
            if antes:
                self.antes(list(group))
            else:
                for step in group:
                    self.step(step)

    def antes(self, antes: list[Any]) -> None:
        together = 0
        for ante in antes:
            amount = self.chips_move(ante.amount)
            together += amount * (2 if ante.player == "both" else 1)
            self.add(_PAID, ante.player, amount)
        self.uneven.append(together)
        self.short |= self.paid > self.chips

    def step(self, step: Step) -> None:
        match step:
            case Deal() | Draw():
                self.counts[_TAKEN] += step.draws
                self.add(_HAND, step.player, step.count)
            case DealBoard():
                self.counts[_TAKEN] += step.draws
            case Steal():
                self.add(_HAND, step.player, 1)
            case Transfer():
                self.transfer(step)
            case Score():
                self.amounts.add(step.amount)
            case If():
                self.branches([partial(self.steps, step.then), partial(self.steps, step.otherwise)])
            case Perform():
                self.phase(self.phases[step.phase])

    def transfer(self, step: Transfer) -> None:
        amount = self.chips_move(step.amount)
        if step.source != "pot":
            self.add(_PAID, step.source, amount)
        if "pot" in (step.source, step.target):
            self.uneven.append(amount)
            self.short |= step.target == "pot" and self.paid > self.chips
