"""One process at a time works on a run."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from antemill.engine.errors import StorageError

NAME = "run.lock"
_TRIES, _PAUSE = 5, 0.05  # `is_locked` holds the lock for a moment


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the run's lock. The system frees it when the process ends, however it ends.

    Raises StorageError if another process holds it.
    """
    with _held(folder) as file:
        with suppress(OSError):  # a full disk: the lock holds without a name in it
            os.ftruncate(file.fileno(), 0)
            os.write(file.fileno(), f"process {os.getpid()}".encode())
        yield


def _held(folder: Path) -> BinaryIO:
    """The lock's file, locked; not one that a run which left nothing behind has just removed."""
    while True:
        file = open(folder / NAME, "a+b")  # noqa: SIM115 (the caller closes it)
        if not _taken(file):
            file.seek(0)
            who = file.read(32).decode(errors="replace").strip()
            file.close()
            raise StorageError(f"another process ({who}) is working on the run in {folder}: wait for it, or stop it.")
        if os.fstat(file.fileno()).st_nlink:
            return file
        file.close()


def _taken(file: BinaryIO) -> bool:
    for _ in range(_TRIES):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            time.sleep(_PAUSE)
    return False


def is_locked(folder: Path) -> bool:
    """Whether a process is working on the run."""
    try:
        with open(folder / NAME, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return False
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
