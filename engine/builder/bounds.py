"""Bounds at a point of the game: an interval for every public or private quantity (requirement G34).

The builder walks the game in the order of play. For its current point it keeps the smallest and the largest value that
each stack, hand, pile and variable can have. Conditions and effects are drawn so that they make sense inside these
bounds. The bounds are sound but not tight: two quantities are treated as independent, apart from the totals of chips
and of cards.

`antemill.engine.builder.following` carries them past steps and phases. Where play branches, a point has several rows of
intervals, and `HERE` is one of them. The rows are a stack: `push` copies a row to its top, and `pop` frees a row and
all above it.
"""

from __future__ import annotations

from typing import Final

from antemill.engine.builder.workspace import (
    ALICE,
    ALIVE,
    BOB,
    CARDS,
    CHIPS,
    DECK,
    FULL,
    HAND,
    INTERVALS,
    LEAD,
    OWN,
    PILE,
    POT,
    VARIABLES,
    Draft,
)
from antemill.engine.kernel import kernel
from antemill.engine.rules.table import columns as of

HERE: Final = 0  # the row of the builder's current point


@kernel
def begin(d: Draft, chips: int, cards: int) -> None:
    """Set the bounds before the deal: each player has `chips` chips, and all cards are in the deck."""
    d.lo[HERE] = 0
    d.hi[HERE] = 0
    for q in (ALICE, BOB):
        d.lo[HERE, q] = d.hi[HERE, q] = chips
    d.lo[HERE, DECK] = d.hi[HERE, DECK] = cards
    d.lo[HERE, ALIVE] = 1
    d.state[CHIPS] = 2 * chips
    d.state[CARDS] = cards
    d.state[INTERVALS] = 1


@kernel
def copy(d: Draft, source: int, target: int) -> None:
    """Copy row `source` to row `target`."""
    for q in range(OWN + d.state[VARIABLES]):
        d.lo[target, q] = d.lo[source, q]
        d.hi[target, q] = d.hi[source, q]


@kernel
def push(d: Draft, source: int) -> int:
    """A copy of a row on top of the stack; returns its number."""
    row = int(d.state[INTERVALS])
    if row + 1 < len(d.lo):
        d.state[INTERVALS] = row + 1
    else:
        d.state[FULL] = 1
        row = len(d.lo) - 2  # `fork` takes two
    copy(d, source, row)
    return int(row)


@kernel
def pop(d: Draft, row: int) -> None:
    """Free a row and all rows that were pushed after it."""
    d.state[INTERVALS] = row


@kernel
def join(d: Draft, row: int, other: int) -> None:
    """Play may come to `row` from either row: take the union of their intervals."""
    if not d.lo[other, ALIVE]:
        return
    if not d.lo[row, ALIVE]:
        copy(d, other, row)
        return
    for q in range(OWN + d.state[VARIABLES]):
        d.lo[row, q] = min(d.lo[row, q], d.lo[other, q])
        d.hi[row, q] = max(d.hi[row, q], d.hi[other, q])


@kernel
def become(d: Draft, row: int, ends: int) -> None:
    """Play goes on from the ends that are joined in row `ends`, if it has any."""
    if d.lo[ends, ALIVE]:
        copy(d, ends, row)
    else:
        d.lo[row, ALIVE] = 0


@kernel
def push_unreached(d: Draft, row: int) -> int:
    """A new row on top of the stack, which no play reaches yet."""
    ends = push(d, row)
    d.lo[ends, ALIVE] = 0
    return ends


@kernel
def uncertain(d: Draft, row: int, quantity: int) -> bool:
    """Whether the quantity can have more than one value."""
    return bool(d.lo[row, quantity] < d.hi[row, quantity])


@kernel
def is_position(player: int) -> bool:
    """Whether the player is a position, which either seat may hold."""
    return player in (of.LEADER, of.FOLLOWER)


@kernel
def seat_of(d: Draft, row: int, player: int) -> int:
    """The seat (or account) of a player; positions are read from the leader's lower bound."""
    if player == of.ALICE:
        return ALICE
    if player == of.BOB:
        return BOB
    if player == of.POT:
        return POT
    lead = int(d.lo[row, LEAD])
    return lead if player == of.LEADER else 1 - lead


# ------------------------------------------------------------------------------------------------ conditions


