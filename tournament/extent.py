"""The extent of one play of a game: upper bounds that are known before any play.

The bounds add up the phases in order of play and take the longest branch of each choice, so they are sound but can be
loose: they ignore games that end early, chips that run out, and decks that run short.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple

from antemill.engine.machine.events import Event
from antemill.engine.rules import spec as rules
from antemill.engine.rules.fold import Fold

EventSize = Callable[[Event, int], int]  # the size of one event for a seat, by the number of cards in it


class Extent(NamedTuple):
    """Upper bounds for one play."""

    decisions: int = 0
    draws: int = 0  # chance draws that are asked for
    score: int = 0  # sum of all scores, of both players
    alice: int = 0  # Alice's decisions
    bob: int = 0
    log_size: int = 0  # the size of all that one seat is told, in the units of `EventSize`
    variable: int = 0  # the largest value of a variable, and of its negative

    def plus(self, other: Extent) -> Extent:
        """The extent of both, one after the other."""
        return Extent(*(a + b for a, b in zip(self, other, strict=True)))


def extent(spec: rules.GameSpec, event_size: EventSize = lambda _event, _cards: 0) -> Extent:
    """Bounds for a whole play; the last draw is for an odd chip. event_size: adds up to `log_size`."""
    walk = _Walk(spec, event_size)
    return walk.game().plus(Extent(draws=1))


def _sum(parts: Iterable[Extent]) -> Extent:
    total = Extent()
    for part in parts:
        total = total.plus(part)
    return total


def _decisions(alice: int, bob: int, together: int) -> Extent:
    return Extent(decisions=together, alice=alice, bob=bob)


class _Walk(Fold[Extent]):
    """Bounds of the parts of a game."""

    def __init__(self, spec: rules.GameSpec, event_size: EventSize) -> None:
        super().__init__(spec)
        self._event_size = event_size
        self._cards = len(spec.deck.ranks) * len(spec.deck.suits)

    def then(self, parts: Iterable[Extent]) -> Extent:
        return _sum(parts)

    def either(self, ways: Iterable[Extent]) -> Extent:
        return Extent(*map(max, zip(Extent(), *ways, strict=True)))

    def visit(self, phase: rules.Phase, inside: Extent) -> Extent:  # noqa: ARG002
        return self._lines(Event.PHASE).plus(inside)

    def _lines(self, *events: Event, cards: int = 0) -> Extent:
        """Events that a seat is told of; the last of them with so many cards."""
        sizes = [self._event_size(event, cards if i == len(events) - 1 else 0) for i, event in enumerate(events)]
        return Extent(log_size=sum(sizes))

    def leaf(self, node: Any) -> Extent:
        match node:
            case rules.Deal() | rules.Draw():
                one = Extent(draws=node.count).plus(self._lines(*_TOLD[type(node)], cards=node.count))
                return _sum([one] * (2 if node.player == "both" else 1))
            case rules.DealBoard():
                return Extent(draws=node.count).plus(self._lines(Event.BOARD, cards=node.count))
            case rules.Swap():
                return Extent(draws=2).plus(_sum([self._lines(Event.SWAP), *[self._lines(Event.MOVE, cards=1)] * 2]))
            case rules.Reveal():
                shown = self._cards if node.which == "all" else 1
                return Extent(draws=1).plus(self._lines(Event.REVEAL, cards=shown))
            case rules.AddToVariable():
                return Extent(variable=abs(node.amount)).plus(self._lines(Event.VARIABLE))
            case rules.Score():
                return Extent(score=node.amount).plus(self._lines(Event.SCORE))
            case rules.FixedBetting():  # check, bet, raises, answer: in turns, and each but a check moves chips
                turns = 3 + node.raises
                paid = self._lines(*[Event.CHOICE, Event.CHIPS] * turns, Event.CHIPS)
                return self._seats(node.opener, -(-turns // 2), turns // 2).plus(paid)
            case rules.VariableBetting():  # check, bet, amount, answer; with a fallback, a check, a bet and an answer
                lines = self._lines(Event.CHECK, *[Event.CHOICE, Event.CHIPS] * 4, Event.CHIPS)
                return _decisions(2, 2, 4).plus(lines)
            case rules.BettingLoop():
                return Extent(variable=node.cap).plus(self._lines(*[Event.VARIABLE] * (node.cap + 1)))
            case rules.ActionRound():
                return _sum([self._seats(node.player, 1, 0)] * node.picks)
            case rules.Option():
                odds = 1 if node.cost is not None and node.cost.odds is not None else 0
                return Extent(draws=odds).plus(self._lines(Event.CHOICE, Event.COST, Event.CHIPS))
            case rules.Simultaneous():
                return _decisions(1, 1, 2).plus(self._secret())
            case rules.Auction():  # two bids, a coin
                won = self._lines(Event.AUCTION, Event.CHIPS)
                return _sum([_decisions(1, 1, 2), Extent(draws=1), self._secret(), won])
            case rules.SideBet():
                return self._seats(node.player, 1, 0).plus(self._lines(Event.CHOICE))
            case rules.Observation() | rules.Positions() | rules.Showdown():
                return Extent(draws=1).plus(self._lines(*_TOLD[type(node)], cards=int(type(node) is rules.Observation)))
        drawn = getattr(node, "draws", 0)
        return Extent(draws=drawn).plus(self._lines(*_TOLD.get(type(node), _ANYTHING), cards=drawn))

    def _secret(self) -> Extent:
        """A secret choice of each, and both revealed."""
        return self._lines(Event.LOCK, Event.REVEALED, Event.REVEALED)

    def _seats(self, player: str, first: int, second: int) -> Extent:
        """Decisions of a player and of the opponent; of every possible player if the player is given by position."""
        if player not in ("alice", "bob"):
            return _decisions(max(first, second), max(first, second), first + second)
        return _decisions(*((first, second) if player == "alice" else (second, first)), first + second)


_ANYTHING: Final = (Event.CHIPS, Event.DECK, Event.MOVE)  # more than is told of a kind that has no line here
# What is told of kinds that need no bound of their own.
_TOLD: Mapping[type, tuple[Event, ...]] = {
    rules.Deal: (Event.DEAL,),
    rules.Draw: (Event.DECK, Event.DRAW),
    rules.Steal: (Event.STEAL, Event.MOVE),
    rules.Discard: (Event.DISCARD,),
    rules.Peek: (Event.PEEK,),
    rules.Shuffle: (Event.SHUFFLE,),
    rules.Ante: (Event.CHIPS, Event.CHIPS),
    rules.Transfer: (Event.CHIPS,),
    rules.TakePot: (Event.CHIPS,),
    rules.Announce: (Event.ANNOUNCE,),
    rules.If: (Event.CHECK,),
    rules.Perform: (),
    rules.NoAction: (),
    rules.EndGame: (),  # no player is asked anything afterwards
    rules.Observation: (Event.CHECK, Event.SIGNAL),
    rules.Positions: (Event.LEADER,),
    rules.Showdown: (),  # no player is asked anything afterwards
    rules.Steps: (),
    rules.Cell: (),
}
