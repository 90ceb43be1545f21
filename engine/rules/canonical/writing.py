"""The steps of a spec as a text, without the parts that no play depends on. `rounds` adds the phases.

The text lists the steps in order, with performed phases written in place. Where both players know at which step the
game is, the start of a phase, an announcement or the number of a check informs neither player. The text is written for
one order of the seats: A may be Alice or Bob. Inside a branch that was taken in secret, everything that could reveal
the branch stays.

Steps and phases without effect are left out:

- a shuffle (cards leave the deck at random anyway), unless it brings discards back;
- an addition to a variable that no condition reads, and the assignment of a role that no rule names;
- a conditional whose outcome both players know and whose branches agree;
- a step that only informs players, or turns a card onto a board that no rule reads, when no decision follows.

A card that is shown to one player publicly is the same as one that is shown in secret at a known time. A look at the
only card of a hand is the same whether or not the opponent is told. A fallback round returns the chips that it bets,
since one player has none, so their number means nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from antemill.engine.rules.canonical.conditions import ALWAYS, Conditions
from antemill.engine.rules.canonical.facts import Facts
from antemill.engine.rules.canonical.marks import Marks
from antemill.engine.rules.spec import (
    AddToVariable,
    Announce,
    Ante,
    Condition,
    Deal,
    DealBoard,
    Discard,
    Draw,
    EndGame,
    If,
    NoAction,
    Peek,
    Perform,
    Phase,
    Reveal,
    Score,
    Shuffle,
    SideBet,
    Steal,
    Step,
    Swap,
    TakePot,
    Transfer,
)
from antemill.engine.rules.walk import reads_hidden


class InformOnly(str):
    """A step that changes no card and no chip; it is omitted if no choice follows."""


# A step as a text, or a payment to the pot as (player, chips), to be added up with its neighbours.
Item: TypeAlias = str | tuple[str, int]
_TURNED = {"lowest": "highest", "highest": "lowest", "random": "random"}
_OTHER = {**{"A": "B", "B": "A", "L": "F", "F": "L"}, **{"W": "Z", "Z": "W"}}


def sight(visibility: str, known: bool) -> str:
    """A visibility. known: both players know that something is shown."""
    return "seen" if visibility == "public" else "own" if known else visibility


class StepWriter:
    """Writes steps down. swapped: Bob is A and Alice is B."""

    def __init__(self, facts: Facts, marks: Marks, swapped: bool) -> None:
        self.facts = facts
        self.marks = marks
        self.swapped = swapped
        alice, bob = ("B", "A") if swapped else ("A", "B")
        roles = ("L", "F") if facts.roles else (alice, bob)
        self.seats = {
            **{"alice": alice, "bob": bob, "leader": roles[0], "follower": roles[1]},
            **{"winner": "W", "loser": "Z", "both": "*", "pot": "P"},
        }
        self.conditions = Conditions(facts, marks, self.seats)
        self.told = (Peek, Reveal, Announce, DealBoard) if facts.board_unread else (Peek, Reveal, Announce)
        self.bets = [bet.name for bet in facts.all(SideBet)] if facts.settled_in_order else None

    def phase(self, phase: Phase) -> list[Item]:
        """A phase as items."""
        raise NotImplementedError

    def chips(self, amount: int) -> int:
        """An amount in units, at most all chips."""
        return min(amount, 2 * self.facts.spec.chips) // self.facts.flow.unit

    # lists

    def block(self, steps: Iterable[Step], known: bool) -> str:
        """A list of steps as one text. known: both players know when the steps are taken."""
        return self.text(self.items(steps, known))

    def items(self, steps: Iterable[Step], known: bool) -> list[Item]:
        """The items of a list of steps."""
        return [item for step in steps for item in self.step(step, known)]

    def text(self, items: Sequence[Item]) -> str:
        """Items as one text. Payments to the pot in a row are summed, player by player."""
        texts: list[str] = []
        payments: list[tuple[str, int]] = []
        for item in items:
            if isinstance(item, tuple):
                payments.append(item)
                continue
            if payments:
                texts += self._payments(payments)
                payments = []
            texts.append(item)
        if payments:
            texts += self._payments(payments)
        return "{" + ";".join(texts) + "}"

    def _payments(self, payments: Iterable[tuple[str, int]]) -> list[str]:
        sums: dict[str, int] = {}
        for player, amount in payments:
            for seat in ("A", "B") if player == "*" else (player,):
                sums[seat] = sums.get(seat, 0) + amount
        return [f"pay {seat} {self.chips(amount)}" for seat, amount in sorted(sums.items())]

    # steps

    def step(self, step: Step, known: bool) -> list[Item]:
        """A step as items; none if it has no effect."""
        match step:
            case NoAction():
                return []
            case If(condition, then, otherwise, public):
                hidden = reads_hidden(condition)
                told = known and (public or not hidden)
                ways = self.items(then, told), self.items(otherwise, told)
                return self.branch(condition, hidden, public, known, *ways)
            case Perform(phase):
                return self.phase(self.facts.phases[phase])
            case Ante(player, amount) | Transfer(player, "pot", amount):
                return self._to_pot(player, amount, known)
        text = self.plain(step, known)
        return [InformOnly(text) if isinstance(step, self.told) else text] if text else []

    def _to_pot(self, player: str, amount: int, known: bool) -> list[Item]:
        return [(self.seats[player], amount)] if known else [f"pay {self.seats[player]} {self.chips(amount)}"]

    def branch(
        self, condition: Condition, hidden: bool, public: bool, known: bool, then: list[Item], otherwise: list[Item]
    ) -> list[Item]:
        """A conditional. hidden: it reads a hand. known: both know that it is tested. public: both learn the result."""
        test = self.conditions.test(condition)
        ways = self.text(then), self.text(otherwise)
        if known and not hidden and test.text == ALWAYS.text:
            return then if test.holds else otherwise
        if known and ways[0] == ways[1] and (not hidden or (not public and ways[0] == "{}")):
            return then
        how = ("told" if public else "secret") if hidden or not known else "plain"
        text = f"if {how} {test.text}{''.join(ways if test.holds else ways[::-1])}"
        return [InformOnly(text) if all(isinstance(item, InformOnly) for item in (*then, *otherwise)) else text]

    def look(self, seat: str, at: str, visibility: str, known: bool = True) -> str:
        """A seat's look at a card or a hand. The owner of a single card knows what is seen without being told."""
        if self.facts.single and known:
            whole = "opponent-card card" if self.facts.ranks.suited else "opponent-hand top-rank"
            if at in (whole, "opponent-card card"):
                return f"see {_OTHER[seat]}"
        return f"look {seat} {at} {sight(visibility, known)}"

    def plain(self, step: Step, known: bool) -> str:
        """A step that contains no others; "" if it has no effect."""
        seats, single = self.seats, self.facts.single
        match step:
            case Shuffle(discard_pile):
                back = discard_pile and self.facts.discards
                return f"shuffle {back}" if back or not known else ""
            case Announce(text):
                return "" if known else f"say {self.marks.mark('t', text)}"
            case AddToVariable(variable, amount):
                idle = known and variable not in self.facts.variables_read
                return "" if idle else f"add {self.marks.mark('v', variable)} {amount}"
            case Deal(count, player):
                return f"deal {seats[player]} {count}"
            case DealBoard(count):
                return f"turn {count}"
            case Draw(player, count, visibility):
                return f"draw {seats[player]} {count} {sight(visibility, known)}"
            case Discard(player, which, face_up):
                chosen = "random" if single else _TURNED[which] if self.facts.ranks.turned else which
                return f"discard {seats[player]} {chosen} {face_up}"
            case Transfer(source, target, amount):
                return f"move {seats[source]} {seats[target]} {self.chips(amount)}"
            case TakePot(player):
                return f"take {seats[player]}"
            case Score(player, amount):
                return f"score {seats[player]} {amount // self.facts.flow.unit}"
            case Peek(player, visibility):
                return (
                    self.look(seats[player], "opponent-card card", visibility)
                    if known
                    else f"peek {seats[player]} {visibility}"
                )
            case Swap(player):
                return f"swap {seats[player]}"
            case Steal(player):
                return f"steal {seats[player]}"
            case Reveal(player, which):
                if single and known:
                    return self.look(_OTHER[seats[player]], "opponent-card card", "public")
                return f"reveal {seats[player]} {which}"
            case EndGame(winner):
                return f"end {seats[winner] if winner else ''}"
        raise AssertionError(f"the canonical form does not know the step {type(step).__name__}")
