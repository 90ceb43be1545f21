"""The constructs of a game: identifiers of what occurs in its rules, such as `draw`, `draw_public` and `draw_count`.

They follow from `antemill.engine.rules.spec`. A game has the construct of each kind that occurs in it and of each trait
that a kind brings. A field adds a construct for each word that it holds (`draw_public`), other than players and signs
of comparison, or for a value that differs from its default (`draw_count`: another number than one). Rules that play
never reaches count.

Pools record the constructs of every candidate, so that they show whether the gate rejects all games with one of them.
"""

from __future__ import annotations

from itertools import compress
from typing import Any, Final, get_args

import numpy as np
from msgspec import NODEFAULT

from antemill.engine.kernel import kernel
from antemill.engine.rules.fields import FIELDS, KINDS, PLAYERS
from antemill.engine.rules.spec import Comparison, GameSpec
from antemill.engine.rules.table.codec import table_of
from antemill.engine.rules.table.columns import COLUMNS, KIND, NONE, Array, Table, constant
from antemill.engine.rules.table.order import order_of

_NO_CONSTRUCTS: Final = (PLAYERS, get_args(Comparison))  # words


def _rules() -> list[tuple[int, str, int, int, bool]]:
    """A kind's number, a construct, a column, a number, and whether the construct is there if the cell differs."""
    found: list[tuple[int, str, int, int, bool]] = []
    for number, kind in enumerate(KINDS):
        name = constant(kind.__name__).lower()
        traits = sorted(getattr(kind, "brings", ()))
        found += [(number, construct, KIND, number, False) for construct in (name, *traits)]
        values: tuple[Any, ...] = kind.__struct_defaults__
        defaults = (NODEFAULT,) * (len(FIELDS[kind]) - len(values)) + values
        for field, default in zip(FIELDS[kind], defaults, strict=True):
            column = COLUMNS[kind][field.name]
            if field.words and field.words not in _NO_CONSTRUCTS:
                words = [f"{name}_{constant(word).lower()}" for word in field.words]
                found += [(number, word, column, place, False) for place, word in enumerate(words)]
            elif default is not NODEFAULT and not field.words:
                usual = NONE if default is None or default == () else int(default)
                found.append((number, f"{name}_{field.name}", column, usual, True))
    return found


_RULES: Final = _rules()
CONSTRUCTS: Final = tuple(dict.fromkeys(construct for _, construct, *_ in _RULES))
_COUNT: Final = len(CONSTRUCTS)
_PLACE: Final = {name: place for place, name in enumerate(CONSTRUCTS)}
_TESTS: Final = np.array([(_PLACE[construct], *test) for _, construct, *test in _RULES], np.int64)  # int64[rules, 4]
_FIRST: Final = np.searchsorted([kind for kind, *_ in _RULES], np.arange(len(KINDS) + 1))  # rule of each kind


def constructs(spec: GameSpec) -> frozenset[str]:
    """The constructs of a legal game. Raises SpecError for an object in a place that cannot hold its kind."""
    return frozenset(compress(CONSTRUCTS, constructs_of(table_of(spec)).tolist()))


@kernel(allocates=True)
def constructs_of(table: Table) -> Array:
    """bool[constructs]: which of `CONSTRUCTS`, in their order, a table has."""
    nodes, found = table.nodes, np.zeros(_COUNT, np.bool_)
    for row in order_of(table)[:, 0]:
        kind = nodes[row, KIND]
        for rule in range(_FIRST[kind], _FIRST[kind + 1]):
            construct, column, number, differs = _TESTS[rule]
            found[construct] |= (nodes[row, column] == number) != (differs == 1)
    return found
