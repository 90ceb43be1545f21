"""Questions put to the players."""

from __future__ import annotations

from collections.abc import Mapping

from antemill.engine.machine.events import EVERYONE, Event

from .state import Decision, DecisionType, Table
from .views import context, info, recall


def ask(table: Table, seat: int, kind: DecisionType, offered: Mapping[int, str]) -> int:
    """The player's action; `offered` gives the label of each action on the menu."""
    assert offered, f"{kind[0]} offers nothing that the player can afford"
    menu = tuple(sorted(offered))
    decision = Decision(
        seat=seat,
        phase=kind[0],
        move_type=kind[1],
        move_name=kind[2],
        menu=menu,
        labels=tuple(offered[action] for action in menu),
        recall=recall(table, seat, kind, menu),
        info=info(table, seat, kind),
        context=context(table, seat, kind),
        chips=(table.stacks[0], table.stacks[1]),
        pot=table.pot,
        deck_size=len(table.deck),
    )
    table.phases.add(kind[0])
    action = table.chooser.decide(decision)
    assert action in menu, f"action {action} is not on the menu {menu}"
    table.decisions.append((decision, action))
    return action


def choose(table: Table, seat: int, kind: DecisionType, offered: Mapping[int, str], told: int = EVERYONE) -> int:
    """The player's action, logged as a CHOICE."""
    action = ask(table, seat, kind, offered)
    table.emit(Event.CHOICE, seat, kind, action, told=told)
    return action


def lock(table: Table, seat: int, kind: DecisionType, offered: Mapping[int, str], at_most: int = 10_000) -> int:
    """The player's secret action, told to no other player before the reveal; a bid above `at_most` counts as that."""
    action = min(ask(table, seat, kind, offered), at_most)
    table.emit(Event.LOCK, seat, kind, action, told=1 << seat)
    return action
