"""Plays that went the same way through the rules, as `engine.builder.states` follows them."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log


class Line:
    """Plays that went the same way through the rules.

    share: of all plays. paths: the logarithm of how many public histories there are. told: of how many hands and
    signals each seat can have. hand: cards of each seat. Lines share these pairs, which are replaced and never changed.
    """

    __slots__ = ("hand", "paths", "share", "told")

    def __init__(self, share: float, paths: float, told: tuple[float, float], hand: tuple[int, int]) -> None:
        self.share = share
        self.paths = paths
        self.told = told
        self.hand = hand

    def part(self, share: float) -> Line:
        """A share of these plays."""
        return Line(self.share * share, self.paths, self.told, self.hand)

    def tell(self, alice: float, bob: float) -> None:
        """Each seat sees something with so many outcomes (logarithms)."""
        told = self.told
        self.told = (told[0] + alice, told[1] + bob)

    def tell_one(self, seats: tuple[int, ...], among: float) -> None:
        """Something with so many outcomes (a logarithm) is seen by the player of the seats, whichever it is."""
        if len(seats) == 2:
            self.tell(among / 2, among / 2)
        else:
            self.tell(*((0.0, among) if seats[0] else (among, 0.0)))

    def take(self, seats: tuple[int, ...], count: int) -> None:
        """Each of the seats takes cards."""
        alice, bob = self.hand
        self.hand = (alice + count * (0 in seats), bob + count * (1 in seats))

    def become(self, lines: Sequence[Line], public: bool) -> None:
        """Play comes from these lines. public: everybody sees from which."""
        share = paths = alice = bob = 0.0
        first = second = 0
        for line in lines:
            part = line.share
            if part > 0.0:
                share += part
                paths += line.paths * part
                told = line.told
                alice += told[0] * part
                bob += told[1] * part
                hand = line.hand
                if hand[0] > first:
                    first = hand[0]
                if hand[1] > second:
                    second = hand[1]
        self.share = share
        if share == 0.0:
            return
        self.paths = _total([line.paths for line in lines if line.share > 0.0]) if public else paths / share
        self.told = (alice / share, bob / share)
        self.hand = (first, second)


def _total(logarithms: Sequence[float]) -> float:
    """The logarithm of a sum."""
    most = max(logarithms)
    return most + log(sum([exp(each - most) for each in logarithms]))
