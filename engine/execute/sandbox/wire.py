"""Messages between us and a worker process: a list of byte strings, each with its length in front. Nothing is parsed.

Standard library only: the worker's side imports it, too.
"""

import os
import select
import struct
import time
from collections.abc import Sequence

_WORD = struct.Struct("<I")
LONGEST = 1 << 30  # bytes of one field


class WireError(Exception):
    """The other side is gone, does not answer in time, or talks nonsense."""


class LateError(WireError):
    """It does not answer in time."""


def send(descriptor: int, fields: Sequence[bytes]) -> None:
    """Write a message. Raises WireError if nobody reads."""
    parts = [_WORD.pack(len(fields))]
    for field in fields:
        parts += [_WORD.pack(len(field)), field]
    view = memoryview(b"".join(parts))
    try:
        while view:
            view = view[os.write(descriptor, view) :]
    except OSError as error:
        raise WireError(f"it does not listen: {error}") from error


def receive(descriptor: int, deadline: float | None = None) -> list[bytes]:
    """Read a message, until `deadline` (time.monotonic). Raises WireError."""
    count = _number(descriptor, deadline)
    if count > 16:
        raise WireError(f"a message of {count} fields")
    fields = []
    for _ in range(count):
        length = _number(descriptor, deadline)
        if length > LONGEST:
            raise WireError(f"a field of {length} bytes")
        fields.append(_bytes(descriptor, length, deadline))
    return fields


def _number(descriptor: int, deadline: float | None) -> int:
    return int(_WORD.unpack(_bytes(descriptor, _WORD.size, deadline))[0])


def _bytes(descriptor: int, count: int, deadline: float | None) -> bytes:
    data = bytearray()
    while len(data) < count:
        if deadline is not None:
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
                raise LateError("it does not answer")
        chunk = os.read(descriptor, min(count - len(data), 1 << 20))
        if not chunk:
            raise WireError("it is gone")
        data += chunk
    return bytes(data)
