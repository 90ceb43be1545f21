"""Choices to instructions: menus, amounts, and whole betting rounds."""

from __future__ import annotations

from typing import Final

from antemill.engine.compiler import assembler as code
from antemill.engine.compiler.assembler import Assembler, decision, emit, jump, label, new_table, place, sub_phase, word
from antemill.engine.kernel import kernel
from antemill.engine.machine.opcodes import RAISE_NEEDS, Mode, Op
from antemill.engine.rules.table.columns import NONE

_OPPOSITE: Final = 1  # seat operands come in pairs: the opponent's is the operand with the lowest bit flipped
# The sub-phases of a betting round: 0 is the round itself, i + 1 the one at index i of `decision_phases`. So the answer
# to raise i is `CHECK_ANSWERED` + i. The fallback of a variable round has sub-phases of its own, numbered from
# `FALLBACK` on. In other kinds these numbers mean raises: a kind with raises and a fallback would need other numbers.
OPENED, BET_ANSWERED, CHECKED, CHECK_ANSWERED, FALLBACK = range(5)


@kernel
def entry(asm: Assembler, needs: int, target: int) -> None:
    """Write an entry of a menu: the chips that it needs, and its target label."""
    word(asm, needs)
    word(asm, target)


@kernel
def choose(asm: Assembler, seat: int, phase: int, move: int, menu: int, mode: int) -> int:
    """Stop for a choice from a menu, a table of the number of entries and the entries; returns the decision type."""
    number, stride = decision(asm, seat, phase, move)
    emit(asm, Op.CHOOSE, seat, number, stride, menu, mode, phase)
    return number


@kernel
def choose_of_two(asm: Assembler, seat: int, phase: int, move: int, needs: int, target: int, other: int) -> None:
    """Choose in public between an action that needs chips and one that needs none."""
    menu = new_table(asm)
    word(asm, 2)
    entry(asm, needs, target)
    entry(asm, 0, other)
    choose(asm, seat, phase, move, menu, Mode.PUBLIC)


@kernel
def amount(asm: Assembler, seat: int, phase: int, move: int, low: int, high: int, mode: int) -> int:
    """Stop for an amount of chips from low to high, or to the stack; returns the decision type."""
    number, stride = decision(asm, seat, phase, move, low, high)
    emit(asm, Op.AMOUNT, seat, number, stride, low, high, mode, phase)
    return number


@kernel
def betting_round(asm: Assembler, phase: int, which: int, opener: int, size: int, raises: int, most: int) -> None:
    """One betting round: the opener bets or checks; the other answers, or bets or checks in turn.

    which: 0, or `FALLBACK`, which has no raises. size `NONE`: the bettor chooses an amount up to `most`. Otherwise bets
    and raises have this size.
    """
    end = label(asm)
    check = _offer(asm, phase, which + OPENED, which + BET_ANSWERED, opener, size, raises, most, end)
    place(asm, check)
    other = opener ^ _OPPOSITE
    check = _offer(asm, phase, which + CHECKED, which + CHECK_ANSWERED, other, size, raises, most, end)
    place(asm, check)
    place(asm, end)


@kernel
def _offer(
    asm: Assembler, phase: int, offered: int, answered: int, seat: int, size: int, raises: int, most: int, end: int
) -> int:
    """Bet or check; the other player answers a bet. Returns the label at which a check goes on."""
    bet, check, number = label(asm), label(asm), sub_phase(asm, phase, offered)
    choose_of_two(asm, seat, number, code.BET_OR_CHECK, 1, bet, check)
    place(asm, bet)
    if size == NONE:
        amount(asm, seat, number, code.WAGER, 1, most, Mode.PUBLIC)
    emit(asm, Op.BET, seat, size)
    for made in range(raises + 1):
        seat ^= _OPPOSITE
        number = sub_phase(asm, phase, answered if made == 0 else CHECK_ANSWERED + made)
        _answer(asm, seat, number, made < raises, size, end)
    return check


@kernel
def _answer(asm: Assembler, seat: int, phase: int, may_raise: bool, size: int, end: int) -> None:
    """Fold, call, or raise; the following code goes on after a raise."""
    fold, call, more = label(asm), label(asm), label(asm)
    menu = new_table(asm)
    word(asm, 2 + int(may_raise))
    entry(asm, 0, fold)
    entry(asm, 0, call)
    if may_raise:
        entry(asm, RAISE_NEEDS, more)
    choose(asm, seat, phase, code.FOLD_CALL_OR_RAISE if may_raise else code.FOLD_OR_CALL, menu, Mode.PUBLIC)
    place(asm, fold)
    emit(asm, Op.FOLD)
    place(asm, call)
    emit(asm, Op.MATCH, seat)
    jump(asm, end)
    if may_raise:
        place(asm, more)
        emit(asm, Op.RAISE, seat, size)
