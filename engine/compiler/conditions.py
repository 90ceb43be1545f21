"""Conditions to jumps: code that falls through when a condition holds and goes to a label when it does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from engine.compiler.assembler import Assembler, Label
from engine.machine import layout as at
from engine.machine.opcodes import Op
from engine.rules import spec as rules

SEAT_OPERANDS: Final = {"alice": 0, "bob": 1, "leader": 2, "follower": 3, "winner": 4, "loser": 5, "pot": 6}
_LOWEST: Final = -(2**31)
_HIGHEST: Final = 2**31 - 1


def lower_condition(asm: Assembler, deck: rules.Deck, condition: rules.Condition, otherwise: Label) -> None:
    """Emit code that goes to `otherwise` unless the condition holds."""
    CONDITION_HANDLERS[type(condition)](asm, deck, condition, otherwise)


def _compare(asm: Assembler, slot: int, seat: int, op: rules.Comparison, value: int, otherwise: Label) -> None:
    """Test a number of the state against a value."""
    assert op in ("<", "<=", "==", ">=", ">")
    low = _LOWEST if op in ("<", "<=") else value + (op == ">")
    high = _HIGHEST if op in (">", ">=") else value - (op == "<")
    asm.test(slot, seat, low, high, otherwise)


def _lower_chips(asm: Assembler, _: rules.Deck, condition: rules.ChipsAre, otherwise: Label) -> None:
    seat = SEAT_OPERANDS[condition.player]
    _compare(asm, at.CHIPS, seat, condition.op, condition.value, otherwise)


def _lower_pot(asm: Assembler, _: rules.Deck, condition: rules.PotIs, otherwise: Label) -> None:
    _compare(asm, at.POT, 0, condition.op, condition.value, otherwise)


def _lower_deck_size(asm: Assembler, _: rules.Deck, condition: rules.DeckSizeIs, otherwise: Label) -> None:
    _compare(asm, at.DECK_N, 0, condition.op, condition.value, otherwise)


def _lower_hand_size(asm: Assembler, _: rules.Deck, condition: rules.HandSizeIs, otherwise: Label) -> None:
    seat = SEAT_OPERANDS[condition.player]
    _compare(asm, at.HAND_N, seat, condition.op, condition.value, otherwise)


def _lower_variable(asm: Assembler, _: rules.Deck, condition: rules.VariableIs, otherwise: Label) -> None:
    slot = at.VARIABLES + asm.variables[condition.variable]
    _compare(asm, slot, 0, condition.op, condition.value, otherwise)


def _lower_leads(asm: Assembler, _: rules.Deck, condition: rules.Leads, otherwise: Label) -> None:
    seat = SEAT_OPERANDS[condition.seat]
    asm.test(at.SEATS + 2, 0, seat, seat, otherwise)


def _lower_higher(asm: Assembler, _: rules.Deck, condition: rules.HasHigherCard, otherwise: Label) -> None:
    asm.emit(Op.TEST_HIGHER, SEAT_OPERANDS[condition.player], otherwise)


def _lower_hand_ranks(asm: Assembler, deck: rules.Deck, condition: rules.HoldsRank, otherwise: Label) -> None:
    _lower_ranks(asm, deck, at.RANKS, SEAT_OPERANDS[condition.player], condition.ranks, otherwise)


def _lower_board_ranks(asm: Assembler, deck: rules.Deck, condition: rules.BoardHasRank, otherwise: Label) -> None:
    _lower_ranks(asm, deck, at.BOARD_RANKS, 0, condition.ranks, otherwise)


def _lower_suit(asm: Assembler, deck: rules.Deck, condition: rules.HoldsSuit, otherwise: Label) -> None:
    asm.emit(Op.TEST_SUIT, SEAT_OPERANDS[condition.player], deck.suits.index(condition.suit), otherwise)


def _lower_all(asm: Assembler, deck: rules.Deck, condition: rules.All, otherwise: Label) -> None:
    for part in condition.conditions:
        lower_condition(asm, deck, part, otherwise)


def _lower_not(asm: Assembler, deck: rules.Deck, condition: rules.Not, otherwise: Label) -> None:
    fails = asm.label()
    lower_condition(asm, deck, condition.condition, fails)
    asm.jump(otherwise)
    asm.place(fails)


def _lower_ranks(
    asm: Assembler, deck: rules.Deck, slot: int, seat: int, ranks: tuple[int, ...], otherwise: Label
) -> None:
    """Test packed rank counts against a mask with all four bits of every wanted rank."""
    mask = 0
    for rank in ranks:
        mask |= 15 << (4 * deck.ranks.index(rank))
    asm.emit(Op.TEST_RANKS, slot, seat, mask & (1 << 30) - 1, mask >> 30, otherwise)


def _lower_any(asm: Assembler, deck: rules.Deck, condition: rules.AnyOf, otherwise: Label) -> None:
    """The first part that holds is enough."""
    holds = asm.label()
    for part in condition.conditions[:-1]:
        following = asm.label()
        lower_condition(asm, deck, part, following)
        asm.jump(holds)
        asm.place(following)
    lower_condition(asm, deck, condition.conditions[-1], otherwise)
    asm.place(holds)


CONDITION_HANDLERS: Final[dict[type, Callable[[Assembler, rules.Deck, Any, Label], None]]] = {
    rules.ChipsAre: _lower_chips,
    rules.PotIs: _lower_pot,
    rules.DeckSizeIs: _lower_deck_size,
    rules.HandSizeIs: _lower_hand_size,
    rules.VariableIs: _lower_variable,
    rules.Leads: _lower_leads,
    rules.HasHigherCard: _lower_higher,
    rules.HoldsRank: _lower_hand_ranks,
    rules.BoardHasRank: _lower_board_ranks,
    rules.HoldsSuit: _lower_suit,
    rules.InProgress: lambda _asm, _deck, _condition, _otherwise: None,
    rules.All: _lower_all,
    rules.AnyOf: _lower_any,
    rules.Not: _lower_not,
}
