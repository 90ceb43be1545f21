"""The database of a run: SQLite's errors as sentences."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from antemill.engine.errors import StorageError
from antemill.llm.database import one_line

BUSY_SECONDS = 5.0  # that a transaction waits for another program
SAVED = "put a copy back, or begin again elsewhere; `sqlite3 run.sqlite .recover` writes what can still be read."


@contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Turns SQLite's errors into sentences. Raises StorageError."""
    try:
        yield
    except sqlite3.OperationalError as error:
        text = str(error)
        if path.is_dir():
            raise StorageError(f"{path} is a folder, and not the database of a run: move it away.") from error
        for words, sentence in (
            (("locked", "busy"), "another program keeps {} locked: close it and resume; what was finished is kept."),
            (
                ("full", "disk I/O"),
                "cannot write {} ({}): free some space and run the same command again; what was finished is kept.",
            ),
            (("unable to open",), "{} cannot be opened ({}): check its permissions."),
            (("decode", "no such"), f"{{}} is damaged ({{}}): {SAVED}"),
            (("",), "cannot use {} ({}): check the disk and its permissions."),
        ):
            if any(word in text for word in words):
                raise StorageError(sentence.format(path, text)) from error
    except FileNotFoundError as error:
        raise StorageError(
            f"there is no run in {path.parent}: name a folder that `antemill start` has made."
        ) from error
    except (sqlite3.DatabaseError, UnicodeError) as error:
        raise damaged(path, error) from error
    except OSError as error:
        raise StorageError(f"cannot read {path}: {(error.strerror or str(error)).lower()}.") from error


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
