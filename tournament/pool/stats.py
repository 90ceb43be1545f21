"""`pool stats`: what a pool is like. Acceptance needs the games only, everything else their scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct

from axes.pool_stats import PoolStats, pool_stats
from axes.table import AXES
from tournament.pool.build import Built, summary
from tournament.pool.layout import Pool, open_pool
from tournament.pool.score import games_part, require_distinct
from tournament.pool.select import Points, read_points
from tournament.pool.work import VERDICT_COLUMNS, Verdicts, verdicts


class PoolReport(Struct, frozen=True, eq=False):
    """A pool at one tier. points, stats and tails are None while it is not scored, stats also without any game."""

    pool: Pool
    built: Built
    tier: str
    points: Points | None
    stats: PoolStats | None
    tails: dict[str, tuple[float, float]] | None  # 10th and 90th percentile of each axis


def acceptance(pool: Pool) -> Built:
    """Counts of the pool's candidates. Raises StorageError if the pool is unfinished."""
    require_distinct(pool)
    total = Verdicts()
    for block in pool.blocks:
        total.add(verdicts(games_part(pool, block, VERDICT_COLUMNS), pool.settings.gate))
    return summary(total)


def examine_pool(folder: Path, tier: str = "fast") -> PoolReport:
    """Read a pool, with its scores if it was scored at the tier. Raises StorageError if it is unfinished or damaged."""
    pool = open_pool(folder)
    built = acceptance(pool)
    if not (folder / "scores" / tier).exists():
        return PoolReport(pool, built, tier, None, None, None)
    points = read_points(pool, tier)
    if not len(points.seeds):
        return PoolReport(pool, built, tier, points, None, None)
    low, high = np.percentile(points.values, (10, 90), axis=0).tolist()
    tails = dict(zip(AXES, zip(low, high, strict=True), strict=True))
    return PoolReport(pool, built, tier, points, pool_stats(points.values), tails)


def as_document(report: PoolReport) -> dict[str, Any]:
    """The report with the keys that scripts rely on; figures of axes are empty while the pool is not scored."""
    built, stats, tails = report.built, report.stats, report.tails
    ranges: dict[str, dict[str, float]] = {}
    correlation: dict[str, dict[str, float]] = {}
    if stats is not None and tails is not None:
        for i, axis in enumerate(AXES):
            span = stats.axes[axis]
            ranges[axis] = {
                "min": span.min,
                "p10": tails[axis][0],
                "median": span.median,
                "p90": tails[axis][1],
                "max": span.max,
            }
            correlation[axis] = dict(zip(AXES, stats.correlation[i], strict=True))
    return {
        "seeds": report.pool.settings.seeds,
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
        "vif": {} if stats is None else stats.vif,
    }
