"""Events in sentences, for a seat or for a reader without one. The viewer is "you"; other seats keep their names.

A sentence is made only from the viewer's part of an event (`Seen`), which has no content that the viewer is not shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, assert_never

from antemill.engine.machine.events import EVERYONE, NOBODY, AuctionResult, ChipReason, EndReason, Event
from antemill.engine.machine.opcodes import WIDTH, Look, Op
from antemill.engine.machine.program import DecisionType, Program
from antemill.engine.rules.spec import GameSpec, If, Observation, VariableBetting
from antemill.engine.rules.walk import Conditional, conditionals
from antemill.engine.text.labels import SEATS, action_name, card_name
from antemill.engine.text.rulebook.conditions import Reader, clause
from antemill.engine.text.rulebook.wording import cards, chips, rank, start

_READERS: tuple[Reader, ...] = ("Alice", "Bob", None)  # of a check, by viewer
_ACTED = {"wager": "wager", "bid": "bid"}  # move types with a verb of their own


class Seen(NamedTuple):
    """A seat's part of an event: the fields of `antemill.engine.machine.events`. Content not shown is None."""

    kind: int
    seat: int
    x: int
    y: int
    z: int
    content: int | None
    told: int


class Wording:
    """The sentences of one game.

    card: the text for a card. Without the spec, sentences on public checks omit the question.
    """

    def __init__(
        self, program: Program, spec: GameSpec | None = None, card: Callable[[Program, int], str] = card_name
    ) -> None:
        self.program = program
        self.names = program.names
        self._cards = tuple(card(program, i) for i in range(program.cards))
        checks = () if spec is None else conditionals(spec)
        self._checks = [[_asked(check, reader) for check in checks] for reader in _READERS]
        self.looks = looks_of(program)

    def cards(self, mask: int) -> str:
        """The cards of a bit mask, lowest first."""
        return " ".join(self.card_list(mask))

    def card_list(self, mask: int) -> list[str]:
        """The cards of a bit mask, each on its own."""
        return [name for i, name in enumerate(self._cards) if mask >> i & 1]

    def line(self, seen: Seen, viewer: int) -> str:
        """The event as one sentence for the viewer: a seat, or `NOBODY` for a reader without a seat."""
        return _SENTENCES[seen.kind](self, seen, viewer)

    def whole(self, row: Sequence[int]) -> str:
        """An event of the journal with all of its content, as one sentence for a reader without a seat."""
        kind, seat, x, y, z, content = row[:6]
        return self.line(Seen(kind, seat, x, y, z, content, EVERYONE), NOBODY)

    # ------------------------------------------------------------------------------------------ grammar

    def _does(self, seat: int, viewer: int, verb: str) -> str:
        """ "You draw" or "Bob draws"."""
        if seat == NOBODY:
            return f"Nobody {_third(verb)}"
        return f"You {verb}" if seat == viewer else f"{SEATS[seat]} {_third(verb)}"

    def _whose(self, seat: int, viewer: int) -> str:
        return "your" if seat == viewer else f"{SEATS[seat]}'s"

    def _whom(self, seat: int, viewer: int) -> str:
        return "you" if seat == viewer else SEATS[seat]

    def _kind(self, seen: Seen) -> DecisionType:
        return self.names.decisions[seen.x]

    # ------------------------------------------------------------------------------------------ cards

    def _deal(self, seen: Seen, viewer: int) -> str:
        return f"{self._does(seen.seat, viewer, 'are dealt')} {self._received(seen)}."

    def _draw(self, seen: Seen, viewer: int) -> str:
        what = self._received(seen) if seen.x else "nothing: the deck is empty"
        return f"{self._does(seen.seat, viewer, 'draw')} {what}.{_secret(seen)}"

    def _received(self, seen: Seen) -> str:
        count = "no card" if seen.x == 0 else cards(seen.x)
        return f"{count}: {self.cards(seen.content)}" if seen.content else count

    def _board(self, seen: Seen, _viewer: int) -> str:
        turned = "is turned up" if seen.x == 1 else "are turned up"
        return f"{cards(seen.x)} {turned} on the board{_listed(self.cards(seen.content or 0))}."

    def _discard(self, seen: Seen, viewer: int) -> str:
        what = self.cards(seen.content) if seen.content else "a card"
        return f"{self._does(seen.seat, viewer, 'discard')} {what}."

    def _move(self, seen: Seen, viewer: int) -> str:
        card = self.cards(seen.content or 0)
        return f"{card} goes from {self._whose(seen.seat, viewer)} hand to {self._whose(1 - seen.seat, viewer)} hand."

    def _swap(self, seen: Seen, viewer: int) -> str:
        if seen.x == 0:
            return f"{self._does(seen.seat, viewer, 'swap')} no cards: a hand is empty."
        return f"{self._does(seen.seat, viewer, 'swap')} a random card with {self._whom(1 - seen.seat, viewer)}."

    def _steal(self, seen: Seen, viewer: int) -> str:
        what, why = (
            ("a random card", "") if seen.x else ("nothing", f": {self._whose(1 - seen.seat, viewer)} hand is empty")
        )
        return f"{self._does(seen.seat, viewer, 'steal')} {what} from {self._whom(1 - seen.seat, viewer)}{why}."

    def _peek(self, seen: Seen, viewer: int) -> str:
        hand, peeks = f"{self._whose(1 - seen.seat, viewer)} hand", self._does(seen.seat, viewer, "peek")
        if seen.content is None:
            return f"{peeks} at a random card of {hand}. You are not told which."
        if not seen.content:
            return f"{peeks} at {hand}, which is empty.{_secret(seen)}"
        return f"{peeks} at a random card of {hand}: {self.cards(seen.content)}.{_secret(seen)}"

    def _reveal(self, seen: Seen, viewer: int) -> str:
        shown = self.cards(seen.content) if seen.content else f"{self._whose(seen.seat, viewer)} hand is empty"
        return f"{self._does(seen.seat, viewer, 'reveal')} {cards(seen.x) if seen.x else 'no card'}: {shown}."

    def _show(self, seen: Seen, viewer: int) -> str:
        hand = self.cards(seen.content) if seen.content else "an empty hand"
        return f"{self._does(seen.seat, viewer, 'show')} {hand}."

    def _signal(self, seen: Seen, viewer: int) -> str:
        observes = self._does(seen.seat, viewer, "observe")
        if seen.content is None:
            return f"{observes} something that you are not told."
        return f"{observes} that {self._signal_text(seen, viewer)}.{_secret(seen)}"

    def _signal_text(self, seen: Seen, viewer: int) -> str:
        look, content = self.looks[seen.x], seen.content or 0
        hand = f"{self._whose(1 - seen.seat, viewer)} hand"
        if look is Look.SIZE:
            return f"{hand} has {cards(content)}"
        if look is Look.TOP_RANK:
            return f"the highest rank in {hand} is {rank(content)}" if content else f"{hand} is empty"
        pile = "the deck" if look in (Look.DECK_CARD, Look.DECK_SUIT) else hand
        if content == 0:
            return f"{pile} is empty"
        if look in (Look.OPPONENT_SUIT, Look.DECK_SUIT):
            return f"the suit of a random card of {pile} is {self.names.suits[content - 1]}"
        return f"a random card of {pile} is {self.cards(content)}"

    # ------------------------------------------------------------------------------------------ choices

    def _choice(self, seen: Seen, viewer: int) -> str:
        return f"{self._chosen(seen, viewer, '')}.{_secret(seen)}"

    def _lock(self, seen: Seen, viewer: int) -> str:
        return f"{self._chosen(seen, viewer, ' secretly')}."

    def _chosen(self, seen: Seen, viewer: int, how: str) -> str:
        kind = self._kind(seen)
        verb = _ACTED.get(kind.move_type, "choose")
        who = "You" if seen.seat == viewer else SEATS[seen.seat]
        return f"{who}{how} {verb if seen.seat == viewer else _third(verb)} {action_name(kind, seen.y)}"

    def _revealed(self, seen: Seen, viewer: int) -> str:
        kind = self._kind(seen)
        noun = "bid" if kind.move_type == "bid" else "choice"
        return f"{start(self._whose(seen.seat, viewer))} secret {noun} is revealed: {action_name(kind, seen.y)}."

    def _cost(self, seen: Seen, viewer: int) -> str:
        what = (
            "is not due",
            "is due",
            f"is due, but {self._whom(seen.seat, viewer)} cannot pay it: the action is skipped",
        )[seen.x]
        return f"{start(self._whose(seen.seat, viewer))} possible cost {what}.{_secret(seen)}"

    # ------------------------------------------------------------------------------------------ chips and the rest

    def _chips(self, seen: Seen, viewer: int) -> str:
        amount = chips(seen.x)
        if seen.seat != NOBODY:
            to = "into the pot" if seen.y == NOBODY else f"to {self._whom(seen.y, viewer)}"
            return f"{self._does(seen.seat, viewer, 'pay')} {amount} {to}{_PAID[ChipReason(seen.z)]}."
        return f"{self._does(seen.y, viewer, 'receive')} {amount} from the pot{_PAID[ChipReason(seen.z)]}."

    def _check(self, seen: Seen, viewer: int) -> str:
        outcome = "yes" if seen.y else "no"
        if checks := self._checks[viewer]:
            return f"Check: {checks[seen.x]}? {outcome.capitalize()}."
        return f"Check number {seen.x} (in {self.names.conditionals[seen.x]}): {outcome}."

    def _leader(self, seen: Seen, viewer: int) -> str:
        return f"{self._does(seen.seat, viewer, 'are the leader')}."

    def _auction(self, seen: Seen, viewer: int) -> str:
        if seen.x == AuctionResult.NO_BIDS:
            return "Nobody bid more than 0: the auction has no winner."
        tie = " after a tie that a coin broke" if seen.y else ""
        if seen.x == AuctionResult.WON:
            return f"{self._does(seen.seat, viewer, 'win')} the auction{tie}."
        won = (
            f"{self._does(seen.seat, viewer, 'win')} the coin after a tie"
            if seen.y
            else (f"{self._does(seen.seat, viewer, 'have')} the higher bid")
        )
        return f"{won}, but the prize is impossible: the auction is cancelled."

    def _side_bet(self, seen: Seen, viewer: int) -> str:
        ends = self._does(seen.seat, viewer, "win" if seen.y else "lose")
        return f'{ends} the side bet "{self.names.phases[seen.x]}".'

    def _score(self, seen: Seen, viewer: int) -> str:
        falls = f"{self._whose(1 - seen.seat, viewer)} score falls by as much"
        return f"{start(self._whose(seen.seat, viewer))} score rises by {seen.x}, and {falls}."

    def _result(self, seen: Seen, viewer: int) -> str:
        takes = "The pot is split" if seen.seat == NOBODY else f"{self._does(seen.seat, viewer, 'take')} the pot"
        if seen.x == EndReason.FOLD:
            who = self._does(1 - seen.seat, viewer, "fold")
            return f"The game is over: {who.replace('You', 'you')}. {takes}."
        how = "by showdown" if seen.x == EndReason.SHOWDOWN else "without a showdown"
        return f"The game is over {how}. {takes}."


