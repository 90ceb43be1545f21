"""The compiler's survey of the rules before it lowers them, node by node in the order of
`antemill.engine.rules.table.order`.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from antemill.engine.compiler import assembler as code
from antemill.engine.compiler.assembler import Assembler, announce, append
from antemill.engine.kernel import kernel
from antemill.engine.rules.fields import FIELDS, KINDS, Content
from antemill.engine.rules.table import columns as of
from antemill.engine.rules.table.columns import COLUMNS, NONE, Array, Table
from antemill.engine.rules.table.order import tells_suits


def _columns(*contents: Content) -> Array:
    """int64[kinds]: the column of a field with one of these contents; 0 for none."""
    found = np.zeros(len(KINDS), np.int64)
    for number, kind in enumerate(KINDS):
        columns = [COLUMNS[kind][field.name] for field in FIELDS[kind] if field.holds in contents]
        assert len(columns) < 2, "a kind has two fields that name parts of the same sort"
        found[number] = sum(columns)
    return found


NAMING: Final = _columns("variable", "suit")
PLAYING: Final = _columns("phase")
LOOPING: Final = _columns("phases")


@kernel
def survey(asm: Assembler, table: Table, visits: Array) -> None:
    """Record the index of each phase, how often it is named, its contents, and whether a rule tells suits apart.

    A phase is named by the sequence, and by the phases and steps that play others. visits: `order_of` the table.
    """
    for place in range(len(table.phases)):
        append(asm, code.PHASES, 0, 0, 0, 0, 0, 0, 0)
        asm.lists[code.PLACES, table.phases[place], 0] = place
    for phase in table.sequence:
        _use(asm, phase)
    for row, place in visits:
        _note(asm, table, place, row)
    for place in range(len(table.phases)):
        asm.lists[code.PHASES, place, code.FIRST_CONDITIONAL] = asm.counts[code.BRANCHES]
        asm.counts[code.BRANCHES] += asm.lists[code.PHASES, place, code.CONDITIONALS]


@kernel
def _use(asm: Assembler, phase: int) -> None:
    """Count a mention of a phase."""
    if phase == NONE:
        asm.counts[code.BROKEN] = 1
    else:
        asm.lists[code.PHASES, asm.lists[code.PLACES, phase, 0], code.USES] += 1


@kernel
def _note(asm: Assembler, table: Table, place: int, node: int) -> None:
    """Record the facts that a node adds to its phase and to the phases that it names."""
    row, phase = table.nodes[node], asm.lists[code.PHASES, place]
    kind = row[of.KIND]
    asm.counts[code.SUITS] |= int(tells_suits(row))
    if NAMING[kind]:
        _require(asm, row[NAMING[kind]])
    if PLAYING[kind]:
        _use(asm, row[PLAYING[kind]])
    if LOOPING[kind]:
        each = row[LOOPING[kind]]
        while each != NONE:
            _use(asm, table.nodes[each, of.ROUND_PHASE])
            each = table.nodes[each, of.NEXT]
    if kind == of.IF or kind == of.VARIABLE_BETTING:
        phase[code.CONDITIONALS] += 1
    elif kind == of.OBSERVATION:
        phase[code.CONDITIONALS] += int(row[of.OBSERVATION_TRIGGER] != NONE)
    elif kind == of.ANNOUNCE:
        announce(asm, row[of.ANNOUNCE_TEXT], place, phase[code.ANNOUNCEMENTS])
        phase[code.ANNOUNCEMENTS] += 1
    elif kind == of.SIDE_BET:
        phase[code.BET] = append(asm, code.SIDE_BETS, node)


@kernel
def _require(asm: Assembler, named: int) -> None:
    """Check that a named variable or suit exists."""
    if named == NONE:
        asm.counts[code.BROKEN] = 1
