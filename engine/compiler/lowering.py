"""From a table of rules to code: does the pending tasks in turn.

A phase that is named once is inlined; a phase that is named several times becomes a subroutine.
"""

from __future__ import annotations

from antemill.engine.compiler import assembler as code
from antemill.engine.compiler.assembler import (
    Assembler,
    append,
    assembler,
    emit,
    finish,
    label,
    next_conditional,
    place,
    then,
)
from antemill.engine.compiler.conditions import lower_condition
from antemill.engine.compiler.phases import lower_option, lower_phase, observe
from antemill.engine.compiler.steps import lower_step, steps
from antemill.engine.compiler.survey import survey
from antemill.engine.kernel import kernel
from antemill.engine.machine.opcodes import WIDTH, Op
from antemill.engine.rules.table import columns as of
from antemill.engine.rules.table.columns import NONE, Array, Table
from antemill.engine.rules.table.order import order_of


@kernel(allocates=True)
def lower(table: Table) -> tuple[Array, Assembler]:
    """The code of a game, int32 words, and the lists from which its names are made."""
    visits, rows = order_of(table), 3 * len(table.nodes) + 100
    while True:
        asm = assembler(rows)
        _lower_all(asm, table, visits)
        if not asm.counts[code.FULL]:
            return finish(asm), asm
        rows *= 2


@kernel
def _lower_all(asm: Assembler, table: Table, visits: Array) -> None:
    """Lower the sequence, then the called phases, and the phases that these call."""
    survey(asm, table, visits)
    if asm.counts[code.BROKEN]:
        return
    for phase in table.sequence:
        then(asm, code.PERFORM, phase)
    then(asm, Op.SPLIT)
    then(asm, Op.ODD)
    _turn_over(asm, 0)
    done = 0
    while not asm.counts[code.FULL] and (asm.counts[code.PENDING] > 0 or done < asm.counts[code.CALLED]):
        if asm.counts[code.PENDING] == 0:
            _subroutine(asm, asm.lists[code.CALLED, done, 0])
            done += 1
        _do_next(asm, table)


@kernel
def _do_next(asm: Assembler, table: Table) -> None:
    """Do the next pending task. The tasks that it requests come before all that were pending already."""
    last = asm.counts[code.PENDING] - 1
    asm.counts[code.PENDING] = last
    what, a, b, c, d, e = asm.lists[code.PENDING, last, :6]
    if what >= 0:
        emit(asm, what, a, b, c, d, e)
    elif what == code.PLACE:
        place(asm, a)
    elif what == code.STEP:
        lower_step(asm, table, a)
    elif what == code.CONDITION:
        lower_condition(asm, table, a, b)
    elif what == code.BRANCH:
        _branch(asm, table, a, b)
    elif what == code.PERFORM:
        _perform(asm, a)
    elif what == code.INLINE:
        _inline(asm, table, a)
    elif what == code.OPTION:
        lower_option(asm, table, a, b, c)
    elif what == code.LEAVE:
        _leave(asm, a)
    _turn_over(asm, last)


@kernel
def _turn_over(asm: Assembler, first: int) -> None:
    """Reverse the pending tasks from index `first` on: they were requested in order, but the next one must be last."""
    pending, last = asm.lists[code.PENDING], asm.counts[code.PENDING] - 1
    while first < last:
        for column in range(WIDTH):
            pending[first, column], pending[last, column] = pending[last, column], pending[first, column]
        first, last = first + 1, last - 1


# phases


@kernel
def _perform(asm: Assembler, phase: int) -> None:
    """Play a phase here: inlined if this is its only use, else through a subroutine."""
    known = asm.lists[code.PHASES, asm.lists[code.PLACES, phase, 0]]
    if known[code.USES] == 1:
        then(asm, code.INLINE, phase)
        return
    if known[code.START] == 0:
        known[code.START] = label(asm)
        append(asm, code.CALLED, phase)
    emit(asm, Op.CALL, known[code.START])


@kernel
def _subroutine(asm: Assembler, phase: int) -> None:
    """Request a phase that was called. No other task is pending."""
    then(asm, code.PLACE, asm.lists[code.PHASES, asm.lists[code.PLACES, phase, 0], code.START])
    then(asm, code.INLINE, phase)
    then(asm, Op.RETURN)
    _turn_over(asm, 0)


@kernel
def _inline(asm: Assembler, table: Table, phase: int) -> None:
    """Inline a phase. Each phase is lowered once, so its conditionals are numbered once."""
    number = asm.lists[code.PLACES, phase, 0]
    outer, asm.counts[code.PHASE] = asm.counts[code.PHASE], number
    emit(asm, Op.PHASE, number, number)
    lower_phase(asm, table, phase)
    then(asm, code.LEAVE, outer)


@kernel
def _leave(asm: Assembler, outer: int) -> None:
    """Leave a lowered phase for the one that performs it; checks that the walk found the same conditionals."""
    place = asm.counts[code.PHASE]
    asm.counts[code.PHASE] = outer
    if asm.lists[code.PHASES, place, code.CONDITIONALS] != asm.lists[code.PHASES, place, code.LOWERED]:
        asm.counts[code.ASTRAY] = 1


# conditionals


@kernel
def _branch(asm: Assembler, table: Table, node: int, fails: int) -> None:
    """The branches of a condition of a step or an observation: both outcomes are counted, and told if public."""
    row, number, hidden, end = table.nodes[node], next_conditional(asm), asm.counts[code.HIDDEN], label(asm)
    if row[of.KIND] == of.IF:
        public, otherwise = row[of.IF_PUBLIC], row[of.IF_OTHERWISE]
        emit(asm, Op.OUTCOME, 2 * number, public, hidden)
        steps(asm, table, row[of.IF_THEN])
    else:
        public, otherwise = row[of.OBSERVATION_TRIGGER_PUBLIC], NONE
        emit(asm, Op.OUTCOME, 2 * number, public, hidden)
        observe(asm, table, node)
    then(asm, Op.JUMP, end)
    then(asm, code.PLACE, fails)
    then(asm, Op.OUTCOME, 2 * number + 1, public, hidden)
    steps(asm, table, otherwise)
    then(asm, code.PLACE, end)
