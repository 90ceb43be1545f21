"""Templates of rounds in which somebody chooses or observes (GENSTRAT appendix A's phase blocks).

Each draws a phase and the sub-phases that it performs, puts them into the graph, plays them, and returns the rows of
what is played in turn: two phases if each player has one and `MOST` allows it, else one and `NONE`. A template must not
be called without `room` for a phase.

Choices lead to sub-phases, which are rounds again: the templates are the parts of one kernel, `draw_round`, which calls
itself.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.builder import caps as cap
from engine.builder import names
from engine.builder import rows as row
from engine.builder.bounds import HERE
from engine.builder.conditions import draw_card_condition, draw_condition
from engine.builder.dice import Weighted, below, between, pick, sample, weighted
from engine.builder.draft import (
    add,
    add_played,
    begin_phase,
    chain,
    chance,
    dropped,
    ended,
    fork,
    merge,
    name,
    nests,
    node,
    opponent,
    player,
    room,
    same,
    size,
)
from engine.builder.effects import VISIBILITIES, draw_cell, most_cards, most_chips, stir
from engine.builder.following import follow
from engine.builder.menus import draw_duel, draw_menu, draw_option
from engine.builder.room import (
    BET_LIST,
    BETS,
    DECK,
    DEPTH,
    HAND,
    MOST,
    POOL,
    POSITIONS,
    SECRET,
    SIDE_BETS,
    SUITS,
    THEME,
    WEIGHTS,
    Draft,
)
from engine.kernel import kernel
from engine.rules.table import columns as of
from engine.rules.table.columns import Array

# Rounds are known by the rows of the dial that weigh them.
ROUNDS: Final = np.array((row.W_ACTION, row.W_SIMULTANEOUS, row.W_AUCTION, row.W_OBSERVATION, row.W_SIDE_BET))
_NESTED: Final = weighted((row.W_AUCTION, 1.0), (row.W_OBSERVATION, 1.0), (row.W_ACTION, 1.5))

# What there is to see.
_SUBJECTS: Final = np.array(
    (
        (of.OPPONENT_CARD, of.CARD),
        (of.OPPONENT_HAND, of.TOP_RANK),
        (of.OPPONENT_CARD, of.SUIT),
        (of.DECK_CARD, of.CARD),
        (of.DECK_CARD, of.SUIT),
        (of.OPPONENT_HAND, of.SIZE),
    )
)
_SIX: Final = np.arange(6)


@kernel
def _other_player(d: Draft, first: int) -> int:
    """Who has a round after the first player: often the opponent, else NONE."""
    return opponent(first) if d.state[MOST] > 1 and room(d, 2) and chance(d, row.P_BOTH_ACT) else of.NONE


@kernel
def _may_perform(d: Draft) -> bool:
    return nests(d) and not d.state[SECRET] and room(d, 2) and chance(d, row.P_NEST)


@kernel
def performed(d: Draft, one: int, other: int) -> int:
    """The steps that perform one phase, or one after the other."""
    if one == of.NONE:
        return of.NONE
    first = node(d, of.PERFORM, one, 0, 0)
    return first if other == of.NONE else chain(d, first, node(d, of.PERFORM, other, 0, 0))


@kernel
def deeper(d: Draft, most: int) -> int:
    """Sub-phases follow, at most `most`, that are performed here one after the other; what `back` takes."""
    before = d.state[MOST]
    d.state[MOST] = most
    d.state[DEPTH] += 1
    return int(before)


@kernel
def back(d: Draft, before: int) -> None:
    """The sub-phases are drawn."""
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
    """A menu for one player, or the same menu for one after the other."""
    first = player(d)
    second = _other_player(d, first)
    menu = draw_menu(d, first, second)
    public = not chance(d, row.P_PRIVATE_ACTION)
    picks = 2 if chance(d, row.P_PICK_TWICE) else 1
    place = begin_phase(d)
    if second != of.NONE:
        begin_phase(d)
    duel = of.NONE
    if _may_perform(d):
        start = fork(d)
        duel = _sub_rounds(d, row.W_SIMULTANEOUS)
        dropped(d, start)
        menu = _without_last(d, menu)
        public = True  # everyone sees the duel begin
    one = other = of.NONE
    for number in range(1 + (second != of.NONE)):
        somebody = second if number else first
        phase = _action_round(d, menu, duel, somebody, public, picks, where, place + number)
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


@kernel(inline="always")
def _action_round(
    d: Draft, menu: int, duel: int, somebody: int, public: bool, picks: int, where: int, place: int
) -> int:
    """An action round of one player."""
    start = fork(d)
    options, entry = of.NONE, menu
    while entry != of.NONE:
        options = chain(d, options, draw_option(d, entry, somebody, start))
        entry = d.nodes[entry, of.NEXT]
    if duel != of.NONE:
        options = chain(d, options, draw_duel(d, duel, start))
    phase = node(d, of.ACTION_ROUND, name(d, names.ACTION_ROUNDS[somebody], where), somebody, options)
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
    three = d.state[cap.SIMULTANEOUS_OPTIONS] > 2 and chance(d, row.P_THREE_OPTIONS)
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
    for pair in range(pairs + (own < pairs)):  # the last one is all that have no outcome of their own
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
    """What comes of a pair of choices, as a line of play."""
    if _may_perform(d):
        steps = _sub_rounds(d, pick(d, _NESTED))
    elif d.state[THEME] != of.NONE and below(d, 4) == 0:
        steps = stir(d)
    else:
        steps = draw_cell(d, may_end)
    ended(d, start)
    return steps if steps != of.NONE else node(d, of.NO_ACTION, 0, 0, 0)


# ------------------------------------------------------------------------------------------------ auctions


@kernel(inline="always")
def _auction_round(d: Draft, where: int) -> int:
    """A sealed-bid auction of a card, a look or a theft; a look at nothing is no prize, so cards come first.

    NONE where nobody can bid or there is nothing to bid for.
    """
    lo, hi = d.lo[HERE], d.hi[HERE]
    bid = min(d.state[cap.BID], max(hi[0], hi[1]))
    count, card, peek = 1, of.OCCURRENCE, 0
    weights = d.features[WEIGHTS : WEIGHTS + 3]
    weights[:] = 0.0
    if hi[DECK]:
        count = 2 if hi[DECK] > 4 and below(d, 5) == 0 else 1
        card = of.PUBLIC if below(d, 4) == 0 else of.OCCURRENCE
        weights[0] = 3.0
    if min(hi[HAND], hi[HAND + 1]):
        peek = pick(d, VISIBILITIES)
        weights[1] = 1.5
        weights[2] = 0.7 if min(lo[HAND], lo[HAND + 1]) > 1 else 0.2  # the theft of an only card decides the game
    if not bid or weights[0] + weights[1] == 0.0:
        return of.NONE
    title = pick(d, Weighted(_SIX[:3], weights))
    place = begin_phase(d)
    called = name(d, names.AUCTIONS[title], where)
    phase = node(d, of.AUCTION, called, size(d, row.BID, bid), of.NONE)
    if title == 0:
        prize = node(d, of.DRAW, of.WINNER, count, card)
    else:
        prize = node(d, of.PEEK, of.WINNER, peek, 0) if title == 1 else node(d, of.STEAL, of.WINNER, 0, 0)
    d.nodes[phase, of.AUCTION_PRIZE] = prize
    return add(d, phase, place)


# ------------------------------------------------------------------------------------------------ observations


@kernel(inline="always")
def _observation_rounds(d: Draft, where: int) -> tuple[int, int]:
    """A signal for one player, or for one after the other; NONE where there is nothing to see."""
    visibility = pick(d, VISIBILITIES)
    first = player(d)
    second = _other_player(d, first)
    one = other = of.NONE
    for number in range(1 + (second != of.NONE)):
        phase = _observation_round(d, where, second if number else first, visibility)
        one, other = (phase, of.NONE) if one == of.NONE else (one, phase)
    return one, other


@kernel(inline="always")
def _observation_round(d: Draft, where: int, viewer: int, visibility: int) -> int:
    """A signal for a player."""
    weights = d.features[WEIGHTS : WEIGHTS + 6]
    if not _weigh_subjects(d, viewer, weights):
        return of.NONE
    subject = _SUBJECTS[pick(d, Weighted(_SIX, weights))]
    trigger = draw_condition(d, row.P_COMPOUND) if chance(d, row.P_TRIGGER) else of.NONE
    public = trigger == of.NONE or chance(d, row.P_PUBLIC_CHECK)
    place = begin_phase(d)
    phase = node(d, of.OBSERVATION, name(d, names.OBSERVATION_ROUNDS[viewer], where), viewer, subject[0])
    d.nodes[phase, of.OBSERVATION_SIGNAL] = subject[1]
    d.nodes[phase, of.OBSERVATION_VISIBILITY] = visibility
    d.nodes[phase, of.OBSERVATION_TRIGGER] = trigger
    d.nodes[phase, of.OBSERVATION_TRIGGER_PUBLIC] = public
    return add(d, phase, place)


@kernel
def _weigh_subjects(d: Draft, viewer: int, weights: Array) -> bool:
    """Weigh what there is to see: suits only if there are several, sizes only if they are not known. Whether any is."""
    lo, hi = d.lo[HERE], d.hi[HERE]
    suits = d.state[SUITS] > 1
    hand, deck = most_cards(d, opponent(viewer)) > 0, hi[DECK] > 0
    sizes = lo[HAND] < hi[HAND] or lo[HAND + 1] < hi[HAND + 1]
    weights[0] = 2.0 if hand else 0.0
    weights[1] = 1.5 if hand else 0.0
    weights[2] = 1.0 if hand and suits else 0.0
    weights[3] = 1.0 if deck else 0.0
    weights[4] = 0.4 if deck and suits else 0.0
    weights[5] = 1.0 if sizes else 0.0
    return bool(hand or deck or sizes)


# ------------------------------------------------------------------------------------------------ positions


@kernel(inline="always")
def positions_round(d: Draft) -> int:
    """Leader and follower are assigned; changing places needs an assignment before."""
    criterion = below(d, 6 if d.state[POSITIONS] else 5)
    d.state[POSITIONS] = 1
    return _positions(d, criterion, 0)


@kernel(inline="always")
def rotation(d: Draft, where: int) -> int:
    """Leader and follower change places."""
    return _positions(d, of.ALTERNATE, where)


@kernel
def _positions(d: Draft, criterion: int, where: int) -> int:
    phase = node(d, of.POSITIONS, name(d, names.POSITION_ASSIGNMENT, where), criterion, 0)
    return add(d, phase, begin_phase(d))


# ------------------------------------------------------------------------------------------------ side bets


@kernel(inline="always")
def _side_bets(d: Draft, where: int) -> tuple[int, int]:
    """A wager on the cards at the showdown for one player, or for one after the other; NONE where none is possible."""
    first = player(d)
    second = _other_player(d, first)
    one = other = of.NONE
    for number in range(1 + (second != of.NONE)):
        phase = _side_bet(d, where, second if number else first)
        one, other = (phase, of.NONE) if one == of.NONE else (one, phase)
    return one, other


@kernel(inline="always")
def _side_bet(d: Draft, where: int, somebody: int) -> int:
    """A wager for a player, unless there is the same one."""
    stack = most_chips(d, somebody)
    condition = draw_card_condition(d, somebody if below(d, 4) else of.NONE)
    if not stack or condition == of.NONE or d.state[BETS] >= SIDE_BETS:
        return of.NONE
    for number in range(d.state[BETS]):
        bet = d.nodes[d.lists[BET_LIST, number]]
        if bet[of.SIDE_BET_PLAYER] == somebody and same(d, bet[of.SIDE_BET_CONDITION], condition):
            return of.NONE
    place = begin_phase(d)
    called = name(d, names.SIDE_BETS[somebody], where)
    phase = node(d, of.SIDE_BET, called, somebody, size(d, row.PAYMENT, stack))
    d.nodes[phase, of.SIDE_BET_CONDITION] = condition
    d.lists[BET_LIST, d.state[BETS]] = phase
    d.state[BETS] += 1
    return add(d, phase, place)


# ------------------------------------------------------------------------------------------------ any of them


@kernel
def draw_round(d: Draft, kind: int, where: int) -> tuple[int, int]:
    """A round of the kind, or what takes its place where it makes no sense."""
    if kind == row.W_AUCTION:
        phase = _auction_round(d, where)
        if phase != of.NONE:
            return phase, of.NONE
    elif kind == row.W_OBSERVATION:
        phases = _observation_rounds(d, where)
        if phases[0] != of.NONE:
            return phases
    elif kind == row.W_SIDE_BET:
        phases = _side_bets(d, where)
        if phases[0] != of.NONE:
            return phases
    if kind in (row.W_ACTION, row.W_SIDE_BET):
        return _action_rounds(d, where)
    return _simultaneous_round(d, where)
