"""Information states from the decisions of random play, as `antemill.engine.builder.states` counts them.

Every function of questions takes the number of information states `found` so far, adds its own, and returns the sum.
"""

from __future__ import annotations

from math import exp, expm1
from typing import Final, NamedTuple

from antemill.engine.builder.line import ALICE, BOB, EITHER, PATHS, SHARE, TOLD, other
from antemill.engine.kernel import kernel
from antemill.engine.rules.table.columns import Array

PLAYS: Final = 3_000  # as many as the precise tier plays
_PLENTY: Final = 40.0  # a logarithm: every play is in a state of its own


class Asked(NamedTuple):
    """Plays in which players decide: how many, and in how many distinguishable ways each seat can arrive there."""

    plays: float
    alice: float
    bob: float


@kernel
def asked(lines: Array, line: int, more: float) -> Asked:
    """The plays of a line in which players decide. more: the logarithm of the number of further paths."""
    paths = lines[line, PATHS]
    alice = exp(min(lines[line, TOLD] + paths + more, _PLENTY))
    bob = exp(min(lines[line, TOLD + 1] + paths + more, _PLENTY))
    return Asked(PLAYS * lines[line, SHARE], alice, bob)


@kernel
def one(asked: Asked, seats: int, share: float, found: float) -> float:
    """A question to a player of one or either seat, in a share of the plays."""
    if seats == EITHER:
        return _met(asked.bob, asked.plays, share / 2.0, _met(asked.alice, asked.plays, share / 2.0, found))
    return _met(asked.bob if seats == BOB else asked.alice, asked.plays, share, found)


@kernel
def each(asked: Asked, found: float) -> float:
    """A question to Alice and one to Bob."""
    return one(asked, BOB, 1.0, one(asked, ALICE, 1.0, found))


@kernel
def fixed(asked: Asked, opener: int, raises: int, found: float) -> float:
    """A betting round with a fixed size. opener: the seats of the player who opens."""
    second = other(opener)
    found = one(asked, opener, 1.0, found)
    found = one(asked, second, 0.5, found)  # after a check
    found = one(asked, second, 0.5, found)  # after a bet
    found = one(asked, opener, 0.25, found)
    for number in range(raises):
        share = 0.5 / 3.0 ** (number + 1)
        found = one(asked, opener, share, found)
        found = one(asked, second, share / 2.0, found)
    return found


@kernel
def variable(before: Asked, after: Asked, opener: int, found: float) -> float:
    """A betting round with free sizes: before a bet and after it."""
    second = other(opener)
    found = one(before, opener, 1.0, found)
    found = one(before, opener, 0.5, found)  # how much
    found = one(before, second, 0.5, found)
    found = one(before, second, 0.25, found)  # how much
    found = one(after, second, 0.5, found)
    return one(after, opener, 0.25, found)


@kernel
def _met(ways: float, plays: float, share: float, found: float) -> float:
    """Different states in a share of the plays. ways: the ways for a player to arrive, all equally likely."""
    return found - ways * expm1(-plays * share / ways)
