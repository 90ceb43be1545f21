"""The conversion of a game's rules from objects to a table (`table_of`) and back (`spec_of`)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np

from antemill.engine.errors import SpecError
from antemill.engine.rules.spec import Deck, GameSpec, Phase
from antemill.engine.rules.table import columns as of
from antemill.engine.rules.table.columns import KIND, NEXT, NONE, WIDTH, Array, Table
from antemill.engine.rules.table.schema import (
    BY_KIND,
    KINDS,
    NAMES,
    NODE,
    NODES,
    NUMBER,
    NUMBER_OR_NONE,
    ODDS,
    PHASE,
    RANKS,
    ROUNDS,
    SUIT,
    TEXT,
    TRUTH,
    VARIABLE,
    VOCABULARIES,
    WORD,
)

_NUMBERS: Final = {kind: number for number, kind in enumerate(KINDS)}
_NUMERIC: Final = frozenset((NUMBER, NUMBER_OR_NONE, TRUTH))
_PHASES: Final = frozenset(KINDS[of.STEPS : of.SHOWDOWN + 1])
_PLACES: Final = [{word: place for place, word in enumerate(vocabulary)} for vocabulary in VOCABULARIES]

# The spec that was converted last, and its table: several readers ask for it in turn.
_last: tuple[GameSpec | None, Table | None] = None, None


def table_of(spec: GameSpec) -> Table:
    """A legal spec as a table, which callers must not change. Each text has a number of its own.

    Raises SpecError for a field that holds an object of a kind that its type does not allow. Any other fault of a spec
    gives an undefined table.
    """
    last, kept = _last
    if spec is last and kept is not None:
        return kept
    table = _Encoder(spec).table()
    _remember(spec, table)
    return table


def _remember(spec: GameSpec, table: Table) -> None:
    """Keep the table of this very spec for `table_of`."""
    global _last
    _last = spec, table


class _Encoder:
    """The rows of a game's table while they are written. Names of phases become row numbers at the end."""

    def __init__(self, spec: GameSpec) -> None:
        self.spec = spec
        self.rows: list[list[int]] = []
        self.texts: dict[str, int] = {}
        self.ranks = {rank: 1 << place for place, rank in enumerate(spec.deck.ranks)}
        self.suits = {suit: place for place, suit in enumerate(spec.deck.suits)}
        self.variables = {variable: place for place, variable in enumerate(spec.variables)}
        self.played: list[tuple[list[int], int, str]] = []  # a row, its column for a phase's row, the phase's name

    def table(self) -> Table:
        spec = self.spec
        phases = [self.node(phase, _PHASES) for phase in spec.phases]
        by_name = {
            phase.name: row for phase, row in zip(reversed(spec.phases), reversed(phases))
        }  # the first of a name
        for row, column, name in self.played:
            row[column] = by_name.get(name, NONE)
        sequence = [by_name.get(name, NONE) for name in spec.sequence]
        return Table(
            nodes=np.array(self.rows, np.int64),
            phases=np.array(phases, np.int64),
            sequence=np.array(sequence, np.int64),
            ranks=np.array(spec.deck.ranks, np.int64),
            suits=len(spec.deck.suits),
            chips=spec.chips,
            variables=len(spec.variables),
        )

    def node(self, node: Any, kinds: frozenset[Any]) -> int:
        """Write a node and all that it holds; returns the node's row."""
        if type(node) not in kinds:
            raise SpecError(f"game '{self.spec.name}' holds an object where none of its kind can be.")
        kind = _NUMBERS[type(node)]
        number, row = self.row(kind)
        for name, column, holds, kinds, optional in BY_KIND[kind]:
            value = getattr(node, name)
            if value is None and optional:
                continue
            if holds >= WORD:
                row[column] = _PLACES[holds - WORD].get(value, NONE)
            elif holds in _NUMERIC:
                row[column] = value
            elif holds == NODES:
                row[column] = self.linked([self.node(item, kinds) for item in value])
            elif holds == NODE:
                row[column] = self.node(value, kinds)
            elif holds in (ROUNDS, NAMES):
                row[column] = self.linked([self.named(item, holds) for item in value])
            elif holds == ODDS:
                row[column : column + 2] = value
            else:
                row[column] = self.text(row, column, holds, value)
        return number

    def row(self, kind: int) -> tuple[int, list[int]]:
        """A new row of a kind: its number and its cells."""
        row = [NONE] * WIDTH
        row[KIND] = kind
        self.rows.append(row)
        return len(self.rows) - 1, row

    def linked(self, rows: list[int]) -> int:
        """Link rows to a list; returns its first row."""
        for row, following in pairwise(rows):
            self.rows[row][NEXT] = following
        return rows[0] if rows else NONE

    def named(self, name: str, holds: int) -> int:
        """An entry of a list of names, or of a loop's rounds."""
        number, row = self.row(of.ROUND if holds == ROUNDS else of.NAME)
        row[2] = self.text(row, 2, PHASE if holds == ROUNDS else TEXT, name)
        return number

    def text(self, row: list[int], column: int, holds: int, value: Any) -> int:
        """The content of a cell for a text, or for a set of ranks."""
        if holds == TEXT:
            return self.texts.setdefault(value, len(self.texts))
        if holds == PHASE:
            self.played.append((row, column, value))
            return NONE
        if holds == RANKS:
            return sum({self.ranks.get(rank, 0) for rank in value})
        return (self.variables if holds == VARIABLE else self.suits).get(value, NONE)


