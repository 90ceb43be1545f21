"""Finds the undamaged parts of a run's folder and writes them into a new folder: for runs on disks that lose bytes.

Nothing is changed in the damaged folder. The new folder has every undamaged item as it was. An item with a damaged
result is planned again; if the plan itself has gaps, all items are. Playing again costs nothing where the calls are
undamaged, because their replies are on record.
"""

from __future__ import annotations

import math
import shlex
import shutil
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import Struct

from antemill.engine.errors import StorageError, UsageError
from antemill.engine.storage.files import read_bytes
from antemill.llm import CallStore, dollar_text
from antemill.llm.database import connect_to_read
from antemill.llm.records import SENT, Attempt
from antemill.tournament.runs import store as stores
from antemill.tournament.runs import wholeness
from antemill.tournament.runs.config import RunConfig, digest, parse_config
from antemill.tournament.runs.folder import CALLS, CONFIG, MODELS, RunFolder, existing_folder
from antemill.tournament.runs.lock import is_locked
from antemill.tournament.runs.origin import HASHES, altered
from antemill.tournament.runs.salvage import columns_of, problems, salvaged
from antemill.tournament.runs.store import ABOUT, META, RunStore

_TABLES = ("calls", "attempts", "texts")
_LOST = "lost"  # key of an attempt that stands for lost calls, so that a budget counts their cost
_CENTS = 1e-6  # relative rounding error of a sum of dollars
Kinds = Mapping[str, type[RunConfig]]


class Health(Struct, kw_only=True):
    """What was found. items, calls: the finished and undamaged ones. problems: sentences; none if all is well.

    dollars: of the undamaged calls. lost_dollars: the rest of the items' cost, for lost calls. planned_anew: the plan
    has gaps, so items are planned and played again, from the recorded calls. described: configuration and materials are
    those with which the run began; else only its calls can be used. running: a process works on the run, so it changes
    while it is examined. next: the command that goes on with the saved parts; "" if nothing was saved or the command is
    not known.
    """

    folder: str
    kind: str = ""
    items: int = 0
    damaged_items: int = 0
    calls: int = 0
    damaged_calls: int = 0
    dollars: float = 0.0
    lost_dollars: float = 0.0
    planned_anew: bool = False
    described: bool = False
    running: bool = False
    problems: list[str] = []
    next: str = ""


class _Rows(Struct):
    """The undamaged part of a database: for each table the columns, and the rows as they are stored."""

    columns: dict[str, list[str]] = {}
    rows: dict[str, list[tuple[Any, ...]]] = {}

    def dicts(self, table: str) -> list[dict[str, Any]]:
        """The rows with their columns' names."""
        return [dict(zip(self.columns[table], row, strict=True)) for row in self.rows.get(table, [])]


def examine(path: Path, kinds: Kinds) -> Health:
    """Check a run's folder. Changes nothing. kinds: the forms of configurations, by the names of the kinds of runs.

    Raises StorageError if there is no run.
    """
    return _examine(path, kinds)[0]


def save(path: Path, target: Path, kinds: Kinds) -> Health:
    """Write the undamaged parts into a new folder. kinds: as for `examine`. Raises StorageError, UsageError."""
    if target.exists():
        raise UsageError(f"{target} exists already: name a new folder to save the run to.")
    if is_locked(path):
        raise StorageError(f"a process is working on the run in {path}: stop it first.")
    health, run, calls = _examine(path, kinds)
    target.mkdir(parents=True)
    for name in (CONFIG, MODELS):
        if (path / name).exists():
            shutil.copyfile(path / name, target / name)
    meta = {row["name"]: row["value"] for row in run.dicts("meta")}
    if health.described:
        _write_run(run, meta, target / stores.NAME)
    CallStore(target / CALLS).close()
    _write(calls, target / CALLS)
    if health.lost_dollars:
        _write_lost(health.lost_dollars, target / CALLS)
    health.next = _next(health, meta, target, kinds)
    return health


def _next(health: Health, meta: dict[str, str], target: Path, kinds: Kinds) -> str:
    """The command that goes on in the new folder."""
    if health.described:
        return f"antemill start {shlex.quote(str(target))}"
    with suppress(StorageError):
        text = read_bytes(target / CONFIG)
        fit = [name for name, shape in kinds.items() if _parses(text, shape)]
        config = next(_copies(text, Path(meta.get("home", ""))), target / CONFIG)
        return f"antemill start {shlex.quote(str(config))} --out {shlex.quote(str(target))}" if fit else ""
    return ""


def _parses(text: bytes, shape: type[RunConfig]) -> bool:
    try:
        parse_config(text, shape, "")
    except UsageError:
        return False
    return True


def _copies(text: bytes, home: Path) -> Iterator[Path]:
    """The file with which the run began. The files that it names are beside it."""
    if home.is_absolute():
        with suppress(OSError, ValueError):
            yield from (path for path in sorted(home.glob("*.toml")) if path.read_bytes() == text)


