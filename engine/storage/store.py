"""Parquet files of games, scores and benchmarks: the schemas, and writing and reading them (design decision D9).

A file is one of three kinds and says so in its metadata, with the version of the schemas, the builder that drew the
games, and the machine: a digest of the instruction set that their programs are written in.

games      candidates of a range of seeds: the gate's verdict, and for the accepted ones the rules and the program
scores     axes of accepted games at one budget tier
benchmark  selected games, self-contained: rules, programs, rank of selection, both tiers' scores

The columns of games are here; those of the others follow from the list of axes (`tournament.pool.schemas`).
The bytes depend on the content alone: no times, no names of machines. Programs in a file of the same machine run
without the generator; raise `VERSION` when a schema or the meaning of an instruction changes.
"""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Iterator, Sequence
from typing import Any, Literal, get_args

import pyarrow as pa
from msgspec import Struct

from engine.errors import SpecError, StorageError
from engine.machine import layout
from engine.machine.opcodes import TABLE
from engine.machine.program import Program, from_columns
from engine.machine.readings import READINGS
from engine.storage.files import read_bytes, write_bytes
from engine.storage.parquet import DAMAGED, Format

VERSION = 2
Name = Literal["games", "scores", "benchmark"]
PROGRAM_COLUMNS = ("digest", "code", "rows", "chips", "suited", "names")

CANDIDATE = [
    pa.field("seed", pa.int64(), nullable=False),
    pa.field("complexity", pa.float64(), nullable=False),
    pa.field("builder", pa.string(), nullable=False),
    pa.field("accepted", pa.bool_(), nullable=False),
    pa.field("reason", pa.string(), nullable=False),  # why it was rejected; "" if accepted
    pa.field("moves", pa.float64()),  # average decisions per player; null if the game could not be played
    pa.field("rare_phases", pa.float64()),  # share of phases, by the gate's reading of what a phase is
    pa.field("dead_branches", pa.float64()),  # share of branches
    *(pa.field(f"rare_phases_{reading}", pa.float64()) for reading in READINGS),  # the same share by each reading
    pa.field("accepted_by", pa.list_(pa.string())),  # the readings by which the game is accepted
    pa.field("constructs", pa.list_(pa.string())),  # engine.rules.constructs
]
GAME = [  # null for a rejected candidate
    pa.field("spec", pa.binary()),  # the rules as JSON
    pa.field("rulebook_length", pa.int32()),  # characters (G43)
    pa.field("digest", pa.string()),
    pa.field("code", pa.list_(pa.int32())),
    pa.field("rows", pa.int32()),
    pa.field("chips", pa.int32()),
    pa.field("suited", pa.bool_()),
    pa.field("names", pa.binary()),  # JSON
]


DIGESTS = [  # null for a candidate that another rule than that against repeats rejects
    pa.field("rules_digest", pa.string()),  # of the rules as they are written, without names
    pa.field("canonical_digest", pa.string()),  # of the game itself
]


class FileKind(Struct, frozen=True):
    """One kind of file, with its columns."""

    name: Name
    schema: pa.Schema


GAMES = FileKind("games", pa.schema([*CANDIDATE, *DIGESTS, *GAME]))


class Header(Struct, frozen=True):
    """What a file says about itself."""

    kind: Name
    version: int
    builder: str
    machine: str


_FORMAT = Format(
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
    """Rows of a kind as a table; columns that a row does not name are null."""
    return pa.table({name: [row.get(name) for row in rows] for name in kind.schema.names}, schema=kind.schema)


def encode(kind: FileKind, content: pa.Table, builder: str) -> bytes:
    """A table of this kind as the bytes of a file."""
    return _FORMAT.encode(content.cast(kind.schema), Header(kind.name, VERSION, builder, machine()))


def write(path: str | os.PathLike[str], kind: FileKind, content: pa.Table, builder: str) -> None:
    """Write a file atomically. Raises StorageError if that is not possible."""
    write_bytes(path, encode(kind, content, builder))


def read(
    path: str | os.PathLike[str], kind: FileKind, builder: str | None = None, columns: Sequence[str] | None = None
) -> pa.Table:
    """Read a file, or some of its columns.

    builder: refuse a file by another builder than this one; None takes any.
    Raises StorageError for a file that is missing, damaged, foreign, of another kind, version, machine or builder.
    """
    return decode(read_bytes(path), kind, str(path), builder, columns)


def decode(
    data: bytes, kind: FileKind, source: str, builder: str | None = None, columns: Sequence[str] | None = None
) -> pa.Table:
    """As `read`, from the bytes of a file; `source` names them in errors."""
    opened = _FORMAT.open(data, source)
    _accept(_FORMAT.header_of(opened, source), kind, source, builder)
    try:
        content = opened.file.read(columns=None if columns is None else list(columns)).replace_schema_metadata(None)
    except DAMAGED as error:
        raise _FORMAT.unreadable(source, error) from error
    wanted = kind.schema if columns is None else pa.schema([kind.schema.field(name) for name in columns])
    if not content.schema.equals(wanted):
        raise StorageError(
            f"{source} is damaged or from another version (its columns are not those of {kind.name}): "
            "delete it and make it again."
        )
    return content


def _accept(header: Header, kind: FileKind, source: str, builder: str | None) -> None:
    """Raise StorageError unless a file with this header can be used as `kind`."""
    if header.version != VERSION:
        raise StorageError(
            f"{source} has schema version {header.version}, this antemill reads version {VERSION}: "
            "build it anew, or use the antemill that wrote it."
        )
    if header.kind != kind.name:
        raise StorageError(f"{source} holds {_A[header.kind]}, but {_A[kind.name]} is needed here.")
    if header.machine != machine():
        raise StorageError(
            f"{source} was compiled for another instruction set ({header.machine}, here {machine()}): build it anew."
        )
    if builder is not None and header.builder != builder:
        raise StorageError(
            f"{source} was drawn by builder {header.builder}, not by builder {builder}: "
            "use another folder, or the antemill that wrote it."
        )


_A: dict[Name, str] = {
    "games": "a part of a pool's games",
    "scores": "a part of a pool's scores",
    "benchmark": "a benchmark",
}
assert set(_A) == set(get_args(Name))


def programs(games: pa.Table, source: str) -> Iterator[Program]:
    """The programs of a table's games in order. Raises StorageError, naming `source`, if one is damaged."""
    columns = games.select(PROGRAM_COLUMNS)
    for i in range(games.num_rows):
        row = {name: columns[name][i].as_py() for name in PROGRAM_COLUMNS if name != "code"}
        row["code"] = columns["code"][i].values.to_numpy()
        try:
            yield from_columns(row)
        except SpecError as error:
            raise StorageError(f"{source} can not be used: {error}.") from error
