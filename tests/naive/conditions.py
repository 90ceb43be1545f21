"""Conditions: their truth, what they read, and the numbers of a spec's conditionals."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import assert_never

import msgspec

from antemill.engine.rules.spec import (
    ActionRound,
    All,
    AnyOf,
    Auction,
    BettingLoop,
    BoardHasRank,
    ChipsAre,
    Condition,
    DeckSizeIs,
    FixedBetting,
    GameSpec,
    HandSizeIs,
    HasHigherCard,
    HoldsRank,
    HoldsSuit,
    If,
    InProgress,
    Leads,
    Not,
    Observation,
    Phase,
    Positions,
    PotIs,
    Showdown,
    SideBet,
    Simultaneous,
    Step,
    Steps,
    VariableBetting,
    VariableIs,
)

from .state import SEATS, Table

COMPARE: dict[str, Callable[[int, int], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    ">=": operator.ge,
    ">": operator.gt,
}


def holds(condition: Condition, table: Table) -> bool:
    """Whether the condition is true now."""
    match condition:
        case ChipsAre(player=player, op=op, value=value):
            return COMPARE[op](table.stacks[table.seat(player)], value)
        case PotIs(op=op, value=value):
            return COMPARE[op](table.pot, value)
        case DeckSizeIs(op=op, value=value):
            return COMPARE[op](len(table.deck), value)
        case HandSizeIs(player=player, op=op, value=value):
            return COMPARE[op](len(table.hands[table.seat(player)]), value)
        case HasHigherCard(player=player):
            own, other = table.hands[table.seat(player)], table.hands[1 - table.seat(player)]
            return bool(own) and (not other or table.top_rank(own) > table.top_rank(other))
        case HoldsRank(player=player, ranks=ranks):
            return any(table.rank(card) in ranks for card in table.hands[table.seat(player)])
        case HoldsSuit(player=player, suit=suit):
            return any(table.suit_name(card) == suit for card in table.hands[table.seat(player)])
        case BoardHasRank(ranks=ranks):
            return any(table.rank(card) in ranks for card in table.board)
        case VariableIs(variable=variable, op=op, value=value):
            return COMPARE[op](table.variables[variable], value)
        case Leads(seat=seat):
            return table.leader == SEATS[seat]
        case InProgress():
            return True
        case All(conditions=conditions):
            return all(holds(part, table) for part in conditions)
        case AnyOf(conditions=conditions):
            return any(holds(part, table) for part in conditions)
        case Not(condition=inner):
            return not holds(inner, table)
        case _:
            assert_never(condition)


def nodes(thing: object) -> Iterator[msgspec.Struct]:
    """Every struct inside `thing`, itself included."""
    if isinstance(thing, msgspec.Struct):
        yield thing
        for field in thing.__struct_fields__:
            yield from nodes(getattr(thing, field))
    elif isinstance(thing, tuple):
        for item in thing:
            yield from nodes(item)


def reads_hidden(condition: Condition) -> bool:
    """Whether the condition looks at a player's hand."""
    return any(isinstance(node, HandSizeIs | HasHigherCard | HoldsRank | HoldsSuit) for node in nodes(condition))


def reads_suits(spec: GameSpec) -> bool:
    """Whether any rule of the game depends on suits; if none does, cards of one rank are equivalent."""

    def does(node: msgspec.Struct) -> bool:
        match node:
            case HoldsSuit() | Showdown(metric="suits") | Observation(signal="suit"):
                return True
        return False

    return any(does(node) for node in nodes(spec))


def step_lists(phase: Phase) -> list[tuple[Step, ...]]:
    """The lists of steps that the phase owns, in field order."""
    match phase:
        case Steps(steps=steps):
            return [steps]
        case BettingLoop(between=between):
            return [between]
        case ActionRound(options=options):
            return [option.steps for option in options]
        case Simultaneous(cells=cells, others=others):
            return [*(cell.steps for cell in cells), others]
        case Auction() | FixedBetting() | VariableBetting() | Observation() | Positions() | SideBet() | Showdown():
            return []
        case _:
            assert_never(phase)


def count(steps: Sequence[Step]) -> int:
    """The number of conditionals in the steps, nested ones included."""
    return sum(1 + count(step.then) + count(step.otherwise) for step in steps if isinstance(step, If))


def first_conditionals(spec: GameSpec) -> dict[str, int]:
    """The number of each phase's first conditional (a phase without any gets the next number to be given)."""
    first: dict[str, int] = {}
    number = 0
    for phase in spec.phases:
        first[phase.name] = number
        own = isinstance(phase, VariableBetting) or (isinstance(phase, Observation) and phase.trigger is not None)
        number += int(own) + sum(count(steps) for steps in step_lists(phase))
    return first
