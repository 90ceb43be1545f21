"""The runs that are shown, and the documents that the page requests."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from antemill.engine.errors import AntemillError, StorageError, UsageError
from antemill.tournament.kinds import KINDS
from antemill.tournament.plain import plain
from antemill.tournament.runs.folder import RunFolder
from antemill.tournament.runs.items import Row
from antemill.tournament.view import home, workshop
from antemill.tournament.view.watch import Watched, unread
from antemill.tournament.view.workshop import Made, Order, Workshop

PAUSE = 0.5  # seconds between two looks at whether something has changed
PATIENCE = 1.0  # seconds that a report is waited for, before a page says that it is being made
MOST = 500  # rows of a list at once


class AbsentError(UsageError):
    """There is no such run, or no such finished item."""


class Service:
    """Several runs by their names. A run whose files were never readable is opened as soon as they are."""

    def __init__(self, folders: Mapping[str, Path], workshop: Workshop) -> None:
        self._folders = folders
        self._workshop = workshop
        self._runs: dict[str, Watched] = {}
        self._problems: dict[str, str] = {}

    def begin(self) -> None:
        """Open the runs. Raises AntemillError for a folder that holds none, and if none of them can be read."""
        errors = []
        for name, path in self._folders.items():
            try:
                self._runs[name] = Watched(name, path)
            except AntemillError as error:
                if not _may_hold_a_run(path):
                    raise
                self._problems[name] = str(error)
                errors.append(error)
        if errors and not self._runs:
            raise errors[0]

    def close(self) -> None:
        """Close the files of all runs."""
        for run in self._runs.values():
            run.close()

    def end(self) -> None:
        """Make nothing from here on: requests that wait are answered at once."""
        self._workshop.end()

    async def follow(self) -> None:
        """Read what changes, for ever; requests are answered between two parts."""
        while True:
            more = False
            for name in self._folders:
                more |= self._look(name)
                await asyncio.sleep(0)
            if not more:
                await asyncio.sleep(PAUSE)

    def _look(self, name: str) -> bool:
        try:
            if name not in self._runs:
                self._runs[name] = Watched(name, self._folders[name])
            more = self._runs[name].update()
        except AntemillError as error:
            self._problems[name] = str(error)
            return False
        self._problems.pop(name, None)
        return more

    def changes(self) -> dict[str, str]:
        """A token for each run, which differs after every change, also after its process was killed."""
        return {name: self._word(name) for name in self._folders}

    def _word(self, name: str) -> str:
        if name not in self._runs:
            return "0 problem"
        run = self._runs[name]
        marks = {"running": run.running, "problem": name in self._problems}
        return " ".join((str(run.version), *(mark for mark, holds in marks.items() if holds)))

    def runs(self) -> list[Row]:
        """The runs; one that cannot be read has a `problem`."""
        return [self._about(name) for name in self._folders]

    def _about(self, name: str) -> Row:
        self._look(name)
        return self._known(name)

    def _known(self, name: str) -> Row:
        """What the run is, as of the last look."""
        if name not in self._runs:
            return unread(name) | {"problem": self._problems[name]}
        known = self._runs[name].known()
        try:
            return self._runs[name].about() | {"problem": self._problems.get(name, "")}
        except AntemillError as error:
            return known | {"problem": self._problems.get(name, str(error))}

    def listed(self, name: str, filters: Mapping[str, Sequence[str]], sort: str, offset: int, limit: int) -> Row:
        """A page of a run's list, see `Watched.listed`. Raises UsageError or StorageError."""
        if offset < 0 or not 0 < limit <= MOST:
            raise UsageError(f"a page of a list begins at 0 at least and has 1 to {MOST} rows.")
        run = self._run(name)
        run.update()
        return run.listed(filters, sort, offset, limit)

    def item(self, name: str, key: str) -> Row:
        """Everything about an item. Raises AbsentError or StorageError."""
        try:
            return self._run(name).item(key)
        except UsageError as error:
            raise AbsentError(str(error)) from error

    async def report(self, name: str) -> tuple[str, int]:
        """The page of a run, without its items, and the status of the answer: what was made last, if there is nothing
        newer in a moment; at first a page that says what is known. Raises UsageError or StorageError.
        """
        run = self._run(name)
        self._look(name)
        order = Order(("report", name), run.state, workshop.overview, (run.kind, str(run.path)))
        made = await self._workshop.soon(order, PATIENCE)
        status = 200 if made is None or not made.problem else 500 if made.failed else 503
        return home.report(self._about(name) | {"folder": shlex.quote(str(run.path))}, made), status

    def reported(self, name: str) -> Row:
        """The state of a run's report. made: a token of the last one; fresh: whether that covers all finished items;
        making: for how many seconds a new one has been in progress; state: as in `changes`; stands: the run's own
        state in words, "" if it cannot be read. Raises UsageError.
        """
        run, key = self._run(name), ("report", name)
        made = self._workshop.last(key)
        fresh = made is not None and made.state == run.state
        word = "" if made is None else made.word
        making, known = self._workshop.since(key), self._known(name)
        stands = "" if known["problem"] else known["stands"]
        return {"made": word, "fresh": fresh, "making": making, "state": self._word(name), "stands": stands}

    async def boards(self) -> Row:
        """The leaderboard over the runs of each kind; one that cannot be made has a `problem`.

        fresh: whether they cover all finished items.
        """
        kinds = [kind for kind in KINDS if any(run.kind == kind for run in self._runs.values())]
        orders = {kind: self._board(kind) for kind in kinds}
        found = {kind: await self._workshop.made(order) for kind, order in orders.items()}
        fresh = all(made.state == orders[kind].state for kind, made in found.items())
        boards = [
            self._with_problems(kind, _board(kind, made)) if made.state == orders[kind].state else _board(kind, made)
            for kind, made in found.items()
        ]
        return {"boards": [board for board in boards if board is not None], "fresh": fresh}

    def _board(self, kind: str) -> Order:
        runs = {name: run for name, run in self._runs.items() if run.kind == kind}
        for name in runs:
            self._look(name)
        read = {name: run for name, run in runs.items() if name not in self._problems}
        folders = {name: str(run.path) for name, run in read.items()}
        state = tuple((name, run.state) for name, run in read.items())
        return Order(("board", kind), state, workshop.board, (kind, folders))

    def _with_problems(self, kind: str, board: Row | None) -> Row | None:
        """The board, with a sentence about each run that cannot be read and so is no part of it."""
        absent = [
            f"Not in it: {name}, because {problem}"
            for name, problem in self._problems.items()
            if name not in self._runs or self._runs[name].kind == kind
        ]
        if not absent or (board is not None and "note" not in board):
            return board
        if board is None:
            return {"kind": kind, "problem": " ".join(absent)}
        return board | {"note": " ".join([board["note"], *absent]).strip()}

    def _run(self, name: str) -> Watched:
        if name not in self._folders:
            raise AbsentError(f"there is no run '{name}' here: there are {', '.join(self._folders)}.")
        if name not in self._runs:
            raise StorageError(self._problems[name])
        return self._runs[name]


