"""What a pool's games are made of: constructs, complexities, and what other readings of the gate would have accepted.

The three distributions are kept apart, as the paper asks (G45): candidates, accepted games, and the benchmark.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Set
from typing import Any

from msgspec import Struct

from engine.machine.readings import READINGS
from engine.rules.constructs import CONSTRUCTS
from tournament.pool.layout import Pool
from tournament.pool.score import games_part

TENTHS = 10  # of the dial's range
_COLUMNS = ["seed", "complexity", "accepted", "accepted_by", "constructs"]


class Shares(Struct, frozen=True):
    """The share that has a construct of the candidates, the accepted, the benchmark (None while there is none)."""

    candidates: float
    accepted: float
    benchmark: float | None


class Tenth(Struct, frozen=True):
    """A tenth of the complexity range.

    candidates: the share of all candidates that lie in it. accepted: the share of these that were accepted. betting,
    loop: the shares of the accepted with betting, with a betting loop; None without any accepted game.
    """

    low: float
    high: float
    candidates: float
    accepted: float
    betting: float | None
    loop: float | None


class Composition(Struct, frozen=True):
    """What the games are made of; `readings`: the share of the candidates that a reading of the gate accepts."""

    constructs: dict[str, Shares]
    by_complexity: list[Tenth]
    readings: dict[str, float]


class _Games:
    """Games counted by their constructs."""

    def __init__(self) -> None:
        self.count = 0
        self.parts: Counter[str] = Counter()

    def add(self, parts: Iterable[str]) -> None:
        self.count += 1
        self.parts.update(parts)

    def share(self, part: str) -> float | None:
        return self.parts[part] / self.count if self.count else None


def composition(pool: Pool, selected: Set[int] = frozenset()) -> Composition:
    """What the pool's games are made of. selected: the seeds of the benchmark. Raises StorageError if unfinished."""
    candidates, accepted, benchmark = _Games(), _Games(), _Games()
    drawn: Counter[int] = Counter()
    tenths = [_Games() for _ in range(TENTHS)]
    readings: Counter[str] = Counter()
    for row in _rows(pool):
        tenth = min(int(row["complexity"] * TENTHS), TENTHS - 1)
        drawn[tenth] += 1
        candidates.add(row["constructs"])
        readings.update(row["accepted_by"] or ())
        if row["accepted"]:
            accepted.add(row["constructs"])
            tenths[tenth].add(row["constructs"])
        if row["seed"] in selected:
            benchmark.add(row["constructs"])
    return Composition(
        {name: _shares(name, candidates, accepted, benchmark) for name in CONSTRUCTS},
        [_tenth(number, drawn[number] / candidates.count, drawn[number], games) for number, games in enumerate(tenths)],
        {name: readings[name] / candidates.count for name in READINGS},
    )


def _rows(pool: Pool) -> Iterable[dict[str, Any]]:
    for block in pool.blocks:
        yield from games_part(pool, block, _COLUMNS).to_pylist()


def _shares(part: str, candidates: _Games, accepted: _Games, benchmark: _Games) -> Shares:
    return Shares(candidates.share(part) or 0.0, accepted.share(part) or 0.0, benchmark.share(part))


def _tenth(number: int, share: float, drawn: int, accepted: _Games) -> Tenth:
    low, high = number / TENTHS, (number + 1) / TENTHS
    return Tenth(
        low, high, share, accepted.count / max(drawn, 1), accepted.share("betting"), accepted.share("betting loop")
    )
