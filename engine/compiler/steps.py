"""Steps to instructions. The rules are those of `antemill.engine.rules.spec`, word for word.

The words of the rules have the same numbers as the machine's operands: players are its seats, visibilities its
`Visibility`, and so on.
"""

from __future__ import annotations

from typing import Final

from antemill.engine.compiler import assembler as code
from antemill.engine.compiler.assembler import Assembler, emit, label, place, text, then
from antemill.engine.kernel import kernel
from antemill.engine.machine.events import Chance, ChipReason
from antemill.engine.machine.opcodes import Op, Tell
from antemill.engine.rules.table import columns as of
from antemill.engine.rules.table.columns import NONE, Table

_NOTHING_TO_REVEAL: Final = 3


@kernel
def steps(asm: Assembler, table: Table, first: int) -> None:
    """Request a list of steps."""
    while first != NONE:
        then(asm, code.STEP, first)
        first = table.nodes[first, of.NEXT]


@kernel
def lower_step(asm: Assembler, table: Table, node: int) -> None:
    """Emit a step's code, or request it."""
    row = table.nodes[node]
    kind = row[of.KIND]
    if kind == of.IF:
        lower_if(asm, node, row[of.IF_CONDITION])
    elif kind == of.PERFORM:
        then(asm, code.PERFORM, row[of.PERFORM_PHASE])
    elif kind == of.ANNOUNCE:
        emit(asm, Op.ANNOUNCE, text(asm, row[of.ANNOUNCE_TEXT]))
    elif kind == of.ADD_TO_VARIABLE:
        emit(asm, Op.ADD, row[of.ADD_TO_VARIABLE_VARIABLE], row[of.ADD_TO_VARIABLE_AMOUNT])
    elif kind == of.SHUFFLE:
        emit(asm, Op.SHUFFLE, row[of.SHUFFLE_DISCARD_PILE])
    elif kind == of.SCORE:
        emit(asm, Op.SCORE, row[of.SCORE_PLAYER], row[of.SCORE_AMOUNT])
    elif kind == of.END_GAME:
        _end_game(asm, row[of.END_GAME_WINNER])
    elif kind == of.ANTE or kind == of.TRANSFER or kind == of.TAKE_POT:
        _lower_payment(asm, table, node)
    elif kind == of.DEAL or kind == of.DRAW or kind == of.DEAL_BOARD:
        _lower_cards(asm, table, node)
    elif kind != of.NO_ACTION:
        _lower_hand(asm, table, node)


@kernel
def lower_if(asm: Assembler, node: int, condition: int) -> None:
    """A numbered conditional. Its branches come after its condition, which shows whether it depends on hidden cards."""
    fails = label(asm)
    asm.counts[code.HIDDEN] = 0
    then(asm, code.CONDITION, condition, fails)
    then(asm, code.BRANCH, node, fails)


@kernel
def _end_game(asm: Assembler, winner: int) -> None:
    if winner == NONE:
        emit(asm, Op.SPLIT)
        emit(asm, Op.ODD)
    else:
        emit(asm, Op.WIN, winner)


@kernel
def pay(asm: Assembler, source: int, target: int, amount: int, reason: int) -> None:
    """Move chips between accounts; "both" is Alice, then Bob."""
    if source == of.BOTH:
        emit(asm, Op.PAY, of.ALICE, target, amount, reason)
        source = of.BOB
    emit(asm, Op.PAY, source, target, amount, reason)


@kernel
def _lower_payment(asm: Assembler, table: Table, node: int) -> None:
    """Steps that move chips."""
    row = table.nodes[node]
    if row[of.KIND] == of.ANTE:
        pay(asm, row[of.ANTE_PLAYER], of.POT, row[of.ANTE_AMOUNT], ChipReason.ANTE)
    elif row[of.KIND] == of.TRANSFER:
        source, target = row[of.TRANSFER_SOURCE], row[of.TRANSFER_TARGET]
        pay(asm, source, target, row[of.TRANSFER_AMOUNT], ChipReason.TRANSFER)
    else:
        emit(asm, Op.TAKE_POT, row[of.TAKE_POT_PLAYER])


