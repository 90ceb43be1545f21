"""The items that a run plans, plays and records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol, TypeAlias

from msgspec import Struct

from antemill.llm import Reply, Request

Status = Literal["planned", "done", "discarded"]
Counts: TypeAlias = tuple[int, int, int]  # questions, those that took a second try, those without a usable reply


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
    in which items were played. transcript: the course of play as plain JSON, stored compressed. fallbacks: decisions
    for which no reply could be used. replies: the calls whose replies were read, in order, each with the reason why it
    could not be used, "" if it could. counts: of each player.
    """

    row: dict[str, Any]
    transcript: Any = None
    fallbacks: int = 0
    replies: tuple[tuple[int, str], ...] = ()
    counts: Mapping[str, Counts] = {}


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
