"""The most chips and cards that can move in one play of a spec, and the unit in which chips move.

One pass follows a play that always takes the most expensive branch. If the starting stack covers a seat's payments in
it, no payment is ever cut short, no menu ever lacks an entry, and no fallback is ever played. A larger starting stack
then adds the same number of chips to the stack at every point, and only rules that read a stack can notice it.

If all amounts are multiples of some unit, so are all stacks and pots, and chips may be counted in units. The exception
is a split of an odd number of chips, in which chance decides about the odd chip. So the unit is used only if every pot
that may be split holds an even number of units. Otherwise half of it is used if that is whole, else a single chip.

Both stacks are known until chips move by a player's choice. If they are equal in a betting round that is played once,
amounts beyond them are cut: a wager's cap, a bet's size, and raises that no player could pay.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from msgspec import Struct

from antemill.engine.rules.spec import (
    ActionRound,
    Ante,
    Auction,
    BettingLoop,
    Deal,
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
    TakePot,
    Transfer,
    VariableBetting,
)


class Flow(Struct, frozen=True):
    """Bounds over all plays."""

    free: bool  # no stack is ever exhausted
    unit: int  # all chips that move, and the stacks unless they are free, are multiples of it
    hand: int  # the most cards that a hand receives
    cards: int  # the most cards that leave the deck
    endless: frozenset[str]  # loops that no stack ever stops
    bets: dict[str, tuple[int, int]]  # (largest bet, raises) of every betting round


# Counts along the most expensive way: chips paid by Alice and Bob, cards received by each, cards taken from the deck.
_Counts = list[int]
_PAID, _HAND, _TAKEN = 0, 2, 4


def flow(spec: GameSpec, phases: Mapping[str, Phase]) -> Flow:
    """The bounds of a spec whose `phases` are all reachable."""
    first = _Survey(spec, phases, frozenset())
    cut = frozenset(name for name, visits in first.known.items() if visits == [True])
    return (_Survey(spec, phases, cut) if cut else first).result()


class _Survey:
    """One pass over the most expensive play."""

    def __init__(self, spec: GameSpec, phases: Mapping[str, Phase], cut: frozenset[str]) -> None:
        self.chips = spec.chips
        self.cut = cut  # betting rounds that are played once, with stacks that are known
        self.stacks: list[int] | None = [spec.chips, spec.chips]  # while they are known
        self.known: dict[str, list[bool]] = {}  # for every visit of a betting round, whether known stacks cut it
        self.bets: dict[str, tuple[int, int]] = {}
        self.phases = phases
        self.counts: _Counts = [0] * 5
        self.amounts: set[int] = set()
        self.chosen = False  # whether a player chooses an amount
        self.uneven: list[int] = []  # amounts that enter or leave the pot as a whole, not as two equal halves
        self.short = False  # whether a payment into the pot may be cut short
        self.loops: dict[str, int] = {}  # the most that a seat has paid before a check of the loop
        placed = any(isinstance(phase, Positions) for phase in phases.values())
        self.seats = (
            {"alice": (0,), "bob": (1,)} if placed else {"alice": (0,), "bob": (1,), "leader": (0,), "follower": (1,)}
        )

        for name in spec.sequence:
            self.phase(phases[name])

    def result(self) -> Flow:
        wagers = sum(phase.amount for phase in self.phases.values() if isinstance(phase, SideBet))
        free = self.paid + wagers <= self.chips
        unit = 1 if self.chosen else math.gcd(*self.amounts, 0 if free else self.chips) or 2 * self.chips
        if self.short or any(amount % (2 * unit) for amount in self.uneven):
            unit = unit // 2 if unit % 2 == 0 else 1
        endless = {name for name, paid in self.loops.items() if self.chips - paid > self.phases[name].stop_at}  # type: ignore[union-attr]
        return Flow(free, unit, max(self.counts[_HAND:_TAKEN]), self.counts[_TAKEN], frozenset(endless), self.bets)

    @property
    def paid(self) -> int:
        """The most that a seat has paid."""
        return max(self.counts[_PAID:_HAND])

    def add(self, what: int, player: str, count: int) -> None:
        """Count for a player; for both players if it may be either of them."""
        for seat in self.seats.get(player, (0, 1)):
            self.counts[what + seat] += count

    def chips_move(self, amount: int) -> int:
        """An amount that counts for the unit; no player pays more than all chips."""
        amount = min(amount, 2 * self.chips)
        self.amounts.add(amount)
        return amount

    # phases

    def phase(self, phase: Phase) -> None:
        match phase:
            case Steps():
                self.steps(phase.steps)
            case FixedBetting():
                most, raises = self.bet(phase.name, phase.amount, phase.raises)
                self.add(_PAID, "both", (1 + raises) * self.chips_move(most))
            case VariableBetting():
                self.chosen = True
                self.add(_PAID, "both", self.bet(phase.name, phase.cap or 2 * self.chips, 0)[0])
            case BettingLoop():
                self.loop(phase)
            case ActionRound():
                for _ in range(phase.picks):
                    self.branches([partial(self.option, phase.player, option) for option in phase.options])
            case Simultaneous():
                lists = [*(cell.steps for cell in phase.cells), phase.others]
                self.branches([partial(self.steps, steps) for steps in lists])
            case Auction():
                self.chosen, self.stacks = True, None
                self.add(_PAID, "both", phase.max_bid)
                self.step(phase.prize)
            case SideBet():
                self.chips_move(phase.amount)

    def bet(self, name: str, most: int, raises: int) -> tuple[int, int]:
        """The largest bet and the raises of a betting round; in a round that is cut, only those that stacks can pay."""
        found = whole = min(most, 2 * self.chips), raises
        if self.stacks is not None and self.stacks[0] == self.stacks[1] > 0:
            most = min(most, self.stacks[0])
            found = most, min(raises, (self.stacks[0] - 1) // most)
        self.known.setdefault(name, []).append(found != whole)
        self.stacks = None
        self.bets[name] = found if name in self.cut else whole
        return self.bets[name]

    def loop(self, loop: BettingLoop) -> None:
        """A loop's rounds, and the steps between them."""
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
            self.stacks = None
            self.uneven.append(amount)
            self.add(_PAID, player, amount)
        self.steps(option.steps)

    def branches(self, ways: Sequence[Callable[[], None]]) -> None:
        """One of several ways is taken: the maximum of each count."""
        before, after = self.counts, self.counts
        stacks, left = self.stacks, self.stacks
        for way in ways:
            self.counts, self.stacks = before[:], stacks and stacks[:]
            way()
            after = list(map(max, after, self.counts))
            left = left if left == self.stacks else None
        self.counts, self.stacks = after, left

    # steps

    def steps(self, steps: Sequence[Step]) -> None:
        """Steps in order; antes that follow each other reach the pot together."""
        antes: list[Ante] = []
        for step in steps:
            if isinstance(step, Ante):
                antes.append(step)
                continue
            if antes:
                self.antes(antes)
                antes = []
            self.step(step)
        if antes:
            self.antes(antes)

    def antes(self, antes: Sequence[Ante]) -> None:
        together = 0
        for ante in antes:
            amount = self.chips_move(ante.amount)
            together += amount * (2 if ante.player == "both" else 1)
            self.add(_PAID, ante.player, amount)
            self.ante_known(ante.player, amount)
        self.uneven.append(together)
        self.short |= self.paid > self.chips

    def ante_known(self, player: str, amount: int) -> None:
        """The stacks after an ante, as long as they are known."""
        seats = (0, 1) if player == "both" else self.seats.get(player, ())
        if self.stacks is not None and seats and min(self.stacks) >= amount:
            self.stacks = [stack - amount * (seat in seats) for seat, stack in enumerate(self.stacks)]
        else:
            self.stacks = None

    def step(self, step: Step) -> None:
        if "deck" in step.brings:
            self.counts[_TAKEN] += step.draws
        match step:
            case Deal() | Draw():
                self.add(_HAND, step.player, step.count)
            case Steal():
                self.add(_HAND, step.player, 1)
            case Transfer():
                self.stacks = None
                self.transfer(step)
            case TakePot():
                self.stacks = None
            case Score():
                self.amounts.add(step.amount)
            case If():
                self.branches([partial(self.steps, step.then), partial(self.steps, step.otherwise)])
            case Perform():
                self.phase(self.phases[step.phase])
            case _:
                assert "chips" not in step.brings, f"the canonical form does not know what {type(step).__name__} pays"

    def transfer(self, step: Transfer) -> None:
        amount = self.chips_move(step.amount)
        if step.source != "pot":
            self.add(_PAID, step.source, amount)
        if "pot" in (step.source, step.target):
            self.uneven.append(amount)
            self.short |= step.target == "pot" and self.paid > self.chips
