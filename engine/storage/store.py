"""Parquet files of games, scores and benchmarks: the schemas, and writing and reading them (design decision D9).

A file is of one of these kinds. Its metadata names the kind, the version of the schemas, the builder that drew the
games, the gate that judged them, and the machine: a digest of the instruction set of their programs.

candidates  all candidates of a range of seeds: the gate's verdict with its figures, and the game's constructs
games       the accepted ones: rules and program
part        both together, for a few seeds, while a pool is built; in its own format (`antemill.engine.storage.parts`)
scores      axes of accepted games at one budget tier
benchmark   selected games, self-contained: rules, programs, rank of selection, both tiers' scores

Rows are in the order of seeds. This module has the columns of the first three kinds; those of the others follow from
the list of axes (`antemill.tournament.pool.schemas`). The bytes depend on the content alone: they contain no times and
no names of machines. Programs in a file of the same instruction set run without the generator. Raise `VERSION` when a
schema or the meaning of an instruction changes.
"""

from __future__ import annotations

import functools
import hashlib
import io
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, BinaryIO, Literal, get_args

import pyarrow as pa
from msgspec import Struct

from antemill.engine.errors import SpecError, StorageError
from antemill.engine.machine import layout
from antemill.engine.machine.opcodes import TABLE
from antemill.engine.machine.program import Program, from_columns
from antemill.engine.machine.readings import READINGS
from antemill.engine.rules.constructs import CONSTRUCTS
from antemill.engine.storage.files import read_bytes, write_bytes
from antemill.engine.storage.parquet import DAMAGED, GROUP, ROWS, Format, Opened
from antemill.engine.storage.places import Place

VERSION = 3
Name = Literal["candidates", "games", "part", "scores", "benchmark"]
PROGRAM_COLUMNS = ("digest", "code", "rows", "chips", "suited", "names")
HAS = {name: f"has_{name.replace(' ', '_').replace('-', '_')}" for name in CONSTRUCTS}  # columns of constructs

_SEED = pa.field("seed", pa.int64(), nullable=False)
_COMPLEXITY = pa.field("complexity", pa.float64(), nullable=False)
VERDICT = [
    pa.field("accepted", pa.bool_(), nullable=False),
    pa.field("reason", pa.string(), nullable=False),  # the causes of rejection; "" if accepted
    pa.field("moves", pa.float64()),  # average decisions per player; null if the game could not be played
    pa.field("rare_phases", pa.float64()),  # share of phases, by the gate's definition of a phase
    pa.field("dead_branches", pa.float64()),  # share of branches
    *(pa.field(f"rare_phases_{reading}", pa.float64()) for reading in READINGS),  # the same share under each reading
    pa.field("accepted_by", pa.list_(pa.string())),  # the readings under which the game is accepted
]
_CANONICAL = pa.field("canonical_digest", pa.string())  # of the game itself; null if the gate rejects it
_RULES = pa.field("rules_digest", pa.string())  # of the written rules, without names
PROGRAM = [
    pa.field("spec", pa.binary()),  # the rules as JSON
    pa.field("rulebook_length", pa.int32()),  # characters (G43)
    pa.field("digest", pa.string()),
    pa.field("code", pa.list_(pa.int32())),
    pa.field("rows", pa.int32()),
    pa.field("chips", pa.int32()),
    pa.field("suited", pa.bool_()),
    pa.field("names", pa.binary()),  # JSON
]
_NARROW = [_SEED, _COMPLEXITY, *VERDICT, _CANONICAL, *(pa.field(name, pa.bool_()) for name in HAS.values())]
_UNIQUE = ("seed", "complexity", "rules_digest", "canonical_digest", "spec", "digest")  # and figures of scores


class FileKind(Struct, frozen=True):
    """One kind of file, with its columns. later: columns that a file of an earlier antemill lacks; read as null."""

    name: Name
    schema: pa.Schema
    group: int = GROUP  # rows of a group
    later: tuple[str, ...] = ()


CANDIDATES = FileKind("candidates", pa.schema(_NARROW))
GAMES = FileKind("games", pa.schema([_SEED, _COMPLEXITY, _CANONICAL, _RULES, *PROGRAM]), 1024)  # of 13 kB each
PART = FileKind("part", pa.schema([*_NARROW, _RULES, *PROGRAM]))  # a rejected candidate has nulls in the last columns
Gate = dict[str, int | float | str]


