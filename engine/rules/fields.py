"""What the fields of every kind hold, from the types in `antemill.engine.rules.spec`.

Tables, their codec, the walk of a spec, disguises and the comparison of games read this instead of lists of their own.
"""

from __future__ import annotations

from types import NoneType
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args, get_type_hints

from msgspec import Struct

from antemill.engine.rules.spec import Account, Cell, Condition, Cost, Option, Phase, Players, Seat, Step

# Every kind of object that a phase is made of.
KINDS: Final[tuple[type[Struct], ...]] = (*get_args(Condition), *get_args(Step), *get_args(Phase), Option, Cost, Cell)
PLAYERS: Final = tuple(dict.fromkeys((*get_args(Account), *get_args(Players))))  # all words for players and accounts

Content: TypeAlias = Literal[
    "number",
    "truth",
    "word",  # of `Field.words`
    "text",
    "texts",
    "ranks",
    "odds",
    "node",  # an object of one of `Field.kinds`
    "nodes",
    "phase",  # the name of a phase, a variable or a suit
    "phases",
    "variable",
    "suit",
]


class Field(NamedTuple):
    """A field of a kind."""

    name: str
    holds: Content
    words: tuple[str, ...]  # that it may hold, in the order of their numbers
    kinds: tuple[type[Struct], ...]  # of the objects that it may hold
    optional: bool  # whether it may be None
    chips: bool  # whether a number counts chips, ...
    moves: bool  # ... and these chips move
    player: bool  # whether it names a player or an account, by seat or position


def _leaves(hint: Any) -> list[Any]:
    """The types, words and annotated words that a type is made of."""
    if isinstance(hint, str) or not get_args(hint):
        return [hint]
    return [leaf for part in get_args(hint) for leaf in _leaves(part)]


def _field(name: str, hint: Any) -> Field:
    """A field by its type. Raises KeyError for a type that no table can hold."""
    leaves = _leaves(hint)
    listed = Ellipsis in leaves
    structs = tuple(leaf for leaf in leaves if isinstance(leaf, type) and issubclass(leaf, Struct))
    said = [leaf for leaf in leaves if isinstance(leaf, str)]
    mark = said[0] if said and (str in leaves or int in leaves) else ""
    chips = mark in ("chips", "stake")
    words: tuple[str, ...] = () if mark else tuple(said)
    if set(words) >= set(get_args(Seat)):
        words = PLAYERS
    holds: Any
    if structs:
        holds = "nodes" if listed else "node"
    elif words:
        holds = "word"
    elif mark and not chips:
        holds = mark + "s" * listed
    elif listed:
        holds = "ranks" if int in leaves else "texts"
    else:
        holds = "odds" if leaves.count(int) == 2 else {bool: "truth", int: "number", str: "text"}[leaves[0]]
    return Field(name, holds, words, structs, NoneType in leaves, chips, mark == "stake", "leader" in said)


def _fields(kind: type[Struct]) -> tuple[Field, ...]:
    hints = get_type_hints(kind, include_extras=True)
    return tuple(_field(name, hints[name]) for name in kind.__struct_fields__)


FIELDS: Final = {kind: _fields(kind) for kind in KINDS}
