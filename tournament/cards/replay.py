"""A match as frames for a page: the table after each change, the events in words, and each decision.

    frames(game, transcript.entries)            a finished match, with what each seat knows of the other's hand
    frames(game, entries, viewer=0)             as Alice sees it: what she was not told is not in it

Everything that changes at a table is an event (`antemill.engine.machine.events`), so the table is kept from the events
alone. Cards are numbers of the game's deck, see `deck`; a card that a viewer does not see is None.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from antemill.engine.machine import layout as at
from antemill.engine.machine.events import NOBODY, Event
from antemill.engine.machine.opcodes import Look, Op
from antemill.engine.match import DecisionRecord, Game
from antemill.engine.match.match import notice
from antemill.engine.match.transcript import Entry
from antemill.engine.match.view import seen_by
from antemill.engine.text.labels import FACES, card_name

Frame: TypeAlias = dict[str, Any]
_CARDS = (Look.OPPONENT_CARD, Look.DECK_CARD)  # observations that show a card


def deck(game: Game) -> list[dict[str, str]]:
    """The cards by number: label as in the rulebook, rank, suit ("" where the game has only one)."""
    names, program = game.names, game.program
    suits = names.suits
    ranks = [names.ranks[card // len(suits)] for card in range(program.cards)]
    return [
        {
            "label": card_name(program, card),
            "rank": FACES.get(rank, str(rank)),
            "suit": suits[card % len(suits)] if len(suits) > 1 else "",
        }
        for card, rank in enumerate(ranks)
    ]


def table_names(game: Game) -> dict[str, Any]:
    """What a drawn table needs to know of a game beside its frames: the deck, and what else lies on its table."""
    found = {"leads": Op.LEAD in game.ops, "scores": Op.SCORE in game.ops, "boards": Op.TURN in game.ops}
    return {"deck": deck(game)} | found


def frames(game: Game, entries: Iterable[Entry], viewer: int | None = None) -> list[Frame]:
    """The match in frames: {events, state, decision}.

    events: what was said since the frame before, each as {kind, told, both, seats: [Alice's, Bob's]}, the sentences as
    the rulebook words them, with None for a seat that was not told. state: see `Table.state`. decision: the place of a
    decision among the match's, with the menu and the choice; None in a frame of events. With a viewer, only what that
    seat knows is in them, and `both` is its own sentence.
    """
    table = Table(game)
    found: list[Frame] = []
    said: list[dict[str, Any]] = []
    decisions = 0
    last: dict[str, Any] | None = None
    for entry in entries:
        if isinstance(entry, DecisionRecord):
            hidden = viewer is not None and viewer != entry.seat
            decision = decision_frame(entry, decisions) if not hidden else None
            decisions += 1
            if decision is not None:
                last = table.state(viewer)
                found.append({"events": said, "state": last, "decision": decision})
                said = []
            if entry.substitution is not None and not hidden:
                said.append(_notice(entry))
            continue
        row = entry.row
        if viewer is None or row[6] >> viewer & 1:
            said.append({**_sentences(game, tuple(row), viewer)})
        table.tell(row)
        state = table.state(viewer)
        if said and (state != last or row[0] == Event.RESULT):
            found.append({"events": said, "state": state, "decision": None})
            last, said = state, []
    if said or not found:
        found.append({"events": said, "state": table.state(viewer), "decision": None})
    return found


def decision_frame(record: DecisionRecord, number: int) -> dict[str, Any]:
    """A decision: its number in the match from 0, who was asked, what was offered, submitted and played."""
    return {
        "number": number,
        "seat": record.seat,
        "phase": record.phase,
        "type": record.move_type,
        "name": record.move_name,
        "options": list(record.options),
        "low": record.low,
        "high": record.high,
        "submitted": record.submitted,
        "choice": record.choice,
        "substitution": record.substitution,
    }


class Table:
    """What lies on the table, kept up with the events. All cards as numbers, hidden ones too."""

    def __init__(self, game: Game) -> None:
        state, names = game.program.initial_state(), game.names
        self._game = game
        self._looks = game.wording.looks
        self.phase = ""
        self.accounts = [int(state[at.CHIPS + i]) for i in range(3)]  # Alice, Bob, the pot
        self.deck = int(state[at.DECK_N])
        self.leader = int(state[at.SEATS + 2])
        self.score = int(state[at.SCORE])  # Alice's
        self.variables = dict(zip(names.variables, state[at.VARIABLES :].tolist(), strict=False))
        self.hands: tuple[list[int], list[int]] = ([], [])
        self.board: list[int] = []
        self._known: tuple[set[int], set[int]] = (set(), set())  # cards of the other hand that a seat knows
        self._thrown: list[tuple[int, int]] = []  # discards with the mask of seats who saw them

    def tell(self, row: Sequence[int]) -> None:
        """Take in an event of the journal."""
        kind, seat, x, y, _, content, _, shown = row
        match kind:
            case Event.PHASE:
                self.phase = self._game.names.phases[x]
            case Event.SHUFFLE:
                if x != self.deck:
                    self._thrown.clear()  # the discards are shuffled in
                self.deck = x
            case Event.DECK:
                self.deck = x
            case Event.DEAL | Event.DRAW:
                self._gain(seat, _cards(content), shown)
                self.deck -= x
            case Event.BOARD:
                self.board += _cards(content)
                self.deck -= x
            case Event.DISCARD:
                self._discard(seat, content, shown)
            case Event.MOVE:
                self._lose(seat, content)
                self._gain(1 - seat, _cards(content), shown)
            case Event.CHIPS:
                self.accounts[seat] -= x
                self.accounts[y] += x
            case Event.LEADER:
                self.leader = seat
            case Event.SCORE:
                self.score += x if seat == 0 else -x
            case Event.VARIABLE:
                self.variables[self._game.names.variables[x]] = y
            case Event.REVEAL | Event.SHOW:
                self._learn(seat, _cards(content), shown)
            case Event.PEEK:
                self._learn(1 - seat, _cards(content), shown)
            case Event.SIGNAL if self._looks.get(x) is _CARDS[0]:
                self._learn(1 - seat, _cards(content), shown)

    def state(self, viewer: int | None = None) -> dict[str, Any]:
        """The table as a seat sees it; None for all of it.

        stacks, pot, deck (how many cards), board, hands (Alice's, Bob's), discards, leader, score (Alice's), variables
        by name, phase; `known`: the cards of the other's hand that Alice and Bob know. A card that the viewer does not
        see is None.
        """
        hands: list[list[int | None]] = [[*self.hands[0]], [*self.hands[1]]]
        known = [sorted(self._known[0]), sorted(self._known[1])]
        discards: list[int | None] = [card for card, _ in self._thrown] if self._thrown else []
        if viewer is not None:
            other = 1 - viewer
            seen = self._known[viewer]
            hands[other] = [*sorted(seen), *[None] * (len(hands[other]) - len(seen))]
            known[other] = []
            discards = [card if shown >> viewer & 1 else None for card, shown in self._thrown]
        return {
            "phase": self.phase,
            "stacks": self.accounts[:2],
            "pot": self.accounts[2],
            "deck": self.deck,
            "board": [*self.board],
            "hands": hands,
            "known": known,
            "discards": discards,
            "leader": self.leader,
            "score": self.score,
            "variables": {**self.variables},
        }

    def _gain(self, seat: int, cards: list[int], shown: int) -> None:
        hand = self.hands[seat]
        hand += cards
        hand.sort()
        self._learn(seat, cards, shown)

    def _lose(self, seat: int, content: int) -> None:
        for card in _cards(content):
            self.hands[seat].remove(card)
            self._known[1 - seat].discard(card)

    def _discard(self, seat: int, content: int, shown: int) -> None:
        self._thrown += [(card, shown) for card in _cards(content)]
        self._lose(seat, content)
        if not shown >> (1 - seat) & 1:
            self._known[1 - seat].clear()  # the other seat cannot see which card went

    def _learn(self, owner: int, cards: list[int], shown: int) -> None:
        """Cards of a hand became known to whom they were shown."""
        if shown >> (1 - owner) & 1:
            self._known[1 - owner].update(card for card in cards if card in self.hands[owner])


def _cards(mask: int) -> list[int]:
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


@lru_cache(maxsize=10_000)
def _sentences(game: Game, row: tuple[int, ...], viewer: int | None) -> dict[str, Any]:
    """An event in words: for both seats together, and for each. A game's matches have many events in common."""
    kind, seat, told = row[0], row[1], row[6]
    words = game.wording
    seats = [None if (seen := seen_by(row, i)) is None else words.line(seen, i) for i in (0, 1)]
    if viewer is not None:
        seats[1 - viewer] = None
        both = seats[viewer]
    else:
        both = words.whole(row)
    actor = seat if seat < NOBODY else None
    return {"kind": Event(kind).name.lower(), "seat": actor, "told": told, "both": both, "seats": seats}


def _notice(record: DecisionRecord) -> dict[str, Any]:
    text = notice(record)
    seats = [text if seat == record.seat else None for seat in (0, 1)]
    return {"kind": "notice", "seat": record.seat, "told": 1 << record.seat, "both": text, "seats": seats}


def swing(rows: Iterable[Sequence[int]]) -> int:
    """How far the lead moved, in chips: the highest lead of Alice over Bob, score included, less the lowest.

    rows: the journal. What a player has put into the pot counts as lost until it comes back.
    """
    lead, low, high = 0, 0, 0
    for kind, seat, x, y, *_ in rows:
        if kind == Event.CHIPS:
            lead += x * ((y == 0) - (y == 1) - (seat == 0) + (seat == 1))
        elif kind == Event.SCORE:
            lead += 2 * x * (1 if seat == 0 else -1)
        low, high = min(low, lead), max(high, lead)
    return high - low
