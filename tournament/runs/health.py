"""What is whole of a run's folder, and a new folder with it: for runs on disks that lose bytes.

Nothing is changed in the damaged folder. In the new one every whole item is as it was. An item whose result is damaged
is planned again, and if the plan itself has gaps, all of it: playing again costs nothing where the calls are whole, for
their replies are on record.
"""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
from msgspec import Struct

from engine.errors import StorageError, UsageError
from llm import CallStore
from llm.reading import connect_to_read
from tournament.runs import store as stores
from tournament.runs.folder import CALLS, CONFIG, MODELS, RunFolder, existing_folder
from tournament.runs.lock import is_locked
from tournament.runs.salvage import columns_of, problems, salvaged
from tournament.runs.store import META, RunStore

_TABLES = ("calls", "attempts", "texts")


class Health(Struct, kw_only=True):
    """What was found. items, calls: finished ones that are whole. problems: sentences; none if all is well.

    planned_anew: the plan has gaps, so items are planned and played again, from the recorded calls.
    """

    folder: str
    kind: str = ""
    items: int = 0
    damaged_items: int = 0
    calls: int = 0
    damaged_calls: int = 0
    dollars: float = 0.0
    planned_anew: bool = False
    problems: list[str] = []


class _Rows(Struct):
    """What is whole of a database: by table the columns, and the rows as they are stored."""

    columns: dict[str, list[str]] = {}
    rows: dict[str, list[tuple[Any, ...]]] = {}

    def dicts(self, table: str) -> list[dict[str, Any]]:
        """The rows with their columns' names."""
        return [dict(zip(self.columns[table], row, strict=True)) for row in self.rows.get(table, [])]


def examine(path: Path) -> Health:
    """Check a run's folder. Changes nothing. Raises StorageError if there is no run."""
    return _examine(path)[0]


def save(path: Path, target: Path) -> Health:
    """Write what is whole into a new folder. Raises StorageError, UsageError."""
    if target.exists():
        raise UsageError(f"{target} exists already: name a new folder to save the run to.")
    if is_locked(path):
        raise StorageError(f"a process is working on the run in {path}: stop it first.")
    health, run, calls = _examine(path)
    target.mkdir(parents=True)
    for name in (CONFIG, MODELS):
        if (path / name).exists():
            shutil.copyfile(path / name, target / name)
    meta = {row["name"]: row["value"] for row in run.dicts("meta")}
    if all(name in meta for name in (*META, "version")):
        _write_run(run, meta, target / stores.NAME)
    if any(calls.rows.values()):
        CallStore(target / CALLS).close()
        _write(calls, target / CALLS)
    return health


def _examine(path: Path) -> tuple[Health, _Rows, _Rows]:
    folder = RunFolder(path)
    if not folder.calls.exists():
        existing_folder(path)
    health = Health(folder=str(path))
    if is_locked(path):
        health.problems.append("a process is working on the run, so it changes while it is looked at")
    health.problems += [f"{file.name} is missing" for file in (folder.config, folder.database) if not file.exists()]
    expected = _expected_columns()
    run = _read(folder.database, {name: expected[name] for name in ("meta", "materials", "items")}, health)
    _check_run(run, health)
    calls = _read(folder.calls, {name: expected[name] for name in _TABLES}, health)
    _check_calls(calls, health)
    return health, run, calls


def _expected_columns() -> dict[str, list[str]]:
    """Of all tables: those of new databases, for the names in a damaged one may be damaged too."""
    with TemporaryDirectory(prefix="antemill-") as folder:
        run, calls = Path(folder) / stores.NAME, Path(folder) / CALLS
        CallStore(calls).close()
        with RunStore(run) as store:
            store.create({}, {})
        found: dict[str, list[str]] = {}
        for path, tables in ((run, ("meta", "materials", "items")), (calls, _TABLES)):
            with closing(connect_to_read(path)) as connection:
                found |= {table: columns_of(connection, table) for table in tables}
    return found


def _read(path: Path, tables: dict[str, list[str]], health: Health) -> _Rows:
    """All rows of a database that can be read at all."""
    found = _Rows(columns=dict(tables))
    try:
        connection = connect_to_read(path)
    except FileNotFoundError:
        return found
    except (sqlite3.Error, OSError, UnicodeError) as error:
        health.problems.append(f"{path.name} can not be read at all ({error})")
        return found
    with closing(connection):
        connection.text_factory = lambda data: data.decode(errors="surrogateescape")
        health.problems += [f"{path.name}: {problem}" for problem in problems(connection)]
        for table, columns in tables.items():
            own = columns_of(connection, table)  # an older antemill's may be fewer, or in another order
            found.columns[table] = own if own and set(own) <= set(columns) else columns
            found.rows[table], whole = salvaged(connection, table, len(found.columns[table]))
            health.problems += [] if whole else [f"{path.name}: some of the table {table} can not be read"]
    return found


# ------------------------------------------------------------------------------------------------ run.sqlite


