"""What the compiler asks of the rules before it lowers them: one walk over the table, in the order of
`antemill.engine.rules.walk`.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from antemill.engine.compiler.assembler import (
    ANNOUNCED,
    ANNOUNCEMENTS,
    BET,
    BRANCHES,
    BROKEN,
    CONDITIONALS,
    FIRST_CONDITIONAL,
    FULL,
    PENDING,
    PHASES,
    PLACES,
    SIDE_BETS,
    SUITS,
    USES,
    Assembler,
    append,
)
from antemill.engine.kernel import kernel
from antemill.engine.rules.table import columns as of
from antemill.engine.rules.table.columns import NONE, Array, Table

# The columns of a kind that hold what the walk goes to: a single node, and lists of nodes, in the order of the fields.
_NODE: Final = {
    of.NOT: of.NOT_CONDITION,
    of.IF: of.IF_CONDITION,
    of.AUCTION: of.AUCTION_PRIZE,
    of.OBSERVATION: of.OBSERVATION_TRIGGER,
    of.SIDE_BET: of.SIDE_BET_CONDITION,
}
_LISTS: Final = {
    of.ALL: (of.ALL_CONDITIONS,),
    of.ANY_OF: (of.ANY_OF_CONDITIONS,),
    of.IF: (of.IF_THEN, of.IF_OTHERWISE),
    of.STEPS: (of.STEPS_STEPS,),
    of.BETTING_LOOP: (of.BETTING_LOOP_BETWEEN,),
    of.ACTION_ROUND: (of.ACTION_ROUND_OPTIONS,),
    of.SIMULTANEOUS: (of.SIMULTANEOUS_CELLS, of.SIMULTANEOUS_OTHERS),
    of.OPTION: (of.OPTION_STEPS,),
    of.CELL: (of.CELL_STEPS,),
}


def _held() -> Array:
    """int64[kinds, 3]: the columns of single nodes and of up to two lists; 0 for none."""
    held = np.zeros((of.ROUND + 1, 3), np.int64)
    for kind, column in _NODE.items():
        held[kind, 0] = column
    for kind, columns in _LISTS.items():
        held[kind, 1 : 1 + len(columns)] = columns
    return held


HELD: Final = _held()


@kernel
def survey(asm: Assembler, table: Table) -> None:
    """Note the phases' places, how often each is named, and what they have; and whether a rule tells suits apart.

    A phase is named by the sequence, and by the phases and steps that play others.
    """
    for place in range(len(table.phases)):
        append(asm, PHASES, 0, 0, 0, 0, 0, 0, 0)
        asm.lists[PLACES, table.phases[place], 0] = place
    for phase in table.sequence:
        _use(asm, phase)
    conditionals = 0
    for place in range(len(table.phases)):
        append(asm, PENDING, table.phases[place], 1)
        while asm.counts[PENDING] > 0 and not asm.counts[FULL]:
            _visit(asm, table, place)
        asm.lists[PHASES, place, FIRST_CONDITIONAL] = conditionals
        conditionals += asm.lists[PHASES, place, CONDITIONALS]
    asm.counts[BRANCHES] = conditionals


@kernel
def _use(asm: Assembler, phase: int) -> None:
    """A phase is named."""
    if phase == NONE:
        asm.counts[BROKEN] = 1
    else:
        asm.lists[PHASES, asm.lists[PLACES, phase, 0], USES] += 1


@kernel
def _visit(asm: Assembler, table: Table, place: int) -> None:
    """Look at the pending node of a phase, and let what it holds and what follows it in its list be pending."""
    last = asm.counts[PENDING] - 1
    asm.counts[PENDING] = last
    node, alone = asm.lists[PENDING, last, 0], asm.lists[PENDING, last, 1]
    row = table.nodes[node]
    if not alone and row[of.NEXT] != NONE:
        append(asm, PENDING, row[of.NEXT])
    for i in range(2, -1, -1):  # the last one first, for the next one is the last
        column = HELD[row[of.KIND], i]
        if column != 0 and row[column] != NONE:
            append(asm, PENDING, row[column], int(i == 0))
        elif column != 0 and i == 0 and row[of.KIND] != of.OBSERVATION:
            asm.counts[BROKEN] = 1  # no condition, or no prize
    _note(asm, table, place, node)


@kernel
def _note(asm: Assembler, table: Table, place: int, node: int) -> None:
    """What a node says about its phase and about others."""
    row, phase = table.nodes[node], asm.lists[PHASES, place]
    kind = row[of.KIND]
    if kind == of.IF or kind == of.VARIABLE_BETTING:
        phase[CONDITIONALS] += 1
    elif kind == of.OBSERVATION:
        phase[CONDITIONALS] += int(row[of.OBSERVATION_TRIGGER] != NONE)
        asm.counts[SUITS] |= int(row[of.OBSERVATION_SIGNAL] == of.SUIT)
    elif kind == of.SHOWDOWN:
        asm.counts[SUITS] |= int(row[of.SHOWDOWN_METRIC] == of.SUITS)
    elif kind == of.HOLDS_SUIT:
        asm.counts[SUITS] = 1
        _require(asm, row[of.HOLDS_SUIT_SUIT])
    elif kind == of.VARIABLE_IS:
        _require(asm, row[of.VARIABLE_IS_VARIABLE])
    elif kind == of.ADD_TO_VARIABLE:
        _require(asm, row[of.ADD_TO_VARIABLE_VARIABLE])
    elif kind == of.PERFORM:
        _use(asm, row[of.PERFORM_PHASE])
    elif kind == of.BETTING_LOOP:
        _require(asm, row[of.BETTING_LOOP_COUNTER])
        each = row[of.BETTING_LOOP_ROUNDS]
        while each != NONE:
            _use(asm, table.nodes[each, of.ROUND_PHASE])
            each = table.nodes[each, of.NEXT]
    elif kind == of.ANNOUNCE:
        append(asm, ANNOUNCED, row[of.ANNOUNCE_TEXT], place, phase[ANNOUNCEMENTS])
        phase[ANNOUNCEMENTS] += 1
    elif kind == of.SIDE_BET:
        phase[BET] = append(asm, SIDE_BETS, node)


@kernel
def _require(asm: Assembler, named: int) -> None:
    """A variable or a suit that is named must be there."""
    if named == NONE:
        asm.counts[BROKEN] = 1
