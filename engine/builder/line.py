"""Lines of play: plays that took the same way through the rules, as `antemill.engine.builder.states` follows them.

A line is a row of `lines`, float64[rows, COLUMNS]. A branch copies the line into free rows.
"""

from __future__ import annotations

from math import exp, log
from typing import Final

from antemill.engine.kernel import kernel
from antemill.engine.rules.table import columns as of
from antemill.engine.rules.table.columns import Array

# The columns. SHARE: of all plays. PATHS: the logarithm of the number of public histories. TOLD, for each seat: the
# logarithm of the number of hands and signals that it can have. HAND, for each seat: its number of cards.
SHARE, PATHS, TOLD, HAND = 0, 1, 2, 4
COLUMNS: Final = 6
ALICE, BOB, EITHER = range(3)  # the seats of a player: one, or EITHER for a position


@kernel
def seats_of(player: int) -> int:
    """The seats of a player."""
    return player if player == of.ALICE or player == of.BOB else EITHER


@kernel
def other(seats: int) -> int:
    """The seats of the other player."""
    return seats if seats == EITHER else 1 - seats


@kernel
def begin(lines: Array) -> None:
    """Put all plays into row 0; nothing is known of them."""
    for column in range(COLUMNS):
        lines[0, column] = 1.0 if column == SHARE else 0.0


@kernel
def part(lines: Array, line: int, share: float, into: int) -> int:
    """Put a share of the plays of a line into another row; returns that row."""
    for column in range(COLUMNS):
        lines[into, column] = lines[line, column]
    lines[into, SHARE] = lines[line, SHARE] * share
    return into


@kernel
def tell(lines: Array, line: int, alice: float, bob: float) -> None:
    """Each seat sees something. alice, bob: the logarithms of the number of outcomes."""
    lines[line, TOLD] += alice
    lines[line, TOLD + 1] += bob


@kernel
def tell_all(lines: Array, line: int, seats: int, among: float) -> None:
    """Each of the seats sees something. among: the logarithm of the number of outcomes."""
    tell(lines, line, among if seats != BOB else 0.0, among if seats != ALICE else 0.0)


@kernel
def tell_one(lines: Array, line: int, seats: int, among: float) -> None:
    """The player of one or either seat sees something. among: the logarithm of the number of outcomes."""
    tell_all(lines, line, seats, among / 2.0 if seats == EITHER else among)


@kernel
def take(lines: Array, line: int, seats: int, count: int) -> None:
    """Each of the seats takes cards."""
    for seat in range(2):
        if seats in (seat, EITHER):
            lines[line, HAND + seat] += count


@kernel
def become(lines: Array, line: int, first: int, count: int, public: bool) -> None:
    """A line takes the plays of `count` lines from row `first` on. public: both players see which line it was."""
    share, paths, alice, bob = 0.0, 0.0, 0.0, 0.0
    for seat in range(2):
        lines[line, HAND + seat] = 0.0
    for end in range(first, first + count):
        of_all = lines[end, SHARE]
        if of_all > 0.0:
            share += of_all
            paths += lines[end, PATHS] * of_all
            alice += lines[end, TOLD] * of_all
            bob += lines[end, TOLD + 1] * of_all
            for seat in range(2):
                lines[line, HAND + seat] = max(lines[line, HAND + seat], lines[end, HAND + seat])
    lines[line, SHARE] = share
    if share == 0.0:
        return
    lines[line, PATHS] = _total(lines, first, count) if public else paths / share
    lines[line, TOLD] = alice / share
    lines[line, TOLD + 1] = bob / share


@kernel
def _total(lines: Array, first: int, count: int) -> float:
    """The logarithm of the sum of the histories of lines with a share of the plays."""
    most = -1.0  # less than any logarithm here
    for end in range(first, first + count):
        if lines[end, SHARE] > 0.0:
            most = max(most, lines[end, PATHS])
    total = 0.0
    for end in range(first, first + count):
        if lines[end, SHARE] > 0.0:
            total += exp(lines[end, PATHS] - most)
    return most + log(total)
