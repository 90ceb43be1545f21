"""Rounds that perform no sub-phases: auctions, observations, positions, side bets (GENSTRAT appendix A)."""

from __future__ import annotations

from typing import Final

import numpy as np

from antemill.engine.builder import caps as cap
from antemill.engine.builder import dial, names
from antemill.engine.builder.bounds import HERE
from antemill.engine.builder.conditions import draw_card_condition, draw_condition
from antemill.engine.builder.dice import Weighted, below, pick
from antemill.engine.builder.draft import (
    add,
    begin_phase,
    chance,
    fits,
    name,
    node,
    opponent,
    player,
    same,
    size,
)
from antemill.engine.builder.effects import VISIBILITIES, most_cards, most_chips
from antemill.engine.builder.workspace import (
    BET_LIST,
    BETS,
    DECK,
    HAND,
    MOST,
    POSITIONS,
    SIDE_BETS,
    SUITS,
    WEIGHTS,
    Draft,
)
from antemill.engine.kernel import kernel
from antemill.engine.rules.table import columns as of
from antemill.engine.rules.table.columns import Array

# The subjects of an observation.
_SUBJECTS: Final = np.array(
    (
        (of.OBSERVATION_OPPONENT_CARD, of.OBSERVATION_CARD),
        (of.OBSERVATION_OPPONENT_HAND, of.OBSERVATION_TOP_RANK),
        (of.OBSERVATION_OPPONENT_CARD, of.OBSERVATION_SUIT),
        (of.OBSERVATION_DECK_CARD, of.OBSERVATION_CARD),
        (of.OBSERVATION_DECK_CARD, of.OBSERVATION_SUIT),
        (of.OBSERVATION_OPPONENT_HAND, of.OBSERVATION_SIZE),
    )
)
_SIX: Final = np.arange(6)


@kernel
def other_player(d: Draft, first: int) -> int:
    """The player of a second round: often the opponent, else NONE."""
    return opponent(first) if d.state[MOST] > 1 and fits(d, 2) and chance(d, dial.P_BOTH_ACT) else of.NONE


# ------------------------------------------------------------------------------------------------ auctions


@kernel
def auction_round(d: Draft, where: int) -> int:
    """A sealed-bid auction of a card, a look or a theft; NONE where no player can bid or no prize exists.

    Looks and thefts need cards in the opponent's hand.
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
    phase = node(d, of.AUCTION, called, size(d, dial.BID, bid), of.NONE)
    if title == 0:
        prize = node(d, of.DRAW, of.WINNER, count, card)
    else:
        prize = node(d, of.PEEK, of.WINNER, peek, 0) if title == 1 else node(d, of.STEAL, of.WINNER, 0, 0)
    d.nodes[phase, of.AUCTION_PRIZE] = prize
    return add(d, phase, place)


# ------------------------------------------------------------------------------------------------ observations


@kernel
def observation_rounds(d: Draft, where: int) -> tuple[int, int]:
    """A signal for one player, or for both in turn; NONE where there is nothing to see."""
    visibility = pick(d, VISIBILITIES)
    first = player(d)
    second = other_player(d, first)
    one = other = of.NONE
    for number in range(1 + (second != of.NONE)):
        phase = _observation_round(d, where, second if number else first, visibility)
        one, other = (phase, of.NONE) if one == of.NONE else (one, phase)
    return one, other


@kernel
def _observation_round(d: Draft, where: int, viewer: int, visibility: int) -> int:
    """A signal for a player."""
    weights = d.features[WEIGHTS : WEIGHTS + 6]
    if not _weigh_subjects(d, viewer, weights):
        return of.NONE
    subject = _SUBJECTS[pick(d, Weighted(_SIX, weights))]
    trigger = draw_condition(d, dial.P_COMPOUND) if chance(d, dial.P_TRIGGER) else of.NONE
    public = trigger == of.NONE or chance(d, dial.P_PUBLIC_CHECK)
    place = begin_phase(d)
    phase = node(d, of.OBSERVATION, name(d, names.OBSERVATION_ROUNDS[viewer], where), viewer, subject[0])
    d.nodes[phase, of.OBSERVATION_SIGNAL] = subject[1]
    d.nodes[phase, of.OBSERVATION_VISIBILITY] = visibility
    d.nodes[phase, of.OBSERVATION_TRIGGER] = trigger
    d.nodes[phase, of.OBSERVATION_TRIGGER_PUBLIC] = public
    return add(d, phase, place)


@kernel
def _weigh_subjects(d: Draft, viewer: int, weights: Array) -> bool:
    """Weigh the subjects: suits only if there are several, sizes only if they are not known.

    Returns whether any subject is possible.
    """
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


@kernel
def positions_round(d: Draft) -> int:
    """Leader and follower are assigned. They exchange their roles only after an earlier assignment."""
    criterion = below(d, 6 if d.state[POSITIONS] else 5)
    d.state[POSITIONS] = 1
    return _positions(d, criterion, 0)


@kernel
def rotation(d: Draft, where: int) -> int:
    """Leader and follower exchange their roles."""
    return _positions(d, of.POSITIONS_ALTERNATE, where)


@kernel
def _positions(d: Draft, criterion: int, where: int) -> int:
    phase = node(d, of.POSITIONS, name(d, names.POSITION_ASSIGNMENT, where), criterion, 0)
    return add(d, phase, begin_phase(d))


# ------------------------------------------------------------------------------------------------ side bets


@kernel
def side_bets(d: Draft, where: int) -> tuple[int, int]:
    """A wager on the cards at the showdown for one player, or for both in turn; NONE where none is possible."""
    first = player(d)
    second = other_player(d, first)
    one = other = of.NONE
    for number in range(1 + (second != of.NONE)):
        phase = _side_bet(d, where, second if number else first)
        one, other = (phase, of.NONE) if one == of.NONE else (one, phase)
    return one, other


@kernel
def _side_bet(d: Draft, where: int, actor: int) -> int:
    """A wager for a player, unless the game has an equal one."""
    stack = most_chips(d, actor)
    condition = draw_card_condition(d, actor if below(d, 4) else of.NONE)
    if not stack or condition == of.NONE or d.state[BETS] >= SIDE_BETS:
        return of.NONE
    for number in range(d.state[BETS]):
        bet = d.nodes[d.lists[BET_LIST, number]]
        if bet[of.SIDE_BET_PLAYER] == actor and same(d, bet[of.SIDE_BET_CONDITION], condition):
            return of.NONE
    place = begin_phase(d)
    called = name(d, names.SIDE_BETS[actor], where)
    phase = node(d, of.SIDE_BET, called, actor, size(d, dial.PAYMENT, stack))
    d.nodes[phase, of.SIDE_BET_CONDITION] = condition
    d.lists[BET_LIST, d.state[BETS]] = phase
    d.state[BETS] += 1
    return add(d, phase, place)
