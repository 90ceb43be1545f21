"""The extent of one play of a game: upper bounds that are known before any play.

The bounds add up the phases in order of play and take the longest branch of each choice, so they are sound but can be
loose: they ignore games that end early, chips that run out, and decks that run short.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, assert_never

from antemill.engine.machine.events import Event
from antemill.engine.rules import spec as rules

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
    return _sum([*(walk.phase(name) for name in spec.sequence), Extent(draws=1)])


def _sum(parts: Iterable[Extent]) -> Extent:
    total = Extent()
    for part in parts:
        total = total.plus(part)
    return total


def _most(parts: Iterable[Extent]) -> Extent:
    """One of these happens."""
    return Extent(*map(max, zip(Extent(), *parts, strict=True)))


def _decisions(alice: int, bob: int, together: int) -> Extent:
    return Extent(decisions=together, alice=alice, bob=bob)


class _Walk:
    """Bounds of the parts of a game. Every phase is measured once."""

    def __init__(self, spec: rules.GameSpec, event_size: EventSize) -> None:
        self._spec = spec
        self._event_size = event_size
        self._cards = len(spec.deck.ranks) * len(spec.deck.suits)
        self._known: dict[str, Extent] = {}

    def phase(self, name: str) -> Extent:
        """A phase from its beginning to its end."""
        if name not in self._known:
            phase = self._spec.phase(name)
            self._known[name] = self._lines(Event.PHASE).plus(self._inside(phase))
        return self._known[name]

    def _lines(self, *events: Event, cards: int = 0) -> Extent:
        """Events that a seat is told of; the last of them with so many cards."""
        sizes = [self._event_size(event, cards if i == len(events) - 1 else 0) for i, event in enumerate(events)]
        return Extent(log_size=sum(sizes))

    def _steps(self, steps: Iterable[rules.Step]) -> Extent:
        return _sum(map(self._step, steps))

    def _step(self, step: rules.Step) -> Extent:
        match step:
            case rules.If():
                branches = _most((self._steps(step.then), self._steps(step.otherwise)))
                return self._lines(Event.CHECK).plus(branches)
            case rules.Perform():
                return self.phase(step.phase)
            case rules.Deal() | rules.Draw():
                one = Extent(draws=step.count).plus(self._lines(*_TAKEN[type(step)], cards=step.count))
                return _sum([one] * (2 if step.player == "both" else 1))
            case rules.DealBoard():
                return Extent(draws=step.count).plus(self._lines(Event.BOARD, cards=step.count))
            case rules.Swap():
                return Extent(draws=2).plus(_sum([self._lines(Event.SWAP), *[self._lines(Event.MOVE, cards=1)] * 2]))
            case rules.Steal():
                return Extent(draws=1).plus(self._lines(Event.STEAL, Event.MOVE, cards=1))
            case rules.Reveal():
                shown = self._cards if step.which == "all" else 1
                return Extent(draws=1).plus(self._lines(Event.REVEAL, cards=shown))
            case rules.Discard():
                return Extent(draws=1).plus(self._lines(Event.DISCARD, cards=1))
            case rules.Peek():
                return Extent(draws=1).plus(self._lines(Event.PEEK, cards=1))
            case rules.AddToVariable():
                return Extent(variable=abs(step.amount)).plus(self._lines(Event.VARIABLE))
            case rules.Score():
                return Extent(score=step.amount).plus(self._lines(Event.SCORE))
            case _:
                return self._lines(*_TOLD[type(step)])

    def _inside(self, phase: rules.Phase) -> Extent:
        match phase:
            case rules.Steps():
                return self._steps(phase.steps)
            case rules.FixedBetting():  # check, bet, raises, answer: in turns, and each but a check moves chips
                turns = 3 + phase.raises
                paid = self._lines(*[Event.CHOICE, Event.CHIPS] * turns, Event.CHIPS)
                return self._seats(phase.opener, -(-turns // 2), turns // 2).plus(paid)
            case rules.VariableBetting():  # check, bet, amount, answer; with a fallback, a check, a bet and an answer
                lines = self._lines(Event.CHECK, *[Event.CHOICE, Event.CHIPS] * 4, Event.CHIPS)
                return _decisions(2, 2, 4).plus(lines)
            case rules.BettingLoop():
                rounds = [self.phase(phase.rounds[min(k, len(phase.rounds) - 1)]) for k in range(phase.cap)]
                counted = self._lines(*[Event.VARIABLE] * (phase.cap + 1))
                return _sum(
                    [counted, Extent(variable=phase.cap), *rounds, *[self._steps(phase.between)] * (phase.cap - 1)]
                )
            case rules.ActionRound():
                pick = _most(map(self._option, phase.options)).plus(self._seats(phase.player, 1, 0))
                return _sum([pick] * phase.picks)
            case rules.Simultaneous():
                cells = _most([*(self._steps(cell.steps) for cell in phase.cells), self._steps(phase.others)])
                return _sum([_decisions(1, 1, 2), self._secret(), cells])
            case rules.Auction():  # two bids, a coin
                won = self._lines(Event.AUCTION, Event.CHIPS)
                prize = self._steps((phase.prize,))
                return _sum([_decisions(1, 1, 2), Extent(draws=1), self._secret(), won, prize])
            case rules.SideBet():
                return self._seats(phase.player, 1, 0).plus(self._lines(Event.CHOICE))
            case rules.Observation():
                return Extent(draws=1).plus(self._lines(Event.CHECK, Event.SIGNAL, cards=1))
            case rules.Positions():
                return Extent(draws=1).plus(self._lines(Event.LEADER))
            case rules.Showdown():  # no player is asked anything afterwards
                return Extent(draws=1)
            case _:
                assert_never(phase)

    def _secret(self) -> Extent:
        """A secret choice of each, and both revealed."""
        return self._lines(Event.LOCK, Event.REVEALED, Event.REVEALED)

    def _option(self, option: rules.Option) -> Extent:
        odds = 1 if option.cost is not None and option.cost.odds is not None else 0
        lines = self._lines(Event.CHOICE, Event.COST, Event.CHIPS)
        return Extent(draws=odds).plus(lines).plus(self._steps(option.steps))

    def _seats(self, player: str, first: int, second: int) -> Extent:
        """Decisions of a player and of the opponent; of every possible player if the player is given by position."""
        if player not in ("alice", "bob"):
            return _decisions(max(first, second), max(first, second), first + second)
        return _decisions(*((first, second) if player == "alice" else (second, first)), first + second)


_TAKEN: Mapping[type, tuple[Event, ...]] = {rules.Deal: (Event.DEAL,), rules.Draw: (Event.DECK, Event.DRAW)}
_TOLD: Mapping[type, tuple[Event, ...]] = {
    rules.Shuffle: (Event.SHUFFLE,),
    rules.Ante: (Event.CHIPS, Event.CHIPS),
    rules.Transfer: (Event.CHIPS,),
    rules.TakePot: (Event.CHIPS,),
    rules.Announce: (Event.ANNOUNCE,),
    rules.NoAction: (),
    rules.EndGame: (),  # no player is asked anything afterwards
}
