"""A game's rules as a table, from the objects: `table_of`."""

from __future__ import annotations

import numpy as np

from antemill.engine.errors import SpecError
from antemill.engine.rules.spec import GameSpec, to_json
from antemill.engine.rules.table.columns import Table
from antemill.engine.rules.table.parsing import FULL, ODD, WORDS, parse

# The spec that was read or written last, and its table: several readers ask for it one after the other.
_last: tuple[GameSpec | None, Table | None] = None, None


def table_of(spec: GameSpec) -> Table:
    """A legal spec as a table, which nobody changes. Every text has a number of its own.

    Raises SpecError for an object where none of its kind can be. Whatever else is not legal gives an undefined table.
    """
    last, kept = _last
    if spec is last and kept is not None:
        return kept
    data = np.frombuffer(WORDS + to_json(spec), np.uint8)
    room = 128 + len(data) // 40
    while (table := parse(data, room)).chips == FULL:
        room *= 2
    if table.chips == ODD:
        raise SpecError(f"game '{spec.name}' holds an object where none of its kind can be.")
    remember(spec, table)
    return table


def remember(spec: GameSpec, table: Table) -> None:
    """Let `table_of` know the table of this very spec."""
    global _last
    _last = spec, table
