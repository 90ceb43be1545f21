"""Functions for all SQLite files of a run: transactions, and reading a file without changing it.

A file can be read in a read-only folder, and while another process writes it. A database in WAL mode needs two more
files beside it. If they cannot be made, the database is read directly; if its log holds changes, it is refused.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

_NOT_WRITABLE = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL)


def connect_to_read(path: Path) -> sqlite3.Connection:
    """A read-only connection. Raises sqlite3.Error, or OSError if there is no such file."""
    path.stat()
    try:
        return _usable(sqlite3.connect(_uri(path, "mode=ro"), uri=True, isolation_level=None))
    except sqlite3.OperationalError as error:
        log = path.with_name(f"{path.name}-wal")
        if error.sqlite_errorcode & 0xFF not in _NOT_WRITABLE or (log.exists() and log.stat().st_size):
            raise
    return _usable(sqlite3.connect(_uri(path, "mode=ro&immutable=1"), uri=True, isolation_level=None))


def _usable(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Open the file by a first query: SQLite does not open it before."""
    try:
        connection.execute("PRAGMA busy_timeout = 5000")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _uri(path: Path, options: str) -> str:
    return f"{path.absolute().as_uri()}?{options}"


class Transaction:
    """A transaction. It is a class, which is faster than a generator: every call of a model enters it several times."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def __enter__(self) -> None:
        """Begin, with the lock for writing, after at most the connection's `busy_timeout`."""
        self._db.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        """Commit, or roll back."""
        try:
            if error is None:
                self._db.execute("COMMIT")
        finally:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")


def one_line(error: Exception) -> str:
    """The message in one line: SQLite quotes a damaged schema with its line breaks."""
    return " ".join(str(error).split()).rstrip(".")
