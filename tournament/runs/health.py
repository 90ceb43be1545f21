"""Examines a run's folder for damage: for runs on disks that lose bytes. Nothing is changed in it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import Struct

from antemill.engine.errors import StorageError, UsageError
from antemill.engine.storage.files import read_bytes
from antemill.llm import CallStore, dollar_text
from antemill.llm.database import connect_to_read
from antemill.tournament.runs import store as stores
from antemill.tournament.runs import wholeness
from antemill.tournament.runs.config import RunConfig, digest, parse_config
from antemill.tournament.runs.folder import CALLS, CONFIG, RunFolder, existing_folder
from antemill.tournament.runs.lock import is_locked
from antemill.tournament.runs.origin import altered
from antemill.tournament.runs.store import META, RunStore

_TABLES = ("calls", "attempts", "texts")
_CENTS = 1e-6  # relative rounding error of a sum of dollars
Kinds = Mapping[str, type[RunConfig]]


class Health(Struct, kw_only=True):
    """What was found. items, calls: the finished and undamaged ones. problems: sentences; none if all is well.

    dollars: of the undamaged calls. lost_dollars: the rest of the items' cost, for lost calls. running: a process works
    on the run, so it changes while it is examined.
    """

    folder: str
    kind: str = ""
    items: int = 0
    damaged_items: int = 0
    calls: int = 0
    damaged_calls: int = 0
    dollars: float = 0.0
    lost_dollars: float = 0.0
    running: bool = False
    problems: list[str] = []


class _Rows(Struct):
    """What can be read of a database: for each table the columns, and the rows as they are stored."""

    columns: dict[str, list[str]] = {}
    rows: dict[str, list[tuple[Any, ...]]] = {}

    def dicts(self, table: str) -> list[dict[str, Any]]:
        """The rows with their columns' names."""
        return [dict(zip(self.columns[table], row, strict=True)) for row in self.rows.get(table, [])]


def examine(path: Path, kinds: Kinds) -> Health:
    """Check a run's folder. Changes nothing. kinds: the forms of configurations, by the names of the kinds of runs.

    Raises StorageError if there is no run.
    """
    folder = RunFolder(path)
    if not folder.calls.exists():
        existing_folder(path)
    health = Health(folder=str(path), running=is_locked(path))
    health.problems += [f"{file.name} is missing" for file in (folder.config, folder.database) if not file.exists()]
    expected = _expected_columns()
    run = _read(folder.database, {name: expected[name] for name in ("meta", "materials", "items")}, health)
    _check_run(run, health)
    _check_origin(folder, run, kinds, health)
    calls = _read(folder.calls, {name: expected[name] for name in _TABLES}, health)
    spent = sum(item["cost"] for item in run.dicts("items") if wholeness.is_cost(item["cost"]))
    _check_calls(calls, health, spent)
    asked = any(item["status"] == "done" and item["models"] != "[]" for item in run.dicts("items"))
    if asked and not folder.calls.exists():
        health.problems.append(f"{CALLS} is missing, and with it all prompts and replies")
    return health


def _expected_columns() -> dict[str, list[str]]:
    """The columns of all tables, from new databases: the names in a damaged one may be damaged too."""
    with TemporaryDirectory(prefix="antemill-") as folder:
        run, calls = Path(folder) / stores.NAME, Path(folder) / CALLS
        CallStore(calls).close()
        with RunStore(run) as store:
            store.create({}, {})
        found: dict[str, list[str]] = {}
        for path, tables in ((run, ("meta", "materials", "items")), (calls, _TABLES)):
            with closing(connect_to_read(path)) as connection:
                found |= {table: _columns_of(connection, table) for table in tables}
    return found


def _read(path: Path, tables: dict[str, list[str]], health: Health) -> _Rows:
    """The rows of a database, of each table up to the first that cannot be read."""
    found = _Rows(columns=dict(tables))
    try:
        connection = connect_to_read(path)
    except FileNotFoundError:
        return found
    except (sqlite3.Error, OSError, UnicodeError) as error:
        why = "it is a folder" if path.is_dir() else str(error)
        health.problems.append(f"{path.name} cannot be read at all ({why})")
        return found
    with closing(connection):
        connection.text_factory = lambda data: data.decode(errors="surrogateescape")
        health.problems += [f"{path.name}: {problem}" for problem in _problems(connection)]
        for table, columns in tables.items():
            found.rows[table], whole = _rows(connection, table, len(columns))
            if not whole:
                health.problems.append(f"{path.name}: some of the table {table} cannot be read")
            if _columns_of(connection, table) != columns:
                health.problems.append(f"{path.name}: the table {table} has not the columns of this version")
    return found