def _check_run(run: _Rows, health: Health) -> None:
    """Leave what is whole: items whose result is damaged are planned again, a plan with gaps is dropped."""
    meta = {row["name"]: row["value"] for row in run.dicts("meta")}
    health.kind = str(meta.get("kind", ""))
    if missing := [name for name in (*META, "version") if name not in meta]:
        health.problems.append(f"run.sqlite does not say its {' and '.join(missing)}")
    items = run.dicts("items")
    plan_whole = len(items) == len({item["position"] for item in items})
    plan_whole &= all(item["position"] == place for place, item in enumerate(items)) and all(map(_plan_whole, items))
    plan_whole &= not any("table items" in problem for problem in health.problems)
    for item in items:
        if item["status"] == "planned":
            continue
        if _result_whole(item):
            health.items += 1
        else:
            health.damaged_items += 1
            health.problems.append(f"run.sqlite: the result of '{item['key']}' is damaged")
            item |= {"status": "planned", "row": "{}", "transcript": None}
    health.planned_anew = not plan_whole
    if not plan_whole:
        health.problems.append("run.sqlite: the plan has gaps")
    run.rows["items"] = [tuple(item.values()) for item in items] if plan_whole else []


def _plan_whole(item: dict[str, Any]) -> bool:
    try:
        item["key"].encode()
        msgspec.json.decode(item["data"], type=dict[str, Any])
        msgspec.json.decode(item["models"], type=tuple[str, ...])
    except (ValueError, TypeError, AttributeError, RecursionError):
        return False
    return item["status"] in ("planned", "done", "discarded")


def _result_whole(item: dict[str, Any]) -> bool:
    try:
        row = msgspec.json.decode(item["row"], type=dict[str, Any])
        if item["transcript"] is not None:
            msgspec.json.decode(zlib.decompress(item["transcript"]))
    except (ValueError, TypeError, zlib.error, RecursionError):
        return False
    return bool(row) or item["status"] == "discarded"


def _write_run(run: _Rows, meta: dict[str, str], path: Path) -> None:
    """A database like the one of the run; without a plan the items are planned anew."""
    materials = {row["name"]: row["data"] for row in run.dicts("materials")}
    meta.pop("version")
    if not run.rows["items"]:
        meta.pop("total", None)
    with RunStore(path) as store:
        store.create(meta, materials)
    run.rows = {"items": run.rows["items"], "sessions": []}
    _write(run, path)


# ------------------------------------------------------------------------------------------------ calls.sqlite


def _check_calls(calls: _Rows, health: Health) -> None:
    """Leave what is whole. A text is known by its hash; a call is whole if its request can be put together again."""
    texts = [row for row in calls.dicts("texts") if _text_whole(row)]
    known, found, attempts = {row["hash"] for row in texts}, calls.dicts("calls"), calls.dicts("attempts")
    whole = [row for row in found if _call_whole(row, known)]
    health.calls, health.damaged_calls = len(whole), len(found) - len(whole)
    health.dollars = sum(row["cost"] for row in whole)
    if health.damaged_calls:
        health.problems.append(f"calls.sqlite: {health.damaged_calls:,} calls are damaged")
    kept = {"calls": whole, "texts": texts, "attempts": [row for row in attempts if _encodes(row)]}
    calls.rows = {table: [tuple(row.values()) for row in rows] for table, rows in kept.items()}


def _text_whole(row: dict[str, Any]) -> bool:
    text = row["text"]
    return isinstance(text, str) and row["hash"] == hashlib.sha256(text.encode(errors="replace")).hexdigest()


def _call_whole(row: dict[str, Any], known: set[str]) -> bool:
    try:
        request = msgspec.json.decode(row["request"])
        msgspec.json.decode(row["usage"], type=dict[str, Any])
    except (ValueError, TypeError, RecursionError):
        return False
    numbers = all(isinstance(row[name], int | float) for name in ("cost", "time", "seconds", "attempts"))
    good = row["status"] in ("ok", "failed") and row["finish"] in ("", "stop", "length", "refusal", "other")
    return numbers and good and _encodes(row) and _references(request) <= known


def _references(value: object) -> set[str]:
    """The texts that a request refers to."""
    if isinstance(value, dict):
        return {str(value["$text"])} if set(value) == {"$text"} else set().union(*map(_references, value.values()))
    return set().union(*map(_references, value)) if isinstance(value, list) else set()


def _encodes(row: dict[str, Any]) -> bool:
    """Whether all its texts are texts."""
    try:
        return all(value.encode() is not None for value in row.values() if isinstance(value, str))
    except UnicodeEncodeError:
        return False


def _write(rows: _Rows, path: Path) -> None:
    """Insert rows into the tables of a new database."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for table, values in rows.rows.items():
            if values:
                names = ", ".join(rows.columns[table])
                marks = ", ".join("?" * len(rows.columns[table]))
                connection.executemany(f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})", values)
