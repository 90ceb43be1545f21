"""One process at a time works on a pool. Stores have no locks: two processes there would do the same work twice."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from antemill.engine.errors import StorageError
from antemill.engine.storage.lock import holding, is_held
from antemill.engine.storage.places import Place, place

NAME = ".pool.lock"
_ours: set[str] = set()  # folders whose lock this process holds: a command's steps take it once


@contextmanager
def working(folder: str | os.PathLike[str] | Place) -> Iterator[None]:
    """Hold the lock of the pool in a folder that is there, unless this process holds it, or the folder lies in a store.

    Raises StorageError if another process holds it.
    """
    there = place(folder)
    path = os.path.realpath(there.name)
    if not there.local or path in _ours or not os.path.isdir(path):
        yield
        return
    try:
        with holding(Path(path, NAME), lambda who: _refusal(there, who), remove=True):
            _ours.add(path)
            try:
                yield
            finally:
                _ours.discard(path)
    except OSError as error:
        if error.filename is None or Path(error.filename).name != NAME:
            raise
        raise StorageError(f"cannot work in {there}: {(error.strerror or str(error)).lower()}.") from error


@contextmanager
def swept(folder: Place, *names: str) -> Iterator[None]:
    """Remove what killed writers left in folders of a pool that this process holds, before and after the block."""

    def sweep() -> None:
        for name in names:
            folder.sweep(name)

    sweep()
    try:
        yield
    finally:
        sweep()


def require_idle(folder: Place) -> None:
    """Raise StorageError if another process is working on the pool."""
    path = os.path.realpath(folder.name)
    if folder.local and path not in _ours and is_held(Path(path, NAME)):
        raise StorageError(_refusal(folder, ""))


def _refusal(folder: Place, who: str) -> str:
    process = f"another process ({who})" if who else "another process"
    return f"{process} is working here, on the pool in {folder}: wait for it, or stop it."
