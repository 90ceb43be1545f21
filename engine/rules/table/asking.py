"""Questions that several readers of a table ask of its rules, as `antemill.engine.rules.walk` answers them of a
spec."""

from __future__ import annotations

from typing import Final

from antemill.engine.kernel import kernel
from antemill.engine.rules.table import columns as of
from antemill.engine.rules.table.columns import Array, Table

# Kinds of conditions, bit k for kind k: those that depend on a hand, its size or its cards, and those that read suits.
_HIDDEN: Final = 1 << of.HAND_SIZE_IS | 1 << of.HAS_HIGHER_CARD | 1 << of.HOLDS_RANK | 1 << of.HOLDS_SUIT
_SUITED: Final = 1 << of.HOLDS_SUIT


@kernel
def length(nodes: Array, row: int) -> int:
    """How many rows there are in the list that starts in a row."""
    count = 0
    while row != of.NONE:
        row = nodes[row, of.NEXT]
        count += 1
    return count


@kernel
def after(nodes: Array, row: int, count: int) -> int:
    """The row that follows `count` rows after a row of a list; `NONE` after the last."""
    for _ in range(count):
        row = nodes[row, of.NEXT]
    return row


@kernel
def reads_hidden_of(nodes: Array, row: int) -> bool:
    """Whether the condition in a row depends on a hand, its size or its cards. Its public check is a signal (X2)."""
    return _has_part(nodes, row, _HIDDEN)


@kernel
def reads_suits_of(table: Table) -> bool:
    """Whether any rule of the game depends on suits; otherwise cards of one rank are interchangeable."""
    for row in table.phases:
        if _phase_reads_suits(table.nodes, row):
            return True
    return False


@kernel
def _phase_reads_suits(nodes: Array, row: int) -> bool:
    """Whether a phase depends on suits, in itself or in what it holds; not in the phases that it plays."""
    kind = nodes[row, of.KIND]
    if kind == of.STEPS:
        return _steps_read_suits(nodes, nodes[row, of.STEPS_STEPS])
    if kind == of.BETTING_LOOP:
        return _steps_read_suits(nodes, nodes[row, of.BETTING_LOOP_BETWEEN])
    if kind == of.ACTION_ROUND:
        return _outcomes_read_suits(nodes, nodes[row, of.ACTION_ROUND_OPTIONS], of.OPTION_STEPS)
    if kind == of.SIMULTANEOUS:
        cells = _outcomes_read_suits(nodes, nodes[row, of.SIMULTANEOUS_CELLS], of.CELL_STEPS)
        return cells or _steps_read_suits(nodes, nodes[row, of.SIMULTANEOUS_OTHERS])
    if kind == of.OBSERVATION:
        trigger = nodes[row, of.OBSERVATION_TRIGGER]
        triggered = trigger != of.NONE and _has_part(nodes, trigger, _SUITED)
        return bool(triggered or nodes[row, of.OBSERVATION_SIGNAL] == of.SUIT)
    if kind == of.SIDE_BET:
        return _has_part(nodes, nodes[row, of.SIDE_BET_CONDITION], _SUITED)
    return bool(kind == of.SHOWDOWN and nodes[row, of.SHOWDOWN_METRIC] == of.SUITS)


@kernel
def _outcomes_read_suits(nodes: Array, row: int, steps: int) -> bool:
    """Whether an option or a cell of the list that starts in a row does. steps: the column of its steps."""
    while row != of.NONE:
        if _steps_read_suits(nodes, nodes[row, steps]):
            return True
        row = nodes[row, of.NEXT]
    return False


@kernel
def _steps_read_suits(nodes: Array, row: int) -> bool:
    """Whether a step of the list that starts in a row does: a conditional, for no other step asks about cards."""
    while row != of.NONE:
        if nodes[row, of.KIND] == of.IF:
            if _has_part(nodes, nodes[row, of.IF_CONDITION], _SUITED):
                return True
            if _steps_read_suits(nodes, nodes[row, of.IF_THEN]):
                return True
            if _steps_read_suits(nodes, nodes[row, of.IF_OTHERWISE]):
                return True
        row = nodes[row, of.NEXT]
    return False


@kernel
def _has_part(nodes: Array, row: int, kinds: int) -> bool:
    """Whether the condition in a row, or one that it is composed of, is of one of the kinds (bits)."""
    kind: int = nodes[row, of.KIND]
    if kind != of.NOT and kind != of.ALL and kind != of.ANY_OF:
        return (kinds >> kind) & 1 != 0
    if kind == of.NOT:
        return _has_part(nodes, nodes[row, of.NOT_CONDITION], kinds)
    part = nodes[row, of.ALL_CONDITIONS]  # that is the column of both kinds
    while part != of.NONE:
        if _has_part(nodes, part, kinds):
            return True
        part = nodes[part, of.NEXT]
    return False
