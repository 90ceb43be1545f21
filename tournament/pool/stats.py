"""`pool stats`: statistics of a pool. Acceptance needs only the games, everything else their scores."""

from __future__ import annotations

import math
import os
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from msgspec import Struct

from antemill.axes.budgets import FAST, PRECISE
from antemill.axes.exact.tier import EXACT
from antemill.axes.pool_stats import PoolStats, pool_stats
from antemill.axes.reliability import Reliability, reliability
from antemill.axes.table import AXES
from antemill.engine.storage.places import Place
from antemill.engine.storage.store import decode
from antemill.tournament.pool import schemas
from antemill.tournament.pool.build import Built, acceptance
from antemill.tournament.pool.composition import Composition, composition
from antemill.tournament.pool.damage import explained
from antemill.tournament.pool.layout import BENCHMARK, Pool, complete_pool
from antemill.tournament.pool.retest import read_retest
from antemill.tournament.pool.select import Points, read_points

Values = npt.NDArray[np.float64]


class PoolReport(Struct, frozen=True, eq=False):
    """A pool at one tier. points, stats and tails are None while it is not scored, stats also without any game.

    benchmark: the axes of the games in the pool's benchmark.parquet at the precise tier, as the paper gives those of
    its fifty, and chosen the games themselves, float64[games, axes]; None without such a file, or while its games have
    no precise scores.
    """

    pool: Pool
    built: Built
    tier: str
    points: Points | None
    stats: PoolStats | None
    tails: dict[str, tuple[float, float]] | None  # 10th and 90th percentile of each axis
    composition: Composition
    benchmark: PoolStats | None
    chosen: Values | None = None
    retest: dict[str, Reliability] | None = None  # of each axis; None if no game was played twice


def examine_pool(folder: str | os.PathLike[str] | Place, tier: str = "fast") -> PoolReport:
    """Read a pool, with its scores if it was scored at the tier. Raises StorageError if it is unfinished or damaged."""
    with explained(folder):
        return _examined(complete_pool(folder), tier)


def _examined(pool: Pool, tier: str) -> PoolReport:
    built, data = acceptance(pool), pool.folder.find(BENCHMARK)
    selected = None if data is None else decode(data, schemas.BENCHMARK, pool.folder.path(BENCHMARK))
    made_of = composition(pool, set() if selected is None else set(selected["seed"].to_pylist()))
    chosen = None if selected is None else precise_values(selected)
    also = made_of, None if chosen is None else pool_stats(chosen), chosen
    if pool.scored_by(tier) is None:
        return PoolReport(pool, built, tier, None, None, None, *also)
    points = read_points(pool, tier)
    if not len(points.seeds):
        return PoolReport(pool, built, tier, points, None, None, *also)
    low, high = np.percentile(points.values, (10, 90), axis=0).tolist()
    tails = dict(zip(AXES, zip(low, high, strict=True), strict=True))
    retest = read_retest(pool, tier, points)
    reliabilities = None if retest is None else retest.reliabilities()
    return PoolReport(pool, built, tier, points, pool_stats(points.values), tails, *also, reliabilities)


def tier_of_selection(pool: Pool) -> str:
    """The tier by which `antemill run` has selected: the fast one if the pool has its scores, or none."""
    exact = pool.scored_by(FAST.name) is None and pool.scored_by(EXACT.name) is not None
    return (EXACT if exact else FAST).name


def selected_from(folder: str | os.PathLike[str] | Place) -> Points:
    """The accepted games of a pool by the scores that select. Raises StorageError if there is no scored pool."""
    with explained(folder):
        pool = complete_pool(folder)
        return read_points(pool, tier_of_selection(pool))


def examine_selected(folder: str | os.PathLike[str] | Place) -> PoolReport:
    """As `examine_pool`, at the tier by which `antemill run` has selected."""
    return examine_pool(folder, tier_of_selection(complete_pool(folder)))


def benchmark_stats(selected: pa.Table) -> PoolStats | None:
    """The axes of a benchmark at the precise tier; None while some of its games have no such scores."""
    values = precise_values(selected)
    return None if values is None else pool_stats(values)


def precise_values(selected: pa.Table) -> Values | None:
    """float64[games, axes]: the precise scores of a benchmark; None while some of its games have none."""
    columns = [selected[f"{PRECISE.name}_{axis}"] for axis in AXES]
    if not selected.num_rows or any(column.null_count for column in columns):
        return None
    return np.column_stack([column.to_numpy() for column in columns])


def benchmark_reliability(selected: pa.Table) -> dict[str, Reliability] | None:
    """Of each axis among a benchmark's games, from its two precise plays; None while some of its games lack one."""
    values, again = (
        precise_values(selected),
        [selected[name] for name in schemas.AGAIN if name in selected.column_names],
    )
    if values is None or len(again) < len(AXES) or any(column.null_count for column in again):
        return None
    return {axis: reliability(values[:, k], again[k].to_numpy()) for k, axis in enumerate(AXES)}


def as_document(report: PoolReport) -> dict[str, Any]:
    """The report with the keys that scripts rely on; figures of axes are empty while the pool is not scored."""
    built, stats = report.built, report.stats
    ranges, correlation, factors = _figures(stats)
    for axis, (low, high) in (report.tails or {}).items():
        ranges[axis] |= {"p10": low, "p90": high}
    for axis, found in (report.retest or {}).items():
        if axis in ranges:
            ranges[axis] |= {"standard_error": found.error}
            ranges[axis] |= {name: value for name, value in _shares(found).items() if math.isfinite(value)}
    chosen = dict(zip(("axes", "correlation", "vif"), _figures(report.benchmark), strict=True))
    return {
        "seeds": report.pool.settings.seeds,
        "caps": report.pool.settings.caps,
        "builder": report.pool.settings.builder,
        "candidates": built.candidates,
        "accepted": built.accepted,
        "rejected": built.rejected,
        "broken": built.broken,
        "accepted_share": built.accepted / built.candidates,
        "tier": report.tier,
        "scored": report.points is not None,
        "axes": ranges,
        "correlation": correlation,
        "vif": factors,
        "constructs": msgspec.to_builtins(report.composition.constructs),
        "by_complexity": msgspec.to_builtins(report.composition.by_complexity),
        "readings": report.composition.readings,
        "benchmark": chosen | {"tier": PRECISE.name},
    }


def _shares(found: Reliability) -> dict[str, float]:
    return {"reliability": found.share, "reliability_low": found.low, "reliability_high": found.high}


def _figures(
    stats: PoolStats | None,
) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]], dict[str, float]]:
    """(ranges, correlations, variance inflation) by axis; empty without stats."""
    if stats is None:
        return {}, {}, {}
    ranges = {axis: {"min": span.min, "median": span.median, "max": span.max} for axis, span in stats.axes.items()}
    rows = [dict(zip(AXES, row, strict=True)) for row in stats.correlation]
    return ranges, dict(zip(AXES, rows, strict=True)), stats.vif
