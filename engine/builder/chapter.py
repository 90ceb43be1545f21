"""Chapters: whole parts of a game that are played on a condition (GENSTRAT appendix A: conditional transitions).

Most drafts that the gate rejects are rejected for these. A condition asks for two or three things at once, each with a
threshold from anywhere in the range of what it reads; if they hardly ever come together, all that is behind it is rare.
"""

from __future__ import annotations

from typing import Final

from engine.builder.conditions import draw_condition
from engine.builder.draft import Draft
from engine.builder.events import sub_phases
from engine.builder.loop import betting, declare_counter
from engine.builder.rounds import ROUNDS
from engine.rules.spec import Step

WHERE: Final = " (escalation)"
_ROOM: Final = 6  # phases: rounds for both players, and a loop of several rounds


def draw_chapter(d: Draft) -> tuple[Step, ...]:
    """A condition with sub-phases behind it; nothing if no condition can come out both ways or there is no room."""
    if not (d.nests() and d.room(_ROOM)):
        return ()
    condition = draw_condition(d, "p_chapter_compound")
    if condition is None:
        return ()
    bets = d.chance("p_chapter_betting")
    if bets:
        declare_counter(d)  # variables are declared on the main line
    return (d.conditional(condition, True, lambda: _chapter(d, bets)),)


def _chapter(d: Draft, bets: bool) -> tuple[Step, ...]:
    """Some rounds, and betting on what has come of them."""
    steps = _rounds(d, d.caps.effects - bets)
    if bets and d.bounds.alive and d.room(2):
        steps += d.perform(lambda d, _: betting(d, "p_chapter_loop"), WHERE, 1)
    return steps


def _rounds(d: Draft, most: int) -> tuple[Step, ...]:
    """Rounds of different kinds."""
    steps: tuple[Step, ...] = ()
    kinds: list[str] = []
    while d.bounds.alive and len(steps) < most and d.room(3):
        kind = d.dice.find(d.table(tuple(ROUNDS)), lambda kind: kind not in kinds)
        if kind is None:
            break
        kinds.append(kind)
        steps += sub_phases(d, kind, WHERE, most - len(steps))
    return steps
