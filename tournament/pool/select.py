"""`pool select`: the games that cover the pool's axis space best, as a benchmark file (X10)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from msgspec import Struct

from axes.budgets import FAST, TIERS
from axes.select import farthest_points
from axes.table import AXES
from engine.errors import StorageError, UsageError
from engine.storage.store import GAMES, read, table
from engine.storage.store import write as write_table
from tournament.pool.layout import Pool, open_pool
from tournament.pool.repeats import Repeats
from tournament.pool.schemas import BENCHMARK, SCORE_COLUMNS, SCORES
from tournament.pool.score import games_part, scores_part

_GAME_COLUMNS = [name for name in BENCHMARK.schema.names if name in GAMES.schema.names]


class Points(Struct, frozen=True, eq=False):
    """The accepted games of a pool as points: float64[games, axes], and their seeds and digests, in order of seeds."""

    values: npt.NDArray[np.float64]
    seeds: npt.NDArray[np.int64]
    digests: list[str]


def read_points(pool: Pool, tier: str = "fast") -> Points:
    """All accepted games with their scores, no game twice.

    Raises StorageError if the pool is unfinished or not scored.
    """
    values, seeds, digests, repeats = [np.zeros((0, len(AXES)))], [np.zeros(0, np.int64)], [], Repeats()
    for block in pool.blocks:
        games = games_part(pool, block, ["seed", "accepted", "digest", "canonical_digest"])
        repeats.require_none(games, str(pool.folder))
        names = games.filter(games["accepted"])["digest"].to_pylist()
        scores = scores_part(pool, block, tier, names)
        values.append(np.column_stack([scores[axis].to_numpy() for axis in AXES]))
        seeds.append(scores["seed"].to_numpy())
        digests += names
    return Points(np.concatenate(values), np.concatenate(seeds), digests)


def select_games(folder: Path, count: int = 50) -> pa.Table:
    """The benchmark of `count` games (fewer if the pool has fewer), in the order of their selection.

    Selects by fast scores; precise scores are filled in where the pool has them. Raises UsageError for a count below
    1, StorageError if the pool is unfinished, not scored, or has no accepted game.
    """
    if count < 1:
        raise UsageError(f"can not select {count} games: the count must be at least 1.")
    pool = open_pool(folder)
    points = read_points(pool)
    if not len(points.seeds):
        raise StorageError(f"the pool in {folder} has no accepted game: build one with more seeds.")
    chosen = farthest_points(points.values, min(count, len(points.seeds)), points.seeds)
    ranks = {int(points.seeds[i]): rank for rank, i in enumerate(chosen, 1)}
    rows = [row for block in pool.blocks for row in _rows(pool, block, ranks)]
    return table(BENCHMARK, sorted(rows, key=lambda row: int(row["rank"])))


def write_benchmark(path: Path, benchmark: pa.Table) -> None:
    """Write a benchmark file atomically."""
    write_table(path, BENCHMARK, benchmark, benchmark["builder"][0].as_py())


def read_benchmark(path: Path) -> pa.Table:
    """Read a benchmark file, from any builder: it holds all that is needed to play its games."""
    return read(path, BENCHMARK)


def _rows(pool: Pool, block: Any, ranks: dict[int, int]) -> list[dict[str, Any]]:
    """A block's chosen games as rows of a benchmark."""
    if not any(block.start <= seed < block.stop for seed in ranks):
        return []
    games = games_part(pool, block)
    chosen = games.filter(pa.array([seed in ranks for seed in games["seed"].to_pylist()])).select(_GAME_COLUMNS)
    rows = {row["seed"]: row | {"rank": ranks[row["seed"]]} for row in chosen.to_pylist()}
    for tier in TIERS:
        path = pool.scores(tier, block)
        if tier != FAST.name and not path.exists():
            continue
        for scores in read(path, SCORES).to_pylist():
            row = rows.get(scores["seed"])
            if row is not None and row["digest"] == scores["digest"]:
                row.update({f"{tier}_{name}": scores[name] for name in SCORE_COLUMNS})
    return list(rows.values())
