"""Which of two hands is better."""

from __future__ import annotations

from collections import Counter

from .state import Table


def value(table: Table, cards: list[int], metric: str) -> list[int]:
    """The hand as a list: the better hand has the larger list (from the left; a longer list beats its prefix)."""
    high = sorted((table.rank(card) for card in cards), reverse=True)
    match metric:
        case "high":
            return high
        case "low":
            return [-rank for rank in reversed(high)]
        case "sum":
            return [sum(high)]
        case "suits":
            return [max(Counter(table.suit(card) for card in cards).values(), default=0), *high]
        case "pairs":
            pairs = [rank for rank, times in Counter(high).items() if times >= 2]
            return [len(pairs) > 0, max(pairs, default=0), *high]
    raise ValueError(f"unknown metric {metric}")


def better_seat(table: Table, metric: str, board: bool) -> int | None:
    """The seat with the better hand; None for a tie."""
    shared = table.board if board else []
    alice, bob = (value(table, hand + shared, metric) for hand in table.hands)
    if alice == bob:
        return None
    return 0 if alice > bob else 1