_PAID = {
    ChipReason.ANTE: " as an ante",
    ChipReason.BET: " as a bet",
    ChipReason.CALL: " to call",
    ChipReason.RAISE: " to call and raise",
    ChipReason.REFUND: ", the part of the bet that was not matched",
    ChipReason.COST: " as the cost",
    ChipReason.TRANSFER: "",
    ChipReason.TAKE_POT: "",
    ChipReason.BID: " as the winning bid",
    ChipReason.SIDE_BET: " for the side bet",
    ChipReason.AWARD: " at the end",
    ChipReason.ODD_CHIP: ", the odd one, drawn at random",
}
_Sentence = Callable[[Wording, Seen, int], str]
_SENTENCES: dict[int, _Sentence] = {
    Event.PHASE: lambda self, seen, _viewer: f"Phase: {self.names.phases[seen.x]}",
    Event.SHUFFLE: lambda _self, seen, _viewer: f"The deck of {cards(seen.x)} is shuffled.",
    Event.DEAL: Wording._deal,
    Event.BOARD: Wording._board,
    Event.DRAW: Wording._draw,
    Event.DECK: lambda _self, seen, _viewer: f"The deck has {cards(seen.x)} left.",
    Event.DISCARD: Wording._discard,
    Event.CHIPS: Wording._chips,
    Event.CHOICE: Wording._choice,
    Event.LOCK: Wording._lock,
    Event.REVEALED: Wording._revealed,
    Event.CHECK: Wording._check,
    Event.COST: Wording._cost,
    Event.PEEK: Wording._peek,
    Event.SWAP: Wording._swap,
    Event.STEAL: Wording._steal,
    Event.MOVE: Wording._move,
    Event.REVEAL: Wording._reveal,
    Event.SIGNAL: Wording._signal,
    Event.LEADER: Wording._leader,
    Event.AUCTION: Wording._auction,
    Event.SIDE_BET: Wording._side_bet,
    Event.SCORE: Wording._score,
    Event.ANNOUNCE: lambda self, seen, _viewer: f"Announcement: {self.names.texts[seen.x]}",
    Event.VARIABLE: lambda self, seen, _viewer: f"«{self.names.variables[seen.x]}» is now {seen.y}.",
    Event.SHOW: Wording._show,
    Event.RESULT: Wording._result,
}


def looks_of(program: Program) -> dict[int, Look]:
    """The `Look` of each observation phase by the phase's number, read from its instructions."""
    rows = program.code[: program.rows * WIDTH].reshape(-1, WIDTH)
    looking = rows[(rows[:, 0] == Op.OBSERVE) & (rows[:, 3] != Look.NOTHING)]
    return {int(row[2]): Look(int(row[3])) for row in looking}


def _third(verb: str) -> str:
    """The third person singular of a verb, perhaps with more words after it."""
    first, space, rest = verb.partition(" ")
    irregular = {"are": "is", "have": "has"}
    return irregular.get(first, f"{first}s") + space + rest


def _listed(text: str) -> str:
    return f": {text}" if text else ""


def _asked(conditional: Conditional, reader: Reader) -> str:
    """The question of a conditional in the rulebook's words, except that the reader is "you"."""
    match node := conditional.node:
        case VariableBetting():
            return "both players have chips"
        case If():
            return clause(node.condition, reader)
        case Observation():
            assert node.trigger is not None  # otherwise it is not a conditional
            return clause(node.trigger, reader)
        case _:
            assert_never(node)


def _secret(seen: Seen) -> str:
    return "" if seen.told == EVERYONE else " Only you are told."
