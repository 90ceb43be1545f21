"""Parquet files with a header: JSON in the metadata of the file, which describes its table.

The bytes depend on the content alone, and pages have checksums, so that damage is noticed. Opening a file either
returns a file of the requested format, or raises StorageError with a sentence about the problem.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Iterator, Mapping
from hashlib import blake2b
from types import MappingProxyType
from typing import BinaryIO, Generic, NamedTuple, TypeVar

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from antemill.engine.errors import StorageError

H = TypeVar("H")

GROUP = 122_880  # rows of a group, as in DuckDB
_PAGE = 4 << 20  # bytes of a page, in which the compressor finds repetitions
_ENCODINGS = {pa.int64(): "DELTA_BINARY_PACKED", pa.float64(): "BYTE_STREAM_SPLIT"}  # for columns without a dictionary
_SEAL = b"antemill digest"  # key of the digest of a file's bytes
_MARK, _BYTES = b"blake2b:", 16
_OPEN = _MARK + b"0" * (2 * _BYTES)  # until the bytes are known
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
        group: int = GROUP,
        seal: bool = False,
    ) -> bytes:
        """As `write`, as the bytes of a file. seal: whether a digest of all bytes stands among them."""
        sink = io.BytesIO()
        self.write(sink, content, header, schema, unique, group, {_SEAL: _OPEN} if seal else {})
        return _sealed(sink.getvalue()) if seal else sink.getvalue()

    def write(
        self,
        sink: BinaryIO,
        content: pa.Table | Iterable[pa.Table],
        header: H,
        schema: pa.Schema,
        unique: Collection[str] = (),
        group: int = GROUP,
        also: Mapping[bytes, bytes] = MappingProxyType({}),
    ) -> None:
        """Write one or several tables to a file. Its bytes do not depend on the division into tables.

        unique: columns with few equal values, for which a dictionary would take more bytes. group: the number of rows
        of a group; a whole group is in memory. also: further metadata.
        """
        marked = schema.with_metadata({self.key: msgspec.json.encode(header), **also})
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

    def open(self, data: bytes, source: object) -> Opened:
        """Open a file. Raises StorageError, which names `source`, for anything but a Parquet file."""
        try:
            file = pq.ParquetFile(pa.BufferReader(data), page_checksum_verification=True)
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
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise StorageError(f"{source} has a header that this version of antemill cannot read.") from error

    def unreadable(self, source: object, error: BaseException) -> StorageError:
        """The error for a file that Arrow cannot read."""
        return StorageError(f"{source} is damaged or not a Parquet file ({first_line(error)}): {self.advice}.")


def is_sealed(data: bytes) -> bool:
    """Whether the digest in a file is that of its bytes."""
    return _sealed(data) == data


def _sealed(data: bytes) -> bytes:
    """The file with the digest of its bytes, in which zeros stand for the digest."""
    at = data.rfind(_MARK) + len(_MARK)
    if at < len(_MARK):
        return b""
    end = at + len(_OPEN) - len(_MARK)
    digest = blake2b(data[:at] + _OPEN[len(_MARK) :] + data[end:], digest_size=_BYTES).hexdigest()
    return data[:at] + digest.encode() + data[end:]


def _groups(tables: Iterable[pa.Table], group: int) -> Iterator[pa.Table]:
    """The rows of the tables in groups, each in one piece."""
    waiting: list[pa.Table] = []
    number = 0
    for table in tables:
        waiting.append(table)
        number += table.num_rows
        while number >= group:
            whole = pa.concat_tables(waiting)
            yield whole.slice(0, group).combine_chunks()
            waiting, number = [whole.slice(group)], number - group
    if number:
        yield pa.concat_tables(waiting).combine_chunks()


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