def spec_of(table: Table, game: str, suits: Array, variables: Array, words: Sequence[str]) -> GameSpec:
    """The game of a table, as objects. `table_of` keeps a copy of the table for it.

    game: its name. suits, variables: int64 arrays of the numbers of their names. These numbers and those in the table
    are texts of `words`, as `columns` composes them; the first word is empty.
    """
    decoder = _Decoder(table, suits, variables, words)
    spec = decoder.spec(game)
    arrays = (table.nodes.copy(), table.phases.copy(), table.sequence.copy(), table.ranks.copy())
    _remember(spec, Table(*arrays, table.suits, table.chips, table.variables))
    return spec


class _Decoder:
    """The objects of a table."""

    def __init__(self, table: Table, suits: Array, variables: Array, words: Sequence[str]) -> None:
        self.nodes: list[list[int]] = table.nodes.tolist()
        self.table, self.words = table, words
        self.ranks: list[int] = table.ranks.tolist()
        self.suits, self.variables = self.texts(suits), self.texts(variables)

    def spec(self, game: str) -> GameSpec:
        table = self.table
        phases: tuple[Phase, ...] = tuple([self.node(row) for row in table.phases.tolist()])
        sequence = tuple([self.phase(row) for row in table.sequence.tolist()])
        return GameSpec(game, Deck(tuple(self.ranks), self.suits), int(table.chips), phases, sequence, self.variables)

    def node(self, row: int) -> Any:
        """The object in a row."""
        cells = self.nodes[row]
        kind = cells[KIND]
        return KINDS[kind](*[self.value(cells, field.column, field.holds) for field in BY_KIND[kind]])

    def value(self, cells: list[int], column: int, holds: int) -> Any:
        """The value of a field."""
        cell = cells[column]
        if holds == NUMBER:
            return cell
        if holds >= WORD:
            return None if cell == NONE else VOCABULARIES[holds - WORD][cell]
        if holds == NODE:
            return None if cell == NONE else self.node(cell)
        if holds == NODES:
            return tuple([self.node(row) for row in self.listed(cell)])
        if holds == NAMES:
            return tuple([self.text(self.nodes[row][of.NAME_TEXT]) for row in self.listed(cell)])
        if holds == ROUNDS:
            return tuple([self.phase(self.nodes[row][of.ROUND_PHASE]) for row in self.listed(cell)])
        if holds == TRUTH:
            return bool(cell)
        if holds == TEXT:
            return self.text(cell)
        if holds == PHASE:
            return self.phase(cell)
        if holds == VARIABLE:
            return self.variables[cell]
        if holds == SUIT:
            return self.suits[cell]
        if holds == RANKS:
            return tuple([rank for place, rank in enumerate(self.ranks) if cell >> place & 1])
        if cell == NONE:
            return None
        return cell if holds == NUMBER_OR_NONE else (cell, cells[column + 1])

    def listed(self, row: int) -> list[int]:
        """The rows of a list."""
        rows = []
        while row != NONE:
            rows.append(row)
            row = self.nodes[row][NEXT]
        return rows

    def phase(self, row: int) -> str:
        """The name of a phase, which is the first field of each kind of phase."""
        return self.text(self.nodes[row][of.STEPS_NAME])

    def texts(self, numbers: Array) -> tuple[str, ...]:
        return tuple([self.text(number) for number in numbers.tolist()])

    def text(self, number: int) -> str:
        """A text by its number, which may be composed (see `columns`)."""
        first, second, last = number & 0xFFFF, number >> 16 & 0xFFFF, number >> 32
        return self.words[first] + self.words[second] + (f" {last}" if last else "")
