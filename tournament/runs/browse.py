"""Looking at a run: a list of its items, and each of them passage by passage with everything that was said.

What an item of a kind shows is in that kind's `browse`, which makes a `Browser`; here is what all kinds share.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from msgspec import Struct

from antemill.engine.errors import StorageError, UsageError
from antemill.llm import Call, CallStore, conversation
from antemill.llm.mistakes import meant
from antemill.tournament.kinds import RunKind
from antemill.tournament.runs.folder import existing_folder
from antemill.tournament.runs.item import Record
from antemill.tournament.runs.store import RunStore


class Entry(Struct, frozen=True, kw_only=True):
    """One item in a list.

    what: its sort ("match", "duel", ...). players: who took part, in the order of their seats or roles. about: the
    game, the puzzle or the question. outcome: who won, "draw", or what became of it in a word; of an item that is not
    finished its status. score: in figures. causes: what went wrong, and how often. cost: dollars. figures: what it came
    to in numbers, by name; empty if it is not finished.
    """

    item: str
    what: str
    players: tuple[str, ...]
    about: str
    outcome: str
    score: str = ""
    causes: dict[str, int] = {}
    cost: float = 0.0
    seconds: float = 0.0
    figures: dict[str, float] = {}


class Decision(Struct, frozen=True, kw_only=True):
    """One thing that a player was asked for.

    purpose: "move", "propose", "answer", ... call: its row in calls.sqlite, None of a bot. text: the reply, None of a
    bot. data: what was made of it, for files; notes: the same in sentences.
    """

    player: str
    purpose: str
    call: int | None = None
    text: str | None = None
    data: dict[str, Any] = {}
    notes: tuple[str, ...] = ()


Passage: TypeAlias = str | Decision


class Browser(Protocol):
    """How the items of one kind are looked at."""

    def entry(self, record: Record) -> Entry:
        """An item in a list, finished or not."""
        ...

    def passages(self, record: Record, transcript: Any) -> list[Passage]:
        """A finished item in the order in which it was played: lines, and between them the decisions."""
        ...


class Filter(Struct, frozen=True, kw_only=True):
    """Which items are wanted. players: all of them took part. conflict: a reply of theirs claims more than one letter.
    The others: "" for any.
    """

    players: Sequence[str] = ()
    what: str = ""
    about: str = ""
    outcome: str = ""
    cause: str = ""
    conflict: bool = False

    def takes(self, entry: Entry) -> bool:
        """Whether an item is one of them."""
        same = all(
            not wanted or wanted == found
            for wanted, found in ((self.what, entry.what), (self.about, entry.about), (self.outcome, entry.outcome))
        )
        same = same and (not self.conflict or "conflict" in entry.causes)
        return same and set(self.players) <= {*entry.players} and (not self.cause or self.cause in entry.causes)

    def require_known(self, entries: Sequence[Entry]) -> None:
        """Raise UsageError for a value that no item has: a misspelt name is no empty list."""
        known: dict[str, set[str]] = {
            "player": {name for entry in entries for name in entry.players},
            "what": {entry.what for entry in entries},
            "about": {entry.about for entry in entries},
            "outcome": {entry.outcome for entry in entries},
            "cause": {cause for entry in entries for cause in entry.causes},
        }
        asked = [("player", name) for name in self.players]
        asked += [(name, getattr(self, name)) for name in ("what", "about", "outcome", "cause")]
        for name, value in asked:
            if value and value not in known[name]:
                near = meant(value, sorted(known[name])) or ": " + (", ".join(sorted(known[name])[:9]) or "none") + "."
                raise UsageError(f"no item has --{name} '{value}'{near}")


class Calls:
    """The recorded calls of a run."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._store = CallStore(path, read_only=True) if path.exists() else None
        self._samples: list[tuple[str, list[int]]] = []  # in the order of the names

    def renew(self) -> None:
        """See what has come since, of a run that goes on."""
        self._samples = []
        if self._store is None and self._path.exists():
            self._store = CallStore(self._path, read_only=True)

    def close(self) -> None:
        """Close the file."""
        if self._store is not None:
            self._store.close()

    def call(self, row: int) -> Call:
        """One call. Raises StorageError if the file is gone."""
        if self._store is None:
            raise StorageError("the run has no calls.sqlite any more: prompts and raw replies are only there.")
        return self._store.call(row)

    def sampled(self, prefix: str) -> list[tuple[str, int]]:
        """Samples that begin so, without that beginning, with the rows of their answered calls, oldest first."""
        found = self._beginning(prefix)
        if not found and self._store is not None:  # not read yet, or made since
            self._samples = sorted(self._store.samples().items())
            found = self._beginning(prefix)
        return sorted(found, key=lambda one: one[1])

    def _beginning(self, prefix: str) -> list[tuple[str, int]]:
        first = bisect_left(self._samples, prefix, key=lambda one: one[0])
        rest = (self._samples[i] for i in range(first, len(self._samples)))
        named = takewhile(lambda one: one[0].startswith(prefix), rest)
        return [(name.removeprefix(prefix), row) for name, rows in named for row in rows]


class Shelf(Struct, frozen=True):
    """A run that is looked at."""

    store: RunStore
    calls: Calls
    browser: Browser

    def entries(self, wanted: Filter) -> list[Entry]:
        """The items that are wanted, in the order of the plan. Raises UsageError."""
        return [entry for _, entry in self._wanted(wanted)]

    def passages(self, item: str) -> list[Passage]:
        """A finished item. Raises UsageError if it is not, or not there."""
        record = self.store.record(item)
        if record.status != "done":
            raise UsageError(f"the item '{item}' is {record.status}: only what is finished can be shown.")
        return self.browser.passages(record, self.store.transcript(item))

    def exported(self, wanted: Filter) -> Iterator[dict[str, Any]]:
        """A row for each decision of the finished items that are wanted, with the messages as they were sent."""
        for entry, passages in self.finished(wanted):
            for number, decision in enumerate(one for one in passages if isinstance(one, Decision)):
                call = None if decision.call is None else self.calls.call(decision.call)
                yield _row(entry, number, decision, call)

    def finished(self, wanted: Filter) -> Iterator[tuple[Entry, list[Passage]]]:
        """The finished items that are wanted, in the order of the plan."""
        for record, entry in self._wanted(wanted):
            if record.status == "done":
                yield entry, self.browser.passages(record, self.store.transcript(entry.item))

    def _wanted(self, wanted: Filter) -> list[tuple[Record, Entry]]:
        found = [(record, self.browser.entry(record)) for record in self.store.records()]
        wanted.require_known([entry for _, entry in found])
        return [(record, entry) for record, entry in found if wanted.takes(entry)]


@contextmanager
def opened(kind: RunKind, path: Path) -> Iterator[Shelf]:
    """A run's folder, finished or while a process works on it. Raises UsageError or StorageError."""
    folder = existing_folder(path, kind.name)
    with RunStore(folder.database, read_only=True) as store:
        calls = Calls(folder.calls)
        try:
            yield Shelf(store, calls, kind.part("browse").browser(store, calls))
        finally:
            calls.close()


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


def facts(call: Call) -> dict[str, Any]:
    """Who answered a call, and what it took: tokens, dollars, seconds, attempts."""
    usage = call.usage
    return {
        "model": call.model,
        "remote": call.remote,
        "served": call.served,
        "gateway": call.gateway,
        "finish": call.finish,
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "reasoning_tokens": usage.reasoning,
        "cost": usage.cost,
        "time": call.time,
        "seconds": call.seconds,
        "attempts": call.attempts,
    }
