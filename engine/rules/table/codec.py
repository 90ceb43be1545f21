"""The conversion of a game's rules from objects to a table (`table_of`) and back (`spec_of`).

The functions that write and read an object of a kind are made from the kind's fields when this module is imported.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, get_args

import numpy as np
from msgspec import Struct

from antemill.engine.errors import SpecError
from antemill.engine.rules.fields import FIELDS, KINDS, Field
from antemill.engine.rules.spec import Deck, GameSpec, Phase
from antemill.engine.rules.table.columns import COLUMNS, NAME, NEXT, NONE, ROUND, ROUND_PHASE, WIDTH, Array, Table

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


class _Places(dict[Any, int]):
    """The index of each item; `NONE` for any other."""

    def __init__(self, items: Iterable[Any]) -> None:
        super().__init__({item: place for place, item in enumerate(items)})

    def __missing__(self, item: Any) -> int:
        return NONE


class _Encoder:
    """The rows of a game's table while they are written. Names of phases become row numbers at the end."""

    def __init__(self, spec: GameSpec) -> None:
        self.spec = spec
        self.cells: list[int] = []  # of all rows
        self.texts: dict[str, int] = {}  # a number for each text
        self.bits = {rank: 1 << place for place, rank in enumerate(spec.deck.ranks)}
        self.suits, self.variables = _Places(spec.deck.suits), _Places(spec.variables)
        self.played: list[tuple[int, str]] = []  # a cell for a phase's row, and the phase's name

    def table(self) -> Table:
        spec = self.spec
        try:
            phases = [_PHASES[type(phase)](phase, self, self.cells) for phase in spec.phases]
        except KeyError:
            raise SpecError(f"game '{spec.name}' holds an object where none of its kind can be.") from None
        by_name = {  # the first of a name
            phase.name: row for phase, row in zip(reversed(spec.phases), reversed(phases))
        }
        for cell, name in self.played:
            self.cells[cell] = by_name.get(name, NONE)
        return Table(
            nodes=np.frombuffer(array("q", self.cells), np.int64).reshape(-1, WIDTH),
            phases=np.array(phases, np.int64),
            sequence=np.array([by_name.get(name, NONE) for name in spec.sequence], np.int64),
            ranks=np.array(spec.deck.ranks, np.int64),
            suits=len(spec.deck.suits),
            chips=spec.chips,
            variables=len(spec.variables),
        )

    def phase(self, column: int, name: str) -> int:
        """Note that the next row holds a phase in this column."""
        self.played.append((len(self.cells) + column, name))
        return NONE

    def ranks(self, ranks: Sequence[int]) -> int:
        return sum({self.bits.get(rank, 0) for rank in ranks})

    def nodes(self, items: Sequence[Any], writers: Mapping[type, _Writer]) -> int:
        """Write a list of objects; returns its first row."""
        first = before = NONE
        cells = self.cells
        for item in items:
            row = writers[type(item)](item, self, cells)
            if before == NONE:
                first = row
            else:
                cells[before * WIDTH + NEXT] = row
            before = row
        return first

    def names(self, names: Sequence[str]) -> int:
        texts = self.texts
        return self._listed(NAME, [texts.setdefault(name, len(texts)) for name in names])

    def phases(self, names: Sequence[str]) -> int:
        first = self._listed(ROUND, [NONE] * len(names))
        self.played += [((first + place) * WIDTH + ROUND_PHASE, name) for place, name in enumerate(names)]
        return first

    def _listed(self, kind: int, contents: Sequence[int]) -> int:
        """Write a list of names or phases, a row each; returns the first row."""
        first = len(self.cells) // WIDTH
        last = first + len(contents)
        for following, content in enumerate(contents, first + 1):
            self.cells.extend((kind, following if following < last else NONE, content, *_REST))
        return first if contents else NONE


_REST: Final = (NONE,) * (WIDTH - 3)
_Writer = Callable[[Any, _Encoder, list[int]], int]


def spec_of(table: Table, game: str, suits: Array, variables: Array, words: Sequence[str]) -> GameSpec:
    """The game of a table, as objects. `table_of` keeps a copy of the table for it.

    game: its name. suits, variables: int64 arrays of the numbers of their names. These numbers and those in the table
    are texts of `words`, as `columns` composes them; the first word is empty.
    """
    spec = _Decoder(table, suits.tolist(), variables.tolist(), words).spec(game)
    arrays = (table.nodes.copy(), table.phases.copy(), table.sequence.copy(), table.ranks.copy())
    _remember(spec, Table(*arrays, table.suits, table.chips, table.variables))
    return spec


