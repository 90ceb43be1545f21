"""What can happen to an attempt, in every protocol."""

from __future__ import annotations

from msgspec import Struct

from antemill.llm.types import Finish


class Say(Struct, frozen=True):
    """An answer. Of the tokens, `cached` were read from a cache and `reasoning` were thought."""

    text: str = '{"action": "bet"}'
    finish: Finish = "stop"
    read: int = 120
    cached: int = 100
    written: int = 30
    reasoning: int = 20
    bare: bool = False  # the text is left out altogether, not empty


class Status(Struct, frozen=True):
    """An HTTP error."""

    status: int
    retry_after: float | None = None
    message: str = "something went wrong"
    header: str = ""  # a further header's value


class Body(Struct, frozen=True):
    """A success with any body."""

    text: str


class Hang(Struct, frozen=True):
    """Nothing comes."""


class Trickle(Struct, frozen=True):
    """A body whose bytes come so slowly that it never ends."""


class Cut(Struct, frozen=True):
    """The connection ends before the answer, or in the midst of it."""

    midway: bool = False


Event = Say | Status | Body | Hang | Trickle | Cut
