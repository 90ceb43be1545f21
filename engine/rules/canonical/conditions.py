"""Conditions as texts: comparisons as ranges, connectives as "all" and "not", in a sorted order.

A comparison becomes "at least n" or its negation, and "==" becomes both. "any" is the negation of an "all". The empty
"all" always holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from antemill.engine.rules.canonical.facts import Facts
from antemill.engine.rules.canonical.marks import Marks
from antemill.engine.rules.spec import (
    All,
    AnyOf,
    BoardHasRank,
    ChipsAre,
    Comparison,
    Condition,
    DeckSizeIs,
    HandSizeIs,
    HasHigherCard,
    HoldsRank,
    HoldsSuit,
    InProgress,
    Leads,
    Not,
    PotIs,
    VariableIs,
)


class Test(NamedTuple):
    """A condition, or its negation."""

    text: str
    holds: bool = True  # whether the text must hold
    parts: tuple[str, ...] = ()  # of an "all"

    def __str__(self) -> str:
        return self.text if self.holds else f"not {self.text}"

    @property
    def opposite(self) -> Test:
        return self._replace(holds=not self.holds)


ALWAYS = Test("all[]")


class Conditions:
    """Writes the conditions of a spec. seats: the letter of every player."""

    def __init__(self, facts: Facts, marks: Marks, seats: Mapping[str, str]) -> None:
        self.facts = facts
        self.marks = marks
        self.seats = seats

    def test(self, condition: Condition) -> Test:
        """A condition as a text."""
        seats, flow = self.seats, self.facts.flow
        match condition:
            case ChipsAre(player, op, value):
                start = self.facts.spec.chips if flow.free else 0
                return _range(f"chips {seats[player]}", op, value - start, flow.unit, None if flow.free else 0)
            case PotIs(op, value):
                return _range("pot", op, value, flow.unit, 0)
            case DeckSizeIs(op, value):
                return _range("deck", op, value, least=0)
            case HandSizeIs(player, op, value):
                return _range(f"hand {seats[player]}", op, value, least=0)
            case VariableIs(variable, op, value):
                return _range(self.marks.mark("v", variable), op, value)
            case HasHigherCard(player):
                return Test(f"higher {seats[player]}")
            case HoldsRank(player, ranks):
                return Test(f"rank {seats[player]} {self._ranks(ranks)}")
            case BoardHasRank(ranks):
                return Test(f"board {self._ranks(ranks)}")
            case HoldsSuit(player, suit):
                return Test(f"suit {seats[player]} {self.marks.mark('s', suit)}")
            case Leads(seat):
                return self._leads(seats[seat])
            case All(conditions):
                return self._all(map(self.test, conditions))
            case AnyOf(conditions):
                return self._all(self.test(part).opposite for part in conditions).opposite
            case Not(inner):
                return self.test(inner).opposite
            case InProgress():
                return ALWAYS
        raise AssertionError(f"the canonical form does not know the condition {type(condition).__name__}")

    def _ranks(self, ranks: Iterable[int]) -> str:
        """The indices of the ranks from the lowest on, or from the highest if the ranks are turned."""
        order = self.facts.spec.deck.ranks
        places = (order.index(rank) for rank in ranks)
        turned = (len(order) - 1 - place for place in places) if self.facts.ranks.turned else places
        return ",".join(map(str, sorted(turned)))

    def _leads(self, seat: str) -> Test:
        if not self.facts.roles:
            return Test(ALWAYS.text, seat == self.seats["leader"])
        return Test("led by the first", seat == "A")

    def _all(self, tests: Iterable[Test]) -> Test:
        """Whether all of the tests hold."""
        parts: dict[str, Test] = {}
        for test in tests:
            if test == ALWAYS.opposite:
                return test
            if test.holds and test.parts:
                parts |= dict.fromkeys(test.parts, test)
            elif test != ALWAYS:
                parts[str(test)] = test
        if any(f"not {text}" in parts for text in parts):
            return ALWAYS.opposite
        if len(parts) == 1:
            return next(iter(parts.values()))
        ordered = self.marks.order(parts)
        return Test(f"all[{'&'.join(ordered)}]", parts=tuple(ordered))


def _range(what: str, op: Comparison, value: int, unit: int = 1, least: int | None = None) -> Test:
    """A comparison, in units, of a number that is a multiple of `unit` and never below `least`."""
    low = {"==": value, ">=": value, ">": value + 1}.get(op)
    beyond = {"<": value, "<=": value + 1, "==": value + 1}.get(op)
    low = None if low is None else -(-low // unit)
    beyond = None if beyond is None else -(-beyond // unit)
    if low is not None and least is not None and low <= least:
        low = None
    if beyond is not None and ((least is not None and beyond <= least) or (low is not None and beyond <= low)):
        return ALWAYS.opposite
    below = None if beyond is None else Test(f"{what} >= {beyond}", False)
    if low is None:
        return below or ALWAYS
    above = Test(f"{what} >= {low}")
    return _both(above, below) if below else above


def _both(*tests: Test) -> Test:
    parts = tuple(sorted(map(str, tests)))
    return Test(f"all[{'&'.join(parts)}]", parts=parts)
