"""The finished parts of a long computation, in a file that survives a kill at any moment.

The first line says what is computed; each further one is a finished part. Lines are appended and synced to the disk one
by one. A line that a kill has cut short is dropped when the file is opened.
"""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec
from msgspec import Struct

from antemill.engine.errors import StorageError
from antemill.engine.storage.files import read_bytes, write_bytes


class Part(Struct, frozen=True, array_like=True):
    """A finished part of a response. Floats are written so that they are read back bit by bit."""

    name: tuple[int, int, int]  # seat, pass, number
    values: list[float]  # chips, by reach: of each sequence that leads to the part, by number
    total: float  # chips, by reach: if the responder plays the policy, too
    nodes: int


class Parts:
    """The finished parts by name, in memory and, if there is a path, in its file. A context manager.

    about: what is computed; a file about something else is replaced. Raises StorageError if it cannot be written.
    """

    def __init__(self, path: Path | None, about: str) -> None:
        self.found: dict[tuple[int, int, int], Part] = {}
        self._file = None
        if path is None:
            return
        head = about.encode() + b"\n"
        content = read_bytes(path) if path.exists() else b""
        whole = content[: content.rfind(b"\n") + 1]
        lines = whole.splitlines(keepends=True)
        if not lines or lines[0] != head:
            lines = [head]
        try:
            parts = [msgspec.json.decode(line, type=Part) for line in lines[1:]]
        except msgspec.MsgspecError:
            parts, lines = [], [head]  # damaged: the file is not used
        self.found = {part.name: part for part in parts}
        if b"".join(lines) != content:
            write_bytes(path, b"".join(lines))
        try:
            self._file = path.open("ab")
        except OSError as error:
            raise StorageError(f"cannot write {path}: {error.strerror}.") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, part: Part) -> None:
        """Keep a finished part."""
        self.found[part.name] = part
        if self._file is not None:
            self._file.write(msgspec.json.encode(part) + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
