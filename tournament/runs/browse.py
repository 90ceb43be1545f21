"""Looking at a run, finished or in progress: its items for the terminal, files and pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from antemill.engine.errors import StorageError, UsageError
from antemill.llm import Call, conversation
from antemill.llm.mistakes import meant
from antemill.tournament.kinds import KINDS, RunKind
from antemill.tournament.runs.folder import RunFolder, existing_folder
from antemill.tournament.runs.items import Calls, Decision, Entry, Event, Items, Row, facts, said
from antemill.tournament.runs.kind import Kind
from antemill.tournament.runs.records import Record
from antemill.tournament.runs.store import RunStore


class Filter(Struct, frozen=True, kw_only=True):
    """Which items are selected. players: all of them took part. The other filters: "" for any."""

    players: Sequence[str] = ()
    what: str = ""
    about: str = ""
    outcome: str = ""
    cause: str = ""

    def takes(self, entry: Entry) -> bool:
        """Whether an item is selected."""
        same = all(
            not wanted or wanted == found
            for wanted, found in ((self.what, entry.what), (self.about, entry.about), (self.outcome, entry.outcome))
        )
        return same and set(self.players) <= {*entry.players} and (not self.cause or self.cause in entry.causes)

    def require_known(self, known: Mapping[str, set[str]]) -> None:
        """Raise UsageError for a value that no item has, so that a misspelt name does not give an empty list.

        known: the values of all items, by the names of the options.
        """
        asked = [("player", name) for name in self.players]
        asked += [(name, getattr(self, name)) for name in ("what", "about", "outcome", "cause")]
        for name, value in asked:
            if value and value not in known[name]:
                near = meant(value, sorted(known[name])) or ": " + (", ".join(sorted(known[name])[:9]) or "none") + "."
                raise UsageError(f"no item has --{name} '{value}'{near}")


class About(Struct, frozen=True):
    """A page's facts about a whole run. id: its name in links. done, total: items; finished: whether all are done."""

    id: str
    kind: str
    title: str
    folder_name: str
    items: str
    players: list[str]
    facets: list[str]
    done: int
    total: int
    finished: bool


