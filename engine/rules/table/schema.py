"""What the JSON of a game looks like, for those who read and write it as bytes; from the types in
`antemill.engine.rules.spec`.

Objects hold all their fields, in order, without spaces between them, so that the bytes before every value are known.
The arrays here have a row for every kind of row in a table (`KINDS`) and a column for each of its fields.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final, TypeGuard, get_args, get_type_hints

import numpy as np
from msgspec import Struct

from antemill.engine.rules.spec import Cell, Condition, Cost, Option, Phase, Step
from antemill.engine.rules.table import columns as of
from antemill.engine.rules.table.columns import NONE, Array

# Every kind of row that is an object, in the order of the numbers in `columns`.
KINDS: Final[tuple[type[Struct], ...]] = (*get_args(Condition), *get_args(Step), *get_args(Phase), Option, Cost, Cell)
FIELDS: Final = of.WIDTH - 2  # of a kind, at most
TONGUES: Final = (
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
# What a field holds. A word is one of the tongue WORD + i.
NUMBER, NUMBER_OR_NONE, TRUTH, TEXT, PHASE, VARIABLE, SUIT, RANKS, ODDS, NODE, NODES, NAMES, ROUNDS, WORD = range(14)
# Texts and lists of whole numbers that are the names or numbers of something, by the names of their fields.
_NAMING: Final = {"phase": PHASE, "rounds": ROUNDS, "variable": VARIABLE, "counter": VARIABLE, "suit": SUIT}


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
    """What a field of this name and type holds. Raises ValueError for a type that no row has a place for."""
    listed = tuple in (getattr(part, "__origin__", None) for part in (hint, *get_args(hint)))
    if _structs(hint):
        return NODES if listed else NODE
    if said := words(hint):
        return WORD + next(place for place, tongue in enumerate(TONGUES) if said <= set(tongue))
    if field in _NAMING:
        return _NAMING[field]
    if listed:
        return {"ranks": RANKS, "odds": ODDS}.get(field, NAMES)
    plain = {bool: TRUTH, int: NUMBER, str: TEXT, int | None: NUMBER_OR_NONE}
    return plain[hint]


def _held(hint: Any) -> int:
    """The kind of the objects in a field whose JSON does not name it; NONE if it does, or if there are no objects."""
    structs = _structs(hint)
    return KINDS.index(structs[0]) if structs and structs[0].__struct_config__.tag is None else NONE


def _before(kind: type[Struct]) -> list[bytes]:
    """What stands before each field's value. A kind without fields has what stands before its end."""
    tag = kind.__struct_config__.tag
    opening = "{" if tag is None else f'{{"type":{json.dumps(tag)},'
    fields = [f"{json.dumps(name)}:" for name in kind.__struct_encode_fields__]
    if not fields:
        return [opening.rstrip(",").encode()]
    return [(opening + fields[0]).encode(), *(f",{field}".encode() for field in fields[1:])]


def _of_fields(ask: Callable[[str, Any], int]) -> Array:
    """int64[kinds, FIELDS]: a number for every field, by its name and type; NONE where a kind has no more fields."""
    found = np.full((len(KINDS), FIELDS), NONE)
    for row, kind in zip(found, KINDS):
        hints = get_type_hints(kind)
        for place, field in enumerate(kind.__struct_fields__):
            row[place] = ask(field, hints[field])
    return found


HOLDS: Final = _of_fields(_holds)
HELD: Final = _of_fields(lambda _field, hint: _held(hint))
COUNT: Final = np.array([len(kind.__struct_fields__) for kind in KINDS])  # of fields
BEFORE: Final = [_before(kind) for kind in KINDS]
