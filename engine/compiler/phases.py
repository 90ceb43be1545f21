"""Phase templates to instructions: betting, action, simultaneous, auction, observation, position, side bet,
showdown.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from antemill.engine.compiler import assembler as code
from antemill.engine.compiler.assembler import (
    Assembler,
    emit,
    jump,
    label,
    labels,
    new_table,
    next_conditional,
    place,
    then,
    word,
)
from antemill.engine.compiler.choices import FALLBACK, amount, betting_round, choose, choose_of_two, entry
from antemill.engine.compiler.conditions import HIGHEST
from antemill.engine.compiler.steps import lower_if, pay, steps
from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.events import Chance, ChipReason
from antemill.engine.machine.opcodes import Look, Mode, Op
from antemill.engine.rules.table import columns as of
from antemill.engine.rules.table.columns import NONE, Table
from antemill.engine.rules.table.order import length

# The `Look` of an observation, by its subject and its signal.
_LOOKS: Final = np.array(
    [
        (Look.OPPONENT_CARD, Look.OPPONENT_SUIT, Look.NOTHING, Look.NOTHING),
        (Look.DECK_CARD, Look.DECK_SUIT, Look.NOTHING, Look.NOTHING),
        (Look.NOTHING, Look.NOTHING, Look.TOP_RANK, Look.SIZE),
    ]
)


@kernel
def lower_phase(asm: Assembler, table: Table, node: int) -> None:
    """Emit a phase's code, or request it."""
    row = table.nodes[node]
    kind, phase = row[of.KIND], asm.lists[code.PLACES, node, 0]
    if kind == of.STEPS:
        steps(asm, table, row[of.STEPS_STEPS])
    elif kind == of.FIXED_BETTING:
        opener, size, raises = row[of.FIXED_BETTING_OPENER], row[of.FIXED_BETTING_AMOUNT], row[of.FIXED_BETTING_RAISES]
        betting_round(asm, phase, 0, opener, size, raises, 0)
    elif kind == of.VARIABLE_BETTING:
        _variable_betting(asm, table, node, phase)
    elif kind == of.BETTING_LOOP:
        _betting_loop(asm, table, node)
    elif kind == of.ACTION_ROUND:
        _action_round(asm, table, node, phase)
    elif kind == of.SIMULTANEOUS:
        _simultaneous(asm, table, node, phase)
    elif kind == of.AUCTION:
        _auction(asm, table, node, phase)
    elif kind == of.OBSERVATION and row[of.OBSERVATION_TRIGGER] == NONE:
        observe(asm, table, node)
    elif kind == of.OBSERVATION:
        lower_if(asm, node, row[of.OBSERVATION_TRIGGER])
    elif kind == of.POSITIONS:
        emit(asm, Op.RANK_SEATS, row[of.POSITIONS_CRITERION])
        emit(asm, Op.LEAD, phase)
    elif kind == of.SIDE_BET:
        _side_bet(asm, table, node, phase)
    elif kind == of.SHOWDOWN:
        _showdown(asm, table, node)
    else:
        asm.counts[code.ASTRAY] = 1


@kernel
def _variable_betting(asm: Assembler, table: Table, node: int, phase: int) -> None:
    row, fails, end = table.nodes[node], label(asm), label(asm)
    opener, cap = row[of.VARIABLE_BETTING_OPENER], row[of.VARIABLE_BETTING_CAP]
    most = 2 * table.chips if cap == NONE else min(2 * table.chips, cap)
    number = next_conditional(asm)
    for seat in range(2):
        emit(asm, Op.TEST, at.CHIPS, seat, 1, HIGHEST, fails)
    emit(asm, Op.OUTCOME, 2 * number, 1, 0)
    betting_round(asm, phase, 0, opener, NONE, 0, most)
    jump(asm, end)
    place(asm, fails)
    emit(asm, Op.OUTCOME, 2 * number + 1, 1, 0)
    betting_round(asm, phase, FALLBACK, opener, row[of.VARIABLE_BETTING_FALLBACK], 0, 0)
    place(asm, end)


@kernel
def _betting_loop(asm: Assembler, table: Table, node: int) -> None:
    row = table.nodes[node]
    counter, top, end, count = row[of.BETTING_LOOP_COUNTER], label(asm), label(asm), label(asm)
    slot = at.VARIABLES + counter
    emit(asm, Op.SET, counter, 0)
    place(asm, top)
    emit(asm, Op.TEST, slot, 0, 0, row[of.BETTING_LOOP_CAP] - 1, end)
    for seat in range(2):
        emit(asm, Op.TEST, at.CHIPS, seat, row[of.BETTING_LOOP_STOP_AT] + 1, HIGHEST, end)
    if row[of.BETTING_LOOP_BETWEEN] != NONE:
        first = label(asm)
        emit(asm, Op.TEST, slot, 0, 1, HIGHEST, first)
        steps(asm, table, row[of.BETTING_LOOP_BETWEEN])
        then(asm, code.PLACE, first)
    _rounds(asm, table, row[of.BETTING_LOOP_ROUNDS], slot, count)
    then(asm, code.PLACE, count)
    then(asm, Op.ADD, counter, 1)
    then(asm, Op.JUMP, top)
    then(asm, code.PLACE, end)