def _rows(connection: sqlite3.Connection, table: str, columns: int) -> tuple[list[tuple[Any, ...]], bool]:
    """The rows of a table that have so many columns, up to the damage; and whether these are certainly all."""
    found: list[tuple[Any, ...]] = []
    try:
        found.extend(connection.execute(f"SELECT * FROM {table} ORDER BY 1"))
    except (sqlite3.Error, UnicodeError):
        return [row for row in found if len(row) == columns], False
    rows = [row for row in found if len(row) == columns]
    return rows, len(rows) == len(found)


def _columns_of(connection: sqlite3.Connection, table: str) -> list[str]:
    """The names of a table's columns; none if the table does not exist or cannot be read."""
    try:
        return [name for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))]
    except (sqlite3.Error, UnicodeError):
        return []


def _problems(connection: sqlite3.Connection, most: int = 3) -> Iterator[str]:
    """The first findings of SQLite's own check."""
    try:
        for (text,) in connection.execute(f"PRAGMA integrity_check({most})"):
            if text != "ok":
                yield " ".join(text.split())
    except (sqlite3.Error, UnicodeError) as error:
        yield str(error)


# ------------------------------------------------------------------------------------------------ run.sqlite


def _check_run(run: _Rows, health: Health) -> None:
    """Check metadata, plan and results. Removes damaged rows of the metadata and materials."""
    described = run.dicts("meta")
    run.rows["meta"] = [tuple(row.values()) for row in described if wholeness.described_whole(row)]
    run.rows["materials"] = [tuple(row.values()) for row in run.dicts("materials") if wholeness.encodes(row)]
    if len(run.rows["meta"]) < len(described):
        health.problems.append("run.sqlite: some of its metadata is damaged")
    meta = {row["name"]: row["value"] for row in run.dicts("meta")}
    health.kind = str(meta.get("kind", ""))
    if missing := [name for name in (*META, "version") if name not in meta]:
        health.problems.append(f"run.sqlite does not say its {' and '.join(missing)}")
    items = run.dicts("items")
    plan_whole = len(items) == len({item["position"] for item in items})
    plan_whole &= all(item["position"] == place for place, item in enumerate(items)) and all(
        map(wholeness.planned_whole, items)
    )
    plan_whole &= not any("table items" in problem for problem in health.problems)
    for item in items:
        if item["status"] == "planned" and wholeness.numbers_whole(item):
            continue
        if item["status"] != "planned" and wholeness.result_whole(item):
            health.items += 1
        else:
            health.damaged_items += 1
            health.problems.append(f"run.sqlite: the result of '{item['key']}' is damaged")
    if not plan_whole:
        health.problems.append("run.sqlite: the plan has gaps")


def _check_origin(folder: RunFolder, run: _Rows, kinds: Kinds, health: Health) -> None:
    """Check that configuration and materials are those with which the run began. Only then can it be resumed."""
    meta = {row["name"]: row["value"] for row in run.dicts("meta")}
    materials = {row["name"]: row["data"] for row in run.dicts("materials")}
    if not folder.config.exists() or any(name not in meta for name in (*META, "version")):
        return
    if (shape := kinds.get(health.kind)) is None:
        health.problems.append(f"run.sqlite names the kind of run '{health.kind}', which does not exist")
        return
    try:
        config = parse_config(read_bytes(folder.config), shape, CONFIG)
        described = digest(config, materials) == meta["digest"]
    except (StorageError, UsageError, TypeError) as error:
        health.problems.append(str(error).rstrip("."))
        return
    damaged = [] if described else altered(meta, materials)
    health.problems += [f"run.sqlite: {name} is not what the run began with" for name in damaged]
    if not described and not damaged:
        health.problems.append(
            f"{CONFIG} and run.sqlite do not belong together: if {CONFIG} was changed, put it back; if not, run.sqlite "
            "is damaged"
        )


# ------------------------------------------------------------------------------------------------ calls.sqlite


def _check_calls(calls: _Rows, health: Health, spent: float) -> None:
    """Check texts by their hashes, and calls by putting their requests together again."""
    known = {row["hash"] for row in calls.dicts("texts") if wholeness.text_whole(row)}
    found = calls.dicts("calls")
    whole = [row for row in found if wholeness.call_whole(row, known)]
    health.calls, health.damaged_calls = len(whole), len(found) - len(whole)
    health.dollars = sum(row["cost"] for row in whole)
    if health.damaged_calls:
        health.problems.append(f"calls.sqlite: {health.damaged_calls:,} calls are damaged")
    lost = spent - health.dollars
    if lost > _CENTS * spent:
        health.lost_dollars = lost
        health.problems.append(
            f"the items cost {dollar_text(spent)}, but the calls on record only "
            f"{dollar_text(health.dollars)}: some are lost"
        )
