"""The plan of a game: the kinds of its main phases, and their order."""

from __future__ import annotations

from typing import Final

import numpy as np

from antemill.engine.builder import caps as cap
from antemill.engine.builder import dial, names
from antemill.engine.builder.dice import below, between, one_of
from antemill.engine.builder.draft import around, chance, variable
from antemill.engine.builder.events import pick_row
from antemill.engine.builder.rounds import ROUNDS
from antemill.engine.builder.workspace import EXTRA_LIST, FULL, PLAN_LIST, THEME, Draft
from antemill.engine.kernel import kernel

_CORE: Final = np.array((dial.W_ACTION, dial.W_SIMULTANEOUS, dial.W_AUCTION))  # what a game without betting is about
_EXTRA: Final = np.array((*ROUNDS, dial.W_CARDS, dial.W_CHIPS, dial.W_EVENTS))

# Kinds of main phases that no row of the dial weighs.
SETUP, ANTES, BETTING, POST, CHAPTER, SETTLEMENT, ASSIGNMENT, SHOWDOWN = range(100, 108)


@kernel
def nodes_of(kind: int) -> int:
    """The fewest nodes of the phase graph that a kind of main phase needs."""
    return 2 if kind == BETTING else 1


@kernel
def _put(d: Draft, count: int, kind: int, place: int) -> int:
    """Insert a phase into a plan of `count` phases if it fits; returns the new number of phases."""
    nodes = nodes_of(kind)
    for number in range(count):
        nodes += nodes_of(d.lists[PLAN_LIST, number])
    if count >= d.state[cap.MAIN_PHASES] - 3 or nodes > d.state[cap.PHASES] - 3:
        return count
    if count + 3 >= d.lists.shape[1]:
        d.state[FULL] = 1
        return count
    place = min(place, count)
    for number in range(count, place, -1):
        d.lists[PLAN_LIST, number] = d.lists[PLAN_LIST, number - 1]
    d.lists[PLAN_LIST, place] = kind
    return count + 1


@kernel
def _bets(d: Draft, count: int) -> int:
    """How often a plan bets."""
    found = 0
    for number in range(count):
        found += d.lists[PLAN_LIST, number] == BETTING
    return found


@kernel
def draw_plan(d: Draft) -> int:
    """Plan the kinds of the main phases in order; returns their number.

    The core of the game comes first, then whatever else fits.
    """
    count = 0
    if chance(d, dial.P_NO_BETTING):
        for _ in range(2):
            kind = pick_row(d, _CORE)
            count = _put(d, count, kind, below(d, count + 1))
    else:
        count = _put(d, count, BETTING, 0)
        if chance(d, dial.P_SECOND_BETTING):
            count = _put(d, count, BETTING, 0)
    if chance(d, dial.P_POST):
        count = _put(d, count, POST, max(1, _bets(d, count)))
    for _ in range(around(d, dial.CHAPTERS)):
        count = _put(d, count, CHAPTER, between(d, _bets(d, count), count))
    if chance(d, dial.P_VARIABLE_THEME):
        d.state[THEME] = variable(d, one_of(d, names.VARIABLES))
        count = _put(d, count, SETTLEMENT, count)
    if chance(d, dial.P_POSITIONS):
        count = _put(d, count, ASSIGNMENT, below(d, count))
    count = _put_extra(d, count)
    for number in range(count + 1, 1, -1):
        d.lists[PLAN_LIST, number] = d.lists[PLAN_LIST, number - 2]
    d.lists[PLAN_LIST, 0], d.lists[PLAN_LIST, 1], d.lists[PLAN_LIST, count + 2] = SETUP, ANTES, SHOWDOWN
    return count + 3


@kernel
def _put_extra(d: Draft, count: int) -> int:
    """Insert further phases at random places. All kinds are drawn before the first is inserted."""
    extra = around(d, dial.EXTRA_PHASES)
    if extra > d.lists.shape[1]:
        d.state[FULL] = 1
        return count
    for number in range(extra):
        d.lists[EXTRA_LIST, number] = pick_row(d, _EXTRA)
    for number in range(extra):
        count = _put(d, count, d.lists[EXTRA_LIST, number], below(d, count + 1))
    return count
