"""The events that one seat was informed of (design decision D4): the filtered journal, as data and as text.

Only this module turns events of the journal into a player's knowledge. It drops rows of which the seat was not
informed, and contents that the seat was not shown, so no later text can contain them.
"""

from __future__ import annotations

from collections.abc import Sequence

from antemill.engine.machine.events import Event
from antemill.engine.text.labels import SEATS
from antemill.engine.text.wording import Seen, Wording

_GAINS = (Event.DEAL, Event.DRAW)


def seen_by(row: Sequence[int], seat: int) -> Seen | None:
    """The seat's view of a journal row; None if the seat was not informed of it."""
    kind, actor, x, y, z, content, told, shown = row
    if not told >> seat & 1:
        return None
    return Seen(kind, actor, x, y, z, content if shown >> seat & 1 else None, told)


class View:
    """The knowledge of a seat: the log in order, and the cards that follow from it. It grows only at its end.

    rows: the events that the seat was informed of; a string is a private notice. lines: the same as text, one per row.
    event_rows: the events alone, as rows of the journal; content and shown are 0 where the seat did not see the
    content. hand, board: bit masks of cards.
    """

    def __init__(self, wording: Wording, seat: int) -> None:
        self.wording = wording
        self.seat = seat
        self.rows: list[Seen | str] = []
        self.lines: list[str] = []
        self.event_rows: list[tuple[int, ...]] = []
        self.hand = 0
        self.board = 0

    def __repr__(self) -> str:
        return f"<View of {SEATS[self.seat]}: {len(self.lines)} lines>"

    def tell(self, row: Sequence[int]) -> None:
        """Add an event of the journal."""
        seen = seen_by(row, self.seat)
        if seen is None:
            return
        self.rows.append(seen)
        self.event_rows.append((*seen[:5], *((0, seen.told, 0) if seen.content is None else row[5:])))
        self.lines.append(self.wording.line(seen, self.seat))
        if seen.content:
            self._move_cards(seen, seen.content)

    def notice(self, text: str) -> None:
        """Add a private notice."""
        self.rows.append(text)
        self.lines.append(text)

    def _move_cards(self, seen: Seen, cards: int) -> None:
        """Move cards into and out of the hand and the board. The seat sees every event that changes them."""
        if seen.kind == Event.BOARD:
            self.board |= cards
        elif seen.kind == Event.MOVE:
            self.hand = self.hand & ~cards if seen.seat == self.seat else self.hand | cards
        elif seen.seat == self.seat and seen.kind in _GAINS:
            self.hand |= cards
        elif seen.seat == self.seat and seen.kind == Event.DISCARD:
            self.hand &= ~cards
