"""The composition of a pool: constructs, complexities, and the games that other readings of the gate would accept.

The three distributions are kept apart, as the paper asks (G45): candidates, accepted games, and the benchmark.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Set

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct

from antemill.engine.machine.readings import READINGS
from antemill.engine.rules.constructs import CONSTRUCTS
from antemill.engine.storage.store import HAS
from antemill.tournament.pool.layout import Pool

TENTHS = 10  # of the dial's range
_COLUMNS = ["seed", "complexity", "accepted", "accepted_by", *HAS.values()]


class Shares(Struct, frozen=True):
    """The share that has a construct of the candidates, the accepted, the benchmark (None while there is none)."""

    candidates: float
    accepted: float
    benchmark: float | None


class Tenth(Struct, frozen=True):
    """A tenth of the complexity range: 0 to 1, or as far as the pool's caps let the dial go.

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
    """The composition of a pool. readings: the share of the candidates that each reading of the gate accepts."""

    constructs: dict[str, Shares]
    by_complexity: list[Tenth]
    readings: dict[str, float]


class _Games:
    """Games counted by their constructs."""

    def __init__(self) -> None:
        self.count = 0
        self.parts: Counter[str] = Counter()

    def add(self, games: pa.Table) -> None:
        self.count += games.num_rows
        self.parts.update({name: pc.sum(games[column], min_count=0).as_py() for name, column in HAS.items()})

    def share(self, part: str) -> float | None:
        return self.parts[part] / self.count if self.count else None


def composition(pool: Pool, selected: Set[int] = frozenset()) -> Composition:
    """The composition of a pool. selected: the seeds of the benchmark. Raises StorageError if unfinished."""
    candidates, accepted, benchmark = _Games(), _Games(), _Games()
    drawn: Counter[int] = Counter()
    most = 1.0 if pool.settings.complexity is None else max(1.0, pool.settings.complexity[1])
    tenths = [_Games() for _ in range(TENTHS)]
    readings: Counter[str] = Counter()
    chosen = pa.array(sorted(selected), pa.int64())
    for cell in pool.cells:
        rows = pool.candidates(cell, _COLUMNS)
        candidates.add(rows)
        benchmark.add(rows.filter(pc.is_in(rows["seed"], chosen)))
        readings.update(name for names in rows["accepted_by"].to_pylist() for name in names or ())
        tenth = np.minimum((rows["complexity"].to_numpy() / most * TENTHS).astype(np.int64), TENTHS - 1)
        drawn.update(tenth.tolist())
        accepted.add(rows.filter(rows["accepted"]))
        for number, games in enumerate(tenths):
            games.add(rows.filter(pc.and_(rows["accepted"], pa.array(tenth == number))))
    return Composition(
        {name: _shares(name, candidates, accepted, benchmark) for name in CONSTRUCTS},
        [
            _tenth(number, most, drawn[number] / candidates.count, drawn[number], games)
            for number, games in enumerate(tenths)
        ],
        {name: readings[name] / candidates.count for name in READINGS},
    )


def _shares(part: str, candidates: _Games, accepted: _Games, benchmark: _Games) -> Shares:
    return Shares(candidates.share(part) or 0.0, accepted.share(part) or 0.0, benchmark.share(part))


def _tenth(number: int, most: float, share: float, drawn: int, accepted: _Games) -> Tenth:
    low, high = most * number / TENTHS, most * (number + 1) / TENTHS
    return Tenth(
        low, high, share, accepted.count / max(drawn, 1), accepted.share("betting"), accepted.share("betting_loop")
    )