class _Texts(dict[int, str]):
    """Texts by their numbers, which may be composed (see `columns`)."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words

    def __missing__(self, number: int) -> str:
        first, second, last = number & 0xFFFF, number >> 16 & 0xFFFF, number >> 32
        self[number] = text = self.words[first] + self.words[second] + (f" {last}" if last else "")
        return text


class _Decoder:
    """The objects of a table."""

    def __init__(self, table: Table, suits: list[int], variables: list[int], words: Sequence[str]) -> None:
        self.table, self.rows = table, table.nodes.tolist()
        self.texts = texts = _Texts(words)
        self.values = table.ranks.tolist()
        self.suits = tuple([texts[number] for number in suits])
        self.variables = tuple([texts[number] for number in variables])

    def spec(self, game: str) -> GameSpec:
        table = self.table
        phases: tuple[Phase, ...] = tuple([self.node(row) for row in table.phases.tolist()])
        sequence = tuple([self.phase(row) for row in table.sequence.tolist()])
        deck = Deck(tuple(self.values), self.suits)
        return GameSpec(game, deck, int(table.chips), phases, sequence, self.variables)

    def node(self, row: int) -> Any:
        """The object in a row."""
        cells = self.rows[row]
        return _READERS[cells[0]](cells, self)

    def nodes(self, row: int) -> tuple[Any, ...]:
        """The objects of a list."""
        rows, found = self.rows, []
        while row != NONE:
            cells = rows[row]
            found.append(_READERS[cells[0]](cells, self))
            row = cells[NEXT]
        return tuple(found)

    def phase(self, row: int) -> str:
        """The name of a phase, which is the first field of each kind of phase."""
        return self.texts[self.rows[row][2]]

    def names(self, row: int) -> tuple[str, ...]:
        return tuple([self.texts[cell] for cell in self._listed(row)])

    def phases(self, row: int) -> tuple[str, ...]:
        return tuple([self.phase(cell) for cell in self._listed(row)])

    def _listed(self, row: int) -> list[int]:
        """The contents of a list of names or phases."""
        found = []
        while row != NONE:
            found.append(self.rows[row][2])
            row = self.rows[row][NEXT]
        return found

    def ranks(self, cell: int) -> tuple[int, ...]:
        return tuple([rank for place, rank in enumerate(self.values) if cell >> place & 1])


# ------------------------------------------------------------------------------------------------ one kind

# How the content of a field is written, and read again. {v}: the value. {c}: its cell. {n}: the number of its column.
# {k}: a name for what belongs to this field: the places of words, or the writers of nodes.
_WRITTEN: Final = {
    "number": "{v}",
    "truth": "{v}",
    "word": "{k}[{v}]",
    "text": "to.texts.setdefault({v}, len(to.texts))",
    "texts": "to.names({v})",
    "ranks": "to.ranks({v})",
    "odds": "*{v}",
    "node": "{k}[type({v})]({v}, to, cells)",
    "nodes": "to.nodes({v}, {k}) if {v} else -1",
    "phase": "to.phase({n}, {v})",
    "phases": "to.phases({v})",
    "variable": "to.variables[{v}]",
    "suit": "to.suits[{v}]",
}
_READ: Final = {
    "number": "{c}",
    "truth": "{c} != 0",
    "word": "{k}[{c}]",
    "text": "of.texts[{c}]",
    "texts": "of.names({c})",
    "ranks": "of.ranks({c})",
    "odds": "({c}, {c2})",
    "node": "of.node({c})",
    "nodes": "of.nodes({c})",
    "phase": "of.phase({c})",
    "phases": "of.phases({c})",
    "variable": "of.variables[{c}]",
    "suit": "of.suits[{c}]",
}
_NESTED: Final = ("node", "nodes", "texts", "phases")  # written into rows of their own, before the row that holds them


def _functions() -> tuple[dict[type[Struct], _Writer], list[Callable[[list[int], _Decoder], Any]]]:
    """A writer for each kind, and a reader for each number of a kind."""
    lines: list[str] = []
    given: dict[str, Any] = {}
    later: list[tuple[dict[type[Struct], Any], Field]] = []
    for number, kind in enumerate(KINDS):
        before, row, read = [], [NONE] * WIDTH, []
        cells: list[Any] = [number, NONE, *row[2:]]
        for field in FIELDS[kind]:
            at, key, value = COLUMNS[kind][field.name], f"{field.name}_{number}", f"node.{field.name}"
            given[f"to_{key}"] = _Places(field.words) if field.words else {}
            if field.kinds:
                later.append((given[f"to_{key}"], field))
            given[f"of_{key}"] = (*field.words, None)  # at index `NONE`, which is the last one
            said = _WRITTEN[field.holds].format(v=value, k=f"to_{key}", n=at)
            found = _READ[field.holds].format(k=f"of_{key}", c=f"row[{at}]", c2=f"row[{at + 1}]")
            if field.optional and field.holds != "word":
                none = "*(-1, -1)" if field.holds == "odds" else "-1"
                said = f"*({value} or (-1, -1))" if field.holds == "odds" else f"{none} if {value} is None else {said}"
                found = f"None if row[{at}] == -1 else {found}"
            if field.holds in _NESTED:
                before.append(f"    its_{field.name} = {said}")
                said = f"its_{field.name}"
            read.append(found)
            cells[at] = said
            if field.holds == "odds":
                del cells[-1]
        given[kind.__name__] = kind
        lines += [f"def write_{number}(node, to, cells):", *before]
        lines += [f"    row = len(cells) // {WIDTH}", f"    cells.extend(({', '.join(map(str, cells))}))"]
        lines += ["    return row", f"def read_{number}(row, of):", f"    return {kind.__name__}({', '.join(read)})"]
    exec("\n".join(lines), given)
    writers = {kind: given[f"write_{number}"] for number, kind in enumerate(KINDS)}
    for allowed, field in later:
        allowed |= {kind: writers[kind] for kind in field.kinds}
    return writers, [given[f"read_{number}"] for number in range(len(KINDS))]


_WRITERS, _READERS = _functions()
_PHASES: Final = {kind: _WRITERS[kind] for kind in get_args(Phase)}
