"""The call store: one SQLite file with every question and every answer.

    calls      one row per call, answered or given up: the body that was sent, the raw reply, the normalised usage,
               dollars, timing
    attempts   one row per attempt, written before it is sent, with the most that it can cost. The row is deleted when
               the answer is stored in `calls`; otherwise it describes the failure, and `call` is filled in at the end
    schemas    whether a model's server takes a JSON schema, where a call has shown it
    texts      long texts of requests, stored once each: a rulebook is sent a thousand times

An answered call is never paid for again: `find` returns it for the same key. An attempt without any result (the process
was killed) stays on record and counts as spent. Others can read while a run writes (WAL). Each call is committed, so it
survives a kill; after a power failure the last calls may be missing, but the file is intact (synchronous = NORMAL).
"""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from antemill.llm.database import Transaction, connect_to_read, one_line
from antemill.llm.errors import TIMED_OUT, StoreError, StoreLockedError
from antemill.llm.records import SENT, Attempt, Call, StageTotals, Totals
from antemill.llm.types import Reply, Usage

VERSION = 4
_NEWEST = (1 << 63) - 1  # larger than every row's id
_WAIT = 2.0  # seconds that SQLite waits for another process's lock, which blocks the event loop

_LONG = 512  # characters of a text that is stored once
_MARK = "\x01"  # JSON has no such character
_REFERENCE = re.compile(f"{_MARK}([0-9a-f]{{64}})")
_SAVED = "`antemill doctor` with its folder says what can be saved."

