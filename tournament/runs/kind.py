"""The protocol of the kinds of runs, and the items that they plan and play, and that are then recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeVar

from msgspec import Struct

from antemill.llm import Model, Reach, Reply, Request, Script
from antemill.tournament.runs.config import RunConfig
from antemill.tournament.runs.estimate import Expected

Status = Literal["planned", "done", "discarded"]
C = TypeVar("C", bound=RunConfig)


class Item(Struct, frozen=True):
    """A unit of play: a match, a duel, a question.

    key: its name, unique in the run. data: the kind's data for playing it, as plain JSON. models: the entries of
    models.toml that it asks; an item starts when all of them have free capacity.
    """

    key: str
    data: dict[str, Any] = {}
    models: tuple[str, ...] = ()


class Played(Struct, frozen=True):
    """The result of an item.

    row: plain JSON. The tables of a run are made of the rows alone, so a row must not depend on clocks or on the order
    in which items were played. transcript: the course of play as plain JSON, stored compressed. replies: the calls
    whose replies were read, in order, each with the reason why it could not be used, "" if it could.
    """

    row: dict[str, Any]
    transcript: Any = None
    fallbacks: int = 0
    replies: tuple[tuple[int, str], ...] = ()


class Record(Struct, frozen=True):
    """A planned item and its state.

    row: empty unless done. timeouts: attempts that ended by a time-out. attempts: all counted attempts, including the
    one that succeeded. cost: dollars of the replies used. seconds: of the attempt that succeeded.
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
    """An item's access to the models, by their names in models.toml."""

    async def ask(self, model: str, request: Request) -> Reply:
        """One reply. If the record has a reply for the same model, body and `request.sample`, that one is returned.

        The caller lets the errors pass: the runner handles each of them.
        """
        ...


class Kind(Protocol):
    """One run of some kind, made from its configuration and its materials.

    It is deterministic: with deterministic players, plan and play depend on configuration and materials alone, not on
    the order, the number of items in flight or interruptions.
    """

    @property
    def models(self) -> tuple[str, ...]:
        """The entries of models.toml that may be asked."""
        ...

    @property
    def total(self) -> int | None:
        """The number of items in the end; None if only the items planned so far are known."""
        ...

    def next_items(self, finished: Sequence[Record]) -> Sequence[Item]:
        """The next items to plan. Called with () at the start, and again when all planned items are done or discarded.

        finished: all earlier items, in the order of the plan. An empty result ends the run. The plan is stored in the
        run's folder, so after an interruption this is not called again for items that are planned.
        """
        ...

    async def play(self, item: Item, access: Access) -> Played:
        """Play an item from its start. After an interruption it is played again, with the replies on record."""
        ...

    async def check(self) -> Sequence[Reach]:
        """Check the run's other services (such as an embedder on a server): whether each can be used, with a reason."""
        ...

    def parts(self) -> Mapping[str, int]:
        """The expected number of items of each sort ("matches", "questions", ...), for the estimate before a run."""
        ...

    def estimate(self) -> Sequence[Expected]:
        """The expected calls, for the estimate of costs before a run."""
        ...


class Promise(Struct, frozen=True):
    """The precision that a run's results will have, known before it begins. figures: None if there are none."""

    figures: Struct | None
    sentence: str


class RunType(Struct, Generic[C], frozen=True):
    """A kind of runs: how its configuration is read, and how a run is made of it.

    name: of the command and of the configuration's table. config: a `RunConfig`. materials: reads the run's inputs
    (games, puzzles, ...) once, when it begins; file names in the configuration are relative to the given folder. make:
    the run from its configuration, that folder and its materials. bots: its scripted players. uncounted: a sentence
    about costs that no budget and no table counts; "" for none. promise: the precision of a run's results; None if
    unknown. foretold: sentences about a run, as `make` gives it, and its models, that are said before it begins.
    outline: the materials that a forecast needs, if it can do without some; `make` takes these alone as well.
    """

    name: str
    config: type[C]
    materials: Callable[[C, Path], dict[str, bytes]]
    make: Callable[[C, Path, Mapping[str, bytes]], Kind]
    bots: Mapping[str, Script] = {}
    uncounted: Callable[[C], str] = lambda _: ""
    promise: Callable[[Any], Promise | None] = lambda _: None  # of a run as `make` gives it
    foretold: Callable[[Any, Mapping[str, Model]], Sequence[str]] = lambda _kind, _models: ()
    outline: Callable[[C, Path], dict[str, bytes]] | None = None
