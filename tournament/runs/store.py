"""run.sqlite: the plan of a run, one row an item, and what the run was made of.

SQLite in WAL mode. A finished item is one transaction: it is there with everything that belongs to it, or not at all.
Writes wait while another program holds the database, without stopping the rest of the run. After a loss of power (not
after a kill) the newest items may be missing; they are played again from the recorded calls.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from engine.errors import StorageError, UsageError
from tournament.runs.item import Item, Played, Record

T = TypeVar("T")
NAME = "run.sqlite"
VERSION = 1
_SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE materials (name TEXT PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE items (
    position INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    data TEXT NOT NULL,
    models TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'planned' CHECK (status IN ('planned', 'done', 'discarded')),
    row TEXT NOT NULL DEFAULT '{}',
    transcript BLOB,
    cost REAL NOT NULL DEFAULT 0,
    fallbacks INTEGER NOT NULL DEFAULT 0,
    timeouts INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    seconds REAL NOT NULL DEFAULT 0,
    error TEXT
);
CREATE INDEX items_status ON items (status);
CREATE TABLE sessions (id INTEGER PRIMARY KEY, seconds REAL NOT NULL DEFAULT 0, done INTEGER NOT NULL DEFAULT 0);
"""
_COLUMNS = "position, key, data, models, status, row, cost, fallbacks, timeouts, attempts, seconds"
_BUSY_SECONDS, _PAUSE = 60.0, 0.05


class Counts(NamedTuple):
    """Items by status, and sums over all of them."""

    planned: int
    done: int
    discarded: int
    cost: float
    fallbacks: int
    timeouts: int


class BusyError(Exception):
    """Another program holds the database at the moment."""


