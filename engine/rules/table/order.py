"""The nodes of a table in one order, and functions on lists and conditions.

The order is that of `antemill.engine.rules.walk`: depth first, the phases as the spec lists them, and below a node the
nodes of its fields. Options, cells and costs are rows of a table, so they belong to this order too.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from antemill.engine.kernel import kernel
from antemill.engine.rules.fields import FIELDS
from antemill.engine.rules.table import columns as of
from antemill.engine.rules.table.columns import COLUMNS, Array, Table

# The kinds of conditions that depend on a hand, its size or its cards: bit k for kind k.
_HIDDEN: Final = 1 << of.HAND_SIZE_IS | 1 << of.HAS_HIGHER_CARD | 1 << of.HOLDS_RANK | 1 << of.HOLDS_SUIT
_HELD: Final = [
    [(columns[field.name], field.holds == "node") for field in FIELDS[kind] if field.kinds]
    for kind, columns in COLUMNS.items()
]
_MOST: Final = max(map(len, _HELD))


def _held() -> Array:
    """int64[kinds, _MOST, 2]: the columns that hold nodes, and whether such a column holds a single one; 0 for none."""
    columns = np.zeros((of.ROUND + 1, _MOST, 2), np.int64)
    for kind, fields in enumerate(_HELD):
        columns[kind, : len(fields)] = np.array(fields, np.int64).reshape(-1, 2)
    return columns


HELD: Final = _held()


@kernel(allocates=True)
def order_of(table: Table) -> Array:
    """int64[visits, 2]: the row of every node that a phase of the game holds, and the index of that phase.

    A row that several fields hold is visited for each of them. Rows that no field holds are omitted.
    """
    nodes, count = table.nodes, 0
    visits = np.empty((len(nodes) + 1, 2), np.int64)
    pending = np.empty((len(nodes) + _MOST + 1, 2), np.int64)  # rows, the next one last; whether it is a single node
    for place in range(len(table.phases)):
        pending[0, 0], pending[0, 1] = table.phases[place], 1
        waiting = 1
        while waiting:
            waiting -= 1
            row, single = pending[waiting, 0], pending[waiting, 1]
            if count == len(visits):
                visits = _doubled(visits)
            visits[count, 0], visits[count, 1] = row, place
            count += 1
            if waiting + _MOST + 1 > len(pending):
                pending = _doubled(pending)
            if not single and nodes[row, of.NEXT] != of.NONE:
                pending[waiting, 0], pending[waiting, 1] = nodes[row, of.NEXT], 0
                waiting += 1
            for field in range(_MOST - 1, -1, -1):
                column = HELD[nodes[row, of.KIND], field, 0]
                if column and nodes[row, column] != of.NONE:
                    pending[waiting, 0], pending[waiting, 1] = nodes[row, column], HELD[nodes[row, of.KIND], field, 1]
                    waiting += 1
    return visits[:count]


@kernel(allocates=True)
def _doubled(rows: Array) -> Array:
    """The rows, with space for as many more."""
    larger = np.empty((2 * len(rows), 2), np.int64)
    larger[: len(rows)] = rows
    return larger


def _suited() -> Array:
    """int64[kinds, 2]: the column by which a kind tells suits apart, and the number that does so; `NONE`: any."""
    found = np.zeros((len(FIELDS), 2), np.int64)
    for number, (kind, fields) in enumerate(FIELDS.items()):
        for field in fields:
            words = [place for place, word in enumerate(field.words) if word in ("suit", "suits")]
            if words or field.holds == "suit":
                found[number] = COLUMNS[kind][field.name], words[0] if words else of.NONE
    return found


SUITED: Final = _suited()


@kernel
def tells_suits(row: Array) -> bool:
    """Whether a node, given as its row, itself depends on suits; for objects, `NodeBase.suited` says this."""
    column, number = SUITED[row[of.KIND]]
    return bool(column > 0 and (number == of.NONE or row[column] == number))


@kernel(allocates=True)
def reads_suits_of(table: Table) -> bool:
    """Whether any rule of the game depends on suits; otherwise cards of one rank are interchangeable."""
    for row in order_of(table)[:, 0]:
        if tells_suits(table.nodes[row]):
            return True
    return False


@kernel
def reads_hidden_of(nodes: Array, row: int) -> bool:
    """Whether the condition in a row depends on a hand, its size or its cards. Its public check is a signal (X2)."""
    kind = nodes[row, of.KIND]
    if (_HIDDEN >> kind) & 1:
        return True
    column, single = HELD[kind, 0]  # a condition has at most one field that holds conditions
    part = nodes[row, column] if column else of.NONE
    while part != of.NONE:
        if reads_hidden_of(nodes, part):
            return True
        part = of.NONE if single else nodes[part, of.NEXT]
    return False


@kernel
def length(nodes: Array, row: int) -> int:
    """The number of rows in the list that starts at a row."""
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