def _examine(path: Path, kinds: Kinds) -> tuple[Health, _Rows, _Rows]:
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
    return health, run, calls


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
        why = "it is a folder" if path.is_dir() else str(error)
        health.problems.append(f"{path.name} cannot be read at all ({why})")
        return found
    with closing(connection):
        connection.text_factory = lambda data: data.decode(errors="surrogateescape")
        health.problems += [f"{path.name}: {problem}" for problem in problems(connection)]
        for table, columns in tables.items():
            own = columns_of(connection, table)  # an older antemill may have fewer columns, or another order
            found.columns[table] = own if own and set(own) <= set(columns) else columns
            found.rows[table], whole = salvaged(connection, table, len(found.columns[table]))
            health.problems += [] if whole else [f"{path.name}: some of the table {table} cannot be read"]
    return found


# ------------------------------------------------------------------------------------------------ run.sqlite


def _check_run(run: _Rows, health: Health) -> None:
    """Remove damaged rows: items with a damaged result are planned again, a plan with gaps is dropped."""
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
            cost = item["cost"] if wholeness.is_cost(item["cost"]) else 0.0
            item |= {
                "status": "planned",
                "row": "{}",
                "transcript": None,
                **dict.fromkeys(wholeness.NUMBERS, 0),
                "cost": cost,
            }
    health.planned_anew = not plan_whole
    if not plan_whole:
        health.problems.append("run.sqlite: the plan has gaps")
    run.rows["items"] = [tuple(item.values()) for item in items] if plan_whole else []


def _write_run(run: _Rows, meta: dict[str, str], path: Path) -> None:
    """A new database with the run's undamaged rows. Without a plan the items are planned again."""
    materials = {row["name"]: row["data"] for row in run.dicts("materials")}
    for made in ("version", HASHES):
        meta.pop(made, None)
    if not run.rows["items"]:
        for planned in ("total", ABOUT):
            meta.pop(planned, None)
    with RunStore(path) as store:
        store.create(meta, materials)
    run.rows = {"items": run.rows["items"], "sessions": []}
    _write(run, path)


def _check_origin(folder: RunFolder, run: _Rows, kinds: Kinds, health: Health) -> None:
    """Whether configuration and materials are those with which the run began. Only then can it be resumed."""
    meta = {row["name"]: row["value"] for row in run.dicts("meta")}
    materials = {row["name"]: row["data"] for row in run.dicts("materials")}
    if not folder.config.exists() or any(name not in meta for name in (*META, "version")):
        return
    if (shape := kinds.get(health.kind)) is None:
        health.problems.append(f"run.sqlite names the kind of run '{health.kind}', which does not exist")
        return
    try:
        config = parse_config(read_bytes(folder.config), shape, CONFIG)
        health.described = digest(config, materials) == meta["digest"]
    except (StorageError, UsageError, TypeError) as error:
        health.problems.append(str(error).rstrip("."))
        return
    damaged = [] if health.described else altered(meta, materials)
    health.problems += [f"run.sqlite: {name} is not what the run began with" for name in damaged]
    if not health.described and not damaged:
        health.problems.append(
            f"{CONFIG} and run.sqlite do not belong together: if {CONFIG} was changed, put it back; if not, run.sqlite "
            "is damaged"
        )


# ------------------------------------------------------------------------------------------------ calls.sqlite


def _check_calls(calls: _Rows, health: Health, spent: float) -> None:
    """Remove damaged rows. A text is checked by its hash, a call by putting its request together again."""
    texts = [row for row in calls.dicts("texts") if wholeness.text_whole(row)]
    known, found, attempts = {row["hash"] for row in texts}, calls.dicts("calls"), calls.dicts("attempts")
    whole = [row for row in found if wholeness.call_whole(row, known)]
    health.calls, health.damaged_calls = len(whole), len(found) - len(whole)
    health.dollars = sum(row["cost"] for row in whole)
    if health.damaged_calls:
        health.problems.append(f"calls.sqlite: {health.damaged_calls:,} calls are damaged")
    kept = {"calls": whole, "texts": texts, "attempts": [row for row in attempts if wholeness.encodes(row)]}
    lost = spent - health.dollars - math.fsum(row["risk"] for row in kept["attempts"] if row["key"] == _LOST)
    if lost > _CENTS * spent:
        health.lost_dollars = lost
        health.problems.append(
            f"the items cost {dollar_text(spent)}, but the calls on record only "
            f"{dollar_text(health.dollars)}: some are lost"
        )
    calls.rows = {table: [tuple(row.values()) for row in rows] for table, rows in kept.items()}


def _write_lost(dollars: float, path: Path) -> None:
    """An attempt without any result, like those of killed processes: it counts as spent."""
    with CallStore(path) as calls:
        calls.add_attempt(
            Attempt(
                key=_LOST,
                model="",
                number=1,
                time=time.time(),
                seconds=0.0,
                status=None,
                error=SENT,
                message="calls that are lost, at what the items cost",
                body="",
                retry_after=None,
                risk=dollars,
            )
        )


def _write(rows: _Rows, path: Path) -> None:
    """Insert rows into the tables of a new database."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for table, values in rows.rows.items():
            if values:
                names = ", ".join(rows.columns[table])
                marks = ", ".join("?" * len(rows.columns[table]))
                connection.executemany(f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})", values)