@kernel
def _rounds(asm: Assembler, table: Table, each: int, slot: int, end: int) -> None:
    """The round with the number in the slot, or the last one; all except the last go on at `end`."""
    number = 0
    while each != NONE:
        following, phase = table.nodes[each, of.NEXT], table.nodes[each, of.ROUND_PHASE]
        if following == NONE:
            then(asm, code.PERFORM, phase)
        else:
            other = label(asm)
            then(asm, Op.TEST, slot, 0, number, number, other)
            then(asm, code.PERFORM, phase)
            then(asm, Op.JUMP, end)
            then(asm, code.PLACE, other)
        each, number = following, number + 1


@kernel
def _action_round(asm: Assembler, table: Table, node: int, phase: int) -> None:
    picks = table.nodes[node, of.ACTION_ROUND_PICKS]
    if picks == 1:
        _one_pick(asm, table, node, phase)
        return
    body, end = label(asm), label(asm)
    for _ in range(picks):
        emit(asm, Op.CALL, body)
    jump(asm, end)
    place(asm, body)
    _one_pick(asm, table, node, phase)
    then(asm, Op.RETURN)
    then(asm, code.PLACE, end)


@kernel
def _one_pick(asm: Assembler, table: Table, node: int, phase: int) -> None:
    row, end, menu = table.nodes[node], label(asm), new_table(asm)
    word(asm, length(table.nodes, row[of.ACTION_ROUND_OPTIONS]))
    option = row[of.ACTION_ROUND_OPTIONS]
    while option != NONE:
        target = label(asm)
        entry(asm, _needs(table, option), target)
        then(asm, code.PLACE, target)
        then(asm, code.OPTION, option, node, end)
        option = table.nodes[option, of.NEXT]
    then(asm, code.PLACE, end)
    mode = Mode.PUBLIC if row[of.ACTION_ROUND_PUBLIC] else Mode.PRIVATE
    choose(asm, row[of.ACTION_ROUND_PLAYER], phase, code.OPTIONS, menu, mode)


@kernel
def _needs(table: Table, option: int) -> int:
    """The chips that a player needs for the option to be offered: its stated cost."""
    cost = table.nodes[option, of.OPTION_COST]
    return 0 if cost == NONE or table.nodes[cost, of.COST_ODDS] != NONE else table.nodes[cost, of.COST_AMOUNT]


@kernel
def lower_option(asm: Assembler, table: Table, option: int, phase: int, end: int) -> None:
    """The cost and the steps of an option of an action round; play goes on at `end`."""
    skip, cost = label(asm), table.nodes[option, of.OPTION_COST]
    seat, private = table.nodes[phase, of.ACTION_ROUND_PLAYER], 1 - table.nodes[phase, of.ACTION_ROUND_PUBLIC]
    if cost != NONE:
        dues, due, odds = (
            table.nodes[cost, of.COST_AMOUNT],
            table.nodes[cost, of.COST_ODDS],
            table.nodes[cost, of.COST_ODDS + 1],
        )
        if due == NONE:
            pay(asm, seat, of.POT, dues, ChipReason.COST)
        else:
            emit(asm, Op.ASK_ODDS, seat, odds)
            emit(asm, Op.COST, seat, dues, due, private, skip)
    steps(asm, table, table.nodes[option, of.OPTION_STEPS])
    then(asm, code.PLACE, skip)
    then(asm, Op.JUMP, end)


@kernel
def _simultaneous(asm: Assembler, table: Table, node: int, phase: int) -> None:
    row, end, others = table.nodes[node], label(asm), label(asm)
    alice, bob, cell = row[of.SIMULTANEOUS_ALICE_OPTIONS], row[of.SIMULTANEOUS_BOB_OPTIONS], row[of.SIMULTANEOUS_CELLS]
    alice_type = _choose_secretly(asm, table, of.ALICE, phase, code.ALICE_OPTIONS, alice)
    bob_type = _choose_secretly(asm, table, of.BOB, phase, code.BOB_OPTIONS, bob)
    target = labels(asm, length(table.nodes, cell))
    emit(asm, Op.REVEALS, alice_type, bob_type)
    emit(asm, Op.MATRIX, _matrix(asm, table, node, target, others), length(table.nodes, bob))
    while cell != NONE:
        _resolution(asm, table, target, table.nodes[cell, of.CELL_STEPS], end)
        cell, target = table.nodes[cell, of.NEXT], target + 1
    _resolution(asm, table, others, row[of.SIMULTANEOUS_OTHERS], end)
    then(asm, code.PLACE, end)


@kernel
def _choose_secretly(asm: Assembler, table: Table, seat: int, phase: int, move: int, options: int) -> int:
    """A choice that is revealed later: every answer goes on here. Returns the decision type."""
    following, menu, options_n = label(asm), new_table(asm), length(table.nodes, options)
    word(asm, options_n)
    for _ in range(options_n):
        entry(asm, 0, following)
    number = choose(asm, seat, phase, move, menu, Mode.LOCK)
    place(asm, following)
    return number


