"""Kuhn poker on paper: what hands were worth without the luck, from the cards, the choices and both sides' mixes.

Nothing here knows the engine's trees or its estimators. Ante 1, one bet of 1; cards are 0 (J), 1 (Q) and 2 (K).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import permutations
from typing import TypeAlias

Line: TypeAlias = tuple[str, ...]
Cards: TypeAlias = tuple[int, int]
Mix: TypeAlias = Callable[[int, int, Line], Mapping[str, float]]  # of a seat with a card after a line of choices
LINES: tuple[Line, ...] = ((), ("check",), ("bet",), ("check", "bet"))  # after which a player is to choose
DEALS: tuple[Cards, ...] = tuple(permutations(range(3), 2))


def menu(line: Line) -> tuple[str, str]:
    """What can be chosen after a line."""
    return ("call", "fold") if line and line[-1] == "bet" else ("bet", "check")


def value(cards: Cards, line: Line, mix: Mix) -> float:
    """Alice's chips, expected."""
    if line not in LINES:
        if line[-1] == "fold":
            return 1.0 if len(line) == 2 else -1.0  # Bob folds to Alice's bet, or she to his
        stake = 2.0 if line[-1] == "call" else 1.0
        return stake if cards[0] > cards[1] else -stake
    seat = len(line) % 2
    return sum(p * value(cards, (*line, choice), mix) for choice, p in mix(seat, cards[seat], line).items())


def luckless(seat: int, cards: Cards, choices: Sequence[str], mix: Mix) -> float:
    """AIVAT for the person at a seat, against a known mix: what the game is worth, and for each choice
    of the person what it is expected to win more than the mix in its place, given all that the person knew.

    mix: of the person what is thought of it, of the opponent what it plays.
    """
    sign = 1.0 if seat == 0 else -1.0

    def expected(line: Line, then: Line) -> float:
        """The person's chips after `then`, by what is known of the opponent's card after `line`."""
        total = weight = 0.0
        for deal in DEALS:
            if deal[seat] != cards[seat]:
                continue
            odds = 1.0
            for i, choice in enumerate(line):
                if i % 2 != seat:
                    odds *= mix(1 - seat, deal[1 - seat], line[:i])[choice]
            total += odds * sign * value(deal, then, mix)
            weight += odds
        return total / weight

    found = sum(sign * value(deal, (), mix) for deal in DEALS) / len(DEALS)
    for i, choice in enumerate(choices):
        line = tuple(choices[:i])
        if i % 2 == seat:
            found += expected(line, (*line, choice)) - expected(line, line)
    return found


def without_cards(seat: int, cards: Cards, payoff: float, mix: Mix) -> float:
    """The chips of the person at a seat without the luck of the cards alone. mix: what values are reckoned with."""
    sign = 1.0 if seat == 0 else -1.0
    worth = [value(deal, (), mix) for deal in DEALS]
    return payoff - sign * (value(cards, (), mix) - sum(worth) / len(worth))
