"""Whether a run's folder is undamaged: SQLite's own check of both databases, the digests, and all of it read once."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

from msgspec import Struct

from antemill.engine.errors import AntemillError
from antemill.llm import CallStore, LLMError, dollar_text
from antemill.llm.database import connect_to_read
from antemill.tournament.runs.config import RunConfig
from antemill.tournament.runs.folder import RunFolder, existing_folder, reopen
from antemill.tournament.runs.lock import is_locked
from antemill.tournament.runs.store import RunStore

_CENTS = 1e-6  # relative rounding error of a sum of dollars


class Health(Struct, kw_only=True):
    """items, calls: those on record. running: a process works on the run, so it changes while it is examined.

    problems: sentences; none if all is well.
    """

    folder: str
    items: int = 0
    calls: int = 0
    dollars: float = 0.0
    running: bool = False
    problems: list[str] = []

    def attempt(self, check: Callable[[], None]) -> None:
        """Check a part; an error of it is a problem."""
        try:
            check()
        except (AntemillError, LLMError, sqlite3.Error, OSError, ValueError) as error:
            self.problems.append(" ".join(str(error).split()).rstrip("."))


def examine(path: Path, kinds: Mapping[str, type[RunConfig]]) -> Health:
    """Check a run's folder, and change nothing. kinds: the forms of configurations by the kinds of runs.

    Raises StorageError if there is no run.
    """
    folder = RunFolder(path)
    if not folder.calls.exists():
        existing_folder(path)
    health = Health(folder=str(path), running=is_locked(path))
    health.attempt(lambda: _check(folder.database))
    health.attempt(lambda: _read_run(folder, kinds, health))
    if folder.calls.exists():
        health.attempt(lambda: _check(folder.calls))
        health.attempt(lambda: _read_calls(folder, health))
    health.attempt(lambda: _compare(folder, health))
    return health


def _check(database: Path) -> None:
    """SQLite's own check. Raises ValueError with its first finding."""
    with closing(connect_to_read(database)) as connection:
        (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        raise ValueError(f"{database}: {found}")


def _read_run(folder: RunFolder, kinds: Mapping[str, type[RunConfig]], health: Health) -> None:
    with RunStore(folder.database, read_only=True) as store:
        name = store.meta()["kind"]
        reopen(name, kinds.get(name, RunConfig), folder, store)
        finished = [record.item.key for record in store.records(finished_only=True)]
        health.items = sum(1 for _ in store.transcripts(finished))


def _read_calls(folder: RunFolder, health: Health) -> None:
    with CallStore(folder.calls, read_only=True) as calls:
        for call in calls.calls():
            health.calls, health.dollars = health.calls + 1, health.dollars + call.usage.cost


def _compare(folder: RunFolder, health: Health) -> None:
    with RunStore(folder.database, read_only=True) as store:
        spent = store.counts().cost
    if spent - health.dollars > _CENTS * spent:
        paid = f"the calls on record only {dollar_text(health.dollars)}"
        raise ValueError(f"the items cost {dollar_text(spent)}, but {paid}: some are lost")