@kernel
def _matrix(asm: Assembler, table: Table, node: int, target: int, others: int) -> int:
    """A table with the label of the cell for each pair of choices. target: the label of the first cell."""
    row, matrix = table.nodes[node], new_table(asm)
    alice = row[of.SIMULTANEOUS_ALICE_OPTIONS]
    while alice != NONE:
        bob = row[of.SIMULTANEOUS_BOB_OPTIONS]
        while bob != NONE:
            cell = _cell(
                table, row[of.SIMULTANEOUS_CELLS], table.nodes[alice, of.NAME_TEXT], table.nodes[bob, of.NAME_TEXT]
            )
            word(asm, others if cell == NONE else target + cell)
            bob = table.nodes[bob, of.NEXT]
        alice = table.nodes[alice, of.NEXT]
    return matrix


@kernel
def _cell(table: Table, cell: int, alice: int, bob: int) -> int:
    """The index of the cell for two options; `NONE` if there is none."""
    number = 0
    while cell != NONE:
        if table.nodes[cell, of.CELL_ALICE] == alice and table.nodes[cell, of.CELL_BOB] == bob:
            return number
        cell, number = table.nodes[cell, of.NEXT], number + 1
    return NONE


@kernel
def _resolution(asm: Assembler, table: Table, target: int, first: int, end: int) -> None:
    """Request the steps of a cell."""
    then(asm, code.PLACE, target)
    steps(asm, table, first)
    then(asm, Op.JUMP, end)


@kernel
def _auction(asm: Assembler, table: Table, node: int, phase: int) -> None:
    end, most = label(asm), min(2 * table.chips, table.nodes[node, of.AUCTION_MAX_BID])
    alice, bob = (
        amount(asm, of.ALICE, phase, code.BID, 0, most, Mode.LOCK),
        amount(asm, of.BOB, phase, code.BID, 0, most, Mode.LOCK),
    )
    prize = table.nodes[node, of.AUCTION_PRIZE]
    emit(asm, Op.REVEALS, alice, bob)
    emit(asm, Op.BIDS, end)
    emit(asm, Op.WINNER, int(table.nodes[prize, of.KIND] != of.DRAW), end)
    then(asm, code.STEP, prize)
    then(asm, code.PLACE, end)


@kernel
def observe(asm: Assembler, table: Table, node: int) -> None:
    """The signal that the viewer of an observation receives."""
    row, empty, phase = table.nodes[node], label(asm), asm.lists[code.PLACES, node, 0]
    seat, subject, visibility = row[of.OBSERVATION_VIEWER], row[of.OBSERVATION_SUBJECT], row[of.OBSERVATION_VISIBILITY]
    if subject == of.OBSERVATION_OPPONENT_CARD:
        emit(asm, Op.ASK_HAND, Chance.OBSERVE, seat, 1, empty)
    elif subject == of.OBSERVATION_DECK_CARD:
        emit(asm, Op.ASK_DECK, Chance.OBSERVE, seat, empty)
    emit(asm, Op.OBSERVE, seat, phase, _LOOKS[subject, row[of.OBSERVATION_SIGNAL]], visibility)
    if subject != of.OBSERVATION_OPPONENT_HAND:
        place(asm, empty)
        emit(asm, Op.OBSERVE, seat, phase, Look.NOTHING, visibility)


@kernel
def _side_bet(asm: Assembler, table: Table, node: int, phase: int) -> None:
    row, take, end = table.nodes[node], label(asm), label(asm)
    seat, bet = row[of.SIDE_BET_PLAYER], asm.lists[code.PHASES, phase, code.BET]
    choose_of_two(asm, seat, phase, code.TAKE_OR_PASS, row[of.SIDE_BET_AMOUNT], take, end)
    place(asm, take)
    emit(asm, Op.TAKE_SIDE, bet, seat)
    place(asm, end)


@kernel
def _showdown(asm: Assembler, table: Table, node: int) -> None:
    emit(asm, Op.SHOW)
    for bet in range(asm.counts[code.SIDE_BETS]):
        side_bet = asm.lists[code.SIDE_BETS, bet, 0]
        row, phase, lost, end = table.nodes[side_bet], asm.lists[code.PLACES, side_bet, 0], label(asm), label(asm)
        then(asm, Op.TEST, at.SIDE_BETS + bet, 0, 1, 2, end)
        then(asm, code.CONDITION, row[of.SIDE_BET_CONDITION], lost)
        then(asm, Op.SETTLE, bet, phase, row[of.SIDE_BET_AMOUNT], 1)
        then(asm, Op.JUMP, end)
        then(asm, code.PLACE, lost)
        then(asm, Op.SETTLE, bet, phase, row[of.SIDE_BET_AMOUNT], 0)
        then(asm, code.PLACE, end)
    then(asm, Op.AWARD, table.nodes[node, of.SHOWDOWN_METRIC], table.nodes[node, of.SHOWDOWN_BOARD])
    then(asm, Op.ODD)
