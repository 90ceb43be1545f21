"""Conditions to jumps: code that falls through when a condition holds and goes to a label when it does not."""

from __future__ import annotations

from typing import Final

from antemill.engine.compiler import assembler as code
from antemill.engine.compiler.assembler import Assembler, emit, label, then
from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.opcodes import Op
from antemill.engine.rules.table import columns as of
from antemill.engine.rules.table.columns import NONE, Table

LOWEST: Final = -(2**31)
HIGHEST: Final = 2**31 - 1


@kernel
def lower_condition(asm: Assembler, table: Table, node: int, otherwise: int) -> None:
    """Emit or request code that goes to the label `otherwise` unless the condition holds."""
    row = table.nodes[node]
    kind = row[of.KIND]
    if kind == of.CHIPS_ARE:
        _compare(asm, at.CHIPS, row[of.CHIPS_ARE_PLAYER], row[of.CHIPS_ARE_OP], row[of.CHIPS_ARE_VALUE], otherwise)
    elif kind == of.POT_IS:
        _compare(asm, at.POT, 0, row[of.POT_IS_OP], row[of.POT_IS_VALUE], otherwise)
    elif kind == of.DECK_SIZE_IS:
        _compare(asm, at.DECK_N, 0, row[of.DECK_SIZE_IS_OP], row[of.DECK_SIZE_IS_VALUE], otherwise)
    elif kind == of.VARIABLE_IS:
        slot = at.VARIABLES + row[of.VARIABLE_IS_VARIABLE]
        _compare(asm, slot, 0, row[of.VARIABLE_IS_OP], row[of.VARIABLE_IS_VALUE], otherwise)
    elif kind == of.LEADS:
        emit(asm, Op.TEST, at.SEATS + 2, 0, row[of.LEADS_SEAT], row[of.LEADS_SEAT], otherwise)
    elif kind == of.BOARD_HAS_RANK:
        _test_ranks(asm, at.BOARD_RANKS, 0, row[of.BOARD_HAS_RANK_RANKS], otherwise)
    elif kind == of.ALL:
        _all(asm, table, row[of.ALL_CONDITIONS], otherwise)
    elif kind == of.ANY_OF:
        _any(asm, table, row[of.ANY_OF_CONDITIONS], otherwise)
    elif kind == of.NOT:
        fails = label(asm)
        then(asm, code.CONDITION, row[of.NOT_CONDITION], fails)
        then(asm, Op.JUMP, otherwise)
        then(asm, code.PLACE, fails)
    elif kind != of.IN_PROGRESS:  # that one always holds
        asm.counts[code.HIDDEN] = 1
        _lower_hidden(asm, table, node, otherwise)


@kernel
def _lower_hidden(asm: Assembler, table: Table, node: int, otherwise: int) -> None:
    """The conditions that depend on a hand, its size or its cards."""
    row = table.nodes[node]
    kind = row[of.KIND]
    if kind == of.HAND_SIZE_IS:
        seat, op, value = row[of.HAND_SIZE_IS_PLAYER], row[of.HAND_SIZE_IS_OP], row[of.HAND_SIZE_IS_VALUE]
        _compare(asm, at.HAND_N, seat, op, value, otherwise)
    elif kind == of.HAS_HIGHER_CARD:
        emit(asm, Op.TEST_HIGHER, row[of.HAS_HIGHER_CARD_PLAYER], otherwise)
    elif kind == of.HOLDS_RANK:
        _test_ranks(asm, at.RANKS, row[of.HOLDS_RANK_PLAYER], row[of.HOLDS_RANK_RANKS], otherwise)
    elif kind == of.HOLDS_SUIT:
        emit(asm, Op.TEST_SUIT, row[of.HOLDS_SUIT_PLAYER], row[of.HOLDS_SUIT_SUIT], otherwise)
    else:
        asm.counts[code.ASTRAY] = 1


@kernel
def _compare(asm: Assembler, slot: int, seat: int, op: int, value: int, otherwise: int) -> None:
    """Test a number of the state against a value."""
    low = LOWEST if op == of.LESS or op == of.AT_MOST else value + int(op == of.MORE)
    high = HIGHEST if op == of.MORE or op == of.AT_LEAST else value - int(op == of.LESS)
    emit(asm, Op.TEST, slot, seat, low, high, otherwise)


@kernel
def _test_ranks(asm: Assembler, slot: int, seat: int, ranks: int, otherwise: int) -> None:
    """Test packed rank counts against a mask with all four bits of every wanted rank."""
    mask, place = 0, 0
    while ranks >> place:
        mask |= (ranks >> place & 1) * 15 << 4 * place
        place += 1
    emit(asm, Op.TEST_RANKS, slot, seat, mask & (1 << 30) - 1, mask >> 30, otherwise)


@kernel
def _all(asm: Assembler, table: Table, part: int, otherwise: int) -> None:
    """A condition of which every part must hold."""
    while part != NONE:
        then(asm, code.CONDITION, part, otherwise)
        part = table.nodes[part, of.NEXT]


@kernel
def _any(asm: Assembler, table: Table, part: int, otherwise: int) -> None:
    """A condition of which one part must hold."""
    holds = label(asm)
    while part != NONE:
        following = table.nodes[part, of.NEXT]
        fails = otherwise if following == NONE else label(asm)
        then(asm, code.CONDITION, part, fails)
        if following != NONE:
            then(asm, Op.JUMP, holds)
            then(asm, code.PLACE, fails)
        part = following
    then(asm, code.PLACE, holds)
