"""The record of a match as plain data and as JSON: every event with its visibility, every decision with its menu."""

from __future__ import annotations

import math
from typing import TypeAlias

import msgspec
from msgspec import Struct

from antemill.engine.arguments import wrong_type
from antemill.engine.match.errors import ReplayError
from antemill.engine.match.menu import Reason, whole_of

Submission: TypeAlias = str | int | float | None

VERSION = 1


class EventRecord(Struct, frozen=True, tag="event", tag_field="type"):
    """A row of the journal: kind, seat, x, y, z, content, told, shown (`antemill.engine.machine.events`)."""

    row: tuple[int, int, int, int, int, int, int, int]


class DecisionRecord(Struct, frozen=True, tag="decision", tag_field="type"):
    """A decision: the seat, the question, and the offered, submitted and played choices.

    options: the offered names; empty for an amount from `low` to `high`. choice: the played name or amount (a bid may
    be lowered to the stack afterwards: the next event has the final amount). substitution: the reason if it is not the
    submitted choice; None if it is.
    """

    seat: int
    phase: str
    move_type: str
    move_name: str
    options: tuple[str, ...]
    low: int
    high: int
    submitted: Submission
    choice: str | int
    substitution: Reason | None = None


Entry: TypeAlias = EventRecord | DecisionRecord


class Transcript(Struct, frozen=True):
    """A match from its first event to its last, or to its present state.

    digest: of the program. seats: the two players' names. payoffs: None while the match is not over.
    """

    game: str
    digest: str
    play_seed: int
    seats: tuple[str, str]
    entries: tuple[Entry, ...]
    payoffs: tuple[int, int] | None = None
    version: int = VERSION

    def __repr__(self) -> str:
        end = "in play" if self.payoffs is None else f"payoffs {self.payoffs[0]:+} and {self.payoffs[1]:+}"
        return f"<Transcript of {self.game!r}, play seed {self.play_seed}: {len(self.decisions)} decisions, {end}>"

    @property
    def decisions(self) -> list[DecisionRecord]:
        """The decisions, without the events."""
        return [entry for entry in self.entries if isinstance(entry, DecisionRecord)]

    def to_json(self) -> bytes:
        """The transcript as JSON, from which `read_transcript` makes an equal one."""
        return msgspec.json.encode(self)


def read_transcript(data: bytes | str) -> Transcript:
    """Read a transcript. Raises ReplayError if it is damaged or of another version."""
    if not isinstance(data, bytes | str):
        wrong_type("data", data, "the JSON of a transcript", "give the bytes that transcript.to_json() makes")
    try:
        transcript = msgspec.json.decode(data, type=Transcript)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ReplayError(f"this is not the transcript of a match ({error}): record it again.") from error
    if transcript.version != VERSION:
        raise ReplayError(
            f"the transcript has version {transcript.version}, this antemill reads version {VERSION}: record it again."
        )
    return transcript


def recordable(choice: object) -> Submission:
    """A submission for the record: the value itself, or a text if JSON has no such value."""
    if isinstance(choice, str):
        return choice.encode("utf-8", "backslashreplace").decode()  # a lone surrogate is not valid text
    if choice is None or isinstance(choice, float):
        return str(choice) if choice is not None and not math.isfinite(choice) else choice
    if (number := whole_of(choice)) is None:
        return repr(choice)
    return number if abs(number) < 1 << 63 else str(number)
