"""What a rulebook must say about each event of a play, as patterns to be found in the section of the phase it is in.

`witness(spec, chooser)` plays a game with the plain interpreter and notes for each event the phase that was being
played, who led, and the numbers on the table. `claims` turns such a note into patterns. A group called `n` in a pattern
is a stated amount: the event's own amount must be that, or all there was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, assert_never

from antemill.engine.machine.events import EVERYONE, NOBODY, AuctionResult, ChipReason, EndReason, Event
from antemill.engine.rules.spec import Auction, Condition, GameSpec, Simultaneous
from tests.naive.interpreter import GameOverError, Interpreter
from tests.naive.state import Chooser, Decision, Row

CHIPS = r"(?P<n>\d+) chips?"
CARDS = r"(?P<n>\d+) cards?"


class Note(NamedTuple):
    """An event, and the table right after it."""

    row: Row
    phase: str  # being played
    caller: str  # of that phase; empty for a main phase
    leader: int
    stacks: tuple[int, int]
    pot: int
    deck: int
    hands: tuple[int, int]  # sizes
    owed: int  # by the seat of a CALL or RAISE, before it; what was short for a REFUND
    winner: int  # of the last auction, NOBODY before
    ended: EndReason | None
    before: int  # value of the variable that a VARIABLE event sets, before it
    wager: bool  # the last decision was one


class Tested(NamedTuple):
    """A tested condition."""

    phase: str
    condition: Condition
    public: bool


class Asked(NamedTuple):
    """A decision, and the phase it belongs to."""

    phase: str
    decision: Decision


class Witness(Interpreter):
    """The plain interpreter, noting where everything happens."""

    def __init__(self, spec: GameSpec, chooser: Chooser) -> None:
        super().__init__(spec, chooser)
        self.open: list[str] = []
        self.notes: list[Note] = []
        self.tests: list[Tested] = []
        self.asked: list[Asked] = []
        self.put = [0, 0]  # chips that went into the pot in this betting round
        self.short = 0
        self.winner = NOBODY
        self.ended: EndReason | None = None
        self.values = dict.fromkeys(spec.variables, 0)
        self._emit = self.table.emit
        self.table.emit = self._note  # type: ignore[method-assign]

    def enter(self, name: str) -> None:
        self.open.append(name)
        super().enter(name)
        self.open.pop()

    def test(self, number: int, condition: Condition, public: bool) -> bool:
        self.tests.append(Tested(self.open[-1], condition, public))
        return super().test(number, condition, public)

    def _note(self, *args: object, **kwargs: object) -> None:
        self._emit(*args, **kwargs)  # type: ignore[arg-type]
        table, row = self.table, self.table.events[-1]
        if len(table.decisions) > len(self.asked):
            self.asked += [Asked(self.open[-1], decision) for decision, _ in table.decisions[len(self.asked) :]]
        owed, before = 0, 0
        if row.kind == Event.PHASE:
            self.put = [0, 0]
        elif row.kind == Event.CHIPS and row.z in (ChipReason.BET, ChipReason.CALL, ChipReason.RAISE):
            owed = self.put[1 - row.seat] - self.put[row.seat]
            self.put[row.seat] += int(row.x)  # type: ignore[arg-type]
            self.short = owed - int(row.x)  # type: ignore[arg-type]
        elif row.kind == Event.CHIPS and row.z == ChipReason.REFUND:
            owed = self.short
        elif row.kind == Event.AUCTION:
            self.winner = row.seat
        elif row.kind == Event.RESULT:
            self.ended = EndReason(int(row.x))  # type: ignore[arg-type]
        elif row.kind == Event.VARIABLE:
            before, self.values[str(row.x)] = self.values[str(row.x)], row.y
        caller = self.open[-2] if len(self.open) > 1 else ""
        sizes = (len(table.hands[0]), len(table.hands[1]))
        stacks = (table.stacks[0], table.stacks[1])
        self.notes.append(
            Note(
                row, self.open[-1], caller, table.leader, stacks, table.pot, len(table.deck), sizes, owed, self.winner,
                self.ended, before, bool(self.asked) and self.asked[-1].decision.move_type == "wager",
            )
        )  # fmt: skip


def witness(spec: GameSpec, chooser: Chooser) -> Witness:
    """A whole game."""
    game = Witness(spec, chooser)
    try:
        for name in spec.sequence:
            game.enter(name)
        raise AssertionError("the game did not end")
    except GameOverError:
        return game


def _who(note: Note, seat: int) -> str:
    """A pattern for the names of a seat."""
    names = ["Alice" if seat == 0 else "Bob", "[Tt]he leader" if seat == note.leader else "[Tt]he follower"]
    if note.winner != NOBODY:
        names.append("[Tt]he winner" if seat == note.winner else "[Tt]he loser")
    return f"(?:{'|'.join(names)})"


def _level(row: Row) -> str:
    if row.told != EVERYONE:
        return "private"
    return "public" if row.shown == EVERYONE else "announced"


def _told(note: Note, verb: str) -> str:
    """Who is told of a peek or an observation."""
    level = _level(note.row)
    if level == "private":
        return f"only {_who(note, note.row.seat)} is told"
    return f"everyone {verb}" if level == "public" else "everyone is told"


def available(note: Note) -> int:
    """What the payer of a CHIPS event had, or how many cards were left for a deal or draw."""
    row = note.row
    if row.kind in (Event.DEAL, Event.DRAW, Event.BOARD):
        return note.deck + int(row.x)  # type: ignore[arg-type]
    holdings = note.pot if row.seat == NOBODY else note.stacks[row.seat]
    return holdings + int(row.x)  # type: ignore[arg-type]


def claims(spec: GameSpec, note: Note) -> Iterator[str]:
    """Patterns that the section of the note's phase must hold, each within a line."""
    row = note.row
    who, other = _who(note, row.seat), _who(note, 1 - row.seat)
    phase = spec.phase(note.phase)
    match row.kind:
        case Event.PHASE:
            if note.caller:
                yield rf"called from .*\*\*{re.escape(note.caller)}\*\*"
        case Event.SHUFFLE:
            yield r"the deck is shuffled|The deck is shuffled"
        case Event.DEAL:
            yield rf"(?:{who} is|Alice and then Bob are each) dealt {CARDS} face down.*only that player sees"
        case Event.BOARD:
            yield rf"{CARDS} from the deck (?:is|are) turned face up onto the board"
        case Event.DRAW:
            level = _level(row)
            told = "only" if level == "private" else "everyone"
            yield (
                rf"(?:{who} draws|Alice and then Bob each draw) {CARDS}(?:, or as many as remain,)? from the deck "
                rf"\({level} draw: .*{told}.*If the deck is empty, nothing is drawn and {told}"
            )
        case Event.DECK:
            yield r"\(private draw: .*the deck's new size is announced"
        case Event.DISCARD:
            seen = "face up: everyone sees" if row.shown == EVERYONE else f"face down: everyone is told, but only {who}"
            yield rf"{who} discards .*{seen}"
        case Event.CHIPS:
            yield from _chips(note, who)
        case Event.CHOICE:
            if row.told == EVERYONE:
                yield r"\(public[):]"
            else:
                yield rf"{who} picks .*\(private: only {who} is told"
        case Event.LOCK:
            yield r"[Bb]oth players choose in secret|each choose in secret"
            assert isinstance(phase, Simultaneous | Auction)
        case Event.REVEALED:
            yield r"locked, they are revealed to everyone at the same time"
        case Event.CHECK:
            yield r"\(public\)"
        case Event.COST:
            told = "Everyone" if row.told == EVERYONE else f"Only {who}"
            yield rf"falls due with probability \d+/\d+.*{told} is told how this comes out"
            if row.x == 2:
                yield r"pays nothing, and the pick is used up without its effect"
        case Event.PEEK:
            yield rf"{who} peeks at a random card of {other}'s hand.*\({_level(row)} peek: {_told(note, 'sees')}"
            if not row.content:
                yield r"that the hand is empty"
        case Event.SWAP:
            yield rf"{who} swaps cards with {other}.*{'Both players see' if row.x else 'everyone is told'}"
        case Event.STEAL:
            yield rf"{who} steals a random card from {other}.*{'Both players see' if row.x else 'everyone is told'}"
        case Event.MOVE:
            yield rf"{who} swaps cards with|{other} swaps cards with|{other} steals a random card from {who}"
        case Event.REVEAL:
            some = r"(?:a random card|the highest-ranked card|all cards)"
            whole = row.x == note.hands[row.seat]
            which = some if whole else r"(?:a random card|the highest-ranked card)"
            yield rf"{who} reveals {which} of their hand to everyone.*nothing is shown and everyone is told"
        case Event.SIGNAL:
            yield rf"{who} observes .*\({_level(row)} observation: {_told(note, 'learns')}"
        case Event.LEADER:
            yield r"becomes the leader"
        case Event.AUCTION:
            ways = {
                AuctionResult.NO_BIDS: "If both bids are 0, nobody wins",
                AuctionResult.WON: "everyone is told who won the prize",
                AuctionResult.CANCELLED: "the auction is cancelled: everyone is told, nobody pays",
            }
            yield ways[AuctionResult(int(row.x))]  # type: ignore[arg-type]
            if row.y:
                yield r"between equal bids a coin decides, and everyone is told"
        case Event.SIDE_BET:
            yield rf"\*\*{re.escape(str(row.x))}\*\*: if .*whoever took it {'receives' if row.y else 'pays'} \d+ chips?"
        case Event.SCORE:
            yield rf"{who}'s score rises by {row.x}, and {other}'s falls by {row.x} \(public\)"
        case Event.ANNOUNCE:
            yield rf'Everyone is told: "{re.escape(str(row.x))}"'
        case Event.VARIABLE:
            change = row.y - note.before
            way = f"rises by {change}" if change > 0 else f"falls by {-change}"
            reset = r"|is set to 0 \(public\)" if row.y == 0 else ""
            yield rf"«{re.escape(str(row.x))}» (?:{way} \(public\){reset})"
        case Event.SHOW:
            yield r"Both hands, as they are when this phase begins, are revealed to everyone"
        case Event.RESULT:
            yield from _result(note)
        case _:
            assert_never(row.kind)


