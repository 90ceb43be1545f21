"""The table: cards, chips, the log of events, and the draws of chance; what a playout consists of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from antemill.engine.machine.events import EVERYONE, NOBODY, Chance, ChipReason, Event
from antemill.engine.rules.spec import GameSpec

POT = NOBODY
SEATS = {"alice": 0, "bob": 1}

DecisionType = tuple[str, str, str]  # phase, move type, move name


class Row(NamedTuple):
    """One event. `x` holds a name, a text or a decision type where the engine stores an index; `content` is a mask.

    `content` is None in the view of a seat that was told of the event but not shown its content.
    """

    kind: Event
    seat: int
    x: int | str | DecisionType
    y: int
    z: int
    content: int | None
    told: int
    shown: int


@dataclass(frozen=True)
class Decision:
    """What a player is asked, and what they know when asked. `chips` is (Alice's stack, Bob's stack)."""

    seat: int
    phase: str
    move_type: str
    move_name: str
    menu: tuple[int, ...]
    labels: tuple[str, ...]
    recall: tuple[object, ...]
    info: tuple[object, ...]
    context: tuple[object, ...]
    chips: tuple[int, int]
    pot: int
    deck_size: int


class Chooser(Protocol):
    """Answers for both players and for chance."""

    def decide(self, decision: Decision) -> int:
        """An action of `decision.menu`."""
        ...

    def chance(self, kind: Chance, seat: int, occurrence: int, n: int) -> int:
        """An outcome from 0 to n - 1; asked only when n > 1."""
        ...


@dataclass
class Playout:
    """A finished game. `payoff` and `score` are Alice's; Bob's are their negatives."""

    events: list[Row]
    decisions: list[tuple[Decision, int]]
    payoff: int
    phases: set[str]
    branches: set[int]
    chips: tuple[int, int]
    score: int
    hands: tuple[tuple[int, ...], tuple[int, ...]]
    board: tuple[int, ...]
    deck: tuple[int, ...]
    discard: tuple[int, ...]


def mask(cards: Iterable[int]) -> int:
    """The bit mask of distinct card ids."""
    return sum(1 << card for card in cards)


class Table:
    """The state of one game in play."""

    def __init__(self, spec: GameSpec, chooser: Chooser, suited: bool) -> None:
        self.spec = spec
        self.chooser = chooser
        self.suited = suited
        self.deck = list(range(len(spec.deck.ranks) * len(spec.deck.suits)))
        self.hands: tuple[list[int], list[int]] = ([], [])
        self.board: list[int] = []
        self.discard: list[int] = []
        self.stacks = [spec.chips, spec.chips]
        self.pot = 0
        self.score = 0
        self.leader = 0
        self.variables: Counter[str] = Counter()
        self.side_bets: dict[str, int] = {}  # name of the phase -> who took it
        self.occurrences: Counter[tuple[Chance, int]] = Counter()
        self.events: list[Row] = []
        self.decisions: list[tuple[Decision, int]] = []
        self.phases: set[str] = set()
        self.branches: set[int] = set()
        self.hidden_checks: set[int] = set()  # conditionals that were checked publicly and read hands
        self.cards = len(self.deck)
        self.remembered: tuple[list[object], list[object]] = ([], [])  # per seat: what it was told, as it sees it
        self.read: list[int] = [0, 0]  # per seat: the events that are in `remembered` already

    # ---------------------------------------------------------------------------------- players and cards

    def seat(self, player: str) -> int:
        """The seat that a player's name or position stands for."""
        if player == "leader":
            return self.leader
        if player == "follower":
            return 1 - self.leader
        return SEATS[player]

    def seats(self, players: str) -> list[int]:
        """The same for a field that may say "both"."""
        return [0, 1] if players == "both" else [self.seat(players)]

    def account(self, account: str) -> int:
        """The account number: a seat, or the pot."""
        return POT if account == "pot" else self.seat(account)

    def rank(self, card: int) -> int:
        """The rank's value."""
        return self.spec.deck.ranks[card // len(self.spec.deck.suits)]

    def suit(self, card: int) -> int:
        """The suit's index."""
        return card % len(self.spec.deck.suits)

    def suit_name(self, card: int) -> str:
        """The suit's name."""
        return self.spec.deck.suits[self.suit(card)]

    def top_rank(self, cards: list[int]) -> int:
        """The highest rank among the cards, of which there is at least one."""
        return max(self.rank(card) for card in cards)

    # ---------------------------------------------------------------------------------- changes

    def emit(
        self,
        kind: Event,
        seat: int = NOBODY,
        x: int | str | DecisionType = 0,
        y: int = 0,
        z: int = 0,
        content: int = 0,
        told: int = EVERYONE,
        shown: int | None = None,
    ) -> None:
        """Log an event; `shown` is `told` unless given. After every event the table must be sound."""
        self.events.append(Row(kind, seat, x, y, z, content, told, told if shown is None else shown))
        self.check()

    def check(self) -> None:
        """Chips are conserved, no player is in debt, and every card is in exactly one place."""
        assert sum(self.stacks) + self.pot == 2 * self.spec.chips, "chips appeared or vanished"
        assert min(*self.stacks, self.pot) >= 0, "a player is in debt"
        cards = [*self.deck, *self.hands[0], *self.hands[1], *self.board, *self.discard]
        assert sorted(cards) == list(range(self.cards)), "a card was lost or duplicated"

    def pay(self, source: int, target: int, amount: int, reason: ChipReason) -> int:
        """Move what is available of `amount` between two accounts; returns what was moved."""
        moved = min(amount, self.pot if source == POT else self.stacks[source])
        for account, change in ((source, -moved), (target, moved)):
            if account == POT:
                self.pot += change
            else:
                self.stacks[account] += change
        self.emit(Event.CHIPS, source, moved, target, reason)
        return moved

    def set_variable(self, name: str, value: int) -> None:
        """Give a variable a value, publicly."""
        self.variables[name] = value
        self.emit(Event.VARIABLE, x=name, y=value)

    # ---------------------------------------------------------------------------------- chance

    def chance(self, kind: Chance, seat: int, n: int) -> int:
        """A chance draw among n >= 1 outcomes."""
        occurrence = self.occurrences[kind, seat]
        self.occurrences[kind, seat] += 1
        if n == 1:
            return 0
        outcome = self.chooser.chance(kind, seat, occurrence, n)
        assert 0 <= outcome < n, f"chance outcome {outcome} of {n}"
        return outcome