_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS calls (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL, model TEXT NOT NULL, protocol TEXT NOT NULL, gateway TEXT NOT NULL,
    remote TEXT NOT NULL, served TEXT NOT NULL, sample TEXT NOT NULL, purpose TEXT NOT NULL,
    status TEXT NOT NULL, error TEXT NOT NULL, finish TEXT NOT NULL, text TEXT NOT NULL,
    request TEXT NOT NULL, reply TEXT NOT NULL, prompt_hash TEXT NOT NULL,
    input_uncached INTEGER NOT NULL, input_cached INTEGER NOT NULL, cache_write INTEGER NOT NULL,
    output_visible INTEGER NOT NULL, reasoning INTEGER NOT NULL, cost_reported REAL, cost_estimated REAL,
    cost_assumed REAL, usage TEXT NOT NULL, cost REAL NOT NULL,
    time REAL NOT NULL, seconds REAL NOT NULL, total_seconds REAL NOT NULL,
    attempts INTEGER NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS answered ON calls (key) WHERE status = 'ok';
CREATE INDEX IF NOT EXISTS paid ON calls (cost) WHERE cost != 0;
CREATE TABLE IF NOT EXISTS attempts (
    id INTEGER PRIMARY KEY, call INTEGER, key TEXT NOT NULL, model TEXT NOT NULL, number INTEGER NOT NULL,
    time REAL NOT NULL, seconds REAL NOT NULL, status INTEGER, error TEXT NOT NULL, message TEXT NOT NULL,
    body TEXT NOT NULL, retry_after REAL, risk REAL NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS risky ON attempts (risk) WHERE risk != 0;
CREATE TABLE IF NOT EXISTS schemas (model TEXT PRIMARY KEY, taken INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS texts (hash TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT, WITHOUT ROWID;
PRAGMA user_version = {VERSION};
"""

_CALL_COLUMNS = [name for name in Call.__struct_fields__ if name != "usage"]
_COUNTS = ["input_uncached", "input_cached", "cache_write", "output_visible", "reasoning"]
_USAGE_COLUMNS = [*_COUNTS, "cost_reported", "cost_estimated", "cost_assumed"]
_COLUMNS = [*_CALL_COLUMNS, *_USAGE_COLUMNS, "usage", "cost"]
_INSERT_CALL = f"INSERT INTO calls ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"
_ATTEMPT_COLUMNS = list(Attempt.__struct_fields__)
_INSERT_ATTEMPT = (
    f"INSERT INTO attempts ({', '.join(_ATTEMPT_COLUMNS)}) VALUES ({', '.join('?' * len(_ATTEMPT_COLUMNS))})"
)
_UPDATE_ATTEMPT = f"UPDATE attempts SET {', '.join(f'{name} = ?' for name in _ATTEMPT_COLUMNS)} WHERE id = ?"
_COST = "SELECT total(cost) FROM calls WHERE cost != 0"
_RISK = "SELECT total(risk) FROM attempts WHERE risk != 0"
_SENT_SINCE = "(error = ? AND id > ?)"
_ASSUMED = "cost_assumed IS NOT NULL AND cost_reported IS NULL"
_UNPRICED = "status = 'ok' AND coalesce(cost_reported, cost_estimated, cost_assumed) IS NULL"
_FIND = (
    f"SELECT id, text, finish, seconds, attempts, model, gateway, usage, {', '.join(_USAGE_COLUMNS)} "
    "FROM calls WHERE key = ? AND status = 'ok' ORDER BY id LIMIT 1"
)


class CallStore:
    """An open store; `path` is a file or ":memory:". Use it from one thread. Raises StoreError.

    read_only: whether no file is made or changed; then the folder need not be writable.
    """

    def __init__(self, path: str | os.PathLike[str], read_only: bool = False) -> None:
        self.path = os.fspath(path)
        self._explained = _Explained(self.path)
        self._known: set[str] = set()  # hashes of texts known to be in the file
        with self._explained:
            if read_only:
                self._db = connect_to_read(Path(self.path))
                if self._db.execute("PRAGMA user_version").fetchone()[0] != VERSION:
                    self._db.close()
                    raise StoreError(f"{self.path} is not a call store of this version; use the antemill that made it.")
                return
            if self.path != ":memory:":
                Path(self.path).parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(self.path, timeout=_WAIT, isolation_level=None)
            try:
                self._open()
            except BaseException:
                self._db.close()
                raise

    def _open(self) -> None:
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if version != VERSION and (version or tables):
            raise StoreError(f"{self.path} is not a call store of this version; move it away, or name another file.")
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        if version != VERSION:
            self._db.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")

    def close(self) -> None:
        """Close the file, which contains every added row."""
        self._db.close()

    def __enter__(self) -> CallStore:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _all(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        with self._explained:
            return self._db.execute(sql, values).fetchall()

    def find(self, key: str) -> Reply | None:
        """The stored reply for a key: the first one if there are two."""
        with self._explained:
            return next(map(_reply, self._db.execute(_FIND, (key,))), None)

    def takes_schema(self, model: str) -> bool | None:
        """Whether a model's server takes a JSON schema; None if no call has shown it."""
        found = self._all("SELECT taken FROM schemas WHERE model = ?", model)
        return bool(found[0][0]) if found else None

    def keep_schema(self, model: str, taken: bool) -> None:
        """Record whether a model's server takes a JSON schema."""
        self._all("INSERT OR REPLACE INTO schemas VALUES (?, ?)", model, taken)

    def served(self) -> dict[str, list[str]]:
        """By entry: the names and gateways under which its answers came, in the order of the first."""
        found: dict[str, list[str]] = {}
        for model, served, gateway in self._all(
            "SELECT model, served, gateway FROM calls WHERE status = 'ok' AND purpose != 'check' "
            "GROUP BY model, served, gateway ORDER BY min(id)"
        ):
            found.setdefault(model, []).append(f"{served or 'a model without a name'} at {gateway}")
        return found

    def add(self, call: Call, attempts: Sequence[int] = (), sent: int | None = None) -> int:
        """Store a call, and link its failed attempts to it. sent: the attempt that it answers. Returns the row's id."""
        usage = call.usage
        values = [getattr(call, name) for name in _CALL_COLUMNS]
        values[_CALL_COLUMNS.index("request")], texts = shortened(call.request)
        new = [(key, text) for key, text in texts.items() if key not in self._known]
        values += [getattr(usage, name) for name in _USAGE_COLUMNS]
        values += [msgspec.json.encode(usage.raw).decode(), usage.cost]
        with self._explained, Transaction(self._db):
            self._db.executemany("INSERT OR IGNORE INTO texts VALUES (?, ?)", new)
            row = _row(self._db.execute(_INSERT_CALL, values))
            self._db.executemany("UPDATE attempts SET call = ? WHERE id = ?", [(row, found) for found in attempts])
            if sent is not None:
                self._db.execute("DELETE FROM attempts WHERE id = ?", (sent,))
        self._known.update(texts)
        return row

    def add_attempt(self, attempt: Attempt) -> int:
        """Store an attempt. Returns the row's id."""
        with self._explained:
            return _row(self._db.execute(_INSERT_ATTEMPT, [getattr(attempt, name) for name in _ATTEMPT_COLUMNS]))

    def fail(self, row: int, attempt: Attempt) -> int:
        """Record the failure of a sent attempt. Returns its row."""
        with self._explained:
            self._db.execute(_UPDATE_ATTEMPT, [*(getattr(attempt, name) for name in _ATTEMPT_COLUMNS), row])
        return row

    def call(self, row: int) -> Call:
        """One call in full, with its request as sent. Raises StoreError if there is no such row."""
        found = next(self._rows("WHERE id = ?", (row,)), None)
        if found is None:
            raise StoreError(f"{self.path} has no call {row}.")
        return found

    def calls(self) -> Iterator[Call]:
        """All calls, oldest first."""
        return self._rows("ORDER BY id", ())

    def samples(self) -> dict[str, list[int]]:
        """The rows of all calls by their sample, oldest first."""
        found: dict[str, list[int]] = {}
        for row, sample in self._all("SELECT id, sample FROM calls ORDER BY id"):
            found.setdefault(sample, []).append(row)
        return found

    def _rows(self, where: str, values: tuple[object, ...]) -> Iterator[Call]:
        with self._explained:
            cursor = self._db.execute(f"SELECT {', '.join(_COLUMNS)} FROM calls {where}", values)
            for row in cursor:
                found: dict[str, Any] = dict(zip(_COLUMNS, row))
                usage = {name: found[name] for name in _USAGE_COLUMNS}
                call = {name: found[name] for name in _CALL_COLUMNS}
                call["request"] = _REFERENCE.sub(self._text, call["request"])
                yield Call(**call, usage=_usage(usage, found["usage"]))

    def failed_attempts(self, call: int | None = None) -> list[Attempt]:
        """The failed attempts of a call, or all of them."""
        return self._attempts("error != ? AND coalesce(call = ?, TRUE)", SENT, call)

    def sent_attempts(self) -> list[Attempt]:
        """The attempts in flight, and those whose process ended before an answer."""
        return self._attempts("error = ?", SENT)

    def _attempts(self, where: str, *values: object) -> list[Attempt]:
        sql = f"SELECT {', '.join(_ATTEMPT_COLUMNS)} FROM attempts WHERE {where} ORDER BY id"
        return [Attempt(**dict(zip(_ATTEMPT_COLUMNS, row))) for row in self._all(sql, *values)]

    def newest_attempt(self) -> int:
        """The newest attempt's row, 0 if there is none. Later attempts have larger numbers."""
        return int(self._all("SELECT coalesce(max(id), 0) FROM attempts")[0][0])

    def totals(self, since: int | None = None) -> dict[str, Totals]:
        """Calls, tokens and dollars by model.

        since: the `newest_attempt` at the start of the writing process: later attempts without an answer are in flight.
        None if no process is writing: attempts without an answer will never get one.
        """
        sums = ", ".join(f"sum({name})" for name in [*_COUNTS, "cost", "seconds"])
        names = ["calls", "failed", "unpriced", "assumed", "assumed_cost", *_COUNTS, "cost", "seconds"]
        calls = self._all(
            f"SELECT model, sum(status = 'ok'), sum(status != 'ok'), sum({_UNPRICED}), "
            f"sum({_ASSUMED}), total(cost) FILTER (WHERE {_ASSUMED}), {sums} FROM calls GROUP BY model"
        )
        attempts = self._all(
            "SELECT model, sum(error != ?), sum(error = ?), "
            f"total(risk) FILTER (WHERE NOT {_SENT_SINCE}), sum(risk != 0 AND NOT {_SENT_SINCE}), "
            f"total(risk) FILTER (WHERE {_SENT_SINCE}) FROM attempts GROUP BY model",
            *(SENT, TIMED_OUT, *3 * (SENT, _NEWEST if since is None else since)),
        )
        found: dict[str, dict[str, Any]] = {model: dict(zip(names, values)) for model, *values in calls}
        names = ["failed_attempts", "timeouts", "possible", "possible_attempts", "under_way"]
        for model, *values in attempts:
            found.setdefault(model, {}).update(zip(names, values))
        with self._explained:
            return {model: msgspec.convert({"model": model} | found[model], Totals) for model in sorted(found, key=str)}

    def failures(self) -> list[tuple[str, str, int, str]]:
        """Failed attempts by model and kind: their number and the last message, the newest kind first."""
        rows = self._all(
            "SELECT model, error, number, message FROM (SELECT model, error, count(*) AS number, message, "
            "max(id) AS newest FROM attempts WHERE error != ? GROUP BY model, error) ORDER BY newest DESC",
            SENT,
        )
        with self._explained:
            return msgspec.convert(rows, list[tuple[str, str, int, str]])

    def stages(self, names: Sequence[str]) -> list[StageTotals]:
        """Calls, tokens and dollars by stage and model, in their order.

        The stage of a call is the first part of its sample if that is one of the names, else its purpose.
        """
        rows = self._all(
            "WITH staged AS (SELECT *, substr(sample, 1, instr(sample || '/', '/') - 1) AS first FROM calls) "
            f"SELECT iif(first IN ({', '.join('?' * len(names))}), first, purpose) AS stage, model, "
            "sum(status = 'ok'), sum(input_uncached + input_cached + cache_write), "
            f"sum(output_visible + reasoning), total(cost), sum({_ASSUMED}), total(cost) FILTER (WHERE {_ASSUMED}) "
            "FROM staged GROUP BY stage, model ORDER BY stage, model",
            *names,
        )
        return [StageTotals(**dict(zip(StageTotals.__struct_fields__, row, strict=True))) for row in rows]

    def cost(self) -> float:
        """Dollars of all answered calls."""
        return float(self._all(_COST)[0][0])

    def risk(self) -> float:
        """The most dollars that providers may charge for attempts without an answer (in flight, or timed out)."""
        return float(self._all(_RISK)[0][0])

    def spent(self) -> float:
        """The dollars that a budget counts as spent when a run is resumed: `cost` and `risk`."""
        return self.risk() + self.cost()  # in this order, a call answered meanwhile counts twice, not never

    def _text(self, found: re.Match[str]) -> str:
        rows = self._db.execute("SELECT text FROM texts WHERE hash = ?", (found[1],))
        return next((text for (text,) in rows), found[0])


class _Explained:
    """Turns SQLite's errors into sentences. A class is faster than a generator."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        """Do nothing."""

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        """Raise StoreError for an error of the database or of its content."""
        if isinstance(error, (msgspec.MsgspecError, UnicodeError)):
            raise StoreError(f"{self._path} is damaged ({one_line(error)}); {_SAVED}") from error
        if isinstance(error, (sqlite3.Error, OSError)):
            raise self._sentence(error) from error

    def _sentence(self, error: Exception) -> StoreError:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return StoreLockedError(f"{self._path} is locked by another process; wait for it, or end it.")
        if code == sqlite3.SQLITE_FULL:
            return StoreError(f"{self._path} cannot be written, the disk is full: free some space.")
        if code == sqlite3.SQLITE_NOTADB or Path(self._path).is_dir():
            return StoreError(f"{self._path} is not a call store; move it away, or name another file.")
        return StoreError(f"{self._path} cannot be read or written: {one_line(error)}; {_SAVED}")


def shortened(request: str) -> tuple[str, dict[str, str]]:
    """A request's JSON with its long texts, as far as they have no quotation mark, replaced by marked hashes; and those
    texts by their hashes."""
    texts, parts = dict[str, str](), request.split('"')
    for place, part in enumerate(parts):
        if len(part) >= _LONG:
            key = hashlib.sha256(part.encode(errors="replace")).hexdigest()
            texts[key], parts[place] = part, f"{_MARK}{key}"
    return '"'.join(parts), texts


def _usage(counts: dict[str, Any], raw: str) -> Usage:
    """The usage in a row's columns. Raises msgspec.ValidationError for other values."""
    found = counts | {"raw": msgspec.json.decode(raw), "counted": counts["cost_assumed"] is None}
    return msgspec.convert(found, Usage)


def _reply(row: Sequence[Any]) -> Reply:
    """The reply in a row that `_FIND` has found."""
    names = ("call", "text", "finish", "seconds", "attempts", "model", "gateway")
    usage = _usage(dict(zip(_USAGE_COLUMNS, row[len(names) + 1 :])), row[len(names)])
    return msgspec.convert(dict(zip(names, row)) | {"usage": usage, "stored": True}, Reply)


def _row(cursor: sqlite3.Cursor) -> int:
    assert cursor.lastrowid is not None
    return cursor.lastrowid
