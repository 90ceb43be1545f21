"""Putting a game together: deck and chips, the plan of the main phases, and each of them in the order of play."""

from __future__ import annotations

from typing import Final

import numpy as np

from antemill.engine.builder import bounds, dial, names
from antemill.engine.builder import caps as cap
from antemill.engine.builder.bounds import HERE
from antemill.engine.builder.chapter import draw_chapter
from antemill.engine.builder.conditions import draw_variable_condition
from antemill.engine.builder.dial import ARCHETYPE_SHARES, multiply, turn
from antemill.engine.builder.dice import below, between, pick, weighted
from antemill.engine.builder.draft import (
    add,
    add_played,
    apply,
    around,
    begin_phase,
    chain,
    chance,
    name,
    nests,
    node,
    player,
    size,
    skewed,
)
from antemill.engine.builder.effects import ON_CHIPS, draw_effects, payment_if
from antemill.engine.builder.events import announce, draw_cards, draw_events, is_round
from antemill.engine.builder.loop import betting
from antemill.engine.builder.plain_rounds import positions_round
from antemill.engine.builder.plan import (
    ANTES,
    ASSIGNMENT,
    BETTING,
    CHAPTER,
    POST,
    SETTLEMENT,
    SETUP,
    draw_plan,
    nodes_of,
)
from antemill.engine.builder.rounds import draw_round
from antemill.engine.builder.workspace import (
    ANTE,
    BETTING_ROUNDS,
    BOARD,
    CARDS,
    COUNTER_LIST,
    COUNTERS,
    FULL,
    GIVEN,
    HAND,
    LOW_IMPACT,
    MAIN,
    MAIN_LIST,
    MOST,
    NAMES,
    NODES,
    PENDING,
    PLAN_LIST,
    POOL,
    RANKS,
    SUITS,
    THEME,
    TOP,
    VARIABLE_CHANGED,
    VARIABLE_LIST,
    VARIABLES,
    Draft,
)
from antemill.engine.kernel import kernel
from antemill.engine.rules.limits import MAX_RANKS
from antemill.engine.rules.table import columns as of

_ARCHETYPES: Final = weighted(*enumerate(ARCHETYPE_SHARES))

# The name of a phase, by the kind of its first step.
_TITLES: Final = np.full(of.STEPS, names.SETTLEMENT)
_TITLES[of.DRAW] = names.DRAW_PHASE
_TITLES[of.DEAL_BOARD] = names.BOARD_PHASE
_TITLES[of.DISCARD] = names.DISCARD_PHASE
_TITLES[of.REVEAL] = names.REVEAL_PHASE
_TITLES[of.SWAP] = names.EXCHANGE_PHASE
_TITLES[of.PEEK] = names.PEEK_PHASE
_TITLES[of.SHUFFLE] = names.RESHUFFLE_PHASE
_TITLES[of.IF] = names.EVENT_PHASE
_TITLES[of.ANTE] = names.STAKES_PHASE


@kernel
def assemble(d: Draft, complexity: float, ranks: int, words: int) -> None:
    """Draw a game at a complexity, within all caps but the one on states.

    words: how many random words may be used. ranks: the smallest number of ranks in the deck, if the caps allow it.
    """
    d.state[: cap.FIRST] = 0
    d.state[NAMES:] = 0
    d.state[GIVEN] = words
    d.state[THEME] = of.NONE
    archetype = pick(d, _ARCHETYPES)
    turn(d.features, complexity)
    multiply(d.features, archetype)
    _begin(d, ranks)
    count = draw_plan(d)
    for number in range(count):
        d.state[PENDING] += nodes_of(d.lists[PLAN_LIST, number])
    for number in range(count):
        kind = d.lists[PLAN_LIST, number]
        d.state[PENDING] -= nodes_of(kind)
        d.state[MOST] = d.state[cap.MAIN_PHASES] - d.state[MAIN] - (count - 1 - number)
        first, second = _main_phase(d, kind)
        _play(d, first)
        _play(d, second)
    _drop_variables(d)


