"""The contents of the fields of a table's rows, derived from the types in `antemill.engine.rules.spec`.

`HOLDS` has a row for every kind of object (`KINDS`), and a column for each of its fields.
"""

from __future__ import annotations

from types import NoneType
from typing import Any, Final, NamedTuple, TypeGuard, get_args, get_type_hints

import numpy as np
from msgspec import Struct

from antemill.engine.rules.spec import Cell, Condition, Cost, Option, Phase, Step
from antemill.engine.rules.table import columns as of
from antemill.engine.rules.table.columns import NONE

# Every kind of row that is an object, in the order of the numbers in `columns`.
KINDS: Final[tuple[type[Struct], ...]] = (*get_args(Condition), *get_args(Step), *get_args(Phase), Option, Cost, Cell)
FIELDS: Final = of.WIDTH - 2  # of a kind, at most
VOCABULARIES: Final = (
    of.PLAYERS,
    of.COMPARISONS,
    of.VISIBILITIES,
    of.DISCARDED,
    of.REVEALED,
    of.SUBJECTS,
    of.SIGNALS,
    of.CRITERIA,
    of.METRICS,
)
# The content of a field. WORD + i: a word of vocabulary i.
NUMBER, NUMBER_OR_NONE, TRUTH, TEXT, PHASE, VARIABLE, SUIT, RANKS, ODDS, NODE, NODES, NAMES, ROUNDS, WORD = range(14)
# Texts and lists of texts that name another part of the game, by the names of their fields.
_NAMING: Final = {"phase": PHASE, "rounds": ROUNDS, "variable": VARIABLE, "counter": VARIABLE, "suit": SUIT}


class Field(NamedTuple):
    """A field of a kind."""

    name: str
    column: int
    holds: int
    kinds: frozenset[type[Struct]]  # of the objects that it holds
    optional: bool  # whether it may be None


def words(hint: Any) -> set[str]:
    """The words that a type allows."""
    found: set[str] = set()
    for part in get_args(hint):
        found |= {part} if isinstance(part, str) else words(part)
    return found


def _structs(hint: Any) -> list[type[Struct]]:
    """The structs that a type is made of."""
    if _is_struct(hint):
        return [hint]
    return [struct for part in get_args(hint) for struct in _structs(part)]


def _is_struct(hint: Any) -> TypeGuard[type[Struct]]:
    return isinstance(hint, type) and issubclass(hint, Struct)


def _holds(field: str, hint: Any) -> int:
    """The content of a field of this name and type. Raises ValueError for a type that a column cannot hold."""
    listed = tuple in (getattr(part, "__origin__", None) for part in (hint, *get_args(hint)))
    if _structs(hint):
        return NODES if listed else NODE
    if allowed := words(hint):
        return WORD + next(place for place, vocabulary in enumerate(VOCABULARIES) if allowed <= set(vocabulary))
    if field in _NAMING:
        return _NAMING[field]
    if listed:
        return {"ranks": RANKS, "odds": ODDS}.get(field, NAMES)
    plain = {bool: TRUTH, int: NUMBER, str: TEXT, int | None: NUMBER_OR_NONE}
    return plain[hint]


def _fields(kind: type[Struct]) -> tuple[Field, ...]:
    """The fields of a kind, in the order of their columns."""
    hints = get_type_hints(kind)
    return tuple(
        Field(
            name, column, _holds(name, hints[name]), frozenset(_structs(hints[name])), NoneType in get_args(hints[name])
        )
        for column, name in enumerate(kind.__struct_fields__, 2)
    )


BY_KIND: Final = tuple(_fields(kind) for kind in KINDS)
HOLDS: Final = np.full((len(KINDS), FIELDS), NONE)  # int64[kinds, fields]; NONE where a kind has no more fields
for _row, _kind in zip(HOLDS, BY_KIND):
    _row[: len(_kind)] = [field.holds for field in _kind]
