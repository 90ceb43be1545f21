"""The running score of a person against one opponent in one game, in chips and without the luck."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt
from statistics import fmean, variance
from typing import Any

from msgspec import Struct

from antemill.tournament.runs import Record


class Line(Struct):
    """A finished hand. chips: won by the person. luckless: without the luck; None until it is computed."""

    item: str
    seat: int
    chips: int
    luckless: float | None = None
    without: str = ""


class Tally:
    """The hands of a person against an opponent in a game, in the order in which they were dealt."""

    def __init__(self, records: Iterable[Record], game: str, person: str, opponent: str) -> None:
        self.lines = [line_of(record, person) for record in records if _meets(record, game, person, opponent)]

    def add(self, line: Line) -> None:
        """One more hand."""
        self.lines.append(line)

    def open(self) -> list[Line]:
        """Hands without an estimate, the newest first."""
        return [line for line in reversed(self.lines) if line.luckless is None]

    def shown(self) -> dict[str, Any]:
        """Sums, means a hand with standard errors (None for fewer than `FEWEST` hands), and the score hand by hand."""
        chips = [float(line.chips) for line in self.lines]
        known = [line for line in self.lines if line.luckless is not None]
        return {
            "hands": len(self.lines),
            "won": sum(one > 0 for one in chips),
            "drawn": sum(one == 0 for one in chips),
            "chips": int(sum(chips)),
            "mean": _mean(chips),
            "error": _error(chips),
            "luckless": _mean([line.luckless or 0.0 for line in known]),
            "luckless_error": _error([line.luckless or 0.0 for line in known]),
            "estimated": len(known),
            "fewest": FEWEST,
            "without": "cards" if any(line.without == "cards" for line in known) else "cards and opponent",
            "history": [{"chips": line.chips, "luckless": line.luckless} for line in self.lines[-_SHOWN:]],
        }


_SHOWN = 500
FEWEST = 10  # hands from which on a standard error is told; that of fewer is itself too uncertain


def line_of(record: Record, person: str) -> Line:
    """A finished hand of the person."""
    seat = 0 if record.item.data["alice"] == person else 1
    payoff = int(record.row["payoff"])
    return Line(record.item.key, seat, payoff if seat == 0 else -payoff)


def _meets(record: Record, game: str, person: str, opponent: str) -> bool:
    data = record.item.data
    return data["game"] == game and {data["alice"], data["bob"]} == {person, opponent}


def _mean(values: list[float]) -> float | None:
    return fmean(values) if values else None


def _error(values: list[float]) -> float | None:
    return sqrt(variance(values) / len(values)) if len(values) >= FEWEST else None
