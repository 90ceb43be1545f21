"""The names of players, actions, cards and branches in playouts, matches and trees."""

from __future__ import annotations

import re
from collections.abc import Iterable

from antemill.engine.machine import layout as at
from antemill.engine.machine.branches import Branch, outcome_card
from antemill.engine.machine.events import Chance
from antemill.engine.machine.layout import DECIDE
from antemill.engine.machine.program import DecisionType, Int64Array, Program

SEATS = ("Alice", "Bob")
_NAMED = re.compile(r"\b(?:Alice|Bob)\b")
FACES = {11: "J", 12: "Q", 13: "K", 14: "A"}


def exchanged(text: str) -> str:
    """The text with Alice called Bob, and Bob called Alice."""
    return _NAMED.sub(lambda found: SEATS[1 - SEATS.index(found[0])], text)


def unique(names: Iterable[str]) -> list[str]:
    """The names, with repeated ones numbered."""
    labels: dict[str, None] = {}
    counts: dict[str, int] = {}
    for name in names:
        label, count = name, counts.get(name, 1)
        while label in labels:
            count += 1
            label = f"{name} ({count})"
        counts[name] = count
        labels[label] = None
    return [*labels]


def action_name(kind: DecisionType, action: int) -> str:
    """An action as its label, or as its amount."""
    return kind.labels[action] if kind.labels else str(action)


def card_name(program: Program, card: int) -> str:
    """A card as its rank, with the suit if there are several: K, 10-hearts."""
    suits = program.names.suits
    rank = program.names.ranks[card // len(suits)]
    face = FACES.get(rank, str(rank))
    return face if len(suits) == 1 else f"{face}-{suits[card % len(suits)]}"


def branch_label(program: Program, state: Int64Array, branch: Branch) -> str:
    """The name of a branch of a state: its action, its card (only the rank if no rule reads suits) or its outcome."""
    if state[at.STOP] == DECIDE:
        return action_name(program.names.decisions[int(state[at.DECISION])], branch.number)
    if outcome_card(program.code, state, branch.choice) >= 0:
        return class_name(program, branch.number)
    if (state[at.ADDRESS] >> 16) // 3 == Chance.COST:
        return ("due", "not due")[branch.number]
    return SEATS[branch.number]


def class_name(program: Program, card: int) -> str:
    """The name of a card's class."""
    name = card_name(program, card)
    return name if program.suited else name.partition("-")[0]
