"""Drawing lists of events: between betting rounds, after the betting, or as phases of their own (G26, G32)."""

from __future__ import annotations

from typing import Final

import numpy as np

from antemill.engine.builder import caps as cap
from antemill.engine.builder import dial, names
from antemill.engine.builder.betting import betting_round, draw_opener
from antemill.engine.builder.bounds import HERE
from antemill.engine.builder.conditions import draw_condition
from antemill.engine.builder.dice import below, one_of, pick, place, total, uniform
from antemill.engine.builder.draft import apply, chain, chance, conditional, fits, name, nests, node, otherwise, when
from antemill.engine.builder.effects import CARDS, ENDS, ON_CHIPS, VISIBILITIES, draw_effects
from antemill.engine.builder.rounds import ROUNDS, back, deeper, draw_round, performed
from antemill.engine.builder.workspace import (
    ALIVE,
    DECK,
    DEPTH,
    ENCLOSING,
    FULL,
    SECRET,
    SUBPHASE_LIST,
    SUBPHASES,
    WEIGHTS,
    Draft,
)
from antemill.engine.kernel import kernel
from antemill.engine.rules.table import columns as of
from antemill.engine.rules.table.columns import Array
from antemill.engine.rules.table.order import length

EVENTS: Final = np.array((*ROUNDS, dial.W_CARDS, dial.W_CHIPS, dial.W_BETTING, dial.W_END))


@kernel
def pick_row(d: Draft, rows: Array) -> int:
    """One of these rows of the dial; their values are the weights."""
    weights = d.features[WEIGHTS : WEIGHTS + len(rows)]
    for number in range(len(rows)):
        weights[number] = d.features[rows[number]]
    return int(rows[place(weights, uniform(d) * total(weights))])


@kernel
def draw_events(d: Draft, count: int, where: int) -> int:
    """A list of `count` steps or fewer: events with or without a condition, each possible after those before it."""
    steps, drawn = of.NONE, 0
    for _ in range(count):
        if d.lo[HERE, ALIVE] and drawn < count:
            steps = chain(d, steps, draw_event(d, where, count - drawn, True, True))
            drawn = length(d.nodes, steps)
    return steps


@kernel
def draw_event(d: Draft, where: int, most: int, asks: bool, lasting: bool) -> int:
    """One event, of `most` steps or fewer.

    asks: it mostly has a condition. lasting: without a condition it must not end the game.
    """
    condition = of.NONE
    if asks and nests(d) and chance(d, dial.P_CONDITIONAL):
        condition = draw_condition(d, dial.P_COMPOUND)
    if condition == of.NONE:
        return _event(d, where, most, lasting or asks)
    public = chance(d, dial.P_PUBLIC_CHECK)
    if where == names.INTER_ROUND and public and below(d, 4) == 0:
        condition = node(d, of.ALL, chain(d, condition, node(d, of.IN_PROGRESS, 0, 0, 0)), 0, 0)
    again = chance(d, dial.P_NESTED_IF)
    most = d.state[cap.EFFECTS]
    event = announcement = False
    if chance(d, dial.P_OTHERWISE):
        event = below(d, 3) != 0
        announcement = public and not event
    start = when(d, condition, public)
    then = draw_event(d, where, most, again, False)
    otherwise(d, condition, start)
    other = of.NONE
    if event:
        other = draw_event(d, where, most, False, True)
    elif announcement:
        other = announce(d)
    return conditional(d, condition, public, start, then, other)


@kernel
def announce(d: Draft) -> int:
    """An announcement."""
    return node(d, of.ANNOUNCE, one_of(d, names.ANNOUNCEMENTS), 0, 0)


@kernel
def is_round(kind: int) -> bool:
    """Whether a row of the dial weighs rounds."""
    for each in ROUNDS:
        if kind == each:
            return True
    return False


@kernel
def _event(d: Draft, where: int, most: int, lasting: bool) -> int:
    """`draw_event` without a condition."""
    kind = pick_row(d, EVENTS)
    if kind == dial.W_END and lasting:
        kind = dial.W_CARDS
    if kind == dial.W_BETTING or is_round(kind):
        if not d.state[SECRET] and nests(d) and fits(d, 2):
            return sub_phases(d, kind, where, most)
        kind = dial.W_CARDS
    if kind == dial.W_CHIPS:
        return draw_effects(d, ON_CHIPS, most)
    if kind == dial.W_END:
        return draw_effects(d, ENDS, most)
    return draw_cards(d, most)