@kernel
def _drop_variables(d: Draft) -> None:
    """Remove what nothing uses: a variable that no choice changes, the counter of a loop that was not drawn."""
    places = d.lists[POOL, : d.state[VARIABLES]]
    kept = 0
    for number in range(len(places)):
        used = number == d.state[THEME] and d.state[VARIABLE_CHANGED]
        for counter in range(d.state[COUNTERS]):
            used |= d.lists[COUNTER_LIST, counter] == number
        places[number] = kept
        if used:
            d.lists[VARIABLE_LIST, kept] = d.lists[VARIABLE_LIST, number]
            kept += 1
    if kept == len(places):
        return
    d.state[VARIABLES] = kept
    for each in range(d.state[NODES]):
        kind = d.nodes[each, of.KIND]
        if kind in (of.VARIABLE_IS, of.ADD_TO_VARIABLE):
            d.nodes[each, of.VARIABLE_IS_VARIABLE] = places[d.nodes[each, of.VARIABLE_IS_VARIABLE]]
        elif kind == of.BETTING_LOOP:
            d.nodes[each, of.BETTING_LOOP_COUNTER] = places[d.nodes[each, of.BETTING_LOOP_COUNTER]]


@kernel
def _play(d: Draft, phase: int) -> None:
    """A phase of the main sequence."""
    if phase == of.NONE:
        return
    if d.state[MAIN] == d.lists.shape[1]:
        d.state[FULL] = 1
        return
    d.lists[MAIN_LIST, d.state[MAIN]] = phase
    d.state[MAIN] += 1


@kernel
def _begin(d: Draft, ranks: int) -> None:
    """Draw the deck, the antes and the chips."""
    _draw_deck(d, ranks)
    ante = size(d, dial.ANTE, d.state[cap.ANTE])
    chips = min(max(2 + around(d, dial.CHIPS), ante + 2), d.state[cap.CHIPS])
    bounds.begin(d, chips, d.state[RANKS] * d.state[SUITS])
    d.state[ANTE] = min(ante, chips - 1)
    d.state[LOW_IMPACT] = chance(d, dial.P_LOW_IMPACT)


@kernel
def _draw_deck(d: Draft, least: int) -> None:
    """Consecutive ranks, with the ace as the highest more often than not."""
    count = min(max(3 + skewed(d, dial.RANKS), least), min(d.state[cap.RANKS], MAX_RANKS))
    suits = min(1 + skewed(d, dial.SUITS), len(names.SUITS))
    while count * suits > d.state[cap.CARDS]:
        suits -= suits > 1
        count -= count > 3 and count * suits > d.state[cap.CARDS]
    top = max(14, count + 1)
    if count < 12 and below(d, 3) == 0:
        top = between(d, count + 1, 13)
    d.state[RANKS], d.state[SUITS], d.state[TOP] = count, suits, top


# ------------------------------------------------------------------------------------------------ the main phases


@kernel
def _main_phase(d: Draft, kind: int) -> tuple[int, int]:
    """Draw a main phase, or one for each player; NONE stands for a missing one."""
    first = second = of.NONE
    if is_round(kind):
        first, second = draw_round(d, kind, 0)
    elif kind == BETTING:
        first = betting(d, dial.P_LOOP)
    elif kind in (POST, dial.W_EVENTS):
        first = _event_list(d, kind == POST)
    elif kind == CHAPTER:
        first = _chapter(d)
    elif kind in (dial.W_CARDS, dial.W_CHIPS):
        first = _cards_or_chips(d, kind == dial.W_CARDS)
    elif kind == ASSIGNMENT:
        first = positions_round(d)
    elif kind == SETUP:
        first = _setup(d)
    elif kind == ANTES:
        first = _antes(d)
    elif kind == SETTLEMENT:
        first = _settlement(d)
    else:
        first = _showdown(d)
    return first, second


@kernel
def _steps(d: Draft, title: int, steps: int) -> int:
    """A phase of steps that were played while they were drawn; NONE if there are none."""
    if steps == of.NONE:
        return of.NONE
    place = begin_phase(d)
    return add_played(d, node(d, of.STEPS, name(d, title, 0), steps, 0), place)


