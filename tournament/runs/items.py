"""An item has one document: an entry with columns, and events with the prompts and replies where they were.

Lists, the terminal, pages, exported files and logs of Inspect render this. Each kind of runs has an `Items`, which
makes it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import Struct

from antemill.engine.errors import StorageError
from antemill.llm import Call, CallStore, LLMError, conversation
from antemill.tournament.runs.records import Record

Row: TypeAlias = dict[str, Any]


class Entry(Struct, frozen=True, kw_only=True):
    """One item in a list.

    what: its sort ("match", "duel", ...). players: the participants, in the order of their seats or roles. about: the
    game, the puzzle or the question. outcome: the winner, "draw", or another result in a word; for an item that is not
    finished its status. score: as text. causes: the kinds of failures and their numbers. cost: dollars. figures: its
    results as numbers, by name; empty if it is not finished.
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
    """One decision of a player.

    purpose: "move", "propose", "answer", ... call: its row in calls.sqlite, None for a bot. text: the reply, None for a
    bot. data: the reply as read, for files; notes: the same in sentences.
    """

    player: str
    purpose: str
    call: int | None = None
    text: str | None = None
    data: dict[str, Any] = {}
    notes: tuple[str, ...] = ()


Event: TypeAlias = str | Decision  # of an item, in the order in which it was played: lines, and between them decisions


class Items:
    """The items of one run, as lists, the terminal, pages, exports and logs of Inspect show them.

    facets: the columns of a list whose values a page offers as choices. measures: the further columns by which a list
    can be sorted, or narrowed down from a number on; an item may lack them.
    """

    facets: Sequence[str] = ("what", "players", "about", "outcome", "causes", "status")
    measures: Sequence[str] = ()

    def entry(self, record: Record) -> Entry:
        """An item in a list, finished or not."""
        raise NotImplementedError

    def columns(self, record: Record) -> Row:  # noqa: ARG002
        """The columns of a page's list beside those of `Entry`, also for items that are not finished.

        One is `interest`: the item's importance if a page keeps only some items, 0 for an item like many others.
        """
        return {}

    def events(self, record: Record, transcript: Any) -> list[Event]:
        """A finished item in the order in which it was played."""
        raise NotImplementedError

    def replay(self, record: Record, transcript: Any) -> Row | None:  # noqa: ARG002
        """What a page shows of a finished item in place of its events, as plain JSON; None for the events."""
        return None


_NO_CALLS = "the run has no calls.sqlite, which alone holds prompts and raw replies."


@contextmanager
def _reading() -> Iterator[None]:
    try:
        yield
    except LLMError as error:
        raise StorageError(str(error)) from error


class Calls:
    """The recorded calls of a run. Everything raises StorageError if their file cannot be read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._store: CallStore | None = None
        self.renew()

    def renew(self) -> None:
        """Read again the calls of a run in progress."""
        self._samples: list[tuple[str, list[int]]] = []  # in the order of the names
        if self._store is None and self._path.exists():
            with _reading():
                self._store = CallStore(self._path, read_only=True)

    def close(self) -> None:
        """Close the file."""
        if self._store is not None:
            self._store.close()

    def call(self, row: int) -> Call:
        """One call. Raises StorageError if the file is missing."""
        if self._store is None:
            raise StorageError(_NO_CALLS)
        with _reading():
            return self._store.call(row)

    def cost(self) -> float:
        """Dollars of all answers, also to items that are not finished. Raises StorageError if the file is missing."""
        if self._store is None:
            self.renew()
        if self._store is None:
            raise StorageError(_NO_CALLS)
        with _reading():
            return self._store.cost()

    def sampled(self, prefix: str) -> list[tuple[str, int]]:
        """The samples with a prefix, without that prefix, and the rows of their answered calls, oldest first."""
        found = self._beginning(prefix)
        if not found and self._store is not None:  # not read before
            with _reading():
                self._samples = sorted(self._store.samples().items())
            found = self._beginning(prefix)
        return sorted(found, key=lambda one: one[1])

    def _beginning(self, prefix: str) -> list[tuple[str, int]]:
        first = bisect_left(self._samples, prefix, key=lambda one: one[0])
        rest = (self._samples[i] for i in range(first, len(self._samples)))
        named = takewhile(lambda one: one[0].startswith(prefix), rest)
        return [(name.removeprefix(prefix), row) for name, rows in named for row in rows]


def facts(call: Call) -> dict[str, Any]:
    """The model that answered a call, and the tokens, dollars, seconds and attempts."""
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


def said(calls: Calls, row: int | None) -> Row | None:
    """A recorded call for pages: what was sent and received, tokens, dollars, seconds.

    None for a bot, or if the file of calls is missing.
    """
    if row is None:
        return None
    try:
        return told(calls.call(row))
    except StorageError:
        return None


def told(call: Call) -> Row:
    """A call in the form of `said`."""
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
