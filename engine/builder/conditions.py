"""Drawing conditions that can hold and can fail at this point of the game (requirements G33, G34)."""

from __future__ import annotations

from typing import Final

from antemill.engine.builder import dial
from antemill.engine.builder.bounds import HERE, is_position, seat_of
from antemill.engine.builder.dice import below, between, find, weighted
from antemill.engine.builder.draft import chain, chance, node, player
from antemill.engine.builder.workspace import (
    BOARD,
    DECK,
    ENCLOSING,
    HAND,
    LEAD,
    OWN,
    POT,
    RANKS,
    SUITS,
    VARIABLES,
    Draft,
)
from antemill.engine.kernel import kernel
from antemill.engine.rules.table import columns as of

# How often each kind is drawn where it is possible.
KINDS: Final = weighted(
    (of.POT_IS, 3.0),
    (of.CHIPS_ARE, 3.0),
    (of.DECK_SIZE_IS, 1.2),
    (of.HAND_SIZE_IS, 0.6),
    (of.HAS_HIGHER_CARD, 0.6),
    (of.HOLDS_RANK, 1.0),
    (of.HOLDS_SUIT, 0.4),
    (of.BOARD_HAS_RANK, 0.8),
    (of.VARIABLE_IS, 1.2),
    (of.LEADS, 0.5),
)
_MOST_PARTS: Final = 3  # of a compound condition: players could hardly follow more
_CARDS: Final = weighted((of.HAS_HIGHER_CARD, 1.2), (of.HOLDS_RANK, 1.8), (of.HOLDS_SUIT, 0.6))


@kernel
def _uncertain_variables(d: Draft) -> int:
    """How many variables can have more than one value."""
    count = 0
    for quantity in range(OWN, OWN + d.state[VARIABLES]):
        count += d.lo[HERE, quantity] < d.hi[HERE, quantity]
    return count


@kernel
def possible(d: Draft, kind: int) -> bool:
    """Whether a condition of the kind can come out either way here, and no enclosing condition has settled it."""
    lo, hi = d.lo[HERE], d.hi[HERE]
    if d.state[ENCLOSING] >> kind & 1:
        return False
    if kind == of.POT_IS:
        return bool(lo[POT] < hi[POT])
    if kind == of.CHIPS_ARE:
        return bool(lo[0] < hi[0] or lo[1] < hi[1])
    if kind == of.DECK_SIZE_IS:
        return bool(lo[DECK] < hi[DECK])
    if kind == of.HAND_SIZE_IS:
        return bool(lo[HAND] < hi[HAND] or lo[HAND + 1] < hi[HAND + 1])
    if kind == of.HAS_HIGHER_CARD:
        return bool(hi[HAND] > 0 and hi[HAND + 1] > 0 and d.state[RANKS] > 1)
    if kind == of.HOLDS_RANK:
        return bool(max(hi[HAND], hi[HAND + 1]) > 0 and _most_ranks(d, min(lo[HAND], lo[HAND + 1])) > 0)
    if kind == of.HOLDS_SUIT:
        least = max(lo[HAND], lo[HAND + 1])
        return bool(d.state[SUITS] > 1 and min(hi[HAND], hi[HAND + 1]) > 0 and _other_suits(d) >= least)
    if kind == of.BOARD_HAS_RANK:
        return bool(hi[BOARD] > 0 and _most_ranks(d, lo[BOARD]) > 0)
    if kind == of.VARIABLE_IS:
        return _uncertain_variables(d) > 0
    return bool(lo[LEAD] < hi[LEAD])


@kernel
def _possible_kinds(d: Draft) -> int:
    """A bit for every kind of condition that is possible here."""
    found = 0
    for kind in KINDS.items:
        found |= int(possible(d, kind)) << kind
    return found


@kernel
def draw_condition(d: Draft, compound: int) -> int:
    """A condition that can hold and can fail here; NONE if there is none.

    compound: the row of the dial with the probability that it has several parts.
    """
    allowed, parts, count = _possible_kinds(d), of.NONE, 0
    while count < _MOST_PARTS and (count == 0 or chance(d, compound)):
        kind = find(d, KINDS, allowed)
        if kind == of.NONE:
            break
        allowed &= ~(1 << kind)
        parts = chain(d, parts, _draw_kind(d, kind, of.NONE))
        count += 1
    if count > 1:
        alternatives = count == 2 and below(d, 4) == 0
        return node(d, of.ANY_OF if alternatives else of.ALL, parts, 0, 0)
    if count == 1 and chance(d, dial.P_NOT):
        return node(d, of.NOT, parts, 0, 0)
    return parts


@kernel
def draw_variable_condition(d: Draft) -> int:
    """A condition on a variable that can hold and can fail here; NONE if there is none."""
    return _draw_kind(d, of.VARIABLE_IS, of.NONE) if possible(d, of.VARIABLE_IS) else of.NONE


@kernel
def draw_card_condition(d: Draft, owner: int) -> int:
    """A condition on hidden cards. owner: whose hand it reads; NONE for any."""
    kind = find(d, _CARDS, _possible_kinds(d))
    return of.NONE if kind == of.NONE else _draw_kind(d, kind, owner)