@kernel
def _setup(d: Draft) -> int:
    """The deal."""
    cards = d.state[CARDS]
    hand = min(min(1 + skewed(d, dial.HAND), d.state[cap.HAND]), (cards - 1) // 2)
    steps = apply(d, node(d, of.SHUFFLE, False, 0, 0))
    steps = chain(d, steps, apply(d, node(d, of.DEAL, hand, of.BOTH, 0)))
    if 2 * hand + 1 < cards and hand < d.state[cap.HAND] and chance(d, dial.P_UNEVEN_DEAL):
        steps = chain(d, steps, apply(d, node(d, of.DEAL, 1, below(d, 2), 0)))
    if 2 * hand + 2 < cards and chance(d, dial.P_BOARD_AT_SETUP):
        steps = chain(d, steps, apply(d, node(d, of.DEAL_BOARD, 1, 0, 0)))
    return _steps(d, names.SETUP, steps)


@kernel
def _antes(d: Draft) -> int:
    """The antes, paid before the first decision."""
    ante = d.state[ANTE]
    if ante + 1 < d.hi[HERE, 0] and ante < d.state[cap.ANTE] and chance(d, dial.P_BLINDS):
        small = below(d, 2)
        first = apply(d, node(d, of.ANTE, small, ante, 0))
        steps = chain(d, first, apply(d, node(d, of.ANTE, 1 - small, ante + 1, 0)))
    else:
        steps = apply(d, node(d, of.ANTE, of.BOTH, ante, 0))
    return _steps(d, names.ANTE_PHASE, steps)


@kernel
def _event_list(d: Draft, post: bool) -> int:
    """A list of events. post: those that follow the betting, if there was any."""
    title, where = names.EVENT_PHASE, names.EVENT
    if not post:
        count = 1 + below(d, min(2, d.state[cap.EVENTS]))
    else:
        count = size(d, dial.POST_EVENTS, d.state[cap.EVENTS])
        if d.state[BETTING_ROUNDS]:
            title, where = names.POST_BETTING, names.AFTER_BETTING
    place = begin_phase(d)
    called = name(d, title, 0)
    steps = draw_events(d, count, where)
    if steps == of.NONE:
        steps = announce(d)
    return add_played(d, node(d, of.STEPS, called, steps, 0), place)


@kernel
def _chapter(d: Draft) -> int:
    """A part of the game that is played on a condition; an event where such a part does not fit."""
    place = begin_phase(d)
    title, steps = names.ESCALATION, draw_chapter(d)
    if steps == of.NONE:
        title, steps = names.EVENT_PHASE, draw_events(d, 1, names.EVENT)
    if steps == of.NONE:
        steps = announce(d)
    return add_played(d, node(d, of.STEPS, name(d, title, 0), steps, 0), place)


@kernel
def _cards_or_chips(d: Draft, cards: bool) -> int:
    """A phase in which cards or chips move; it is named after its first step."""
    most = d.state[cap.EVENTS]
    steps = draw_cards(d, most) if cards else draw_effects(d, ON_CHIPS, most)
    if steps == of.NONE:
        return of.NONE
    return _steps(d, _TITLES[d.nodes[steps, of.KIND]], steps)


@kernel
def _settlement(d: Draft) -> int:
    """The phase that settles the game's own variable."""
    if not d.state[VARIABLE_CHANGED] or not nests(d):
        return of.NONE
    condition = draw_variable_condition(d)
    if condition == of.NONE:
        return of.NONE
    return _steps(d, names.RECKONING, payment_if(d, condition, True, player(d)))


@kernel
def _showdown(d: Draft) -> int:
    """The showdown, which ends the game."""
    place = begin_phase(d)
    hi = d.hi[HERE]
    board = hi[BOARD] > 0
    metric = of.SHOWDOWN_HIGH
    if chance(d, dial.P_METRIC):
        several = board or max(hi[HAND], hi[HAND + 1]) > 1
        metrics = 1 if not several else 4 if d.state[SUITS] > 1 else 2
        metric = of.SHOWDOWN_LOW + below(d, metrics)
    return add(d, node(d, of.SHOWDOWN, name(d, names.SHOWDOWN, 0), metric, board), place)
