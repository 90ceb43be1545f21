"""Messages to and from a helper process: a list of byte strings, each after its length. Their content is not parsed.

Every wait may have a deadline (time.monotonic), since the other side may be stopped. Standard library only, since the
helper imports it too.
"""

import os
import select
import struct
import time
from collections.abc import Sequence

_WORD = struct.Struct("<I")
LONGEST = 1 << 30  # bytes of one field


class WireError(Exception):
    """The other side is gone, does not answer in time, or sends something that is not a message."""


class LateError(WireError):
    """The other side does not answer, or does not listen, in time."""


def send(descriptor: int, fields: Sequence[bytes], deadline: float | None = None) -> None:
    """Write a message; with a deadline, into a descriptor that does not block. Raises WireError if it is not read."""
    parts = [_WORD.pack(len(fields))]
    for field in fields:
        parts += [_WORD.pack(len(field)), field]
    view = memoryview(b"".join(parts))
    try:
        while view:
            wait(descriptor, select.POLLOUT, deadline)
            view = view[os.write(descriptor, view) :]
    except OSError as error:
        raise WireError(f"it does not listen: {error}") from error


def wait(descriptor: int, event: int, deadline: float | None) -> None:
    """Wait until the descriptor can be read or written (POLLIN, POLLOUT). Raises LateError after the deadline."""
    if deadline is None:
        return
    poll = select.poll()
    poll.register(descriptor, event)
    if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
        raise LateError("it does not answer")


def receive(descriptor: int, deadline: float | None = None) -> list[bytes]:
    """Read a message, until `deadline`. Raises WireError."""
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
        wait(descriptor, select.POLLIN, deadline)
        try:
            chunk = os.read(descriptor, min(count - len(data), 1 << 20))
        except OSError as error:
            raise WireError(f"it is gone: {error}") from error
        if not chunk:
            raise WireError("it is gone")
        data += chunk
    return bytes(data)
