"""What is done of a run, what it cost, and how long the rest will take."""

from __future__ import annotations

import time
from pathlib import Path

from msgspec import Struct

from engine.errors import StorageError
from llm import CallStore, StoreLockedError
from tournament.runs.folder import RunFolder, existing_folder, require_kind
from tournament.runs.lock import is_locked
from tournament.runs.store import RunStore

_TRIES, _PAUSE = 20, 0.1  # while a run begins, its call store may be locked


class Status(Struct, frozen=True):
    """A moment of a run.

    total: planned items, and those that are sure to follow. cost: dollars of all calls. timeouts: attempts that ended
    by a time-out. rate: items a second in the newest session, by a monotonic clock; None before the first.
    seconds_left: at that rate. running: whether a process works on it.
    """

    done: int
    total: int
    discarded: int
    cost: float
    fallbacks: int
    timeouts: int
    rate: float | None
    seconds_left: float | None
    running: bool


def read_status(name: str, path: Path) -> Status:
    """The status of the run in a folder. name: what kind it must be of. Raises StorageError."""
    folder = existing_folder(path)
    store = RunStore(folder.database, read_only=True)
    try:
        require_kind(name, folder, store)
        return _status(folder, store)
    finally:
        store.close()


def _status(folder: RunFolder, store: RunStore) -> Status:
    counts = store.counts()
    known = counts.planned + counts.done + counts.discarded
    total = max(store.total(), known)
    finished, seconds = store.pace()
    rate = finished / seconds if finished and seconds > 0 else None
    left = None if rate is None else (total - counts.done - counts.discarded) / rate
    return Status(
        done=counts.done,
        total=total,
        discarded=counts.discarded,
        cost=spent(folder),
        fallbacks=counts.fallbacks,
        timeouts=counts.timeouts,
        rate=rate,
        seconds_left=left,
        running=is_locked(folder.path),
    )


def spent(folder: RunFolder) -> float:
    """Dollars of all answered calls, of unfinished and discarded items too."""
    if not folder.calls.exists():
        return 0.0
    for _ in range(_TRIES):
        try:
            with CallStore(folder.calls) as calls:
                return calls.cost()
        except StoreLockedError:
            time.sleep(_PAUSE)
    raise StorageError(f"another program keeps {folder.calls} locked: close it and ask again.")
