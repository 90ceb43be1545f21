"""The standard streams and the empty `__main__` that judged code gets."""

import builtins
import io
import sys
from types import ModuleType
from typing import Any

from .ending import Loader

_ENCODINGS = ("utf-8", "u8")  # two names of one encoding: what a program is told


class OutputLimitError(Exception):
    """More was printed than is allowed."""


class Sink(io.RawIOBase):
    """Accepts up to `limit` bytes of output, and keeps them if `keep` is true."""

    _terminal = False

    def __init__(self, number: int) -> None:
        self.limit, self.size, self.keep, self._kept, self._number = 0, 0, False, bytearray(), number
        self.name = f"<{('stdin', 'stdout', 'stderr')[number]}>"

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._number

    def isatty(self) -> bool:
        return self._terminal

    def write(self, data: Any, /) -> int:
        size = memoryview(data).nbytes
        self.size += size
        if self.size > self.limit:
            raise OutputLimitError(f"more than {self.limit} bytes were printed")
        if self.keep:
            self._kept += data
        return size

    def printed(self) -> bytes:
        """What was kept. Raises OutputLimitError if there was too much."""
        if self.size > self.limit:
            raise OutputLimitError(f"more than {self.limit} bytes were printed")
        return bytes(self._kept)


class Terminal(Sink):
    """The same where the streams are a terminal, and in part a file, in which places can be sought."""

    _terminal = True

    def seekable(self) -> bool:
        return True

    def seek(self, _offset: int, _whence: int = 0, /) -> int:
        return self.size


class _Nothing(io.RawIOBase):
    """An input that is empty."""

    name, fileno = "<stdin>", lambda _: 0

    def readable(self) -> bool:
        return True

    def readinto(self, _buffer: Any, /) -> int:
        return 0


def make(elsewhere: bool) -> None:
    """Make the standard streams of judged code, once: those of a pipe, or `elsewhere` those of a terminal."""
    encoding = _ENCODINGS[elsewhere]
    errors = "surrogateescape" if elsewhere else "strict"
    stdout, stderr = _made = [(Terminal if elsewhere else Sink)(number) for number in (1, 2)]
    texts: dict[str, Any] = {
        "stdin": io.TextIOWrapper(io.BufferedReader(_Nothing()), encoding, errors),
        "stdout": io.TextIOWrapper(io.BufferedWriter(stdout), encoding, errors, "\n", elsewhere),
        "stderr": io.TextIOWrapper(io.BufferedWriter(stderr), encoding, "backslashreplace", "\n", True),
    }
    for name, text in texts.items():
        text.mode = "r" if name == "stdin" else "w"
        setattr(sys, name, text)
        setattr(sys, f"__{name}__", text)
    _sinks[:] = _made

    system: Any = sys
    system.unraisablehook = _unseen


def _unseen(ignored: Any, /) -> None:
    """An error that Python can only mention on stderr: its message is made, which may run code of the program's."""
    try:
        str(ignored.exc_value)
    except BaseException:
        return


_sinks: list[Sink] = []


def set_streams(limit: int, keep: bool) -> Sink:
    """Let judged code print up to `limit` bytes on each of its streams, of which stdout is kept if `keep` is true.
    Returns where what is printed goes."""
    for sink in _sinks:
        sink.limit = limit
    _sinks[0].keep = keep
    return _sinks[0]


def new_main() -> dict[str, Any]:
    """The namespace of a new, empty `__main__`."""
    put_main()
    return sys.modules["__main__"].__dict__


def put_main() -> None:
    """Put a new, empty `__main__` among the modules. Nothing else holds its namespace."""
    module = ModuleType("__main__")
    module.__dict__.update(__builtins__=builtins, __loader__=Loader())
    sys.modules["__main__"] = module
