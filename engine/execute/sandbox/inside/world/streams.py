"""The standard streams and the empty `__main__` that judged code gets."""

import builtins
import io
import sys
from types import ModuleType
from typing import Any


class OutputLimitError(Exception):
    """More was printed than is allowed."""


class Sink(io.RawIOBase):
    """Accepts up to `limit` bytes of output, and keeps them if `keep` is true."""

    def __init__(self, limit: int, keep: bool) -> None:
        self.limit, self.size, self._kept = limit, 0, bytearray() if keep else None

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        size = memoryview(data).nbytes
        self.size += size
        if self.size > self.limit:
            raise OutputLimitError(f"more than {self.limit} bytes were printed")
        if self._kept is not None:
            self._kept += data
        return size

    def printed(self) -> bytes:
        """What was kept. Raises OutputLimitError if there was too much."""
        if self.size > self.limit:
            raise OutputLimitError(f"more than {self.limit} bytes were printed")
        return bytes(self._kept or b"")


def text_file(sink: Sink) -> io.TextIOWrapper:
    """A text file over a sink, as sys.stdout is: UTF-8, strict."""
    return io.TextIOWrapper(io.BufferedWriter(sink), encoding="utf-8", newline="\n", line_buffering=False)


def new_main() -> dict[str, Any]:
    """The namespace of a new, empty `__main__`."""
    module = ModuleType("__main__")
    module.__dict__["__builtins__"] = builtins
    sys.modules["__main__"] = module
    return module.__dict__


def set_streams(stdout: io.TextIOWrapper, limit: int) -> None:
    """Give judged code its standard streams: no input, `stdout`, and a stderr that keeps nothing."""
    system: Any = sys
    system.stdin = system.__stdin__ = io.StringIO("")
    system.stdout = system.__stdout__ = stdout
    system.stderr = system.__stderr__ = text_file(Sink(limit, keep=False))
    system.argv = system.orig_argv = [""]
