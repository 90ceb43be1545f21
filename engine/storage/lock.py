"""A lock file that one process at a time holds. The system releases it when the process ends, even if it is killed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from antemill.engine.errors import StorageError

_PATIENCE = 0.25  # seconds, since `is_held` holds the lock for a moment


@contextmanager
def holding(path: Path, refusal: Callable[[str], str], remove: bool = False) -> Iterator[None]:
    """Hold the lock in this block. Its file names the process.

    refusal: makes the sentence for the case that another process holds it, from the text in the file. remove: whether
    to remove the file at the end. Raises StorageError with that sentence if another process holds the lock, OSError if
    the file cannot be made.
    """
    from filelock import FileLock, Timeout  # here, since it takes time that commands without a lock do not need

    lock = FileLock(path)
    try:
        lock.acquire(_PATIENCE)
    except Timeout:
        with suppress(OSError):
            raise StorageError(refusal(path.read_text(errors="replace")[:32].strip())) from None
        raise StorageError(refusal("")) from None
    try:
        with suppress(OSError):  # on a full disk the lock holds without a name in it
            path.write_text(f"process {os.getpid()}")
        yield
    finally:
        if remove:
            path.unlink(missing_ok=True)
        lock.release()


def is_held(path: Path) -> bool:
    """Whether a process holds the lock. One whose file is gone or cannot be opened is not known to be held."""
    from filelock import FileLock, Timeout

    with suppress(OSError):
        if path.exists():
            try:
                FileLock(path).acquire(0).lock.release()
            except Timeout:
                return True
    return False
