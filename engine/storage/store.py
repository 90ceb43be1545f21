"""Parquet files of games, scores and benchmarks: the schemas, and writing and reading them (design decision D9).

A file is of one of these kinds. Its metadata names the kind, the version of the schemas, the builder that drew the
games, and the machine: a digest of the instruction set of their programs. A file of a pool also has all settings of the
pool, with the file's own seeds, and a file of scores the tier and the versions of the axes.

candidates  all candidates of a range of seeds: the gate's verdict with its figures, and the game's constructs
games       the accepted ones: rules and program
scores      axes of accepted games at one budget tier
repeats     the seeds of a pool whose games lower seeds have, too
benchmark   selected games, self-contained: rules, programs, rank of selection, all tiers' scores

Rows are in the order of seeds. This module has the columns of the first two kinds; those of the others follow from the
list of axes (`antemill.tournament.pool.schemas`). The bytes depend on the content alone: they contain no times and no
names of machines. A digest of all bytes stands among them, so that any damage is noticed. Programs in a file of the
same instruction set run without the generator. Raise `VERSION` when a schema or the meaning of an instruction changes.
"""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import msgspec
import pyarrow as pa
from msgspec import Struct

from antemill.engine.errors import SpecError, StorageError
from antemill.engine.machine import layout
from antemill.engine.machine.opcodes import TABLE
from antemill.engine.machine.program import Program, from_columns
from antemill.engine.machine.readings import READINGS
from antemill.engine.rules.constructs import CONSTRUCTS
from antemill.engine.storage.files import read_bytes, write_bytes
from antemill.engine.storage.parquet import DAMAGED, GROUP, Format, is_sealed

VERSION = 4
Name = Literal["candidates", "games", "scores", "repeats", "benchmark"]
PROGRAM_COLUMNS = ("digest", "code", "rows", "chips", "suited", "names")
HAS = {name: f"has_{name}" for name in CONSTRUCTS}  # columns of constructs

SEED = pa.field("seed", pa.int64(), nullable=False)
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
    pa.field("digest", pa.string()),
    pa.field("code", pa.list_(pa.int32())),
    pa.field("rows", pa.int32()),
    pa.field("chips", pa.int32()),
    pa.field("suited", pa.bool_()),
    pa.field("names", pa.binary()),  # JSON
]
_NARROW = [SEED, _COMPLEXITY, *VERDICT, _CANONICAL, *(pa.field(name, pa.bool_()) for name in HAS.values())]
_UNIQUE = ("seed", "complexity", "rules_digest", "canonical_digest", "spec", "digest")  # and figures of scores


class FileKind(Struct, frozen=True):
    """One kind of file, with its columns."""

    name: Name
    schema: pa.Schema
    group: int = GROUP  # rows of a group


CANDIDATES = FileKind("candidates", pa.schema(_NARROW))
GAMES = FileKind("games", pa.schema([SEED, _COMPLEXITY, _CANONICAL, _RULES, *PROGRAM]), 1024)  # of 13 kB each
REPEATS = FileKind("repeats", pa.schema([SEED]))


class Header(Struct, frozen=True):
    """A file's header. builder: its hash. machine: see `machine`. settings: of the pool, in JSON. tier, axes: of a file
    of scores, the tier with the version of all axes, and the versions by name.
    """

    kind: Name
    version: int
    builder: str
    machine: str
    settings: msgspec.Raw = msgspec.Raw(b"null")
    tier: str | None = None
    axes: dict[str, str] | None = None


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


def encode(kind: FileKind, content: pa.Table, builder: str, **header: Any) -> bytes:
    """A table of this kind as the bytes of a file. header: further fields of `Header`."""
    figures = [field.name for field in kind.schema if kind.name == "scores" and pa.types.is_floating(field.type)]
    unique = [*(name for name in _UNIQUE if name in kind.schema.names), *figures]
    rows = content.select(kind.schema.names).cast(kind.schema)
    own = Header(kind.name, VERSION, builder, machine(), **header)
    return FORMAT.encode(rows, own, kind.schema, unique, kind.group, seal=True)


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


def decode(
    data: bytes, kind: FileKind, source: str, builder: str | None = None, columns: Sequence[str] | None = None
) -> pa.Table:
    """As `read`, from the bytes of a file; `source` names it in errors."""
    return open_table(data, kind, source, builder, columns)[1]


def open_table(
    data: bytes, kind: FileKind, source: str, builder: str | None = None, columns: Sequence[str] | None = None
) -> tuple[Header, pa.Table]:
    """As `decode`, with the file's header."""
    opened = FORMAT.open(data, source)
    if opened.policy:
        raise StorageError(f"{source} holds a saved policy, but {_A[kind.name]} is needed here.")
    header = FORMAT.header_of(opened, source)
    _accept(header, kind, source, builder)
    if not is_sealed(data):
        raise StorageError(f"{source} is damaged (its digest is not that of its content): {FORMAT.advice}.")
    if not opened.schema.equals(kind.schema):
        raise StorageError(
            f"{source} is damaged or from another version (its columns are not those of {kind.name}): "
            "delete it and make it again."
        )
    try:
        found = opened.file.read(columns, use_threads=False)
    except DAMAGED as error:
        raise FORMAT.unreadable(source, error) from error
    return header, found.select(columns or kind.schema.names).replace_schema_metadata(None)


def header_of(data: bytes, source: str) -> Header:
    """The header of a file that was not changed. Raises StorageError."""
    if not is_sealed(data):
        raise StorageError(f"{source} is damaged (its digest is not that of its content): {FORMAT.advice}.")
    return FORMAT.header_of(FORMAT.open(data, source), source)


def _accept(said: Header, kind: FileKind, source: str, builder: str | None) -> None:
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
    "scores": "a pool's scores",
    "repeats": "a pool's repeats",
    "benchmark": "a benchmark",
}


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
