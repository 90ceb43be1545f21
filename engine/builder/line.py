"""Plays that went the same way through the rules, as `engine.builder.states` follows them."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log


class Line:
    """Plays that went the same way through the rules.

    share: of all plays. paths: the logarithm of how many public histories there are. told: of how many hands and
    signals each seat can have. hand: cards of each seat.
    """

    __slots__ = ("hand", "paths", "share", "told")

    def __init__(self, share: float, paths: float, told: Sequence[float], hand: Sequence[int]) -> None:
        self.share = share
        self.paths = paths
        self.told = [*told]
        self.hand = [*hand]

    def part(self, share: float) -> Line:
        """A share of these plays."""
        return Line(self.share * share, self.paths, self.told, self.hand)

    def tell(self, seats: tuple[int, ...], among: float) -> None:
        """Something with so many outcomes (a logarithm) is seen by the player of the seats, whichever it is."""
        for seat in seats:
            self.told[seat] += among / len(seats)

    def become(self, lines: Sequence[Line], public: bool) -> None:
        """Play comes from these lines. public: everybody sees from which."""
        lines = [line for line in lines if line.share > 0.0]
        self.share = sum([line.share for line in lines])
        if not lines:
            return
        if public:
            most = max([line.paths for line in lines])
            self.paths = most + log(sum([exp(line.paths - most) for line in lines]))
        else:
            self.paths = sum([line.paths * line.share for line in lines]) / self.share
        for seat in (0, 1):
            self.told[seat] = sum([line.told[seat] * line.share for line in lines]) / self.share
            self.hand[seat] = max([line.hand[seat] for line in lines])
