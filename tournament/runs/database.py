"""The database of a run: its errors as sentences, and waiting for another process that holds it."""

from __future__ import annotations

import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from antemill.engine.errors import StorageError
from antemill.llm.database import Transaction, one_line

T = TypeVar("T")
BUSY_SECONDS, PAUSE = 60.0, 0.05
SAVED = "`antemill doctor` with its folder says what can be saved."


class BusyError(Exception):
    """Another program holds the database at this moment."""


@contextmanager
def transaction(path: Path, database: sqlite3.Connection) -> Iterator[None]:
    """A transaction. Raises BusyError or StorageError."""
    with storage_errors(path), Transaction(database):
        yield


def when_free(path: Path, action: Callable[[], T]) -> T:
    """Outside of the event loop: wait for the database by sleeping."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            with storage_errors(path):
                return action()
        except BusyError as error:
            if time.monotonic() > deadline:
                raise held(path) from error
            time.sleep(PAUSE)


@contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Turns SQLite's errors into sentences. Raises BusyError or StorageError."""
    try:
        yield
    except sqlite3.OperationalError as error:
        text = str(error)
        if "locked" in text or "busy" in text:
            raise BusyError from error
        if path.is_dir():
            raise StorageError(f"{path} is a folder, and not the database of a run: move it away.") from error
        if "full" in text or "disk I/O" in text:
            raise StorageError(
                f"cannot write {path} ({text}): free some space and run the same command again; what was finished is "
                "kept."
            ) from error
        if "unable to open" in text:
            raise StorageError(f"{path} cannot be opened ({text}): check its permissions.") from error
        if "decode" in text or "no such" in text:
            raise StorageError(f"{path} is damaged ({text}): {SAVED}") from error
        raise StorageError(f"cannot use {path} ({text}): check the disk and its permissions.") from error
    except FileNotFoundError as error:
        raise StorageError(
            f"there is no run in {path.parent}: name a folder that `antemill start` has made."
        ) from error
    except (sqlite3.DatabaseError, UnicodeError) as error:
        raise damaged(path, error) from error
    except OSError as error:
        raise StorageError(f"cannot read {path}: {(error.strerror or str(error)).lower()}.") from error


def held(path: Path) -> StorageError:
    """The error for a database that another program keeps locked."""
    return StorageError(f"another program keeps {path} locked: close it and resume; what was finished is kept.")


def damaged(path: Path, error: Exception, where: str = "") -> StorageError:
    """The error for a damaged part. where: the item, or another part."""
    place = f"'{where}': " if where else ""
    return StorageError(f"{path} is damaged ({place}{one_line(error)}): {SAVED}")


@contextmanager
def whole(path: Path, where: str) -> Iterator[None]:
    """Turns errors of reading into errors about damage."""
    try:
        yield
    except (ValueError, TypeError, zlib.error, RecursionError) as error:
        raise damaged(path, error, where) from error