@kernel
def _narrow(d: Draft, row: int, quantity: int, comparison: int, value: int, holds: bool) -> None:
    """Narrow an interval, knowing whether a comparison holds."""
    if comparison == of.EQUAL:
        if holds:
            d.lo[row, quantity] = d.hi[row, quantity] = value
        return
    below = comparison in (of.LESS, of.AT_MOST)
    cut = value - (comparison in (of.LESS, of.AT_LEAST))  # the largest value on the lower side
    if below == holds:
        d.hi[row, quantity] = min(d.hi[row, quantity], cut)
    else:
        d.lo[row, quantity] = max(d.lo[row, quantity], cut + 1)


@kernel
def _assume(d: Draft, row: int, condition: int, holds: bool) -> None:
    """`assume` for a condition that has no parts."""
    node = d.nodes[condition]
    kind = node[of.KIND]
    if kind == of.CHIPS_ARE and not is_position(node[of.CHIPS_ARE_PLAYER]):
        stack = seat_of(d, row, node[of.CHIPS_ARE_PLAYER])
        _narrow(d, row, stack, node[of.CHIPS_ARE_OP], node[of.CHIPS_ARE_VALUE], holds)
    elif kind == of.HAND_SIZE_IS and not is_position(node[of.HAND_SIZE_IS_PLAYER]):
        hand = HAND + seat_of(d, row, node[of.HAND_SIZE_IS_PLAYER])
        _narrow(d, row, hand, node[of.HAND_SIZE_IS_OP], node[of.HAND_SIZE_IS_VALUE], holds)
    elif kind == of.POT_IS:
        _narrow(d, row, POT, node[of.POT_IS_OP], node[of.POT_IS_VALUE], holds)
    elif kind == of.DECK_SIZE_IS:
        _narrow(d, row, DECK, node[of.DECK_SIZE_IS_OP], node[of.DECK_SIZE_IS_VALUE], holds)
    elif kind == of.VARIABLE_IS:
        variable = OWN + node[of.VARIABLE_IS_VARIABLE]
        _narrow(d, row, variable, node[of.VARIABLE_IS_OP], node[of.VARIABLE_IS_VALUE], holds)
    elif kind == of.LEADS:
        d.lo[row, LEAD] = d.hi[row, LEAD] = int((node[of.LEADS_SEAT] == of.BOB) == holds)


@kernel
def assume(d: Draft, row: int, condition: int, holds: bool) -> None:
    """Narrow the intervals, knowing how a condition came out.

    Conditions on cards narrow nothing; neither does an "any" that holds, since it does not say which part holds.
    """
    kind = d.nodes[condition, of.KIND]
    if kind == of.NOT:
        assume(d, row, d.nodes[condition, of.NOT_CONDITION], not holds)
    elif kind == of.ALL:
        if holds:
            part = d.nodes[condition, of.ALL_CONDITIONS]
            while part != of.NONE:
                assume(d, row, part, True)
                part = d.nodes[part, of.NEXT]
    else:
        _assume(d, row, condition, holds)


# ------------------------------------------------------------------------------------------------ totals


@kernel
def move(d: Draft, row: int, source: int, target: int, amount: int) -> None:
    """Up to `amount` chips or cards move, at most as many as the source has."""
    lo, hi = d.lo[row], d.hi[row]
    low, high = min(lo[source], amount), min(hi[source], amount)
    lo[source] -= low
    hi[source] -= high
    lo[target] += low
    hi[target] = min(hi[target] + high, d.state[CHIPS] if target <= POT else d.state[CARDS])


@kernel
def tighten(d: Draft, row: int) -> None:
    """Narrow the intervals: all chips, and all cards, add up to a known total."""
    add_up(d, row, ALICE, POT, d.state[CHIPS])
    add_up(d, row, HAND, PILE, d.state[CARDS])


@kernel
def add_up(d: Draft, row: int, first: int, last: int, total: int) -> None:
    """Narrow the intervals of the quantities first..last, which add up to a total."""
    lo, hi = d.lo[row], d.hi[row]
    slack, excess = total, -total
    for q in range(first, last + 1):
        slack -= lo[q]
        excess += hi[q]
    for q in range(first, last + 1):
        low, high = lo[q], hi[q]
        if low < high:
            hi[q] = min(high, low + slack)
            lo[q] = max(low, high - excess)