class OpenRun(Struct, frozen=True):
    """A run to look at. path: its folder."""

    kind: Kind[Any, Any]
    path: Path
    store: RunStore
    calls: Calls
    items: Items

    # ------------------------------------------------------------------------------------------ items

    def entries(self, wanted: Filter) -> Iterator[Entry]:
        """The selected items, in the order of the plan, as they are read.

        Raises UsageError at the end, with nothing selected, if no item has what is wanted.
        """
        return (entry for _, entry in self._wanted(wanted))

    def events(self, item: str) -> list[Event]:
        """A finished item, for the terminal. Raises UsageError if the item is not finished or does not exist."""
        return self._events(self._finished(item))

    def item(self, key: str) -> Row:
        """A finished item, for a page: its row and its detail. Raises UsageError, StorageError."""
        record = self._finished(key)
        return self.row(record) | self.detail(record)

    def detail(self, record: Record) -> Row:
        """A finished item in full, for a page: its replay, or its events with the calls as they were recorded."""
        return self._detail(record, self.store.transcript(record.item.key))

    def details(self, records: Sequence[Record]) -> Iterator[Row]:
        """Those of finished items, in this order."""
        found = self.store.transcripts([record.item.key for record in records])
        for record, transcript in zip(records, found, strict=True):
            yield self._detail(record, transcript)

    def exported(self, wanted: Filter) -> Iterator[dict[str, Any]]:
        """A row for each decision of the selected finished items, with the messages as they were sent."""
        for entry, events in self.finished(wanted):
            for number, decision in enumerate(one for one in events if isinstance(one, Decision)):
                call = None if decision.call is None else self.calls.call(decision.call)
                yield _row(entry, number, decision, call)

    def finished(self, wanted: Filter) -> Iterator[tuple[Entry, list[Event]]]:
        """The selected finished items, in the order of the plan."""
        for record, entry in self._wanted(wanted):
            if record.status == "done":
                yield entry, self._events(record)

    def _detail(self, record: Record, transcript: Any) -> Row:
        if (replay := self.items.replay(record, transcript)) is not None:
            return replay
        return {"events": [self._shown(event) for event in self.items.events(record, transcript)]}

    def _shown(self, event: Event) -> str | Row:
        """An event for a page. The text of a reply is there only if its call, which also holds it, is not on record."""
        if isinstance(event, str):
            return event
        call = said(self.calls, event.call)
        shown: Row = {"player": event.player, "purpose": event.purpose, "notes": [note for note in event.notes if note]}
        return shown | {"text": event.text if call is None else None, "call": call}

    def _finished(self, item: str) -> Record:
        record = self.store.record(item)
        if record.status != "done":
            raise UsageError(f"the item '{item}' is {record.status}: only what is finished can be shown.")
        return record

    def _events(self, record: Record) -> list[Event]:
        return self.items.events(record, self.store.transcript(record.item.key))

    def _wanted(self, wanted: Filter) -> Iterator[tuple[Record, Entry]]:
        known = {name: set[str]() for name in ("player", "what", "about", "outcome", "cause")}
        for record in self.store.each_record():
            entry = self.items.entry(record)
            if wanted.takes(entry):
                yield record, entry
            known["player"].update(entry.players)
            known["cause"].update(entry.causes)
            for name in ("what", "about", "outcome"):
                known[name].add(getattr(entry, name))
        wanted.require_known(known)

    # ------------------------------------------------------------------------------------------ lists of pages

    def about(self, players: Iterable[str]) -> About:
        """The facts about the run. players: of all items."""
        counts, total = self.store.counts(), self.store.total()
        done = counts.done + counts.discarded
        folder = self.path.resolve().name
        return About(
            id=folder,
            kind=self.kind.name,
            title=folder,
            folder_name=folder,
            items=self.kind.listed,
            players=sorted(set(players)),
            facets=[*self.items.facets],
            done=done,
            total=total,
            finished=done >= total > 0 and self.store.about() is None,
        )

    def rows(self) -> Iterator[Row]:
        """All items, in the order of the plan."""
        return map(self.row, self.store.each_record())

    def row(self, record: Record) -> Row:
        """An item in a list. status: "planned", "done" or "discarded"; position: in the plan, from 0."""
        entry: Row = msgspec.to_builtins(self.items.entry(record))
        entry["players"] = [*entry["players"]]
        return entry | {"status": record.status, "position": record.position} | self.items.columns(record)


@contextmanager
def opened(path: Path) -> Iterator[OpenRun]:
    """The run in a folder. Raises UsageError or StorageError."""
    kind = kind_of(path).kind
    folder = existing_folder(path, kind.name)
    with RunStore(folder.database, read_only=True) as store:
        calls = Calls(folder.calls)
        try:
            yield OpenRun(kind, path, store, calls, kind.items(store, calls, path))
        finally:
            calls.close()


def kind_of(path: Path) -> RunKind:
    """The kind of the run in a folder. Raises StorageError if there is none."""
    folder: RunFolder = existing_folder(path)
    with RunStore(folder.database, read_only=True) as store:
        name = store.meta()["kind"] if store.created else ""
    if name not in KINDS:
        raise StorageError(f"there is no run in {path}: name a folder that `antemill start` has made.")
    return KINDS[name]


def _row(entry: Entry, number: int, decision: Decision, call: Call | None) -> dict[str, Any]:
    row = {
        "item": entry.item,
        "what": entry.what,
        "about": entry.about,
        "players": entry.players,
        "outcome": entry.outcome,
        "decision": number,
        "player": decision.player,
        "purpose": decision.purpose,
        **decision.data,
    }
    if call is None:
        return row
    said = conversation(call)
    return (
        row
        | facts(call)
        | {
            "messages": [{"role": message.role, "content": message.text} for message in said.messages],
            "reply": decision.text if decision.text is not None else call.text,
            "reasoning": said.reasoning,
            "call": decision.call,
        }
    )
