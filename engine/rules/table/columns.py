"""The rules of a game as a table of numbers, which compiled code draws, follows and compiles.

`antemill.engine.rules.spec` has the same rules as objects, and defines their meaning.

A row is a node: its kind, the row that follows it in the same list, and its fields in the order of the object's fields,
from column 2 on. A field that is a node holds the node's row. A field that is a list holds the row of its first
element. `NONE` stands for no node, an empty list, the end of a list, and None. Several fields may hold the same node or
list, so a complete row is never changed.

The contents of fields, by their types (`antemill.engine.rules.fields`):

- whole numbers and truth values: themselves
- players, accounts, comparisons and all other words that a field may hold: their index among the words of its type
- phases that are performed: the phase's row
- variables and suits: their index in the game
- sets of ranks: bit i for the rank with index i in the deck
- names and texts: numbers that are equal if the texts are; the maker of the table knows the texts. Those of the
  builder are indices into its vocabulary: a text, plus 2^16 times a text that follows it directly (0: none), plus 2^32
  times a number that follows after a space (0: none)
- odds: two columns

The numbers have names, which are computed from the kinds and words:

- the number of a kind: `ANTE` for `Ante`, `BOARD_HAS_RANK` for `BoardHasRank`; `NAME` and `ROUND` for the entries of a
  list of names and of a list of phases
- the column of a field: `ANTE_PLAYER`, and `NAME_TEXT` and `ROUND_PHASE` for those entries
- a word of players, accounts, visibilities and comparisons: `POT`, `OCCURRENCE`, `AT_LEAST`
- a word that one kind alone uses: `DISCARD_LOWEST`
"""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple, get_args

import numpy.typing as npt
from msgspec import Struct

from antemill.engine.rules.fields import FIELDS, KINDS, PLAYERS
from antemill.engine.rules.spec import Comparison, Visibility

Array = npt.NDArray[Any]


class Table(NamedTuple):
    """The rules of one game."""

    nodes: Array  # int64[rows, WIDTH]
    phases: Array  # int64[phases]: their rows, in the order of the spec
    sequence: Array  # int64[main phases]: their rows
    ranks: Array  # int64[ranks]: their values, ascending
    suits: int
    chips: int
    variables: int


NONE: Final = -1
KIND, NEXT = range(2)  # columns of every row
NAME, ROUND = len(KINDS), len(KINDS) + 1
NAME_TEXT: Final = 2
ROUND_PHASE: Final = 2
_SIGNS: Final = {"<": "LESS", "<=": "AT_MOST", "==": "EQUAL", ">=": "AT_LEAST", ">": "MORE"}
_SHARED: Final = (PLAYERS, get_args(Visibility), get_args(Comparison))


def constant(name: str) -> str:
    """A class's or a field's name, or a word, as the name of a number."""
    return _SIGNS.get(name) or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).replace("-", "_").upper()


def _placed(kind: type[Struct]) -> dict[str, int]:
    """The column of each field."""
    columns, free = {}, 2
    for field in FIELDS[kind]:
        columns[field.name] = free
        free += 2 if field.holds == "odds" else 1
    return columns


COLUMNS: Final = {kind: _placed(kind) for kind in KINDS}
WIDTH: Final = 1 + max(column for columns in COLUMNS.values() for column in columns.values())


def _numbers() -> dict[str, int]:
    """The numbers of kinds, columns and words, by their names."""
    named = [(constant(word), number) for words in _SHARED for number, word in enumerate(words)]
    for number, kind in enumerate(KINDS):
        name = constant(kind.__name__)
        named.append((name, number))
        named += [(f"{name}_{field.upper()}", column) for field, column in COLUMNS[kind].items()]
        own = [field.words for field in FIELDS[kind] if field.words not in _SHARED]
        named += [(f"{name}_{constant(word)}", place) for words in own for place, word in enumerate(words)]
    numbers = dict(named)
    assert len(numbers) == len(named), "a kind, a field or a word takes the name of another one"
    return numbers


NUMBERS: Final = _numbers()
globals().update(NUMBERS)


def __getattr__(name: str) -> int:  # for readers of types: the names above are computed
    raise AttributeError(f"no kind, field or word of the rules is called {name}")
