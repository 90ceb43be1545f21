"""Parquet files with a header: JSON in the metadata of the file, which describes its table.

The bytes depend on the content alone, and pages have checksums, so that damage is noticed. Opening a file either
returns a file of the requested format, or raises StorageError with a sentence about the problem.
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

ROWS = 256  # rows that are read at a time by readers of pieces
GROUP = 122_880  # rows of a group, as in DuckDB
_LOOSE = 8  # the most tables that wait for a group: more are merged, because many small blocks fragment memory
_PAGE = 4 << 20  # bytes of a page, in which the compressor finds repetitions
_ENCODINGS = {pa.int64(): "DELTA_BINARY_PACKED", pa.float64(): "BYTE_STREAM_SPLIT"}  # for columns without a dictionary
POLICY = b"antemill policy"  # key of the header of a saved policy
DAMAGED = (pa.ArrowException, OSError, ValueError)  # Arrow's exceptions for damaged files


class Opened(NamedTuple):
    """A Parquet file. schema: its columns. header: as stored; None if the file is not of the format. policy: whether it
    has the header of a saved policy."""

    file: pq.ParquetFile
    schema: pa.Schema
    header: bytes | None
    policy: bool


class Format(NamedTuple, Generic[H]):
    """A format of files.

    key: of the header in the metadata. header: its type. missing: an error's words for a Parquet file without a header.
    advice: an error's advice for a file that cannot be read.
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
    ) -> bytes:
        """As `write`, as the bytes of a file."""
        sink = io.BytesIO()
        self.write(sink, content, header, schema, unique)
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
        """Write one or several tables to a file. Its bytes do not depend on the division into tables.

        unique: columns with few equal values, for which a dictionary would take more bytes. group: the number of rows
        of a group; a whole group is in memory.
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
                del rows  # frees it before the next group is made

    def open(self, data: bytes | pa.NativeFile, source: object, pieces: bool = False) -> Opened:
        """Open a file from bytes, or from a stream, of which only the needed parts are read.

        pieces: whether the rows will be read in pieces, so that they are not all fetched at once. source: its name in
        errors. Raises StorageError for anything but a Parquet file.
        """
        try:
            stream = pa.BufferReader(data) if isinstance(data, bytes) else data
            file = pq.ParquetFile(stream, page_checksum_verification=True, pre_buffer=not pieces)
            schema = file.schema_arrow
        except DAMAGED as error:
            raise self.unreadable(source, error) from error
        headers = schema.metadata or {}
        return Opened(file, schema.remove_metadata(), headers.get(self.key), POLICY in headers)

    def header_of(self, opened: Opened, source: object) -> H:
        """The header. Raises StorageError if the file has none, or if this version cannot read it."""
        if opened.header is None:
            raise StorageError(f"{source} is a Parquet file, but {self.missing}.")
        try:
            return msgspec.json.decode(opened.header, type=self.header)
        except msgspec.MsgspecError as error:
            raise StorageError(f"{source} has a header that this version of antemill cannot read.") from error

    def unreadable(self, source: object, error: BaseException) -> StorageError:
        """The error for a file that Arrow cannot read."""
        return StorageError(f"{source} is damaged or not a Parquet file ({first_line(error)}): {self.advice}.")


def _groups(tables: Iterable[pa.Table], group: int) -> Iterator[pa.Table]:
    """The rows of the tables in groups, each with its own memory."""
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
            del first  # frees the written group before the next one is made
        if len(waiting) > _LOOSE:
            waiting.insert(0, _taken(waiting, number))
    if number:
        yield _taken(waiting, number)


def _taken(tables: list[pa.Table], number: int) -> pa.Table:
    """Take the first rows from the tables, copied into their own memory. The list keeps the other rows.

    One column is copied at a time and its source is released, so that only one column exists twice.
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
    """The names of the columns in Parquet."""
    return [f"{field.name}.list.element" if pa.types.is_list(field.type) else field.name for field in schema]


def parquet_bytes(content: pa.Table) -> bytes:
    """A table as the bytes of a file without a header."""
    sink = io.BytesIO()
    pq.write_table(content, sink, compression="zstd")
    return sink.getvalue()


def first_line(error: BaseException) -> str:
    """The first line of a library's message, without a full stop."""
    return str(error).partition("\n")[0].rstrip(".")
