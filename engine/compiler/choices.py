"""Choices to instructions: menus, amounts, and whole betting rounds.

A betting round's code depends on its shape alone, and a generated game has many of them: each shape is lowered once.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from engine.compiler.assembler import Assembler, Label, Stamp
from engine.machine.opcodes import RAISE_NEEDS, Mode, Op

_OPPOSITE: Final = 1  # seat operands come in pairs: the opponent's is the operand with the lowest bit flipped


def choose(
    asm: Assembler,
    seat: int,
    phase: str,
    move_type: str,
    entries: list[tuple[str, int, Label]],
    mode: Mode = Mode.PUBLIC,
) -> int:
    """Stop for a choice among (name, chips needed, target) entries; returns the decision type."""
    labels = tuple([name for name, _, _ in entries])
    decision, stride = asm.decision(seat, phase, move_type, "/".join(labels), labels)
    menu = asm.table([len(entries)] + [word for _, needs, target in entries for word in (needs, target)])
    asm.emit(Op.CHOOSE, seat, decision, stride, menu, int(mode), asm.phase(phase))
    return decision


def amount(asm: Assembler, seat: int, phase: str, move: str, low: int, high: int, mode: Mode = Mode.PUBLIC) -> int:
    """Stop for an amount of chips from low to high, or to the stack; returns the decision type."""
    decision, stride = asm.decision(seat, phase, move, move, (), low, high)
    asm.emit(Op.AMOUNT, seat, decision, stride, low, high, int(mode), asm.phase(phase))
    return decision


@lru_cache(maxsize=1024)
def betting_round(opener: int, size: int | None, raises: int, most: int) -> Stamp:
    """One betting round: the opener bets or checks; the other answers, or bets or checks in turn.

    size None: the bettor chooses an amount up to `most`. Otherwise bets and raises have this size.
    """
    asm = Assembler()
    end = asm.label()

    def offer(seat: int, phase: str, answer_phase: str) -> Label:
        """Bet or check; a bet is answered by the other player. Returns where a check goes on."""
        bet, check = asm.label(), asm.label()
        choose(asm, seat, phase, "choose", [("bet", 1, bet), ("check", 0, check)])
        asm.place(bet)
        if size is None:
            amount(asm, seat, phase, "wager", 1, most)
        asm.emit(Op.BET, seat, -1 if size is None else size)
        answer(seat ^ _OPPOSITE, answer_phase, 0)
        return check

    def answer(seat: int, phase: str, made: int) -> None:
        """Fold, call, or raise after `made` raises."""
        fold, call, more = asm.label(), asm.label(), asm.label()
        entries = [("fold", 0, fold), ("call", 0, call)]
        if made < raises:
            entries.append(("raise", RAISE_NEEDS, more))
        choose(asm, seat, phase, "choose", entries)
        asm.place(fold)
        asm.emit(Op.FOLD)
        asm.place(call)
        asm.emit(Op.MATCH, seat)
        asm.jump(end)
        if made < raises:
            asm.place(more)
            asm.emit(Op.RAISE, seat, size or 0)
            answer(seat ^ _OPPOSITE, f": raise {made + 1}", made + 1)

    asm.place(offer(opener, "", ": fold or call"))
    asm.place(offer(opener ^ _OPPOSITE, ": bet or check", ": fold or call, responding"))
    asm.place(end)
    return asm.as_stamp()