def _result(note: Note) -> Iterator[str]:
    tie = note.row.seat == NOBODY
    if note.ended is EndReason.FOLD:
        yield r"\*\*fold\*\*: the game ends at once, and the opponent takes the whole pot"
    elif note.ended is EndReason.SHOWDOWN:
        yield r"each player receives half of the pot, rounded down" if tie else r"The better hand takes the whole pot"
    elif tie:
        yield r"The game ends at once without a winner: each player receives half of the pot, rounded down"
    else:
        yield rf"The game ends at once: {_who(note, note.row.seat)} takes the whole pot"


def _chips(note: Note, who: str) -> Iterator[str]:
    row = note.row
    match reason := ChipReason(row.z):
        case ChipReason.ANTE:
            yield rf"(?:{who} pays|Alice and then Bob each pay) an ante of {CHIPS} into the pot"
        case ChipReason.BET:
            if note.wager:
                yield (
                    r"\*\*bet\*\*: the player then chooses a wager, a whole number of chips from 1 to "
                    r"(?:\d+, or to )?their whole stack.*and pays it into the pot"
                )
            else:
                yield rf"\*\*bet\*\*: the player pays a bet of {CHIPS} into the pot"
        case ChipReason.CALL:
            assert row.x == min(note.owed, available(note))
            yield r"\*\*call\*\*: the player pays into the pot what they owe, .*\(at most what they have\)"
        case ChipReason.RAISE:
            yield r"\*\*raise\*\*: the player pays into the pot what they owe and \d+ chips? more \(at most what they"
        case ChipReason.REFUND:
            assert row.x == note.owed
            yield r"the part that is not matched goes back from the pot to the opponent"
        case ChipReason.COST:
            yield rf"a cost of {row.x} chips?"
        case ChipReason.TRANSFER:
            if row.seat == NOBODY:
                yield rf"{_who(note, row.y)} receives {CHIPS} from the pot \(at most what the pot holds\)"
            elif row.y == NOBODY:
                yield rf"{who} pays {CHIPS} into the pot \(at most what {who} has\)"
            else:
                yield rf"{who} pays {CHIPS} to {_who(note, row.y)} \(at most what {who} has\)"
        case ChipReason.TAKE_POT:
            assert note.pot == 0
            yield rf"{_who(note, row.y)} takes the whole pot; the game goes on"
        case ChipReason.BID:
            yield r"The winner pays their own bid into the pot"
        case ChipReason.SIDE_BET:
            yield rf"whoever took it pays {CHIPS} to the opponent \(at most what the payer has\)"
        case ChipReason.AWARD:
            yield r"takes the whole pot|half of the pot, rounded down"
        case ChipReason.ODD_CHIP:
            assert row.x == 1
            yield r"an odd chip goes to"
        case _:
            assert_never(reason)
