"""What takes long, made in a process beside the server: the report of a run, the leaderboard over runs.

Whatever is asked for is made once for each state of its runs. While a run goes on, its state changes all the time; so
what took a second to make is good for some more seconds, and the one who asks is told of what it was made.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from msgspec import Struct

from engine.errors import StorageError
from engine.execute.job import Job, Outcome
from engine.execute.processes import processes
from tournament.kinds import KINDS
from tournament.statistics.sheets import Missing, Sheet, shown

_GOOD = 5.0  # times as long as it took to make something it is shown, although its runs have gone on


class _Made(Struct, frozen=True):
    """Something that was made. state: of what. at: when, by a monotonic clock."""

    state: Hashable
    outcome: Outcome[Any]
    at: float


class Workshop:
    """Makes things, one at a time. A context manager."""

    def __init__(self) -> None:
        self._pool = processes(1, ("tournament.view.work",))
        self._made: dict[Hashable, _Made] = {}
        self._making: dict[Hashable, asyncio.Task[_Made]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._pool.close()

    async def made(self, key: Hashable, state: Hashable, function: Callable[..., Any], *arguments: Any) -> Any:
        """What `function(0, *arguments)` returns, see the module. Raises StorageError with its error, if it fails."""
        found = self._made.get(key)
        if found is None or (found.state != state and time.monotonic() - found.at > _GOOD * found.outcome.seconds):
            if key not in self._making:
                self._making[key] = asyncio.create_task(self._make(key, state, function, arguments))
            found = await asyncio.shield(self._making[key])
        if not found.outcome.ok:
            raise StorageError(found.outcome.error or f"it could not be made ({found.outcome.status}).")
        return found.outcome.value

    def is_fresh(self, key: Hashable, state: Hashable) -> bool:
        """Whether what `made` gives, or has given last, was made of this state."""
        return key in self._made and self._made[key].state == state

    async def _make(
        self, key: Hashable, state: Hashable, function: Callable[..., Any], arguments: tuple[Any, ...]
    ) -> _Made:
        try:
            outcome = await asyncio.wrap_future(self._pool.submit(Job(key, 0, function, arguments)))
            self._made[key] = _Made(state, outcome, time.monotonic())
            return self._made[key]
        finally:
            del self._making[key]


def report(_seed: int, folder: str) -> str:
    """What `antemill report` would write of a run."""
    from tournament.report.folder import page_of

    return page_of(Path(folder))[1]


def board(_seed: int, kind: str, runs: dict[str, str]) -> dict[str, Any] | None:
    """The leaderboard over runs of a kind, see `pooled` of their package. runs: folders by name."""
    sheet: Sheet | None = KINDS[kind].part("pooled").pooled({name: Path(path) for name, path in runs.items()})
    return None if sheet is None else document(sheet) | {"kind": kind}


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
