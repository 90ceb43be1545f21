"""Short-lived files, read a few times and then deleted: a table in Arrow's own format, with a checksum over all bytes.

Parquet describes every column at length, which takes ten times as long for a hundred columns of a few hundred rows, and
the size of short-lived files does not matter. Permanent files are Parquet (`antemill.engine.storage.store`); both have
the same kinds and headers.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from hashlib import blake2b

import msgspec
import pyarrow as pa

from antemill.engine.errors import StorageError
from antemill.engine.storage.parquet import DAMAGED, first_line
from antemill.engine.storage.places import Place
from antemill.engine.storage.store import FORMAT, FileKind, Header, accept, header

_CHECKSUM = 16  # the last bytes of a file
_COMPRESSION = "lz4"


def encode_part(kind: FileKind, content: Iterable[pa.Table], builder: str) -> bytes:
    """Tables of this kind, concatenated, as the bytes of a file."""
    sink = io.BytesIO()
    marked = kind.schema.with_metadata({FORMAT.key: msgspec.json.encode(header(kind, builder))})
    with pa.ipc.new_stream(sink, marked, options=pa.ipc.IpcWriteOptions(compression=_COMPRESSION)) as writer:
        for rows in content:
            writer.write_table(rows)
    written = sink.getvalue()
    return written + _checksum(written)


def decode_part(
    data: bytes, kind: FileKind, source: str, builder: str | None = None, columns: Sequence[str] | None = None
) -> pa.Table:
    """The table of such a file, or some of its columns. Other columns are not decompressed.

    Raises StorageError, which names `source`, for a file that is damaged or of another kind, version, machine or
    builder.
    """
    wanted = kind.schema.names if columns is None else list(columns)
    fields = [kind.schema.get_field_index(name) for name in wanted]
    written = memoryview(data)[:-_CHECKSUM]
    try:
        if _checksum(written) != data[-_CHECKSUM:]:
            raise ValueError("its checksum does not match its content")
        there = pa.ipc.open_stream(written).schema
        accept(msgspec.json.decode(there.metadata[FORMAT.key], type=Header), kind, source, builder)
        if not there.equals(kind.schema):
            raise ValueError("its columns are not those of its kind")
        options = pa.ipc.IpcReadOptions(included_fields=fields, use_threads=False)
        found = pa.ipc.open_stream(written, options=options).read_all().select(wanted)
    except (*DAMAGED, TypeError, KeyError, msgspec.MsgspecError) as error:
        raise StorageError(f"{source} is damaged ({first_line(error)}): {FORMAT.advice}.") from error
    return found.replace_schema_metadata(None)


def fetch_part(
    folder: Place, file: str, kind: FileKind, builder: str | None = None, columns: Sequence[str] | None = None
) -> pa.Table:
    """As `decode_part`, from a folder that may be in a store."""
    return decode_part(folder.read(file), kind, folder.path(file), builder, columns)


def _checksum(written: bytes | memoryview) -> bytes:
    return blake2b(written, digest_size=_CHECKSUM).digest()