@kernel
def sub_phases(d: Draft, kind: int, where: int, most: int) -> int:
    """New sub-phases of the kind, or an existing one."""
    if d.state[SUBPHASES] and chance(d, dial.P_REUSE):
        known = 0
        for number in range(d.state[SUBPHASES]):
            known += _fits(d, d.lists[SUBPHASE_LIST, number])
        if known:
            return apply(d, node(d, of.PERFORM, _fitting(d, below(d, known)), 0, 0))
    before = deeper(d, most)
    if kind == dial.W_BETTING:
        called = name(d, names.EXTRA_BETTING_ROUND, where)
        one, other = betting_round(d, called, draw_opener(d)), of.NONE
    else:
        one, other = draw_round(d, kind, where)
        _remember(d, one)
        if other != of.NONE:
            _remember(d, other)
    back(d, before)
    return performed(d, one, other)


@kernel
def _remember(d: Draft, phase: int) -> None:
    """Keep the sub-phase as one that may be performed again."""
    if d.state[SUBPHASES] == d.lists.shape[1]:
        d.state[FULL] = 1
        return
    d.lists[SUBPHASE_LIST, d.state[SUBPHASES]] = phase
    d.state[SUBPHASES] += 1


@kernel
def _fits(d: Draft, phase: int) -> bool:
    """Whether the phase, with all that is nested in it, may be performed here."""
    return bool(d.state[DEPTH] + 1 + nesting(d.nodes, phase) <= d.state[cap.NESTING])


@kernel
def _fitting(d: Draft, number: int) -> int:
    """The sub-phase with this number among those that fit."""
    for index in range(d.state[SUBPHASES]):
        phase = d.lists[SUBPHASE_LIST, index]
        if _fits(d, phase):
            if number == 0:
                return int(phase)
            number -= 1
    return of.NONE


@kernel
def draw_cards(d: Draft, most: int) -> int:
    """Cards move or are shown. A draw for both that the deck may not allow is guarded, as in the paper's sample."""
    lo, hi = d.lo[HERE, DECK], d.hi[HERE, DECK]
    asked = d.state[ENCLOSING] >> of.DECK_SIZE_IS & 1
    if nests(d) and lo < 2 <= hi and not asked and below(d, 2):
        draw = node(d, of.DRAW, of.BOTH, 1, pick(d, VISIBILITIES))
        enough = node(d, of.DECK_SIZE_IS, of.AT_LEAST, 2, 0)
        guarded = node(d, of.IF, enough, draw, node(d, of.ANNOUNCE, names.SKIPPED_DRAW, 0, 0))
        d.nodes[guarded, of.IF_PUBLIC] = True
        return apply(d, guarded)
    steps = draw_effects(d, CARDS, most)
    return steps if steps != of.NONE else draw_effects(d, ON_CHIPS, most)


# ------------------------------------------------------------------------------------------------ nesting


@kernel(inline="always")
def _deepest(nodes: Array, first: int) -> int:
    """The largest depth in a list of steps."""
    most, step = 0, first
    while step != of.NONE:
        most = max(most, nesting(nodes, step))
        step = nodes[step, of.NEXT]
    return most


@kernel
def nesting(nodes: Array, node: int) -> int:
    """The largest number of conditionals and performed sub-phases that enclose a step of a phase.

    For a step, it counts itself.
    """
    kind = nodes[node, of.KIND]
    if kind < of.IF:
        return 0
    if kind == of.IF:
        return 1 + max(_deepest(nodes, nodes[node, of.IF_THEN]), _deepest(nodes, nodes[node, of.IF_OTHERWISE]))
    if kind == of.PERFORM:
        return 1 + nesting(nodes, nodes[node, of.PERFORM_PHASE])
    if kind == of.STEPS:
        return _deepest(nodes, nodes[node, of.STEPS_STEPS])
    most = 0
    if kind == of.BETTING_LOOP:
        most = _deepest(nodes, nodes[node, of.BETTING_LOOP_BETWEEN])
    elif kind == of.ACTION_ROUND:
        option = nodes[node, of.ACTION_ROUND_OPTIONS]
        while option != of.NONE:
            most = max(most, _deepest(nodes, nodes[option, of.OPTION_STEPS]))
            option = nodes[option, of.NEXT]
    elif kind == of.SIMULTANEOUS:
        most = _deepest(nodes, nodes[node, of.SIMULTANEOUS_OTHERS])
        cell = nodes[node, of.SIMULTANEOUS_CELLS]
        while cell != of.NONE:
            most = max(most, _deepest(nodes, nodes[cell, of.CELL_STEPS]))
            cell = nodes[cell, of.NEXT]
    return most