class Header(Struct, frozen=True):
    """A file's header. builder: its hash. machine: see `machine`. gate: the gate's constants, in files of a pool."""

    kind: Name
    version: int
    builder: str
    machine: str
    gate: Gate | None = None


FORMAT = Format(
    b"antemill",
    Header,
    "not one of ours: name a file that antemill wrote",
    "delete it and run the command that made it again",
)


@functools.cache
def machine() -> str:
    """16 hex digits that change when opcodes, their operands or the layout of a game's state change."""
    code = [(op.name, int(op), row.operands) for op, row in TABLE.items()]
    slots = sorted((name, value) for name, value in vars(layout).items() if name.isupper() and isinstance(value, int))
    return hashlib.blake2b(repr((code, slots)).encode(), digest_size=8).hexdigest()


def table(kind: FileKind, rows: Sequence[dict[str, Any]]) -> pa.Table:
    """Rows of a kind as a table. Columns that a row lacks are null."""
    return pa.table({name: [row.get(name) for row in rows] for name in kind.schema.names}, schema=kind.schema)


def header(kind: FileKind, builder: str, gate: Gate | None = None) -> Header:
    """The header of a new file of this kind."""
    return Header(kind.name, VERSION, builder, machine(), gate)


def encode(kind: FileKind, content: pa.Table | Iterable[pa.Table], builder: str, gate: Gate | None = None) -> bytes:
    """As `fill`, as the bytes of a file."""
    sink = io.BytesIO()
    fill(sink, kind, content, builder, gate)
    return sink.getvalue()


def fill(
    sink: BinaryIO, kind: FileKind, content: pa.Table | Iterable[pa.Table], builder: str, gate: Gate | None = None
) -> None:
    """Write one or several tables of this kind to a file. At most one group of rows is in memory."""
    figures = [field.name for field in kind.schema if kind.name == "scores" and pa.types.is_floating(field.type)]
    unique = [*(name for name in _UNIQUE if name in kind.schema.names), *figures]
    tables = [content] if isinstance(content, pa.Table) else content

    def cast(rows: pa.Table) -> pa.Table:
        rows = rows.select(kind.schema.names)
        return rows if rows.schema.equals(kind.schema) else rows.cast(kind.schema)

    FORMAT.write(sink, map(cast, tables), header(kind, builder, gate), kind.schema, unique, kind.group)


def write(path: str | os.PathLike[str], kind: FileKind, content: pa.Table, builder: str) -> None:
    """Write a file atomically. Raises StorageError if it cannot be written."""
    write_bytes(path, encode(kind, content, builder))


def read(
    path: str | os.PathLike[str], kind: FileKind, builder: str | None = None, columns: Sequence[str] | None = None
) -> pa.Table:
    """Read a file, or some of its columns.

    builder: the hash that the file must have; None: any. Raises StorageError for a file that is missing, damaged,
    foreign, or of another kind, version, machine or builder.
    """
    return decode(read_bytes(path), kind, str(path), builder, columns)


def fetch(
    folder: Place, file: str, kind: FileKind, builder: str | None = None, columns: Sequence[str] | None = None
) -> pa.Table:
    """As `read`, from a folder that may be in a store. Only the bytes of the wanted columns are read."""
    if columns is None:
        return decode(folder.read(file), kind, folder.path(file), builder)
    return folder.use(file, lambda stream: decode(stream, kind, folder.path(file), builder, columns))


def decode(
    data: bytes | pa.NativeFile,
    kind: FileKind,
    source: str,
    builder: str | None = None,
    columns: Sequence[str] | None = None,
) -> pa.Table:
    """As `read`, from the bytes of a file or an open file; `source` names it in errors."""
    opened = _open(data, kind, source, builder, columns)
    wanted = kind.schema.names if columns is None else list(columns)
    try:
        found = opened.file.read([name for name in wanted if name in opened.schema.names], use_threads=False)
    except DAMAGED as error:
        raise FORMAT.unreadable(source, error) from error
    for name in wanted:
        if name not in found.column_names:
            found = found.append_column(kind.schema.field(name), pa.nulls(found.num_rows, kind.schema.field(name).type))
    return found.select(wanted).replace_schema_metadata(None)


