"""Templates of rounds in which a player chooses or observes (GENSTRAT appendix A's phase blocks).

Each draws a phase and the sub-phases that it performs, puts them into the graph and plays them. It returns the rows of
the phases in order of play: two if each player has one and `MOST` allows it, else one and `NONE`. Call a template only
if a phase `fits`.

Choices lead to sub-phases, which are rounds again: the templates are parts of one recursive kernel, `draw_round`.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from antemill.engine.builder import caps as cap
from antemill.engine.builder import dial, names
from antemill.engine.builder.bounds import HERE
from antemill.engine.builder.dice import below, between, pick, sample, weighted
from antemill.engine.builder.draft import (
    add_played,
    begin_phase,
    chain,
    chance,
    dropped,
    ended,
    fits,
    fork,
    merge,
    name,
    nests,
    node,
    player,
)
from antemill.engine.builder.effects import change_variable, draw_cell
from antemill.engine.builder.following import follow
from antemill.engine.builder.menus import draw_duel, draw_menu, draw_option
from antemill.engine.builder.plain_rounds import auction_round, observation_rounds, other_player, side_bets
from antemill.engine.builder.workspace import (
    DEPTH,
    MOST,
    POOL,
    SECRET,
    THEME,
    Draft,
)
from antemill.engine.kernel import kernel
from antemill.engine.rules.table import columns as of

# The kinds of rounds are identified by the dial's rows that weigh them.
ROUNDS: Final = np.array((dial.W_ACTION, dial.W_SIMULTANEOUS, dial.W_AUCTION, dial.W_OBSERVATION, dial.W_SIDE_BET))
_NESTED: Final = weighted((dial.W_AUCTION, 1.0), (dial.W_OBSERVATION, 1.0), (dial.W_ACTION, 1.5))


@kernel
def _may_perform(d: Draft) -> bool:
    return nests(d) and not d.state[SECRET] and fits(d, 2) and chance(d, dial.P_NEST)


@kernel
def performed(d: Draft, one: int, other: int) -> int:
    """The steps that perform one phase, or two in turn."""
    if one == of.NONE:
        return of.NONE
    first = node(d, of.PERFORM, one, 0, 0)
    return first if other == of.NONE else chain(d, first, node(d, of.PERFORM, other, 0, 0))


@kernel
def deeper(d: Draft, most: int) -> int:
    """Prepare for at most `most` sub-phases, performed here in turn; returns the argument of `back`."""
    before = d.state[MOST]
    d.state[MOST] = most
    d.state[DEPTH] += 1
    return int(before)


@kernel
def back(d: Draft, before: int) -> None:
    """Restore the state from before `deeper`: the sub-phases are drawn."""
    d.state[DEPTH] -= 1
    d.state[MOST] = before


@kernel(inline="always")
def _sub_rounds(d: Draft, kind: int) -> int:
    """The steps that perform a round of the kind as a sub-phase of another."""
    before = deeper(d, d.state[cap.EFFECTS])
    one, other = draw_round(d, kind, names.SUB_ROUND)
    back(d, before)
    return performed(d, one, other)


# ------------------------------------------------------------------------------------------------ action rounds


@kernel(inline="always")
def _action_rounds(d: Draft, where: int) -> tuple[int, int]:
    """A menu for one player, or the same menu for both in turn."""
    first = player(d)
    second = other_player(d, first)
    menu = draw_menu(d, first, second)
    public = not chance(d, dial.P_PRIVATE_ACTION)
    picks = 2 if chance(d, dial.P_PICK_TWICE) else 1
    place = begin_phase(d)
    if second != of.NONE:
        begin_phase(d)
    duel = of.NONE
    if _may_perform(d):
        start = fork(d)
        duel = _sub_rounds(d, dial.W_SIMULTANEOUS)
        dropped(d, start)
        menu = _without_last(d, menu)
        public = True  # everyone sees the duel begin
    one = other = of.NONE
    for number in range(1 + (second != of.NONE)):
        actor = second if number else first
        phase = _action_round(d, menu, duel, actor, public, picks, where, place + number)
        one, other = (one, phase) if number else (phase, of.NONE)
    return one, other


@kernel
def _without_last(d: Draft, first: int) -> int:
    """The list without its last node."""
    if first == of.NONE or d.nodes[first, of.NEXT] == of.NONE:
        return of.NONE
    last = first
    while d.nodes[d.nodes[last, of.NEXT], of.NEXT] != of.NONE:
        last = d.nodes[last, of.NEXT]
    d.nodes[last, of.NEXT] = of.NONE
    return first


@kernel
def _action_round(d: Draft, menu: int, duel: int, actor: int, public: bool, picks: int, where: int, place: int) -> int:
    """An action round of one player."""
    start = fork(d)
    options, entry = of.NONE, menu
    while entry != of.NONE:
        options = chain(d, options, draw_option(d, entry, actor, start))
        entry = d.nodes[entry, of.NEXT]
    if duel != of.NONE:
        options = chain(d, options, draw_duel(d, duel, start))
    phase = node(d, of.ACTION_ROUND, name(d, names.ACTION_ROUNDS[actor], where), actor, options)
    d.nodes[phase, of.ACTION_ROUND_PUBLIC] = public
    merge(d, start)
    d.nodes[phase, of.ACTION_ROUND_PICKS] = picks - 1  # one pick is played
    follow(d, HERE, phase, False)
    d.nodes[phase, of.ACTION_ROUND_PICKS] = picks
    return add_played(d, phase, place)


# ------------------------------------------------------------------------------------------------ simultaneous rounds


@kernel(inline="always")
def _simultaneous_round(d: Draft, where: int) -> tuple[int, int]:
    """Two or three options each; some pairs have an outcome of their own, the others share one."""
    place = begin_phase(d)
    three = d.state[cap.SIMULTANEOUS_OPTIONS] > 2 and chance(d, dial.P_THREE_OPTIONS)
    many = 3 if three else 2
    vocabulary = names.TRIPLES if three else names.PAIRS
    said = vocabulary[below(d, len(vocabulary))]
    options = of.NONE
    for number in range(many):
        options = chain(d, options, node(d, of.NAME, said[number], 0, 0))
    pairs = many * many
    own = between(d, 2, min(pairs, 5))
    chosen = _chosen(d, pairs, own)
    start = fork(d)
    cells, others, made = of.NONE, of.NONE, 0
    for pair in range(pairs + (own < pairs)):  # the last one stands for all pairs without an outcome of their own
        if pair == pairs and not below(d, 2):
            others = node(d, of.NO_ACTION, 0, 0, 0)
            ended(d, start)
        elif pair == pairs or chosen >> pair & 1:
            may_end = pair < pairs and (own < pairs or made + 1 < own)  # some pair lets the game go on
            steps = _cell(d, may_end, start)
            if pair == pairs:
                others = steps
            else:
                cells = chain(d, cells, node(d, of.CELL, said[pair // many], said[pair % many], steps))
                made += 1
    merge(d, start)
    phase = node(d, of.SIMULTANEOUS, name(d, names.SIMULTANEOUS_ROUND, where), options, options)
    d.nodes[phase, of.SIMULTANEOUS_CELLS] = cells
    d.nodes[phase, of.SIMULTANEOUS_OTHERS] = others
    return add_played(d, phase, place), of.NONE


@kernel
def _chosen(d: Draft, pairs: int, count: int) -> int:
    """`count` of the pairs, as bits."""
    for pair in range(pairs):
        d.lists[POOL, pair] = pair
    sample(d, d.lists[POOL, :pairs], count)
    found = 0
    for i in range(count):
        found |= 1 << d.lists[POOL, i]
    return found


@kernel(inline="always")
def _cell(d: Draft, may_end: bool, start: int) -> int:
    """The outcome of a pair of choices, drawn as a line of play."""
    if _may_perform(d):
        steps = _sub_rounds(d, pick(d, _NESTED))
    elif d.state[THEME] != of.NONE and below(d, 4) == 0:
        steps = change_variable(d)
    else:
        steps = draw_cell(d, may_end)
    ended(d, start)
    return steps if steps != of.NONE else node(d, of.NO_ACTION, 0, 0, 0)


# ------------------------------------------------------------------------------------------------ any of them


@kernel
def draw_round(d: Draft, kind: int, where: int) -> tuple[int, int]:
    """A round of the kind, or its substitute where such a round makes no sense."""
    if kind == dial.W_AUCTION:
        phase = auction_round(d, where)
        if phase != of.NONE:
            return phase, of.NONE
    elif kind == dial.W_OBSERVATION:
        phases = observation_rounds(d, where)
        if phases[0] != of.NONE:
            return phases
    elif kind == dial.W_SIDE_BET:
        phases = side_bets(d, where)
        if phases[0] != of.NONE:
            return phases
    if kind in (dial.W_ACTION, dial.W_SIDE_BET):
        return _action_rounds(d, where)
    return _simultaneous_round(d, where)
