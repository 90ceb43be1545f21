"""What a run consists of: items that are planned, played and recorded, and the protocol of the kinds of runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeVar

from msgspec import Struct

from antemill.llm import Reach, Reply, Request, Script
from antemill.tournament.runs.config import RunConfig
from antemill.tournament.runs.estimate import Expected

Status = Literal["planned", "done", "discarded"]
C = TypeVar("C", bound=RunConfig)


class Item(Struct, frozen=True):
    """Something to be played: a match, a duel, a question.

    key: its name, unique in the run. data: what the kind needs to play it, as plain JSON. models: entries of
    models.toml that it will ask; an item starts when all of them have room.
    """

    key: str
    data: dict[str, Any] = {}
    models: tuple[str, ...] = ()


class Played(Struct, frozen=True):
    """What came of an item.

    row: its result, plain JSON; the tables of a run are made of the rows alone, so they must not depend on clocks or
    on the order in which items were played. transcript: how it came about, plain JSON; kept compressed. replies: the
    calls whose replies were read, in order, each with why it could not be used, "" if it could.
    """

    row: dict[str, Any]
    transcript: Any = None
    fallbacks: int = 0
    replies: tuple[tuple[int, str], ...] = ()


class Record(Struct, frozen=True):
    """A planned item and what is known of it.

    row: empty unless done. timeouts: attempts that ended by a time-out. attempts: all that were counted, with the one
    that succeeded. cost: dollars of the replies that it was made of. seconds: of the attempt that succeeded.
    """

    position: int
    item: Item
    status: Status = "planned"
    row: dict[str, Any] = {}
    cost: float = 0.0
    fallbacks: int = 0
    timeouts: int = 0
    attempts: int = 0
    seconds: float = 0.0


class Access(Protocol):
    """What an item is played with: the models, by their names in models.toml."""

    async def ask(self, model: str, request: Request) -> Reply:
        """One reply. A reply of the same model, body and `request.sample` that is on record is returned again.

        Let the errors pass: the runner knows what to do about each of them.
        """
        ...


class Kind(Protocol):
    """One run of some kind, made from its configuration and its materials.

    Deterministic: with deterministic players, what is planned and played depends on these alone, whatever the order,
    the number of items in flight and the interruptions.
    """

    @property
    def models(self) -> tuple[str, ...]:
        """The entries of models.toml that may be asked."""
        ...

    @property
    def total(self) -> int | None:
        """How many items there will be in the end; None if only those planned so far are known."""
        ...

    def next_items(self, finished: Sequence[Record]) -> Sequence[Item]:
        """Called with () at the start, and again whenever everything planned has been done or discarded.

        finished: all of it, in the order of the plan. No items end the run. The plan is kept in the run's folder, so
        after an interruption this is not asked for what it has planned before.
        """
        ...

    async def play(self, item: Item, access: Access) -> Played:
        """Play an item from its start. Interrupted, it is played again: the replies it had come from the record."""
        ...

    async def check(self) -> Sequence[Reach]:
        """Whether what it needs beside the models (an embedder on a server, ...) can be used, each with its reason."""
        ...

    def parts(self) -> Mapping[str, int]:
        """How many items to expect of each sort ("matches", "questions", ...), for the estimate before a run."""
        ...

    def estimate(self) -> Sequence[Expected]:
        """The calls to expect, for the estimate of costs before a run."""
        ...


class Promise(Struct, frozen=True):
    """What the results of a run will be good for, before it is begun. figures: None if there will be none."""

    figures: Struct | None
    sentence: str


class RunType(Struct, Generic[C], frozen=True):
    """A kind of runs: how its configuration is read, and how a run is made of it.

    name: as the command is called, and the table of the configuration. config: a `RunConfig`. materials: reads what
    the run needs from outside (games, puzzles, ...) once, when it begins; file names in the configuration are relative
    to the given folder. make: the run from its configuration, that folder and its materials. bots: its scripted
    players. uncounted: a sentence about what it may cost that no budget and no table counts; "" for nothing. promise:
    what a run's results will be good for; None if that is not known.
    """

    name: str
    config: type[C]
    materials: Callable[[C, Path], dict[str, bytes]]
    make: Callable[[C, Path, Mapping[str, bytes]], Kind]
    bots: Mapping[str, Script] = {}
    uncounted: Callable[[C], str] = lambda _: ""
    promise: Callable[[Any], Promise | None] = lambda _: None  # of a run as `make` gives it