def chunks(data: bytes | pa.NativeFile, kind: FileKind, source: str, builder: str | None = None) -> Iterator[pa.Table]:
    """As `decode`, a few hundred rows at a time."""
    opened = _open(data, kind, source, builder, None, pieces=True)
    try:
        for batch in opened.file.iter_batches(ROWS, use_threads=False):
            yield pa.Table.from_batches([batch]).replace_schema_metadata(None)
    except DAMAGED as error:
        raise FORMAT.unreadable(source, error) from error


class Groups:
    """A file that is read one group of rows at a time. Arguments and errors as for `decode`."""

    def __init__(
        self,
        data: bytes | pa.NativeFile,
        kind: FileKind,
        source: str,
        builder: str | None = None,
        columns: Sequence[str] | None = None,
    ) -> None:
        self._opened = _open(data, kind, source, builder, columns, pieces=True)
        self._source = source
        self._columns = None if columns is None else list(columns)

    def numbers(self, seeds: tuple[int, int] | None = None) -> list[int]:
        """The numbers of the groups that may have seeds in a range; the file has a column of seeds.

        seeds: the first and the last of the range; None: all groups.
        """
        there = self._opened.file.metadata
        if seeds is None:
            return list(range(there.num_row_groups))
        place = self._opened.schema.get_field_index("seed")
        ranges = [there.row_group(i).column(place).statistics for i in range(there.num_row_groups)]
        return [i for i, seen in enumerate(ranges) if seen is None or (seen.min <= seeds[1] and seeds[0] <= seen.max)]

    def read(self, number: int) -> pa.Table:
        """The rows of a group."""
        try:
            rows = self._opened.file.read_row_group(number, columns=self._columns, use_threads=False)
            return rows.replace_schema_metadata(None)
        except DAMAGED as error:
            raise FORMAT.unreadable(self._source, error) from error


def _open(
    data: bytes | pa.NativeFile,
    kind: FileKind,
    source: str,
    builder: str | None,
    columns: Sequence[str] | None,
    pieces: bool = False,
) -> Opened:
    """A file that has these columns and can be used as `kind`."""
    opened = FORMAT.open(data, source, pieces)
    if opened.policy:
        raise StorageError(f"{source} holds a saved policy, but {_A[kind.name]} is needed here.")
    accept(FORMAT.header_of(opened, source), kind, source, builder)
    there = opened.schema
    if columns is not None:
        there = pa.schema([there.field(name) for name in columns if name in there.names])
    wanted = [name for name in columns or kind.schema.names if name in there.names or name not in kind.later]
    if not there.equals(pa.schema([kind.schema.field(name) for name in wanted])):
        raise StorageError(
            f"{source} is damaged or from another version (its columns are not those of {kind.name}): "
            "delete it and make it again."
        )
    return opened


def accept(said: Header, kind: FileKind, source: str, builder: str | None) -> None:
    """Raise StorageError unless a file with this header can be used as `kind`."""
    if said.version != VERSION:
        raise StorageError(
            f"{source} has schema version {said.version}, this antemill reads version {VERSION}: "
            "build it again, or use the antemill that wrote it."
        )
    if said.kind != kind.name:
        raise StorageError(f"{source} holds {_A[said.kind]}, but {_A[kind.name]} is needed here.")
    if said.machine != machine():
        raise StorageError(
            f"{source} was compiled for another instruction set ({said.machine}, here {machine()}): build it again."
        )
    if builder is not None and said.builder != builder:
        raise StorageError(
            f"{source} was drawn by builder {said.builder}, not by builder {builder}: "
            "use another folder, or the antemill that wrote it."
        )


_A: dict[Name, str] = {
    "candidates": "a pool's candidates",
    "games": "a file of games",
    "part": "a part of a pool that is being built",
    "scores": "a pool's scores",
    "benchmark": "a benchmark",
}
assert set(_A) == set(get_args(Name))


def programs(games: pa.Table, source: str) -> Iterator[Program]:
    """The programs of a table's games in order. Raises StorageError, which names `source`, if one is damaged."""
    columns = games.select(PROGRAM_COLUMNS)
    for i in range(games.num_rows):
        row = {name: columns[name][i].as_py() for name in PROGRAM_COLUMNS if name != "code"}
        row["code"] = columns["code"][i].values.to_numpy()
        try:
            yield from_columns(row)
        except SpecError as error:
            raise StorageError(f"{source} cannot be used: {error}.") from error
