"""A table read row by row beside the objects that it was made of, by the names of the columns alone."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, get_args, get_type_hints

import msgspec
import numpy as np
from msgspec import Struct

from antemill.engine.rules.spec import GameSpec
from antemill.engine.rules.table import columns as of
from antemill.engine.rules.table.codec import table_of
from antemill.engine.rules.table.columns import KIND, NEXT, NONE, Array, Table

PLAYERS = ("alice", "bob", "leader", "follower", "winner", "loser", "pot", "both")


def constant(name: str) -> str:
    """A class's or a field's name as a constant's."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()


def column(kind: type[Struct], field: str) -> int:
    number: int = getattr(of, f"{constant(kind.__name__)}_{field.upper()}")
    return number


hints = cache(get_type_hints)


def words(hint: Any) -> list[str]:
    """The words that a type allows, in its order."""
    return [word for part in get_args(hint) for word in ([part] if isinstance(part, str) else words(part))]


def tongue(hint: Any) -> list[str]:
    """The words among which a field of this type says one, in the order of their numbers."""
    return [*PLAYERS] if "alice" in words(hint) else words(hint)


class Followed:
    """Raises AssertionError where a table is not what its spec says.

    texts: each text by its number. cells: the row and the column of everything that holds a text.
    """

    def __init__(self, spec: GameSpec, table: Table) -> None:
        self.spec, self.table = spec, table
        self.texts: dict[int, str] = {}
        self.cells: list[tuple[int, int]] = []
        rows = [int(row) for row in table.phases]
        assert len(rows) == len(set(rows)) == len(spec.phases)
        self.rows = dict(reversed([*zip((phase.name for phase in spec.phases), rows)]))
        assert [self.rows[name] for name in spec.sequence] == table.sequence.tolist()
        assert list(spec.deck.ranks) == table.ranks.tolist()
        said = (len(spec.deck.suits), spec.chips, len(spec.variables))
        assert (table.suits, table.chips, table.variables) == said
        for phase, row in zip(spec.phases, rows):
            self.node(phase, row)
            assert table.nodes[row, NEXT] == NONE
        assert len(set(self.texts.values())) == len(self.texts)  # equal texts have equal numbers

    def node(self, node: Struct, row: int) -> None:
        kind = type(node)
        assert self.table.nodes[row, KIND] == getattr(of, constant(kind.__name__))
        for field, hint in hints(kind).items():
            if field in kind.__struct_fields__:
                self.field(field, hint, getattr(node, field), row, column(kind, field))

    def field(self, field: str, hint: Any, value: Any, row: int, at: int) -> None:
        cell = int(self.table.nodes[row, at])
        if field == "odds":
            assert tuple(self.table.nodes[row, at : at + 2].tolist()) == (value or (NONE, NONE))
        elif field == "ranks":
            assert cell == sum(1 << place for place, rank in enumerate(self.spec.deck.ranks) if rank in value)
        elif value is None:
            assert cell == NONE
        elif isinstance(value, Struct):
            self.node(value, cell)
            assert self.table.nodes[cell, NEXT] == NONE
        elif isinstance(value, tuple):
            self.listed(field, value, cell)
        elif isinstance(value, int):
            assert cell == value
        elif words(hint):
            assert tongue(hint)[cell] == value
        else:
            self.named(field, value, row, at)

    def listed(self, field: str, items: tuple[Any, ...], row: int) -> None:
        for item in items:
            if isinstance(item, Struct):
                self.node(item, row)
            else:
                kind, entry = (of.ROUND, of.ROUND_PHASE) if field == "rounds" else (of.NAME, of.NAME_TEXT)
                assert self.table.nodes[row, KIND] == kind
                self.named("phase" if field == "rounds" else "text", item, row, entry)
            row = int(self.table.nodes[row, NEXT])
        assert row == NONE

    def named(self, field: str, value: str, row: int, at: int) -> None:
        cell = int(self.table.nodes[row, at])
        if field == "phase":
            assert cell == self.rows[value]
        elif field == "suit":
            assert self.spec.deck.suits[cell] == value
        elif field in ("variable", "counter"):
            assert self.spec.variables[cell] == value
        else:
            assert self.texts.setdefault(cell, value) == value  # equal numbers have equal texts
            self.cells.append((row, at))


def ascending(spec: GameSpec) -> GameSpec:
    """The game with the ranks of every condition in ascending order, which is all that a table knows of them."""

    def ordered(part: Any) -> Any:
        if isinstance(part, dict):
            return {name: sorted(held) if name == "ranks" else ordered(held) for name, held in part.items()}
        return [ordered(held) for held in part] if isinstance(part, list | tuple) else part

    return msgspec.convert(ordered(msgspec.to_builtins(spec)), GameSpec)


def writable(spec: GameSpec) -> tuple[Table, str, Array, Array, list[str]]:
    """The arguments of `spec_of` that give this game again; the words are the game's texts."""
    table = table_of(spec)
    followed = Followed(spec, table)
    texts = ["", *sorted({*followed.texts.values(), *spec.deck.suits, *spec.variables} - {""})]
    number = {text: place for place, text in enumerate(texts)}
    nodes = table.nodes.copy()
    for cell in followed.cells:
        nodes[cell] = number[followed.texts[nodes[cell]]]
    suits = np.array([number[name] for name in spec.deck.suits], np.int64)
    variables = np.array([number[name] for name in spec.variables], np.int64)
    return table._replace(nodes=nodes), spec.name, suits, variables, texts