@kernel
def _draw_kind(d: Draft, kind: int, owner: int) -> int:
    """A condition of a kind that is possible."""
    lo, hi = d.lo[HERE], d.hi[HERE]
    if kind == of.POT_IS:
        comparison, value = _threshold(d, lo[POT], hi[POT])
        return node(d, kind, comparison, value, 0)
    if kind == of.DECK_SIZE_IS:
        comparison, value = _threshold(d, lo[DECK], hi[DECK])
        return node(d, kind, comparison, value, 0)
    if kind in (of.CHIPS_ARE, of.HAND_SIZE_IS):
        base = HAND if kind == of.HAND_SIZE_IS else 0
        owner = _owner(d, base)
        least, most = interval(d, owner, base)
        comparison, value = _threshold(d, least, most)
        return node(d, kind, owner, comparison, value)
    if kind == of.HOLDS_RANK:
        return _holds_rank(d, owner)
    if kind == of.BOARD_HAS_RANK:
        return node(d, kind, _ranks(d, lo[BOARD]), 0, 0)
    if kind == of.LEADS:
        return node(d, kind, of.ALICE if below(d, 2) else of.BOB, 0, 0)
    if kind == of.VARIABLE_IS:
        return _variable_is(d)
    if owner == of.NONE:
        owner = player(d)
    suit = below(d, d.state[SUITS]) if kind == of.HOLDS_SUIT else 0
    return node(d, kind, owner, suit, 0)


@kernel
def _variable_is(d: Draft) -> int:
    """A condition on a variable that can have more than one value here."""
    left = below(d, _uncertain_variables(d))
    quantity = OWN
    while left or d.lo[HERE, quantity] == d.hi[HERE, quantity]:
        left -= d.lo[HERE, quantity] < d.hi[HERE, quantity]
        quantity += 1
    comparison, value = _threshold(d, d.lo[HERE, quantity], d.hi[HERE, quantity])
    return node(d, of.VARIABLE_IS, quantity - OWN, comparison, value)


@kernel
def _holds_rank(d: Draft, owner: int) -> int:
    """A condition that a hand holds one of some ranks, which can fail."""
    lo = d.lo[HERE]
    if owner == of.NONE:
        owner = player(d)
    least = interval(d, owner, HAND)[0]
    if not _most_ranks(d, least):
        owner = of.ALICE if lo[HAND] <= lo[HAND + 1] else of.BOB
        least = interval(d, owner, HAND)[0]
    return node(d, of.HOLDS_RANK, owner, _ranks(d, least), 0)


@kernel
def _most_ranks(d: Draft, cards: int) -> int:
    """The largest number of ranks that a hand of `cards` cards can lack."""
    suits = d.state[SUITS]
    return int(d.state[RANKS] - max(1, (cards + suits - 1) // suits))


@kernel
def _other_suits(d: Draft) -> int:
    """Cards of all suits but one."""
    return int(d.state[RANKS] * (d.state[SUITS] - 1))


@kernel
def _ranks(d: Draft, cards: int) -> int:
    """Ranks that a hand of `cards` cards can lack, as bits: half of the time the top one, else one, two or a run."""
    ranks, most = int(d.state[RANKS]), _most_ranks(d, cards)
    draw = below(d, 6)
    if draw < 3:
        return 1 << ranks - 1
    if draw == 3 or most == 1:
        return 1 << below(d, ranks)
    if draw == 4:
        first, second = below(d, ranks), between(d, 1, ranks - 1)
        return 1 << first | 1 << (0 if second == first else second)  # the first has changed places with rank 0
    count = min(most, (ranks + 1) // 2)
    run = (1 << count) - 1
    return run << ranks - count if below(d, 2) else run


@kernel
def interval(d: Draft, owner: int, base: int) -> tuple[int, int]:
    """The bounds of a player's stack (base 0) or hand (base HAND).

    For a position that either seat may hold they cover both seats.
    """
    lo, hi = d.lo[HERE], d.hi[HERE]
    if is_position(owner) and lo[LEAD] < hi[LEAD]:
        return min(lo[base], lo[base + 1]), max(hi[base], hi[base + 1])
    quantity = base + seat_of(d, HERE, owner)
    return int(lo[quantity]), int(hi[quantity])


@kernel
def _owner(d: Draft, base: int) -> int:
    """A player whose stack (base 0) or hand (base HAND) is uncertain."""
    owner = player(d)
    least, most = interval(d, owner, base)
    if least < most:
        return owner
    return of.ALICE if d.lo[HERE, base] < d.hi[HERE, base] else of.BOB


@kernel
def _threshold(d: Draft, lo: int, hi: int) -> tuple[int, int]:
    """A comparison for which some values of lo..hi hold and some fail, with a uniformly drawn threshold."""
    cut = between(d, lo + 1, hi)  # splits the values into lo..cut-1 and cut..hi
    form = below(d, 8)
    if form > 5:
        return of.EQUAL, between(d, lo, hi)
    if form < 3:
        return (of.AT_LEAST, cut) if form % 2 else (of.MORE, cut - 1)
    return (of.LESS, cut) if form % 2 else (of.AT_MOST, cut - 1)
