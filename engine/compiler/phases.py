"""Phase templates to instructions: betting, action, simultaneous, auction, observation, position, side bet,
showdown.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from engine.compiler.assembler import Label
from engine.compiler.choices import amount, betting_round, choose
from engine.compiler.conditions import SEAT_OPERANDS, lower_condition
from engine.compiler.steps import Lowering, sight
from engine.machine import layout as at
from engine.machine.events import Chance, ChipReason
from engine.machine.opcodes import Criterion, Look, Metric, Mode, Op
from engine.rules import spec as rules
from engine.rules.walk import FALLBACK

_CRITERIA: Final = {
    "most-chips": Criterion.MOST_CHIPS,
    "fewest-chips": Criterion.FEWEST_CHIPS,
    "higher-card": Criterion.HIGHER_CARD,
    "lower-card": Criterion.LOWER_CARD,
    "random": Criterion.RANDOM,
    "alternate": Criterion.ALTERNATE,
}
_METRICS: Final = {
    "high": Metric.HIGH,
    "low": Metric.LOW,
    "sum": Metric.SUM,
    "suits": Metric.SUITS,
    "pairs": Metric.PAIRS,
}
_LOOKS: Final = {
    ("opponent-card", "card"): Look.OPPONENT_CARD,
    ("opponent-card", "suit"): Look.OPPONENT_SUIT,
    ("deck-card", "card"): Look.DECK_CARD,
    ("deck-card", "suit"): Look.DECK_SUIT,
    ("opponent-hand", "top-rank"): Look.TOP_RANK,
    ("opponent-hand", "size"): Look.SIZE,
}
_POT: Final = SEAT_OPERANDS["pot"]
_BIG: Final = 2**31 - 1


def _fixed_betting(self: Lowering, phase: rules.FixedBetting) -> None:
    self.asm.repeat(betting_round(SEAT_OPERANDS[phase.opener], phase.amount, phase.raises, 0), phase.name)


def _variable_betting(self: Lowering, phase: rules.VariableBetting) -> None:
    opener = SEAT_OPERANDS[phase.opener]
    most = min(2 * self.spec.chips, phase.cap or _BIG)

    def affordable(fails: Label) -> None:
        for seat in (0, 1):
            self.asm.test(at.CHIPS, seat, 1, _BIG, fails)

    self.branch(
        affordable,
        lambda: self.asm.repeat(betting_round(opener, None, 0, most), phase.name),
        lambda: self.asm.repeat(betting_round(opener, phase.fallback, 0, 0), phase.name + FALLBACK),
        public=True,
        hidden=False,
    )


def _betting_loop(self: Lowering, phase: rules.BettingLoop) -> None:
    asm = self.asm
    counter = asm.variables[phase.counter]
    slot = at.VARIABLES + counter
    top, end, count = self.asm.label(), self.asm.label(), self.asm.label()
    asm.emit(Op.SET, counter, 0)
    asm.place(top)
    asm.test(slot, 0, 0, phase.cap - 1, end)
    for seat in (0, 1):
        asm.test(at.CHIPS, seat, phase.stop_at + 1, _BIG, end)
    if phase.between:
        first = self.asm.label()
        asm.test(slot, 0, 1, _BIG, first)
        self.steps(phase.between)
        asm.place(first)
    for i, name in enumerate(phase.rounds[:-1]):
        other = self.asm.label()
        asm.test(slot, 0, i, i, other)
        self.perform(name)
        asm.jump(count)
        asm.place(other)
    self.perform(phase.rounds[-1])
    asm.place(count)
    asm.emit(Op.ADD, counter, 1)
    asm.jump(top)
    asm.place(end)


def _action_round(self: Lowering, phase: rules.ActionRound) -> None:
    if phase.picks == 1:
        _one_pick(self, phase)
        return
    body, end = self.asm.label(), self.asm.label()
    for _ in range(phase.picks):
        self.asm.emit(Op.CALL, body)
    self.asm.jump(end)
    self.asm.place(body)
    _one_pick(self, phase)
    self.asm.emit(Op.RETURN)
    self.asm.place(end)


def _one_pick(self: Lowering, phase: rules.ActionRound) -> None:
    seat, mode, end = SEAT_OPERANDS[phase.player], Mode.PUBLIC if phase.public else Mode.PRIVATE, self.asm.label()
    entries = [(option.name, _needs(option), self.asm.label()) for option in phase.options]
    choose(self.asm, seat, phase.name, "choose", entries, mode)
    for option, (_, _, target) in zip(phase.options, entries):
        self.asm.place(target)
        _option(self, seat, option, mode, end)
    self.asm.place(end)


def _needs(option: rules.Option) -> int:
    """Chips that a player must have to be offered the option: its stated cost."""
    return option.cost.amount if option.cost and option.cost.odds is None else 0


def _option(self: Lowering, seat: int, option: rules.Option, mode: Mode, end: Label) -> None:
    skip = self.asm.label()
    if option.cost and option.cost.odds:
        k, n = option.cost.odds
        self.asm.emit(Op.ASK_ODDS, seat, n)
        self.asm.emit(Op.COST, seat, option.cost.amount, k, int(mode == Mode.PRIVATE), skip)
    elif option.cost:
        self.pay(seat, _POT, option.cost.amount, ChipReason.COST)
    self.steps(option.steps)
    self.asm.place(skip)
    self.asm.jump(end)


def _simultaneous(self: Lowering, phase: rules.Simultaneous) -> None:
    asm, end, others = self.asm, self.asm.label(), self.asm.label()
    decisions = []
    for seat, options in enumerate((phase.alice_options, phase.bob_options)):
        following = self.asm.label()
        entries = [(name, 0, following) for name in options]
        decisions.append(choose(asm, seat, phase.name, "simultaneous", entries, Mode.LOCK))
        asm.place(following)
    cells = {(cell.alice, cell.bob): (self.asm.label(), cell.steps) for cell in phase.cells}
    default = (others, phase.others)
    table = asm.table([cells.get((a, b), default)[0] for a in phase.alice_options for b in phase.bob_options])
    asm.emit(Op.REVEALS, *decisions)
    asm.emit(Op.MATRIX, table, len(phase.bob_options))
    for target, steps in (*cells.values(), default):
        asm.place(target)
        self.steps(steps)
        asm.jump(end)
    asm.place(end)


def _auction(self: Lowering, phase: rules.Auction) -> None:
    end = self.asm.label()
    most = min(2 * self.spec.chips, phase.max_bid)
    bids = [amount(self.asm, seat, phase.name, "bid", 0, most, Mode.LOCK) for seat in (0, 1)]
    self.asm.emit(Op.REVEALS, *bids)
    self.asm.emit(Op.BIDS, end)
    self.asm.emit(Op.WINNER, 0 if isinstance(phase.prize, rules.Draw) else 1, end)
    self.steps((phase.prize,))
    self.asm.place(end)


def _observation(self: Lowering, phase: rules.Observation) -> None:
    if phase.trigger is None:
        _observe(self, phase)
    else:
        self.branch_on(phase.trigger, phase.trigger_public, lambda: _observe(self, phase))


def _observe(self: Lowering, phase: rules.Observation) -> None:
    seat, number, visibility = SEAT_OPERANDS[phase.viewer], self.number[phase.name], sight(phase.visibility)
    look = int(_LOOKS[phase.subject, phase.signal])
    empty = self.asm.label()
    if phase.subject == "opponent-card":
        self.asm.emit(Op.ASK_HAND, int(Chance.OBSERVE), seat, 1, empty)
    elif phase.subject == "deck-card":
        self.asm.emit(Op.ASK_DECK, int(Chance.OBSERVE), seat, empty)
    self.asm.emit(Op.OBSERVE, seat, number, look, visibility)
    if phase.subject != "opponent-hand":
        self.asm.place(empty)
        self.asm.emit(Op.OBSERVE, seat, number, int(Look.NOTHING), visibility)


def _positions(self: Lowering, phase: rules.Positions) -> None:
    self.asm.emit(Op.RANK_SEATS, int(_CRITERIA[phase.criterion]))
    self.asm.emit(Op.LEAD, self.number[phase.name])


def _side_bet(self: Lowering, phase: rules.SideBet) -> None:
    seat, take, end = SEAT_OPERANDS[phase.player], self.asm.label(), self.asm.label()
    choose(self.asm, seat, phase.name, "choose", [("take", phase.amount, take), ("pass", 0, end)])
    self.asm.place(take)
    self.asm.emit(Op.TAKE_SIDE, self.side_bets.index(phase), seat)
    self.asm.place(end)


def _showdown(self: Lowering, phase: rules.Showdown) -> None:
    self.asm.emit(Op.SHOW)
    for index, bet in enumerate(self.side_bets):
        lost, end = self.asm.label(), self.asm.label()
        self.asm.test(at.SIDE_BETS + index, 0, 1, 2, end)
        lower_condition(self.asm, self.spec.deck, bet.condition, lost)
        self.asm.emit(Op.SETTLE, index, self.number[bet.name], bet.amount, 1)
        self.asm.jump(end)
        self.asm.place(lost)
        self.asm.emit(Op.SETTLE, index, self.number[bet.name], bet.amount, 0)
        self.asm.place(end)
    self.asm.emit(Op.AWARD, int(_METRICS[phase.metric]), int(phase.board))
    self.asm.emit(Op.ODD)


PHASE_HANDLERS: Final[dict[type, Callable[[Lowering, Any], None]]] = {
    rules.Steps: lambda self, phase: self.steps(phase.steps),
    rules.FixedBetting: _fixed_betting,
    rules.VariableBetting: _variable_betting,
    rules.BettingLoop: _betting_loop,
    rules.ActionRound: _action_round,
    rules.Simultaneous: _simultaneous,
    rules.Auction: _auction,
    rules.Observation: _observation,
    rules.Positions: _positions,
    rules.SideBet: _side_bet,
    rules.Showdown: _showdown,
}
