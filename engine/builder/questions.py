"""What players are asked in random play, as `engine.builder.states` counts it."""

from __future__ import annotations

from functools import cache
from typing import Final, TypeAlias

# In order: which seat decides, and in which share of the plays.
Questions: TypeAlias = tuple[tuple[int, float], ...]
EACH: Final[Questions] = ((0, 1.0), (1, 1.0))
_SEATS: Final = {"alice": (0,), "bob": (1,)}
_BOTH: Final = (0, 1)


@cache
def fixed(opener: str, raises: int) -> Questions:
    """A betting round with a fixed size."""
    first, second = _openers(opener)
    found = [*one(first), *one(second, 0.5), *one(second, 0.5), *one(first, 0.25)]  # after a check, after a bet
    for number in range(raises):
        share = 0.5 / 3.0 ** (number + 1)
        found += [*one(first, share), *one(second, share / 2.0)]
    return tuple(found)


@cache
def variable(opener: str) -> tuple[Questions, Questions]:
    """A betting round with free sizes: before somebody has bet, and after it."""
    first, second = _openers(opener)
    before = (*one(first), *one(first, 0.5), *one(second, 0.5), *one(second, 0.25))  # two of four: how much
    return before, (*one(second, 0.5), *one(first, 0.25))


def one(seats: tuple[int, ...], share: float = 1.0) -> Questions:
    """A question to the player of the seats, whichever it is, in a share of the plays."""
    return tuple([(seat, share / len(seats)) for seat in seats])


def seats_of(player: str) -> tuple[int, ...]:
    """The seats of a player: both for a position, which either may have."""
    return _SEATS.get(player, _BOTH)


def _openers(opener: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The seats of the opener and of the other player."""
    seats = seats_of(opener)
    return seats, (1 - seats[0],) if len(seats) == 1 else _BOTH
