"""The status of a run: progress, cost, time left, and the state of each model."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from antemill.engine.arguments import path as file_path
from antemill.engine.arguments import text
from antemill.engine.errors import StorageError
from antemill.llm import CallStore, LLMError, ModelState, StoreLockedError, Totals
from antemill.llm.records import StageTotals
from antemill.tournament.runs import wording
from antemill.tournament.runs.folder import RunFolder, existing_folder
from antemill.tournament.runs.honest import standing_of
from antemill.tournament.runs.live import Live, read_live
from antemill.tournament.runs.lock import is_locked
from antemill.tournament.runs.stops import RunStalledError
from antemill.tournament.runs.store import RunStore

T = TypeVar("T")
_MONEY = ("cost", "assumed_cost", "possible", "possible_attempts", "under_way")  # of one model, and of all
_TRIES, _PAUSE = 20, 0.1  # the call store may be locked while a run begins


class ReplyCounts(Struct, frozen=True):
    """Questions, those that took a second try, those without a usable reply."""

    asked: int
    second: int
    unusable: int


class Status(Struct, frozen=True):
    """The state of a run at one moment.

    total: all items; None if unknown, because more are planned when these are finished. about: all items, estimated if
    `total` is None. cost: dollars of all answers; `assumed_cost` is the part for answers without usable counts.
    possible: dollars at most, in addition, for `possible_attempts` attempts without an answer that may have been
    charged; a budget counts them. under_way: dollars at most, in addition to both, for the attempts in flight; a budget
    counts them too. timeouts: attempts that ended by a time-out. rate: items a second in the newest session, by a
    monotonic clock; None before the first. seconds_left: until all items are done, at that rate. running: whether a
    process works on the run; stopping: whether that process makes no new call. models: the state of their calls; their
    answers, cost and errors are those of all sessions. replies: of each player that was asked something. warnings: what
    is said of players and models above every figure of the run (`antemill.tournament.runs.honest`).
    """

    done: int
    total: int | None
    about: int
    discarded: int
    cost: float
    assumed_cost: float
    possible: float
    possible_attempts: int
    under_way: float
    fallbacks: int
    timeouts: int
    rate: float | None
    seconds_left: float | None
    running: bool
    stopping: bool
    waits_for: str
    models: list[ModelState]
    replies: dict[str, ReplyCounts] = {}
    warnings: list[str] = []


def read_status(name: str, path: str | os.PathLike[str]) -> Status:
    """The status of the run in a folder. name: of the kind that it must be. Raises StorageError or UsageError."""
    name, path = text(name, "name"), file_path(path, "path")
    folder = existing_folder(path, name)
    with RunStore(folder.database, read_only=True) as store:
        return _status(folder, store)


def require_played(folder: Path, found: Status) -> None:
    """Raise RunStalledError if every item of a run was discarded because the models gave no answer."""
    if found.discarded and not found.done:
        errors = [model.last_error.rstrip(".") for model in found.models if model.last_error]
        last = f" (the last failure: {errors[0]})" if errors else ""
        raise RunStalledError(
            f"nothing was played: every item was discarded, {found.discarded:,} in all{last}; correct the cause, and "
            f"play them with `antemill start {folder} --again all`."
        )


def _status(folder: RunFolder, store: RunStore) -> Status:
    counts = store.counts()
    known = counts.planned + counts.done + counts.discarded
    expected = store.about()
    size = wording.extent(store.total() if expected is None else None, known, expected or 0)
    finished, seconds = store.pace()
    rate = finished / seconds if finished and seconds > 0 else None
    left = None if rate is None else (size.about - counts.done - counts.discarded) / rate
    running = is_locked(folder.path)
    live = _live(folder, running)
    models, now = _models(folder, store.models(), live), standing_of(folder, store)
    return Status(
        done=counts.done,
        total=size.about if size.sure else None,
        about=size.about,
        discarded=counts.discarded,
        **{name: sum(getattr(model, name) for model in models) for name in _MONEY},
        fallbacks=counts.fallbacks,
        timeouts=counts.timeouts,
        rate=rate,
        seconds_left=left,
        running=running,
        stopping=live.stopping,
        waits_for=live.waits_for,
        models=models,
        replies={name: ReplyCounts(*counts) for name, counts in now.replies.items()},
        warnings=now.marks,
    )


def _models(folder: RunFolder, planned: tuple[str, ...], live: Live) -> list[ModelState]:
    now = {state.name: state for state in live.models}
    totals, failures = _record(folder, live.since)
    found = []
    for name in dict.fromkeys((*planned, *now, *totals)):
        whole = totals.get(name) or Totals(model=name)
        own = [(error, count, message) for model, error, count, message in failures if model == name]
        found.append(
            replace(
                now.get(name) or ModelState(name=name),
                answered=whole.calls,
                assumed=whole.assumed,
                **{name: getattr(whole, name) for name in _MONEY},
                errors={error: count for error, count, _ in own},
                last_error=own[0][2] if own else "",
            )
        )
    return found


def spending(path: Path) -> list[Totals]:
    """The totals of a run's models over all calls on record. Raises StorageError."""
    folder = existing_folder(path)
    return list(_record(folder, _live(folder, is_locked(folder.path)).since)[0].values())


def _live(folder: RunFolder, running: bool) -> Live:
    """The state that the process working on the run has published. The state of a killed process is ignored."""
    return (read_live(folder.path) if running else None) or Live(0.0)


def stages(path: Path, names: Sequence[str]) -> list[StageTotals]:
    """The totals of a run's models by stage, see `CallStore.stages`. Raises StorageError."""
    return _read(existing_folder(path), lambda calls: calls.stages(names)) or []


def _record(folder: RunFolder, since: int | None) -> tuple[dict[str, Totals], list[tuple[str, str, int, str]]]:
    """For the calls on record: totals by model (`CallStore.totals`) and failed attempts (`CallStore.failures`)."""
    return _read(folder, lambda calls: (calls.totals(since), calls.failures())) or ({}, [])


def _read(folder: RunFolder, what: Callable[[CallStore], T]) -> T | None:
    """A query of the calls on record; None if there is no call store. Raises StorageError."""
    if not folder.calls.exists() or not folder.calls.stat().st_size:
        return None
    for _ in range(_TRIES):
        try:
            with CallStore(folder.calls, read_only=True) as calls:
                return what(calls)
        except StoreLockedError:
            time.sleep(_PAUSE)
        except LLMError as error:
            raise StorageError(str(error)) from error
    raise StorageError(f"another program keeps {folder.calls} locked: close it and ask again.")
