"""run.sqlite: the plan of a run, one row an item, and the run's metadata and materials.

SQLite in WAL mode. A finished item is one transaction: it is stored completely or not at all. After a loss of power
(not after a kill) the newest items may be missing; they are played again from the recorded calls.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import msgspec

from antemill.engine.arguments import path as file_path
from antemill.engine.arguments import truth, wrong_value
from antemill.engine.errors import StorageError, UsageError
from antemill.llm.database import Transaction, connect_to_read
from antemill.llm.mistakes import meant
from antemill.tournament.runs import database
from antemill.tournament.runs.database import SAVED, storage_errors, whole
from antemill.tournament.runs.origin import HASHES, hashes
from antemill.tournament.runs.records import Counts as ReplyCounts
from antemill.tournament.runs.records import Item, Played, Record
from antemill.version import __version__

NAME = "run.sqlite"
VERSION = 2
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
CREATE TABLE replies (player TEXT PRIMARY KEY, asked INTEGER NOT NULL, second INTEGER NOT NULL,
    unusable INTEGER NOT NULL) WITHOUT ROWID;
"""
_COLUMNS = "position, key, data, models, status, row, cost, fallbacks, timeouts, attempts, seconds"
_AT_ONCE = 500  # items read at once where they are read one after the other
META = ("kind", "digest", "home")
BEGUN, MADE_BY = "begun", "antemill"  # in the metadata: when (UTC, ISO 8601), and by which version
ABOUT = "about"  # in the metadata, as long as more items may follow

_OBJECT, _NAMES = msgspec.json.Decoder(dict[str, Any]), msgspec.json.Decoder(tuple[str, ...])


class Counts(NamedTuple):
    """Items by status, and sums over all of them."""

    planned: int
    done: int
    discarded: int
    cost: float
    fallbacks: int
    timeouts: int