class RunStore:
    """The database of one run. Raises StorageError whenever it can not be read or written."""

    def __init__(self, path: Path, read_only: bool = False) -> None:
        self.path = path
        self._session = 0
        with _storage_errors(path):
            mode = "ro" if read_only else "rwc"
            self._db = sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True, isolation_level=None)
        with _storage_errors(path):
            self._db.execute("PRAGMA busy_timeout = 50")
            if not read_only:
                _when_free(path, lambda: self._db.execute("PRAGMA journal_mode = WAL"))
                self._db.execute("PRAGMA synchronous = NORMAL")

    def close(self) -> None:
        """Close it."""
        self._db.close()

    # ------------------------------------------------------------------------------------------ what it is made of

    def create(self, meta: Mapping[str, str], materials: Mapping[str, bytes]) -> None:
        """Make an empty database that of a run, in one transaction."""
        with self._transaction():
            for statement in filter(str.strip, _SCHEMA.split(";\n")):
                self._db.execute(statement)
            self._db.executemany("INSERT INTO meta VALUES (?, ?)", [*meta.items(), ("version", str(VERSION))])
            self._db.executemany("INSERT INTO materials VALUES (?, ?)", list(materials.items()))

    @property
    def created(self) -> bool:
        """Whether `create` has been completed."""
        return bool(self._rows("SELECT name FROM sqlite_master WHERE name = 'meta'"))

    def meta(self) -> dict[str, str]:
        """What `create` was given. Raises StorageError for a database of another version."""
        found: dict[str, str] = dict(self._rows("SELECT name, value FROM meta"))
        if found.get("version") != str(VERSION):
            raise StorageError(
                f"{self.path} has version {found.get('version')}, this antemill reads version {VERSION}: "
                "use the antemill that made it."
            )
        return found

    def materials(self) -> dict[str, bytes]:
        """What `create` was given."""
        return dict(self._rows("SELECT name, data FROM materials"))

    # ------------------------------------------------------------------------------------------ reading

    def records(self, finished_only: bool = False) -> list[Record]:
        """All items in the order of the plan."""
        where = "WHERE status != 'planned'" if finished_only else ""
        return [_record(row) for row in self._rows(f"SELECT {_COLUMNS} FROM items {where} ORDER BY position")]

    def record(self, key: str) -> Record:
        """One item. Raises UsageError if there is none of that key."""
        rows = self._rows(f"SELECT {_COLUMNS} FROM items WHERE key = ?", key)
        if not rows:
            raise UsageError(f"there is no item '{key}' in {self.path.parent}: see the column 'item' of its tables.")
        return _record(rows[0])

    def transcript(self, key: str) -> Any:
        """What an item's `Played.transcript` was; None if it is not done. Raises UsageError."""
        self.record(key)
        data = self._rows("SELECT transcript FROM items WHERE key = ?", key)[0][0]
        return None if data is None else msgspec.json.decode(zlib.decompress(data))

    def total(self) -> int:
        """How many items the run will have, as far as it is known; 0 before anything is planned."""
        return int(self.meta().get("total", "0"))

    def counts(self) -> Counts:
        """How far the run is."""
        rows = self._rows(
            "SELECT status, count(*), sum(cost), sum(fallbacks), sum(timeouts) FROM items GROUP BY status"
        )
        number = {row[0]: int(row[1]) for row in rows}
        cost, fallbacks, timeouts = (sum(row[i] for row in rows) for i in (2, 3, 4))
        planned, done, discarded = (number.get(name, 0) for name in ("planned", "done", "discarded"))
        return Counts(planned, done, discarded, cost, fallbacks, timeouts)

    def pace(self) -> tuple[int, float]:
        """Items that the newest session with any has finished, and the seconds (of a monotonic clock) that it took."""
        rows = self._rows("SELECT done, seconds FROM sessions WHERE done > 0 ORDER BY id DESC LIMIT 1")
        return (int(rows[0][0]), float(rows[0][1])) if rows else (0, 0.0)

    # ------------------------------------------------------------------------------------------ writing

    async def begin_session(self) -> None:
        """Start counting the pace anew."""

        def insert() -> None:
            self._session = self._db.execute("INSERT INTO sessions DEFAULT VALUES").lastrowid or 0

        await self._write(insert)

    async def plan(self, items: Sequence[Item], first: int, total: int | None = None) -> None:
        """Add items to the plan, from a position on: all or none. total: items that the run will have, if known."""
        rows = [(first + i, item.key, _text(item.data), _text(item.models)) for i, item in enumerate(items)]

        def insert() -> None:
            self._db.executemany("INSERT INTO items (position, key, data, models) VALUES (?, ?, ?, ?)", rows)
            self._db.execute("INSERT OR REPLACE INTO meta VALUES ('total', ?)", (str(total or first + len(rows)),))

        await self._write(insert)

    async def finish(self, key: str, played: Played, cost: float, seconds: float, elapsed: float) -> None:
        """Record a finished item. elapsed: seconds since the session began."""
        transcript = None if played.transcript is None else zlib.compress(msgspec.json.encode(played.transcript), 6)
        values = (_text(played.row), transcript, cost, played.fallbacks, seconds, key)

        def update() -> None:
            self._db.execute(
                "UPDATE items SET status = 'done', row = ?, transcript = ?, cost = ?, fallbacks = ?, seconds = ?, "
                "attempts = attempts + 1, error = NULL WHERE key = ?",
                values,
            )
            self._tick(elapsed)

        await self._write(update)

    async def fail(self, key: str, error: str, timeout: bool, discard: bool, elapsed: float) -> None:
        """Record an attempt that ended by an error of the infrastructure, and whether the item is given up."""

        def update() -> None:
            self._db.execute(
                "UPDATE items SET attempts = attempts + 1, timeouts = timeouts + ?, error = ?, status = ? "
                "WHERE key = ?",
                (int(timeout), error[:500], "discarded" if discard else "planned", key),
            )
            if discard:
                self._tick(elapsed)

        await self._write(update)

    async def plan_again(self) -> None:
        """Let discarded items be played again."""
        await self._write(
            lambda: self._db.execute("UPDATE items SET status = 'planned', timeouts = 0 WHERE status = 'discarded'")
        )

    def _tick(self, elapsed: float) -> None:
        self._db.execute("UPDATE sessions SET done = done + 1, seconds = ? WHERE id = ?", (elapsed, self._session))

    async def _write(self, change: Callable[[], object]) -> None:
        """One transaction, when the database is free."""
        deadline = time.monotonic() + _BUSY_SECONDS
        while True:
            try:
                with self._transaction():
                    change()
                return
            except BusyError as error:
                if time.monotonic() > deadline:
                    raise _held(self.path) from error
            await asyncio.sleep(_PAUSE)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with _storage_errors(self.path):
            try:
                self._db.execute("BEGIN IMMEDIATE")
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def _rows(self, query: str, *values: object) -> list[Any]:
        def fetch() -> list[Any]:
            with _storage_errors(self.path):
                return self._db.execute(query, values).fetchall()

        return _when_free(self.path, fetch)


def _when_free(path: Path, action: Callable[[], T]) -> T:
    """Outside the loop: wait for the database by sleeping."""
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            with _storage_errors(path):
                return action()
        except BusyError as error:
            if time.monotonic() > deadline:
                raise _held(path) from error
            time.sleep(_PAUSE)


@contextmanager
def _storage_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        text = str(error)
        if "locked" in text or "busy" in text:
            raise BusyError from error
        if "full" in text or "disk I/O" in text:
            raise StorageError(
                f"can not write {path} ({text}): what was finished is kept; free some space and resume."
            ) from error
        if "unable to open" in text:
            raise StorageError(
                f"there is no run in {path.parent}, or it can not be opened: name a run's folder."
            ) from error
        raise StorageError(f"can not use {path} ({text}): check the disk and its permissions.") from error
    except sqlite3.DatabaseError as error:
        raise StorageError(f"{path} is damaged ({error}): restore it from a copy, or begin the run anew.") from error


def _held(path: Path) -> StorageError:
    return StorageError(f"another program keeps {path} locked: close it and resume; what was finished is kept.")


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _record(row: Sequence[Any]) -> Record:
    position, key, data, models, status, result, cost, fallbacks, timeouts, attempts, seconds = row
    item = Item(key, msgspec.json.decode(data), tuple(msgspec.json.decode(models)))
    return Record(position, item, status, msgspec.json.decode(result), cost, fallbacks, timeouts, attempts, seconds)
