"""`pool select`: the games that cover the pool's axis space best, as a benchmark file (X10)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
from msgspec import Struct

from antemill.axes.budgets import FAST
from antemill.axes.exact.tier import EXACT, TIERS
from antemill.axes.select import farthest_points
from antemill.axes.table import AXES
from antemill.engine.errors import StorageError, UsageError
from antemill.engine.storage.files import write_bytes
from antemill.engine.storage.places import Place
from antemill.engine.storage.store import HAS, read, table
from antemill.engine.storage.store import write as write_table
from antemill.tournament.pool.damage import explained
from antemill.tournament.pool.grid import Span
from antemill.tournament.pool.layout import Pool, complete_pool
from antemill.tournament.pool.schemas import BENCHMARK, SCORE_COLUMNS, SCORES

Rows = npt.NDArray[np.int64]
SUFFIXES = (".parquet", ".json", ".csv")
CONDITIONS = ("complexity", "moves")  # columns of candidates that a condition may be about


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
    for cell in pool.cells:
        found = pool.scores(cell, tier, ["seed", "digest", "tier", *AXES])
        values.append(np.column_stack([found[axis].to_numpy() for axis in AXES]))
        seeds.append(found["seed"].to_numpy())
        digests += found["digest"].to_pylist()
        tiers += found["tier"].to_pylist()
    return Points(np.concatenate(values), np.concatenate(seeds), digests, tiers)


class Limits(Struct, frozen=True):
    """Which games a selection may choose. where: a condition in SQL on `read_columns`. pinned: seeds of games that
    are chosen whatever the condition says. excluded: seeds of games that are not.
    """

    where: str | None = None
    pinned: tuple[int, ...] = ()
    excluded: tuple[int, ...] = ()


def select_games(
    folder: str | os.PathLike[str] | Place, count: int = 50, tier: str = FAST.name, limits: Limits | None = None
) -> pa.Table:
    """The benchmark of `count` games (fewer if the pool has fewer), in the order of their selection.

    Selects by the scores of a tier, which the paper does by fast ones; those of other tiers are filled in where the
    pool has them. Raises UsageError for a count below 1, an unknown tier, or limits that do not fit the pool,
    StorageError if the pool is unfinished, not scored, or has no accepted game.
    """
    with explained(folder):
        pool, points = points_to_select(folder, count, tier)
        able = eligible(pool, tier, points, limits or Limits())
        return benchmark_of(pool, points, chosen_of(points, able, count, (limits or Limits()).pinned))


def points_to_select(folder: str | os.PathLike[str] | Place, count: int, tier: str) -> tuple[Pool, Points]:
    """A pool and its points; raises as `select_games`."""
    require_tier(tier)
    if count < 1:
        raise UsageError(f"cannot select {count} games: the count must be at least 1.")
    pool = complete_pool(folder)
    points = read_points(pool, tier)
    if not len(points.seeds):
        raise StorageError(f"the pool in {folder} has no accepted game: build one with more seeds.")
    return pool, points


def benchmark_of(pool: Pool, points: Points, chosen: Rows) -> pa.Table:
    """The benchmark of the chosen rows of the points, in this order."""
    ranks = {int(points.seeds[i]): rank for rank, i in enumerate(chosen, 1)}
    rows = [row for cell in pool.cells for row in _rows(pool, cell, ranks)]
    return table(BENCHMARK, sorted(rows, key=lambda row: int(row["rank"])))


def chosen_of(points: Points, able: Rows, count: int, pinned: Sequence[int]) -> Rows:
    """int64[games]: the rows of the chosen games in order of choice, out of `able`, on whose axes they are spread."""
    seeds = points.seeds[able]
    if len(pinned) > count:
        raise UsageError(f"{len(pinned)} games are pinned, more than the {count} to select: pin fewer.")
    first = [int(np.flatnonzero(seeds == seed)[0]) for seed in pinned]
    return able[farthest_points(points.values[able], min(count, len(able)), seeds, first)]


def eligible(pool: Pool, tier: str, points: Points, limits: Limits) -> Rows:
    """int64[.]: the rows of the games that may be chosen. Raises UsageError if there are none, or an unknown seed."""
    known = set(points.seeds.tolist())
    for what, seeds in (("pinned", limits.pinned), ("excluded", limits.excluded)):
        if strange := [seed for seed in seeds if seed not in known]:
            raise UsageError(f"game {strange[0]} cannot be {what}: it is not among the pool's accepted games.")
        if len(set(seeds)) < len(seeds):
            raise UsageError(f"a game is {what} twice: name each seed once.")
    if both := sorted(set(limits.pinned) & set(limits.excluded)):
        raise UsageError(f"game {both[0]} is pinned and excluded: choose one of the two.")
    able = np.ones(len(points.seeds), np.bool_)
    if limits.where is not None:
        able = np.isin(points.seeds, fulfilling(limits.where, read_columns(pool, tier)))
    able &= ~np.isin(points.seeds, limits.excluded)
    able |= np.isin(points.seeds, limits.pinned)
    if not able.any():
        raise UsageError(
            f"no game of the {len(able)} fulfils the condition '{limits.where}': ask for less."
            if limits.where
            else "all games are excluded: exclude fewer."
        )
    return np.flatnonzero(able)


def fulfilling(condition: str, columns: pa.Table) -> Rows:
    """int64[.]: the seeds of the rows that fulfil a condition in SQL. Raises UsageError for one that cannot be read."""
    import duckdb  # here, since it takes memory and time that most commands do not need

    with duckdb.connect(config={"enable_external_access": "false"}) as database:
        database.register("games", columns)
        try:
            found = database.execute(f"SELECT seed FROM games WHERE ({condition}\n)").fetchnumpy()["seed"]
        except (duckdb.Error, RuntimeError, KeyError) as error:
            words = " ".join(str(error).partition("LINE 1")[0].split()).rstrip(" .!")
            raise UsageError(
                f"the condition '{condition}' cannot be read ({words}): write SQL, such as "
                "'state_space < 3 AND has_auction'."
            ) from error
    return np.asarray(found, np.int64)


def read_columns(pool: Pool, tier: str) -> pa.Table:
    """What a condition may be about, game by game in the order of seeds: scores, complexity, size, constructs.

    The column of a construct is its name after `has_`.
    """
    found = []
    for cell in pool.cells:
        rows = pool.candidates(cell, ["accepted", *CONDITIONS, *HAS.values()])
        rows = rows.filter(rows["accepted"]).drop_columns("accepted")
        scored = pool.scores(
            cell, tier, [name for name in SCORES.schema.names if name not in ("digest", "axes_version")]
        )
        found.append(pa.table({name: part[name] for part in (scored, rows) for name in part.column_names}))
    return pa.concat_tables(found)


def write_selected(path: Path, benchmark: pa.Table) -> None:
    """Write a benchmark, or its figures, as its suffix says. Raises UsageError for another suffix than `SUFFIXES`."""
    require_suffix(path)
    if path.suffix == ".parquet":
        write_benchmark(path, benchmark)
        return
    plain = [field.name for field in benchmark.schema if not pa.types.is_binary(field.type) and field.name != "code"]
    rows = benchmark.select(plain)
    if path.suffix == ".json":
        write_bytes(path, msgspec.json.format(msgspec.json.encode(rows.to_pylist())) + b"\n")
        return
    sink = pa.BufferOutputStream()
    flat = [pc.binary_join(column, ";") if pa.types.is_list(column.type) else column for column in rows.columns]
    pacsv.write_csv(pa.table(flat, rows.column_names), sink)
    write_bytes(path, sink.getvalue().to_pybytes())


def require_suffix(path: Path) -> None:
    """Raise UsageError unless a selection can be written to a file of this name."""
    if path.suffix not in SUFFIXES:
        raise UsageError(f"a selection is written as its suffix says: name a {' or '.join(SUFFIXES)} file, not {path}.")


def write_benchmark(path: Path, benchmark: pa.Table) -> None:
    """Write a benchmark file atomically."""
    write_table(path, BENCHMARK, benchmark, benchmark["builder"][0].as_py())


def read_benchmark(path: Path) -> pa.Table:
    """Read a benchmark file of any builder: it has all that is needed to play its games."""
    return read(path, BENCHMARK)


def _rows(pool: Pool, cell: Span, ranks: dict[int, int]) -> list[dict[str, Any]]:
    """A cell's chosen games as rows of a benchmark."""
    chosen = pa.array(sorted(seed for seed in ranks if cell.start <= seed < cell.stop), pa.int64())
    if not len(chosen):
        return []
    rows = {row["seed"]: row | {"rank": ranks[row["seed"]]} for row in pool.games(cell, seeds=chosen).to_pylist()}
    for row in _of(pool.candidates(cell), chosen):
        made_of = sorted(name for name, column in HAS.items() if row[column])
        rows[row["seed"]] |= row | {"builder": pool.settings.builder, "constructs": made_of}
    for tier in TIERS:
        version = pool.scored_by(tier)
        if version is None or not pool.folder.exists(f"scores/{tier}/{version}/{cell.file}"):
            continue
        for each in _of(pool.scores(cell, tier), chosen):
            rows[each["seed"]] |= {f"{tier}_{name}": each[name] for name in SCORE_COLUMNS}
            rows[each["seed"]] |= {"rulebook_length": each["rulebook_length"]}
            if tier == EXACT.name:
                rows[each["seed"]][f"{tier}_tier"] = each["tier"]
    return list(rows.values())


def require_tier(tier: str) -> None:
    """Raise UsageError for an unknown tier."""
    if tier not in TIERS:
        raise UsageError(f"there is no tier '{tier}': use {' or '.join(TIERS)}.")


def _of(rows: pa.Table, seeds: pa.Array) -> list[dict[str, Any]]:
    return list(rows.filter(pc.is_in(rows["seed"], seeds)).to_pylist())
