"""A run as pages show it: what it is, a row for each of its items, and everything about one of them, as plain JSON.

What is special about the items of a kind is in that kind's `explore`, which makes an `Explorer`; the pages' scripts
have a renderer for each kind (`antemill.tournament.pages`). A row is an `Entry` of `antemill.tournament.runs.browse`
with the kind's columns beside it. A list is narrowed down by `selected`, and the script of a page without a server does
the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import msgspec
from msgspec import Struct

from antemill.engine.errors import StorageError, UsageError
from antemill.llm import Call, LLMError, conversation
from antemill.tournament.kinds import KINDS, RunKind
from antemill.tournament.runs.browse import Calls, Entry, Shelf, facts, opened
from antemill.tournament.runs.folder import RunFolder, existing_folder
from antemill.tournament.runs.item import Record
from antemill.tournament.runs.store import RunStore

Row: TypeAlias = dict[str, Any]
MOST_VALUES = 200  # of a column that a list can be narrowed down by


class Explorer(Protocol):
    """How the items of one kind are shown in pages."""

    facets: Sequence[str]
    """The columns that a list is narrowed down by with a choice of their values."""

    def columns(self, record: Record) -> Row:
        """What a list has of an item beside its `Entry`; of an item that is not finished too."""
        ...

    def detail(self, record: Record, transcript: Any) -> Row:
        """Everything about a finished item."""
        ...

    def interest(self, row: Row) -> float:
        """How much somebody would miss the item if only some are kept; 0 for one like many others."""
        ...


class About(Struct, frozen=True):
    """A run in a word. id: its name in links. done, total: items; finished: whether no more follow."""

    id: str
    kind: str
    title: str
    folder_name: str
    items: str
    one: str
    players: list[str]
    facets: list[str]
    done: int
    total: int
    finished: bool


class Exploration(Struct, frozen=True):
    """A run that is looked at."""

    kind: RunKind
    path: Path
    shelf: Shelf
    explorer: Explorer

    @property
    def store(self) -> RunStore:
        """The run's items."""
        return self.shelf.store

    def about(self, run: str = "") -> About:
        """What the run is. run: its name in links, by default that of its folder."""
        counts, total = self.store.counts(), self.store.total()
        done = counts.done + counts.discarded
        players = sorted({name for record in self.store.records() for name in self.entry(record).players})
        folder = self.path.resolve().name
        return About(
            id=run or folder,
            kind=self.kind.name,
            title=folder,
            folder_name=folder,
            items=self.kind.items,
            one=self.kind.one,
            players=players,
            facets=[*self.explorer.facets],
            done=done,
            total=total,
            finished=done >= total > 0 and self.store.about() is None,
        )

    def entry(self, record: Record) -> Entry:
        """An item in a list."""
        return self.shelf.browser.entry(record)

    def rows(self, records: Iterable[Record] | None = None) -> Iterator[Row]:
        """The rows of some items; of all in the order of the plan."""
        for record in self.store.records() if records is None else records:
            yield self.row(record)

    def row(self, record: Record) -> Row:
        """An item in a list. status: "planned", "done" or "discarded"; position: in the plan, from 0."""
        entry: Row = msgspec.to_builtins(self.entry(record))
        entry["players"] = [*entry["players"]]
        return entry | {"status": record.status, "position": record.position} | self.explorer.columns(record)

    def item(self, key: str) -> Row:
        """Everything about an item: its row, and what the kind says beside it. Raises UsageError, StorageError."""
        record = self.store.record(key)
        if record.status != "done":
            raise UsageError(f"the item '{key}' is {record.status}: only what is finished can be shown.")
        return self.row(record) | self.explorer.detail(record, self.store.transcript(key))


@contextmanager
def explored(path: Path) -> Iterator[Exploration]:
    """A run of any kind, finished or while a process works on it. Raises UsageError or StorageError."""
    kind = kind_of(path)
    with opened(kind, path) as shelf:
        yield Exploration(kind, path, shelf, kind.part("explore").explorer(shelf.store, shelf.calls, path))


def kind_of(path: Path) -> RunKind:
    """The kind of the run in a folder. Raises StorageError if there is none."""
    folder: RunFolder = existing_folder(path)
    with RunStore(folder.database, read_only=True) as store:
        name = store.meta()["kind"] if store.created else ""
    if name not in KINDS:
        raise StorageError(f"there is no run in {path}: name a folder that `run` has made.")
    return KINDS[name]


# ---------------------------------------------------------------------------------------------- lists


def selected(rows: Sequence[Row], filters: Mapping[str, Sequence[str]], sort: str = "") -> list[Row]:
    """The rows that a list shows.

    filters: values by column, all of which a row must have: an element of a list, a key of a dictionary, at least a
    number, a text or a truth value itself; under "search" words, anywhere in the names and the subject. sort: a column,
    with "-" before it the largest first; rows without a value come last.
    """
    found = [row for row in rows if all(_has(row, name, value) for name in filters for value in filters[name])]
    name = sort.removeprefix("-")
    if not name:
        return found
    known = [row for row in found if row.get(name) not in (None, "")]
    known.sort(key=lambda row: _key(row[name]), reverse=sort.startswith("-"))
    return known + [row for row in found if row.get(name) in (None, "")]


def facets(rows: Iterable[Row], names: Sequence[str]) -> dict[str, dict[str, int]]:
    """How often each value of some columns comes up, the most frequent first."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in names}
    for row in rows:
        for name, counter in counts.items():
            value = row.get(name)
            known = [] if value in (None, "") else [_text(value)]
            counter.update([*value] if isinstance(value, list | dict) else known)
    return {name: dict(counter.most_common(MOST_VALUES)) for name, counter in counts.items()}


def _has(row: Row, name: str, wanted: str) -> bool:
    if name == "search":
        text = " ".join((row["item"], row["about"], row["outcome"], *row["players"])).casefold()
        return all(word in text for word in wanted.casefold().split())
    value = row.get(name)
    if isinstance(value, list | dict):
        return wanted in value
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return value >= float(wanted)
        except ValueError:
            return False
    return value is not None and _text(value) == wanted


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _key(value: Any) -> tuple[float, str]:
    if isinstance(value, int | float):
        return float(value), ""
    return 0.0, ", ".join(value) if isinstance(value, list | dict) else str(value)


# ---------------------------------------------------------------------------------------------- calls


def said(calls: Calls, row: int | None) -> Row | None:
    """A recorded call as pages show it: what was sent and received, tokens, dollars, seconds.

    None of a bot, or if the file of calls is gone.
    """
    if row is None:
        return None
    try:
        return told(calls.call(row))
    except (StorageError, LLMError):
        return None


def told(call: Call) -> Row:
    """A call as `said` gives it."""
    read = conversation(call)
    return facts(call) | {
        "status": call.status,
        "error": call.error,
        "messages": [{"role": message.role, "text": message.text} for message in read.messages],
        "reply": call.text,
        "raw": call.reply,
        "reasoning": read.reasoning,
        "total_seconds": call.total_seconds,
    }