@kernel
def _lower_cards(asm: Assembler, table: Table, node: int) -> None:
    """Steps that take cards from the deck."""
    row = table.nodes[node]
    if row[of.KIND] == of.DEAL_BOARD:
        _turn(asm, row[of.DEAL_BOARD_COUNT])
    elif row[of.KIND] == of.DEAL:
        _take_cards(asm, row[of.DEAL_PLAYER], row[of.DEAL_COUNT], Tell.DEAL)
    else:
        tell = Tell.DRAW_PUBLIC + row[of.DRAW_VISIBILITY]
        _take_cards(asm, row[of.DRAW_PLAYER], row[of.DRAW_COUNT], tell)


@kernel
def _take_cards(asm: Assembler, player: int, count: int, tell: int) -> None:
    """Move up to `count` deck cards to a hand, told as one event; "both" is Alice, then Bob."""
    both = player == of.BOTH
    for seat in range(of.ALICE if both else player, of.LEADER if both else player + 1):
        empty = label(asm)
        for i in range(count):
            emit(asm, Op.PICK, empty)
            emit(asm, Op.TAKE, seat, tell if i == count - 1 else Tell.NOT_YET, 1)
        place(asm, empty)
        emit(asm, Op.TAKE, seat, tell, 0)


@kernel
def _turn(asm: Assembler, count: int) -> None:
    """Move up to `count` deck cards to the board, told as one event."""
    empty = label(asm)
    for i in range(count):
        emit(asm, Op.PICK, empty)
        emit(asm, Op.TURN, int(i == count - 1), 1)
    place(asm, empty)
    emit(asm, Op.TURN, 1, 0)


@kernel
def _lower_hand(asm: Assembler, table: Table, node: int) -> None:
    """Steps with a random or a certain card of a hand: the action with a card, then the one for an empty hand."""
    row = table.nodes[node]
    kind, empty = row[of.KIND], label(asm)
    if kind == of.PEEK:
        seat, sight = row[of.PEEK_PLAYER], row[of.PEEK_VISIBILITY]
        emit(asm, Op.ASK_HAND, Chance.PEEK, seat, 1, empty)
        emit(asm, Op.PEEK, seat, sight, 1)
        place(asm, empty)
        emit(asm, Op.PEEK, seat, sight, 0)
    elif kind == of.SWAP:
        seat = row[of.SWAP_PLAYER]
        emit(asm, Op.ASK_SWAP, seat, empty)
        emit(asm, Op.HOLD, seat)
        emit(asm, Op.SWAP, seat, 1)
        place(asm, empty)
        emit(asm, Op.SWAP, seat, 0)
    elif kind == of.STEAL:
        seat = row[of.STEAL_PLAYER]
        emit(asm, Op.ASK_HAND, Chance.STEAL, seat, 1, empty)
        emit(asm, Op.STEAL, seat, 1)
        place(asm, empty)
        emit(asm, Op.STEAL, seat, 0)
    elif kind == of.DISCARD:
        seat, which = row[of.DISCARD_PLAYER], row[of.DISCARD_WHICH]
        if which == of.DISCARD_RANDOM:
            emit(asm, Op.ASK_HAND, Chance.DISCARD, seat, 0, empty)
        emit(asm, Op.DISCARD, seat, which, row[of.DISCARD_FACE_UP])
        place(asm, empty)
    elif kind == of.REVEAL:
        _reveal(asm, row[of.REVEAL_PLAYER], row[of.REVEAL_WHICH], empty)
    else:
        asm.counts[code.ASTRAY] = 1


@kernel
def _reveal(asm: Assembler, seat: int, which: int, empty: int) -> None:
    if which == of.REVEAL_RANDOM:
        emit(asm, Op.ASK_HAND, Chance.REVEAL, seat, 0, empty)
    emit(asm, Op.REVEAL, seat, which)
    if which == of.REVEAL_RANDOM:
        place(asm, empty)
        emit(asm, Op.REVEAL, seat, _NOTHING_TO_REVEAL)
