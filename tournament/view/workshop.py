"""The overview of a run and the leaderboard over runs, which take long, made in a process beside the server.

Each is made once for each state of its runs; requests at the same time share it.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from msgspec import Struct

from antemill.engine.errors import AntemillError, ExecutionError
from antemill.engine.execute import Executor, Job, Outcome
from antemill.tournament.kinds import KINDS
from antemill.tournament.pages.run import RunOverview, overview_of
from antemill.tournament.plain import plain
from antemill.tournament.runs.analyze import leaderboard
from antemill.tournament.runs.honest import standing
from antemill.tournament.statistics.sheets import Missing, Sheet, shown

_GOOD = 5.0  # times as long as it took to make something, `made` gives it although its runs have gone on
_AGAIN = 30.0  # seconds after which what has failed by a mistake is tried again
_ENDING = "the server is ending."


class Order(Struct, frozen=True):
    """Something to make: what `function(*arguments)` returns. state: of what, as far as it is known."""

    key: Hashable
    state: Hashable
    function: Callable[..., Any]
    arguments: tuple[Any, ...]


class Made(Struct, frozen=True):
    """Something that was made, or a sentence why it was not.

    word: another one for each. state: of what. at: when, seconds of a monotonic clock; seconds: how long it took.
    failed: whether that was a mistake of the program's own.
    """

    word: str
    state: Hashable
    at: float
    seconds: float
    value: Any = None
    problem: str = ""
    failed: bool = False


class Workshop:
    """Makes things in the background, one at a time. A context manager."""

    def __init__(self) -> None:
        self._pool = Executor("processes", 1, ("antemill.tournament.view.workshop",))
        self._made: dict[Hashable, Made] = {}
        self._making: dict[Hashable, asyncio.Task[Made]] = {}
        self._since: dict[Hashable, float] = {}
        self._ended = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.end()

    def end(self) -> None:
        """Make nothing from here on: callers that wait get their answer at once."""
        self._ended = True
        self._pool.close()

    async def made(self, order: Order) -> Made:
        """What was ordered. While its runs go on, what took a second to make is good for some more seconds."""
        found = self._made.get(order.key)
        if found is None or (not _stands(found, order) and time.monotonic() - found.at > _GOOD * found.seconds):
            found = await asyncio.shield(self._begun(order))
        return found

    async def soon(self, order: Order, seconds: float) -> Made | None:
        """What was ordered, if it is there within some seconds; else what was made last, None if nothing was."""
        found = self._made.get(order.key)
        if found is None or not _stands(found, order):
            await asyncio.wait([self._begun(order)], timeout=seconds)
        return self.last(order.key)

    def last(self, key: Hashable) -> Made | None:
        """What was made last; nothing while what could not be made is tried again."""
        found = self._made.get(key)
        return None if found is not None and found.problem and key in self._making else found

    def since(self, key: Hashable) -> float | None:
        """For how many seconds it has been in progress; None if it is not."""
        return time.monotonic() - self._since[key] if key in self._since else None

    def _begun(self, order: Order) -> asyncio.Task[Made]:
        if order.key not in self._making:
            self._since[order.key] = time.monotonic()
            self._making[order.key] = asyncio.create_task(self._make(order))
        return self._making[order.key]

    async def _make(self, order: Order) -> Made:
        try:
            if self._ended:
                raise ExecutionError(_ENDING)
            job = Job(order.key, 0, _answer, (order.function, order.arguments))
            found = _read(await asyncio.wrap_future(self._pool.submit(job)), order.state)
        except ExecutionError as error:  # no worker can be had, or it was lost
            self._pool.close()
            said = _ENDING if self._ended else f"The server could not make this ({str(error).rstrip('.')})."
            found = _as_made(order.state, 0.0, problem=said, failed=not self._ended)
        finally:
            del self._making[order.key], self._since[order.key]
        self._made[order.key] = found
        return found


def _stands(found: Made, order: Order) -> bool:
    """Whether what was made is what was ordered."""
    failed_long_ago = found.failed and time.monotonic() - found.at > _AGAIN
    return found.state == order.state and not failed_long_ago


def _answer(_seed: int, function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, str]:
    """What a function returns, or the sentence of its error."""
    try:
        return function(*arguments), ""
    except AntemillError as error:
        return None, str(error)


def _read(outcome: Outcome[tuple[Any, str]], state: Hashable) -> Made:
    if outcome.value is not None:
        value, problem = outcome.value
        return _as_made(state, outcome.seconds, value, problem)
    if outcome.trace:
        sys.stderr.write(plain(outcome.trace))
    where = ": the terminal in which it runs says where it failed." if outcome.trace else "."
    said = f"The server could not make this ({outcome.error.rstrip('.')}){where}"
    return _as_made(state, outcome.seconds, problem=said, failed=True)


def _as_made(state: Hashable, seconds: float, value: Any = None, problem: str = "", failed: bool = False) -> Made:
    return Made(f"{time.time_ns():x}", state, time.monotonic(), seconds, value, problem, failed)


def overview(kind: str, folder: str) -> RunOverview:
    """The results of a run as a whole."""
    return overview_of(KINDS[kind].kind, [Path(folder)])


def board(kind: str, runs: dict[str, str]) -> dict[str, Any] | None:
    """The leaderboard over runs of a kind, all of them as one; None if nothing is finished. runs: folders by name."""
    played = [path for path in map(Path, runs.values()) if standing([path]).finished]
    return document(leaderboard(KINDS[kind].kind, played)) | {"kind": kind, "figures": []} if played else None


def document(sheet: Sheet) -> dict[str, Any]:
    """A table as plain JSON, its figures as they are shown everywhere."""
    columns = [
        {"heading": column.heading, "group": column.group, "text": column.kind == "text"} for column in sheet.columns
    ]
    return {
        "title": sheet.title,
        "note": sheet.note,
        "columns": columns,
        "rows": [_row(sheet, row) for row in sheet.rows],
    }


def _row(sheet: Sheet, row: Sequence[Any]) -> list[dict[str, str]]:
    cells = []
    for cell, column in zip(row, sheet.columns, strict=True):
        text = shown(cell, column)
        why = cell.reason if isinstance(cell, Missing) and cell.reason != text else ""
        cells.append({"shown": text, "why": why})
    return cells
