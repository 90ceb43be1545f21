"""How many different cards and hands a game has."""

from __future__ import annotations

from typing import Final

from antemill.engine.kernel import kernel
from antemill.engine.rules.table.columns import Table
from antemill.engine.rules.table.order import reads_suits_of

MOST: Final = (1 << 62) - 1  # counts stop here, so that two can be added; a legal deck has far fewer hands


@kernel(allocates=True)
def classes(table: Table) -> int:
    """How many classes of cards there are: cards of one rank are one class unless some rule tells them apart."""
    ranks, suits = len(table.ranks), table.suits
    return ranks * suits if suits > 1 and reads_suits_of(table) else ranks


@kernel
def hands(ranks: int, different: int, count: int) -> int:
    """How many different hands of `count` cards there are; at most `MOST`.

    ranks, different: how many ranks the deck has, and how many `classes` of cards.
    """
    if different == ranks:
        return choices(different + count - 1, count)
    return choices(different, min(count, different - 1))


@kernel
def choices(things: int, taken: int) -> int:
    """The binomial coefficient: in how many ways `taken` of `things` can be chosen; at most `MOST`."""
    taken = min(taken, things - taken)
    found = 1
    for number in range(1, taken + 1):
        more = things - taken + number
        rest = found % number * more // number  # in parts, since `found * more` may be out of range
        found = min(times(found // number, more) + rest, MOST)
    return found


@kernel
def times(one: int, other: int) -> int:
    """The product of two counts from 0 to `MOST`; at most `MOST`."""
    return MOST if one > 0 and other > MOST // one else one * other
