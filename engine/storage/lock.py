"""A lock file that one process at a time holds. The system releases it when the process ends, even if it is killed."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from antemill.engine.errors import StorageError

_TRIES, _PAUSE = 5, 0.05  # several tries, seconds apart, since `is_held` holds the lock for a moment


@contextmanager
def holding(path: Path, refusal: Callable[[str], str], remove: bool = False) -> Iterator[None]:
    """Hold the lock in this block. Its file names the process.

    refusal: makes the sentence for the case that another process holds it, from the text in the file. remove: whether
    to remove the file at the end. Raises StorageError with that sentence if another process holds the lock, OSError if
    the file cannot be made.
    """
    with _held(path, refusal) as file:
        with suppress(OSError):  # on a full disk the lock holds without a name in it
            os.ftruncate(file.fileno(), 0)
            os.write(file.fileno(), f"process {os.getpid()}".encode())
        try:
            yield
        finally:
            if remove:
                path.unlink(missing_ok=True)


def is_held(path: Path) -> bool:
    """Whether a process holds the lock. One whose file is gone or cannot be opened is not known to be held."""
    try:
        with open(path, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return False
    except BlockingIOError:
        return True
    except OSError:
        return False


def _held(path: Path, refusal: Callable[[str], str]) -> BinaryIO:
    """The lock's file, locked. A file that its former holder has just removed does not count."""
    while True:
        file = open(path, "a+b")  # noqa: SIM115 (the caller closes it)
        if not _taken(file):
            file.seek(0)
            who = file.read(32).decode(errors="replace").strip()
            file.close()
            raise StorageError(refusal(who))
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