class RunStore:
    """The database of one run. Its methods raise StorageError if it cannot be read or written."""

    def __init__(self, path: str | os.PathLike[str], read_only: bool = False) -> None:
        self.path = path = file_path(path, "path")
        if not path.name:
            wrong_value("path", path, "the path of a file", "give that of a run's run.sqlite")
        read_only = truth(read_only, "read_only")
        self._session = 0
        if read_only:
            with storage_errors(path):
                self._db = connect_to_read(path)
            return
        with storage_errors(path):
            self._db = sqlite3.connect(path, isolation_level=None)
        try:
            with storage_errors(path):
                self._db.execute(f"PRAGMA busy_timeout = {database.BUSY_SECONDS * 1000:.0f}")
                self._db.execute("PRAGMA journal_mode = WAL")
                self._db.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            self._db.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self._db.close()

    # ------------------------------------------------------------------------------------------ metadata and materials

    def create(self, meta: Mapping[str, str], materials: Mapping[str, bytes]) -> None:
        """Make this the database of a new run, in one transaction. An earlier run in it is deleted."""
        with storage_errors(self.path), Transaction(self._db):
            for (name,) in self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                self._db.execute(f'DROP TABLE "{name}"')
            for statement in filter(str.strip, _SCHEMA.split(";\n")):
                self._db.execute(statement)
            begun = datetime.now(UTC).isoformat(timespec="microseconds")
            described = {BEGUN: begun, MADE_BY: __version__, **meta, HASHES: _text(hashes(materials))}
            described["version"] = str(VERSION)
            self._db.executemany("INSERT INTO meta VALUES (?, ?)", list(described.items()))
            self._db.executemany("INSERT INTO materials VALUES (?, ?)", list(materials.items()))

    def extend(self, meta: Mapping[str, str], materials: Mapping[str, bytes]) -> None:
        """Add materials to the run, in one transaction; its items stay as they are. Arguments as for `create`."""
        with storage_errors(self.path), Transaction(self._db):
            described = {**meta, HASHES: _text(hashes(materials))}
            self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(described.items()))
            self._db.executemany("INSERT OR REPLACE INTO materials VALUES (?, ?)", list(materials.items()))

    @property
    def created(self) -> bool:
        """Whether `create` has been completed."""
        return bool(self._rows("SELECT name FROM sqlite_master WHERE name = 'meta'"))

    def meta(self) -> dict[str, str]:
        """The metadata given to `create`. Raises StorageError for another version or missing parts."""
        found: dict[str, str] = dict(self._rows("SELECT name, value FROM meta"))
        if missing := [name for name in ("version", *META) if name not in found]:
            raise StorageError(f"{self.path} is damaged (it has no {missing[0]}): {SAVED}")
        if found.get("version") != str(VERSION):
            raise StorageError(
                f"{self.path} has version {found.get('version')}, this antemill reads version {VERSION}: "
                "use the antemill that made it."
            )
        return found

    def materials(self) -> dict[str, bytes]:
        """The materials given to `create`."""
        return dict(self._rows("SELECT name, data FROM materials"))

    # ------------------------------------------------------------------------------------------ reading

    def records(self, finished_only: bool = False) -> list[Record]:
        """All items in the order of the plan."""
        where = "WHERE status != 'planned'" if finished_only else ""
        rows = self._rows(f"SELECT {_COLUMNS} FROM items {where} ORDER BY position")
        return [_record(self.path, row) for row in rows]

    def each_record(self) -> Iterator[Record]:
        """All items in the order of the plan, some at a time, so that the first is there before the last is read."""
        last = -1
        query = f"SELECT {_COLUMNS} FROM items WHERE position > ? ORDER BY position LIMIT {_AT_ONCE}"
        while rows := self._rows(query, last):
            last = rows[-1][0]
            for row in rows:
                yield _record(self.path, row)

    def records_at(self, positions: Sequence[int]) -> list[Record]:
        """The items at some positions, a few hundred at most, in the order of the plan. Missing ones are left out."""
        marks = ", ".join("?" * len(positions))
        query = f"SELECT {_COLUMNS} FROM items WHERE position IN ({marks}) ORDER BY position"
        return [_record(self.path, row) for row in self._rows(query, *positions)]

    def statuses(self) -> dict[int, str]:
        """The status of every item by its position, in the order of the plan. It is read from an index."""
        return dict(sorted(self._rows("SELECT position, status FROM items")))

    def changes(self) -> int:
        """A number that changes when another connection writes, while this store is open."""
        return int(self._rows("PRAGMA data_version")[0][0])

    def record(self, key: str) -> Record:
        """One item. Raises UsageError if there is none with that key."""
        rows = self._rows(f"SELECT {_COLUMNS} FROM items WHERE key = ?", key)
        if not rows:
            first = self._rows("SELECT key FROM items ORDER BY position LIMIT 1")
            near = meant(key, self._beside(key)) or (f", such as '{first[0][0]}'." if first else ".")
            raise UsageError(f"there is no item '{key}' in {self.path.parent}: `list` names them{near}")
        return _record(self.path, rows[0])

    def _beside(self, key: str) -> list[str]:
        """The keys that come before and after one in the alphabet: all keys would be too many to compare."""
        before = self._rows("SELECT key FROM items WHERE key < ? ORDER BY key DESC LIMIT ?", key, _AT_ONCE)
        after = self._rows("SELECT key FROM items WHERE key > ? ORDER BY key LIMIT ?", key, _AT_ONCE)
        return [str(name) for (name,) in before + after]

    def transcript(self, key: str) -> Any:
        """An item's `Played.transcript`; None if the item is not done. Raises UsageError."""
        rows = self._rows("SELECT transcript FROM items WHERE key = ?", key)
        if not rows:
            self.record(key)  # says which item is near
        with whole(self.path, key):
            return _unpacked(rows[0][0])

    def transcripts(self, keys: Sequence[str], form: Any = Any) -> Iterator[Any]:
        """The transcripts of items with these keys, in this order, read some at a time. form: their type, if known."""
        for first in range(0, len(keys), _AT_ONCE):
            some = keys[first : first + _AT_ONCE]
            marks = ", ".join("?" * len(some))
            found = dict(self._rows(f"SELECT key, transcript FROM items WHERE key IN ({marks})", *some))
            for key in some:
                with whole(self.path, key):
                    transcript = _unpacked(found.get(key), form)
                yield transcript

    def number(self) -> int:
        """The number of items that are planned so far, done or not."""
        return int(self._rows("SELECT count(*) FROM items")[0][0])

    def total(self) -> int:
        """The number of the run's items, as far as known; 0 before anything is planned."""
        with whole(self.path, "total"):
            return int(self.meta().get("total", "0"))

    def about(self) -> int | None:
        """The estimated number of the run's items while more may be planned; None if `total` is final."""
        with whole(self.path, ABOUT):
            return int(found) if (found := self.meta().get(ABOUT)) is not None else None

    def complete(self) -> bool:
        """Whether every item of the run is finished, and no more follow."""
        return self.counts().done >= self.total() > 0 and self.about() is None

    def models(self) -> tuple[str, ...]:
        """The models that planned items ask, in the order of the plan."""
        rows = self._rows("SELECT models FROM items GROUP BY models ORDER BY min(position)")
        with whole(self.path, "the plan"):
            found = [msgspec.json.decode(models, type=list[str]) for (models,) in rows]
        return tuple(dict.fromkeys(name for names in found for name in names))

    @property
    def played(self) -> bool:
        """Whether an item was finished or discarded."""
        return bool(self._rows("SELECT 1 FROM items WHERE status != 'planned' LIMIT 1"))

    def replies(self) -> dict[str, ReplyCounts]:
        """Of each player that was asked something in a finished item: questions, those that took a second try, those
        without a usable reply.
        """
        return {name: tuple(counts) for name, *counts in self._rows("SELECT * FROM replies")}

    def counts(self) -> Counts:
        """The counts of the run's items."""
        rows = self._rows(
            "SELECT status, count(*), sum(cost), sum(fallbacks), sum(timeouts) FROM items GROUP BY status"
        )
        number = {row[0]: int(row[1]) for row in rows}
        cost, fallbacks, timeouts = (sum(row[i] for row in rows) for i in (2, 3, 4))
        planned, done, discarded = (number.get(name, 0) for name in ("planned", "done", "discarded"))
        return Counts(planned, done, discarded, cost, fallbacks, timeouts)

    def pace(self) -> tuple[int, float]:
        """Items finished by the newest session that finished any, and the seconds (monotonic) that it took."""
        rows = self._rows("SELECT done, seconds FROM sessions WHERE done > 0 ORDER BY id DESC LIMIT 1")
        return (int(rows[0][0]), float(rows[0][1])) if rows else (0, 0.0)

    # ------------------------------------------------------------------------------------------ writing

    def begin_session(self) -> None:
        """Begin a session, whose pace is counted from zero."""

        def insert() -> None:
            self._session = self._db.execute("INSERT INTO sessions DEFAULT VALUES").lastrowid or 0

        self._write(insert)

    def plan(self, items: Sequence[Item], first: int, total: int | None = None, about: int = 0) -> None:
        """Add items to the plan from a position on: all or none.

        total: the number of the run's items, if known; about: else an estimate of it.
        """
        rows = [(first + i, item.key, _text(item.data), _text(item.models)) for i, item in enumerate(items)]

        def insert() -> None:
            self._db.executemany("INSERT INTO items (position, key, data, models) VALUES (?, ?, ?, ?)", rows)
            self._db.execute("INSERT OR REPLACE INTO meta VALUES ('total', ?)", (str(total or first + len(rows)),))
            if total is None:
                self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (ABOUT, str(about)))

        self._write(insert)

    def end_plan(self) -> None:
        """No more items follow."""
        if self.about() is not None:
            self._write(lambda: self._db.execute("DELETE FROM meta WHERE name = ?", (ABOUT,)))

    def finish(self, key: str, played: Played, cost: float, seconds: float, elapsed: float) -> None:
        """Record a finished item. elapsed: seconds since the session began."""
        transcript = None if played.transcript is None else zlib.compress(msgspec.json.encode(played.transcript), 6)
        values = (_text(played.row), transcript, cost, played.fallbacks, seconds, key)
        counts = [(player, *some) for player, some in played.counts.items() if some[0]]

        def update() -> None:
            self._db.execute(
                "UPDATE items SET status = 'done', row = ?, transcript = ?, cost = ?, fallbacks = ?, seconds = ?, "
                "attempts = attempts + 1, error = NULL WHERE key = ?",
                values,
            )
            self._db.executemany(
                "INSERT INTO replies VALUES (?, ?, ?, ?) ON CONFLICT (player) DO UPDATE SET asked = asked + "
                "excluded.asked, second = second + excluded.second, unusable = unusable + excluded.unusable",
                counts,
            )
            self._tick(elapsed)

        self._write(update)

    def fail(self, key: str, error: str, timeout: bool, discard: bool, elapsed: float) -> None:
        """Record an attempt that ended by an error of the infrastructure, and whether the item is discarded."""

        def update() -> None:
            self._db.execute(
                "UPDATE items SET attempts = attempts + 1, timeouts = timeouts + ?, error = ?, status = ? "
                "WHERE key = ?",
                (int(timeout), error[:500], "discarded" if discard else "planned", key),
            )
            if discard:
                self._tick(elapsed)

        self._write(update)

    def plan_again(self, what: str) -> None:
        """Let discarded items be played again: "all" of them, or the one with this key. Raises UsageError if the item
        was not discarded."""
        if what != "all" and (status := self.record(what).status) != "discarded":
            raise UsageError(f"the item '{what}' is {status}: only what was discarded can be played again.")
        change = "UPDATE items SET status = 'planned', timeouts = 0 WHERE status = 'discarded' AND ? IN ('all', key)"
        self._write(lambda: self._db.execute(change, (what,)))

    def _tick(self, elapsed: float) -> None:
        self._db.execute("UPDATE sessions SET done = done + 1, seconds = ? WHERE id = ?", (elapsed, self._session))

    def _write(self, change: Callable[[], object]) -> None:
        """One transaction."""
        with storage_errors(self.path), Transaction(self._db):
            change()

    def _rows(self, query: str, *values: object) -> list[Any]:
        with storage_errors(self.path):
            return self._db.execute(query, values).fetchall()


def _unpacked(transcript: bytes | None, form: Any = Any) -> Any:
    return None if transcript is None else msgspec.json.decode(zlib.decompress(transcript), type=form)


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _record(path: Path, row: Sequence[Any]) -> Record:
    position, key, data, models, status, result, *numbers = row
    with whole(path, key):
        item = Item(key, _OBJECT.decode(data), _NAMES.decode(models))
        values = (position, item, status, _OBJECT.decode(result), *numbers)
        return msgspec.convert(dict(zip(Record.__struct_fields__, values, strict=True)), Record)
