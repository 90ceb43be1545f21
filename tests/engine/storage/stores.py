"""Stores in memory that misbehave, as `fsspec+NAME://`: for code that reaches stores through `pyarrow.fs`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import fsspec
from fsspec.implementations.memory import MemoryFile, MemoryFileSystem

BUSY = "AWS Error SLOW_DOWN during PutObject operation: please reduce your request rate (HTTP status 503)"


class BusyStore(MemoryFileSystem):  # type: ignore[misc]
    """A store that answers requests by their number with 503."""

    protocol = "busy"
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]
    requests: ClassVar[int] = 0
    is_busy: ClassVar[Callable[[int], bool]] = staticmethod(lambda _number: False)

    @classmethod
    def reset(cls, is_busy: Callable[[int], bool]) -> None:
        """An empty store. is_busy: whether the request of this number, from 1 on, fails."""
        cls.store.clear()
        cls.pseudo_dirs[:] = [""]
        cls.reset_busy(is_busy)

    @classmethod
    def reset_busy(cls, is_busy: Callable[[int], bool]) -> None:
        """Reset the counts of requests; what the store holds stays."""
        cls.requests = 0
        cls.is_busy = staticmethod(is_busy)

    @classmethod
    def ask(cls) -> None:
        """Count a request, and refuse it while the store is busy."""
        cls.requests += 1
        if cls.is_busy(cls.requests):
            raise OSError(BUSY)

    def _open(self, *args: Any, **kwargs: Any) -> Any:
        self.ask()
        return super()._open(*args, **kwargs)

    def mv(self, *args: Any, **kwargs: Any) -> Any:
        self.ask()
        return super().mv(*args, **kwargs)

    def find(self, *args: Any, **kwargs: Any) -> Any:
        self.ask()
        return super().find(*args, **kwargs)


class BreakingStore(MemoryFileSystem):  # type: ignore[misc]
    """A store to which the connection breaks when half of a file has been sent."""

    protocol = "breaking"
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]
    broken: ClassVar[bool] = False

    def _open(self, path: str, mode: str = "rb", **kwargs: Any) -> Any:
        file = super()._open(path, mode, **kwargs)
        if mode == "wb" and self.broken:
            file.write = lambda data: self._half(file, bytes(data))
        return file

    def _half(self, file: MemoryFile, data: bytes) -> int:
        MemoryFile.write(file, data[: len(data) // 2])
        file.commit()
        raise ConnectionResetError(104, "Connection reset by peer")


for store in (BusyStore, BreakingStore):
    fsspec.register_implementation(store.protocol, store, clobber=True)
