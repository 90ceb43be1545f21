"""Conditions to jumps: code that falls through when a condition holds and goes to a label when it does not."""

from __future__ import annotations

from collections.abc import Callable

from engine.compiler.assembler import Assembler, Label
from engine.machine import layout as at
from engine.machine.opcodes import Op
from engine.rules import spec as rules

SEAT_OPERANDS = {"alice": 0, "bob": 1, "leader": 2, "follower": 3, "winner": 4, "loser": 5, "pot": 6}
_LOWEST, _HIGHEST = -(2**31), 2**31 - 1
_RANGE: dict[str, Callable[[int], tuple[int, int]]] = {
    "<": lambda v: (_LOWEST, v - 1),
    "<=": lambda v: (_LOWEST, v),
    "==": lambda v: (v, v),
    ">=": lambda v: (v, _HIGHEST),
    ">": lambda v: (v + 1, _HIGHEST),
}


def lower_condition(asm: Assembler, deck: rules.Deck, condition: rules.Condition, otherwise: Label) -> None:
    """Emit code that goes to `otherwise` unless the condition holds."""
    match condition:
        case rules.ChipsAre(player, op, value):
            asm.emit(Op.TEST, at.CHIPS, SEAT_OPERANDS[player], *_RANGE[op](value), otherwise)
        case rules.PotIs(op, value):
            asm.emit(Op.TEST, at.POT, 0, *_RANGE[op](value), otherwise)
        case rules.DeckSizeIs(op, value):
            asm.emit(Op.TEST, at.DECK_N, 0, *_RANGE[op](value), otherwise)
        case rules.HandSizeIs(player, op, value):
            asm.emit(Op.TEST, at.HAND_N, SEAT_OPERANDS[player], *_RANGE[op](value), otherwise)
        case rules.VariableIs(variable, op, value):
            asm.emit(Op.TEST, at.VARIABLES + asm.variables[variable], 0, *_RANGE[op](value), otherwise)
        case rules.Leads(seat):
            asm.emit(Op.TEST, at.SEATS + 2, 0, SEAT_OPERANDS[seat], SEAT_OPERANDS[seat], otherwise)
        case rules.HasHigherCard(player):
            asm.emit(Op.TEST_HIGHER, SEAT_OPERANDS[player], otherwise)
        case rules.HoldsRank(player, ranks):
            _lower_ranks(asm, deck, at.RANKS, SEAT_OPERANDS[player], ranks, otherwise)
        case rules.BoardHasRank(ranks):
            _lower_ranks(asm, deck, at.BOARD_RANKS, 0, ranks, otherwise)
        case rules.HoldsSuit(player, suit):
            asm.emit(Op.TEST_SUIT, SEAT_OPERANDS[player], deck.suits.index(suit), otherwise)
        case rules.InProgress():
            pass
        case rules.All(conditions):
            for part in conditions:
                lower_condition(asm, deck, part, otherwise)
        case rules.AnyOf(conditions):
            _lower_any(asm, deck, conditions, otherwise)
        case rules.Not(inner):
            fails = asm.label()
            lower_condition(asm, deck, inner, fails)
            asm.emit(Op.JUMP, otherwise)
            asm.place(fails)


def _lower_ranks(
    asm: Assembler, deck: rules.Deck, slot: int, seat: int, ranks: tuple[int, ...], otherwise: Label
) -> None:
    """Test packed rank counts against a mask with all four bits of every wanted rank."""
    mask = 0
    for rank in ranks:
        mask |= 15 << (4 * deck.ranks.index(rank))
    asm.emit(Op.TEST_RANKS, slot, seat, mask & (1 << 30) - 1, mask >> 30, otherwise)


def _lower_any(asm: Assembler, deck: rules.Deck, conditions: tuple[rules.Condition, ...], otherwise: Label) -> None:
    """The first part that holds is enough."""
    holds = asm.label()
    for part in conditions[:-1]:
        following = asm.label()
        lower_condition(asm, deck, part, following)
        asm.emit(Op.JUMP, holds)
        asm.place(following)
    lower_condition(asm, deck, conditions[-1], otherwise)
    asm.place(holds)