def _may_hold_a_run(path: Path) -> bool:
    try:
        return RunFolder(path).database.is_file()
    except OSError:  # a folder that cannot be read
        return True


def _board(kind: str, made: Made) -> Row | None:
    """A leaderboard; None if nothing is finished in any run."""
    found: Row | None = {"kind": kind, "problem": made.problem} if made.problem else made.value
    return found


@contextmanager
def opened(folders: Sequence[Path]) -> Iterator[Service]:
    """The runs in some folders. Raises UsageError or StorageError, see `Service.begin`."""
    with ExitStack() as stack:
        service = Service(named(folders), stack.enter_context(Workshop()))
        stack.callback(service.close)
        service.begin()
        yield service


def named(folders: Sequence[Path]) -> dict[str, Path]:
    """Folders by names that tell them apart: their own, with as much of the path as that takes, or a number.

    A folder that is named twice is one.
    """
    found: dict[str, Path] = {}
    paths = list(dict.fromkeys(folder.resolve() for folder in folders))
    for path in paths:
        alike = [other for other in paths if other.name == path.name]
        name = path.name if len(alike) == 1 else f"{path.parent.name} {path.name}"
        name, number = _clean(name), 2
        while name in found:
            name, number = f"{_clean(path.name)} ({number})", number + 1
        found[name] = path
    return found


def _clean(name: str) -> str:
    """A name that can stand in an address and in a line."""
    return plain(name).replace("\n", " ").replace("\t", " ").replace("/", " ") or "run"


async def with_follower(service: Service, what: Any) -> None:
    """Await something while the runs are followed."""
    follower = asyncio.create_task(service.follow())
    try:
        await what
    finally:
        follower.cancel()
        with suppress(asyncio.CancelledError):
            await follower
