"""One run, which may be in progress: its rows are kept, and only changes are read again.

A list of many thousand items is narrowed down and sorted without reading them. A change costs a look at a number of the
database, then the index of statuses, then the items that are new. At the beginning all are; until they are read, a
list in the order of the plan comes from the database, page by page.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from antemill.engine.errors import StorageError, UsageError
from antemill.llm.mistakes import meant
from antemill.tournament.runs.browse import About, OpenRun, opened
from antemill.tournament.runs.folder import RunFolder
from antemill.tournament.runs.honest import standing_of
from antemill.tournament.runs.items import Entry, Row
from antemill.tournament.runs.lists import MOST_VALUES, facets, selected
from antemill.tournament.runs.lock import is_locked

SLICE = 100  # items read at once


class Watched:
    """A run in a folder. name: in links. Raises UsageError or StorageError, at any time."""

    def __init__(self, name: str, path: Path) -> None:
        self.name, self.path = name, path
        self.version = 0
        self._open = ExitStack()
        self._begin()

    def close(self) -> None:
        """Close its files."""
        self._open.close()

    def _begin(self) -> None:
        self._file: tuple[int, int] | None = None  # so that the next look begins again if this one fails
        self._open.close()
        self._run: OpenRun = self._open.enter_context(opened(self.path))
        self._file = _identity(self.path)
        self._digest = self._run.store.meta()["digest"]
        self._seen: int | None = None
        self._statuses: dict[int, str] = {}
        self._pending: list[int] = []  # positions that are to be read, the next one last
        self._rows: dict[int, Row] = {}
        self._ordered: list[Row] | None = None
        self._lists: dict[Any, list[Row]] = {}
        self._counts: dict[str, Counter[str]] = {name: Counter() for name in self._counted_columns}
        self._cost = 0.0
        self.version += 1
        self._renewed = self._begun = self.version

    # ------------------------------------------------------------------------------------------ following it

    def update(self) -> bool:
        """Read some of what has changed; returns whether there is more to read."""
        if _identity(self.path) != self._file or self._replaced():
            self._begin()
        changes = self._run.store.changes()
        if changes != self._seen:
            self._statuses, self._seen = self._run.store.statuses(), changes
            known = {position: row["status"] for position, row in self._rows.items()}
            self._pending = [at for at, status in self._statuses.items() if known.get(at) != status][::-1]
        if not self._pending:
            return False
        positions = self._pending[-SLICE:]
        for record in self._run.store.records_at(positions):
            self._keep(record.position, self._run.row(record))
        del self._pending[-SLICE:]
        self._ordered = None
        self._lists.clear()
        self.version += 1
        return bool(self._pending)

    def _keep(self, position: int, row: Row) -> None:
        """A row in place of the one that was there, with all that is counted."""
        before = self._rows.get(position)
        for one, sign in ((before, -1), (row, 1)):
            if one is not None:
                self._cost += sign * one["cost"]
                for name, counts in facets((one,), self._counted_columns).items():
                    for value, count in counts.items():
                        self._counts[name][value] += sign * count
        self._rows[position] = row

    @property
    def _counted_columns(self) -> list[str]:
        return list(dict.fromkeys((*self._run.items.facets, "players")))

    def _replaced(self) -> bool:
        """Whether another run has taken the place of this one."""
        store = self._run.store
        return store.changes() != self._seen and (not store.created or store.meta()["digest"] != self._digest)

    @property
    def state(self) -> tuple[int, int | None]:
        """A value that differs after an item is finished, as of the last look; reading does not change it."""
        return self._begun, self._seen

    @property
    def whole(self) -> bool:
        """Whether everything that existed at the last look has been read."""
        return self._seen is not None and not self._pending

    # ------------------------------------------------------------------------------------------ what it is

    @property
    def running(self) -> bool:
        """Whether a process works on it. One that is killed leaves no other trace."""
        return is_locked(self.path)

    @property
    def kind(self) -> str:
        """The name of its kind."""
        return self._run.kind.name

    def about(self) -> Row:
        """What the run is, as `runs.browse.About`; whether a process works on it, dollars, how much of it is read, its
        warnings, and the version of what was read."""
        store = self._run.store
        done, total = self._finished(), store.total()
        found = About(
            id=self.name,
            kind=self.kind,
            title=self.name,
            folder_name=self.name,
            items=self._run.kind.listed,
            players=sorted(self._counted("players")),
            facets=[*self._run.items.facets],
            done=done,
            total=total,
            finished=done >= total > 0 and store.about() is None,
        )
        state = "finished" if found.finished else "running" if self.running else "stopped" if done else "not started"
        beside: Row = {
            "running": self.running,
            "about": store.about(),
            "warnings": standing_of(RunFolder(self.path), store).sentences,
        }
        beside["stands"] = f"{state}, {self._counts_in_words(total, store.about())}"
        with suppress(StorageError):  # without the calls the finished items' cost is what is known
            beside["cost"] = self._run.calls.cost()
        return msgspec.structs.asdict(found) | self._figures() | beside

    def _counts_in_words(self, total: int, about: int | None) -> str:
        """ "63 of 240, 2 discarded"."""
        played = sum(status == "done" for status in self._statuses.values())
        discarded = self._finished() - played
        lost = f", {discarded:,} discarded" if discarded else ""
        return f"{played:,} of {f'about {max(total, about):,}' if about else f'{total:,}'}{lost}"

    def known(self) -> Row:
        """What is known without its files, for when they cannot be read."""
        kind = {"kind": self.kind, "items": self._run.kind.listed}
        counts = {"done": self._finished(), "total": len(self._statuses)}
        players = {"players": sorted(self._counted("players"))}
        return unread(self.name) | kind | counts | players | self._figures()

    def _finished(self) -> int:
        return sum(status != "planned" for status in self._statuses.values())

    def _figures(self) -> Row:
        return {"cost": self._cost, "read": len(self._rows), "version": self.version}

    def listed(self, filters: Mapping[str, Sequence[str]], sort: str, offset: int, limit: int) -> Row:
        """A page of the list: how many rows fit, those from `offset` on, and how often values come up in all of them.

        Until all rows are read, a page in the order of the plan is complete, and any other has the rows that are read.
        Raises UsageError for a column that its items never have, and for a text where a number is meant.
        """
        counted = {name: self._counted(name) for name in self._run.items.facets}
        self._require_columns([*filters, sort.removeprefix("-")])
        self._require_numbers(filters)
        beside = {"facets": counted, "whole": self.whole}
        if not self.whole and not filters and not sort:
            positions = islice(self._statuses, offset, offset + limit)
            return {"total": len(self._statuses), "rows": [self._row(position) for position in positions]} | beside
        found = self._selected(filters, sort)
        return {"total": len(found), "rows": found[offset : offset + limit]} | beside

    def _require_columns(self, names: Sequence[str]) -> None:
        items = self._run.items
        known = {*Entry.__struct_fields__, *items.facets, *items.measures, "search", "status", "position", ""}
        for name in names:
            if name not in known:
                shown = ", ".join(sorted(known - {""}))
                raise UsageError(f"the list has no column '{name}'{meant(name, sorted(known)) or f': it has {shown}.'}")

    def _require_numbers(self, filters: Mapping[str, Sequence[str]]) -> None:
        for name in {*filters} & {*self._run.items.measures, "cost", "seconds", "position"}:
            numbers = any(type(row.get(name)) in (int, float) for row in self._rows.values())
            for wanted in filters[name]:
                if numbers and not _is_number(wanted):
                    raise UsageError(f"{name} is a number, not '{wanted}'.")

    def item(self, key: str) -> Row:
        """Everything about a finished item. Raises UsageError if it is not finished, or not there."""
        if self._renewed != self.version:
            self._run.calls.renew()
            self._renewed = self.version
        return self._run.item(key)

    def _row(self, position: int) -> Row:
        if position in self._rows:
            return self._rows[position]
        [record] = self._run.store.records_at([position])
        return self._run.row(record)

    def _selected(self, filters: Mapping[str, Sequence[str]], sort: str) -> list[Row]:
        key = sort, tuple(sorted((name, tuple(values)) for name, values in filters.items()))
        if key not in self._lists:
            if len(self._lists) >= 8:
                self._lists.clear()
            self._lists[key] = selected(self._all(), filters, sort)
        return self._lists[key]

    def _counted(self, name: str) -> dict[str, int]:
        """How often each value of a column comes up, the most frequent first."""
        found = self._counts[name].most_common()
        return {value: count for value, count in found[:MOST_VALUES] if count > 0}

    def _all(self) -> list[Row]:
        if self._ordered is None:
            self._ordered = [self._rows[position] for position in sorted(self._rows)]
        return self._ordered


def unread(name: str) -> Row:
    """What is known of a run of this name whose files were never read: the columns of `Watched.about`."""
    told = {"id": name, "kind": "", "title": name, "folder_name": name, "items": "items"}
    counts = {"players": [], "facets": [], "done": 0, "total": 0, "cost": 0.0, "read": 0, "version": 0}
    state: Row = {"finished": False, "running": False, "about": None, "warnings": [], "stands": ""}
    return {**told, **counts, **state}


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _identity(path: Path) -> tuple[int, int]:
    """Which file the database is: another one if the run was begun again. Raises StorageError if it is gone."""
    database = RunFolder(path).database
    try:
        found = database.stat()
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        became = "is gone" if isinstance(error, (FileNotFoundError, NotADirectoryError)) else "cannot be read"
        raise StorageError(f"the run in {path} {became}: {why}.") from error
    return found.st_dev, found.st_ino
