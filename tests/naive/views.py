"""What a seat knows: its view of the log, its perfect recall, and the paper's information state."""

from __future__ import annotations

from collections.abc import Iterable

from antemill.engine.machine.events import Event
from antemill.engine.rules.spec import Observation

from .state import DecisionType, Row, Table

CardClass = int | tuple[int, str]

# Events whose content a seat keeps as a signal, if it was shown the content (X2: own peeks, draws, public reveals, in
# order). Public CHECKs that read hidden cards count as signals too.
SIGNAL_KINDS = frozenset({Event.BOARD, Event.DRAW, Event.DISCARD, Event.PEEK, Event.MOVE, Event.REVEAL, Event.SIGNAL})


def view(events: Iterable[Row], seat: int) -> list[Row]:
    """The events that the seat was told of, in order, without the content of those it was not shown."""
    told = [row for row in events if row.told >> seat & 1]
    return [row if row.shown >> seat & 1 else row._replace(content=None) for row in told]


def card_class(table: Table, card: int) -> CardClass:
    """The rank, with the suit if some rule reads suits."""
    return (table.rank(card), table.suit_name(card)) if table.suited else table.rank(card)


def classes(table: Table, cards: Iterable[int]) -> tuple[CardClass, ...]:
    """The sorted multiset of the cards' classes."""

    return tuple(sorted([card_class(table, card) for card in cards]))


def seen_content(table: Table, row: Row) -> object:
    """The content of a row of a seat's view: None if hidden, a number, or card classes."""
    if row.content is None:
        return None
    if row.kind == Event.SIGNAL:
        phase = table.spec.phase(str(row.x))
        assert isinstance(phase, Observation)
        if phase.signal != "card":
            return row.content
    return classes(table, (card for card in range(table.cards) if row.content >> card & 1))


def recall(table: Table, seat: int, kind: DecisionType, menu: tuple[int, ...]) -> tuple[object, ...]:
    """All that the seat was ever told, and the question it is asked."""
    told = table.remembered[seat]
    for row in view(table.events[table.read[seat] :], seat):
        told.append((int(row.kind), row.seat, row.x, row.y, row.z, seen_content(table, row)))
    table.read[seat] = len(table.events)
    return (tuple(told), (seat, *kind), menu)


def action_path(table: Table, seat: int) -> tuple[object, ...]:
    """The choices that the seat knows of: shown CHOICEs, its own LOCKs, and everything REVEALED, as they came."""
    kinds = (Event.CHOICE, Event.LOCK, Event.REVEALED)
    path: list[object] = []
    for row in table.events:
        if row.kind in kinds and row.shown >> seat & 1:
            assert isinstance(row.x, tuple)
            path.append(((row.seat, *row.x), row.y))
    return tuple(path)


def signals(table: Table, seat: int) -> tuple[object, ...]:
    """The signals that the seat was shown, and the public checks that told something about hands."""
    found: list[object] = []
    for row in table.events:
        if row.shown >> seat & 1 and row.kind in SIGNAL_KINDS:
            found.append((int(row.kind), row.seat, row.x, seen_content(table, row)))
        elif row.kind == Event.CHECK and row.x in table.hidden_checks:
            found.append((int(row.kind), row.x, row.y))
    return tuple(found)


def context(table: Table, seat: int, kind: DecisionType) -> tuple[object, ...]:
    """The first four parts of I: decision type, hand, action path, chip bin."""
    chip_bin = table.stacks[seat] // max(1, table.spec.chips // 5)
    return ((seat, *kind), classes(table, table.hands[seat]), action_path(table, seat), chip_bin)


def info(table: Table, seat: int, kind: DecisionType) -> tuple[object, ...]:
    """The paper's information state I (GENSTRAT, X2): the context, the signals, and who leads."""
    return (*context(table, seat, kind), signals(table, seat), table.leader)
