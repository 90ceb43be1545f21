"""Parquet files that say what they are: a header as JSON in the metadata of the file, beside its table.

The bytes depend on the content alone, and pages have checksums, so that a damaged file is noticed. Whoever opens a file
gets one of the format that was asked for, or StorageError says in a sentence what is wrong.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Iterator
from typing import BinaryIO, Generic, NamedTuple, TypeVar

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from antemill.engine.errors import StorageError

H = TypeVar("H")

ROWS = 256  # that are read at a time where not all are wanted
GROUP = 122_880  # rows of a group, as DuckDB has them
_LOOSE = 8  # tables that wait for a group: more are made one, since many small blocks leave holes in memory
_PAGE = 4 << 20  # bytes of a page, in which the compressor looks for what repeats itself
_ENCODINGS = {pa.int64(): "DELTA_BINARY_PACKED", pa.float64(): "BYTE_STREAM_SPLIT"}  # of columns without a dictionary
DAMAGED = (pa.ArrowException, OSError, ValueError)  # what Arrow raises for it


class Opened(NamedTuple):
    """A Parquet file. schema: its columns. header: as it is stored; None if it is no file of the format."""

    file: pq.ParquetFile
    schema: pa.Schema
    header: bytes | None


class Format(NamedTuple, Generic[H]):
    """A format of files.

    key: of the header in the metadata. header: its type. missing: what a Parquet file without one is, and what to do.
    advice: what to do about a file that can not be read.
    """

    key: bytes
    header: type[H]
    missing: str
    advice: str

    def encode(
        self,
        content: pa.Table | Iterable[pa.Table],
        header: H,
        schema: pa.Schema,
        unique: Collection[str] = (),
        group: int = GROUP,
    ) -> bytes:
        """As `write`, as the bytes of a file."""
        sink = io.BytesIO()
        self.write(sink, content, header, schema, unique, group)
        return sink.getvalue()

    def write(
        self,
        sink: BinaryIO,
        content: pa.Table | Iterable[pa.Table],
        header: H,
        schema: pa.Schema,
        unique: Collection[str] = (),
        group: int = GROUP,
    ) -> None:
        """Write a table, or one after the other, to a file; how it came in pieces does not show.

        unique: columns with few equal values, for which a dictionary is a loss. group: how many rows make a group,
        which is in memory as a whole.
        """
        marked = schema.with_metadata({self.key: msgspec.json.encode(header)})
        encodings = {name: _ENCODINGS.get(schema.field(name).type) for name in unique}
        with pq.ParquetWriter(
            sink,
            marked,
            compression="zstd",
            compression_level=9,
            write_page_checksum=True,
            data_page_size=_PAGE,
            use_dictionary=[name for name in _leaves(schema) if name not in unique],
            column_encoding={name: encoding for name, encoding in encodings.items() if encoding},
        ) as writer:
            for rows in _groups([content] if isinstance(content, pa.Table) else content, group):
                writer.write_table(rows, group)
                del rows  # before the next group is made

    def open(self, data: bytes | pa.NativeFile, source: object, pieces: bool = False) -> Opened:
        """The file of these bytes, or in this stream, of which only what is needed is read.

        pieces: some rows will be read at a time, so that it is better not to fetch all of them with few requests.
        source: names it in errors. Raises StorageError for what is no Parquet file.
        """
        try:
            stream = pa.BufferReader(data) if isinstance(data, bytes) else data
            file = pq.ParquetFile(stream, page_checksum_verification=True, pre_buffer=not pieces)
            schema = file.schema_arrow
        except DAMAGED as error:
            raise self.unreadable(source, error) from error
        return Opened(file, schema.remove_metadata(), (schema.metadata or {}).get(self.key))

    def header_of(self, opened: Opened, source: object) -> H:
        """The header. Raises StorageError if there is none, or none that this version can read."""
        if opened.header is None:
            raise StorageError(f"{source} is a Parquet file, but {self.missing}.")
        try:
            return msgspec.json.decode(opened.header, type=self.header)
        except msgspec.MsgspecError as error:
            raise StorageError(f"{source} says about itself what this version of antemill can not read.") from error

    def unreadable(self, source: object, error: BaseException) -> StorageError:
        """What to raise for a file that Arrow can not read."""
        return StorageError(f"{source} is damaged or not a Parquet file ({first_line(error)}): {self.advice}.")


def _groups(tables: Iterable[pa.Table], group: int) -> Iterator[pa.Table]:
    """The rows of the tables in groups, each as if it had been made by itself."""
    waiting: list[pa.Table] = []
    number = 0
    for table in tables:
        if table.num_rows:
            waiting.append(table)
        number += table.num_rows
        del table
        while number >= group:
            first = _taken(waiting, group)
            number -= group
            yield first
            del first  # what is written is not kept while the next group is made
        if len(waiting) > _LOOSE:
            waiting.insert(0, _taken(waiting, number))
    if number:
        yield _taken(waiting, number)


def _taken(tables: list[pa.Table], number: int) -> pa.Table:
    """Take the first rows from the tables, as if they had been made by themselves; the list keeps the other ones.

    A column is copied after the other, and what it was copied from is let go, so that no two of them are there twice.
    """
    schema = tables[0].schema
    columns = [[chunk for table in tables for chunk in table.column(name).chunks] for name in schema.names]
    tables.clear()
    first, rest = [], []
    for field in schema:
        column = pa.chunked_array(columns.pop(0), field.type)
        first.append(pa.concat_arrays(column.slice(0, number).chunks))
        rest.append(column.slice(number))
    if len(rest[0]):
        tables.append(pa.table(rest, schema=schema))
    return pa.table(first, schema=schema)


def _leaves(schema: pa.Schema) -> list[str]:
    """The columns by the names that Parquet gives them."""
    return [f"{field.name}.list.element" if pa.types.is_list(field.type) else field.name for field in schema]


def parquet_bytes(content: pa.Table) -> bytes:
    """A table as the bytes of a file without a header."""
    sink = io.BytesIO()
    pq.write_table(content, sink, compression="zstd")
    return sink.getvalue()


def first_line(error: BaseException) -> str:
    """The first line of what a library says, without a full stop."""
    return str(error).partition("\n")[0].rstrip(".")
