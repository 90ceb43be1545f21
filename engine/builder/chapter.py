"""Chapters: whole parts of a game that are played on a condition (GENSTRAT appendix A: conditional transitions).

They are why the gate rejects most of the drafts that it rejects. A condition has two or three parts, each with a
threshold from anywhere in the range of what it reads. If the parts hardly ever hold together, the chapter is rare.
"""

from __future__ import annotations

from typing import Final

from antemill.engine.builder import caps as cap
from antemill.engine.builder import dial, names
from antemill.engine.builder.bounds import HERE
from antemill.engine.builder.conditions import draw_condition
from antemill.engine.builder.dice import Weighted, find
from antemill.engine.builder.draft import (
    chain,
    chance,
    conditional,
    fits,
    may_loop,
    nests,
    next_counter,
    otherwise,
    when,
)
from antemill.engine.builder.events import sub_phases
from antemill.engine.builder.loop import betting
from antemill.engine.builder.rounds import ROUNDS, back, deeper, performed
from antemill.engine.builder.workspace import ALIVE, WEIGHTS, Draft
from antemill.engine.kernel import kernel
from antemill.engine.rules.table import columns as of
from antemill.engine.rules.table.order import length

_PHASES: Final = 6  # phases: rounds for both players, and a loop of several rounds


@kernel
def draw_chapter(d: Draft) -> int:
    """A conditional with sub-phases; NONE if no condition can come out both ways or the phases do not fit."""
    if not (nests(d) and fits(d, _PHASES)):
        return of.NONE
    condition = draw_condition(d, dial.P_CHAPTER_COMPOUND)
    if condition == of.NONE:
        return of.NONE
    bets = chance(d, dial.P_CHAPTER_BETTING)
    if bets and may_loop(d):
        next_counter(d)  # variables are declared on the main line
    start = when(d, condition, True)
    then = _chapter(d, bets)
    otherwise(d, condition, start)
    return conditional(d, condition, True, start, then, of.NONE)


@kernel
def _chapter(d: Draft, bets: bool) -> int:
    """Some rounds, then betting on their outcome."""
    steps = _rounds(d, d.state[cap.EFFECTS] - bets)
    if bets and d.lo[HERE, ALIVE] and fits(d, 2):
        before = deeper(d, 1)
        phase = betting(d, dial.P_CHAPTER_LOOP)
        back(d, before)
        steps = chain(d, steps, performed(d, phase, of.NONE))
    return steps


@kernel
def _rounds(d: Draft, most: int) -> int:
    """Rounds of different kinds."""
    steps, allowed = of.NONE, -1
    count = 0
    while d.lo[HERE, ALIVE] and count < most and fits(d, 3):
        weights = d.features[WEIGHTS : WEIGHTS + len(ROUNDS)]
        for number in range(len(ROUNDS)):
            weights[number] = d.features[ROUNDS[number]]
        kind = find(d, Weighted(ROUNDS, weights), allowed)
        if kind == of.NONE:
            break
        allowed &= ~(1 << kind)
        steps = chain(d, steps, sub_phases(d, kind, names.CHAPTER, most - count))
        count = length(d.nodes, steps)
    return steps
