"""`pool select`: the games that cover the pool's axis space best, as a benchmark file (X10)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct

from antemill.axes.budgets import FAST
from antemill.axes.exact.tier import EXACT, TIERS
from antemill.axes.select import farthest_points
from antemill.axes.table import AXES
from antemill.engine.errors import StorageError, UsageError
from antemill.engine.storage.places import Place
from antemill.engine.storage.store import HAS, fetch, read, table
from antemill.engine.storage.store import write as write_table
from antemill.tournament.pool.layout import Pool, complete_pool
from antemill.tournament.pool.schemas import BENCHMARK, SCORE_COLUMNS, SCORES
from antemill.tournament.pool.shard_reading import candidates, games_of, scored_by, scores
from antemill.tournament.pool.spans import Span, parse


class Points(Struct, frozen=True, eq=False):
    """The accepted games of a pool as points: float64[games, axes], and their seeds, digests and tiers, in order of
    seeds."""

    values: npt.NDArray[np.float64]
    seeds: npt.NDArray[np.int64]
    digests: list[str]
    tiers: list[str]  # at which each game was scored: another one than that of the pool's scores for large games


def read_points(pool: Pool, tier: str = "fast") -> Points:
    """All accepted games with their scores. Raises StorageError if the pool is not scored."""
    values, seeds = [np.zeros((0, len(AXES)))], [np.zeros(0, np.int64)]
    digests: list[str] = []
    tiers: list[str] = []
    version = scored_by(pool, tier)
    for shard in pool.shards:
        found = scores(pool, shard, tier, version or "")
        values.append(np.column_stack([found[axis].to_numpy() for axis in AXES]))
        seeds.append(found["seed"].to_numpy())
        digests += found["digest"].to_pylist()
        tiers += found["tier"].to_pylist()
    return Points(np.concatenate(values), np.concatenate(seeds), digests, tiers)


def select_games(folder: str | os.PathLike[str] | Place, count: int = 50, tier: str = FAST.name) -> pa.Table:
    """The benchmark of `count` games (fewer if the pool has fewer), in the order of their selection.

    Selects by the scores of a tier, which the paper does by fast ones; those of other tiers are filled in where the
    pool has them. Raises UsageError for a count below 1 or an unknown tier, StorageError if the pool is unfinished, not
    scored, or has no accepted game.
    """
    require_tier(tier)
    if count < 1:
        raise UsageError(f"can not select {count} games: the count must be at least 1.")
    pool = complete_pool(folder)
    points = read_points(pool, tier)
    if not len(points.seeds):
        raise StorageError(f"the pool in {folder} has no accepted game: build one with more seeds.")
    chosen = farthest_points(points.values, min(count, len(points.seeds)), points.seeds)
    ranks = {int(points.seeds[i]): rank for rank, i in enumerate(chosen, 1)}
    rows = [row for shard in pool.shards for row in _rows(pool, shard, ranks)]
    return table(BENCHMARK, sorted(rows, key=lambda row: int(row["rank"])))


def write_benchmark(path: Path, benchmark: pa.Table) -> None:
    """Write a benchmark file atomically."""
    write_table(path, BENCHMARK, benchmark, benchmark["builder"][0].as_py())


def read_benchmark(path: Path) -> pa.Table:
    """Read a benchmark file of any builder: it has all that is needed to play its games."""
    return read(path, BENCHMARK)


def _rows(pool: Pool, shard: Span, ranks: dict[int, int]) -> list[dict[str, Any]]:
    """A shard's chosen games as rows of a benchmark."""
    chosen = pa.array(sorted(seed for seed in ranks if shard.start <= seed < shard.stop), pa.int64())
    if not len(chosen):
        return []
    whole = games_of(pool, shard, chosen).to_pylist()
    rows = {row["seed"]: row | {"rank": ranks[row["seed"]]} for row in whole}
    for row in _of(candidates(pool, shard), chosen):
        made_of = sorted(name for name, column in HAS.items() if row[column])
        rows[row["seed"]] |= row | {"builder": pool.settings.builder, "constructs": made_of}
    for tier in TIERS:
        for found in _scores(pool, shard, tier):
            for each in _of(found, chosen):
                rows[each["seed"]] |= {f"{tier}_{name}": each[name] for name in SCORE_COLUMNS}
                if tier == EXACT.name:
                    rows[each["seed"]][f"{tier}_tier"] = each["tier"]
    return list(rows.values())


def require_tier(tier: str) -> None:
    """Raise UsageError for an unknown tier."""
    if tier not in TIERS:
        raise UsageError(f"there is no tier '{tier}': use {' or '.join(TIERS)}.")


def _scores(pool: Pool, shard: Span, tier: str) -> list[pa.Table]:
    """The shard's scores at a tier, as far as they exist."""
    version = scored_by(pool, tier)
    if version is None:
        return []
    folder = f"scores/{tier}/{version}"
    names = [name for name in pool.folder.names(folder) if (found := parse(name)) and found[0] == shard]
    return [fetch(pool.folder, f"{folder}/{name}", SCORES) for name in names]


def _of(rows: pa.Table, seeds: pa.Array) -> list[dict[str, Any]]:
    return list(rows.filter(pc.is_in(rows["seed"], seeds)).to_pylist())
