"""The summary of rank stability over all games (GENSTRAT appendix P)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from antemill.tournament.statistics import sheets as of
from antemill.tournament.statistics.analysis import Analysis, statistic
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.sheets import Cell, Sheet

_HIGH = 2.0  # of z


@statistic(
    "rank_stability_summary",
    "reversals over all games: observed, expected, z, and how many are significant",
    "appendix P",
    group="Games",
    after="rank_stability_thirds",
    below="rank_stability_thirds",
)
def summary(a: Analysis) -> Sheet:
    """Appendix P's sentences: counts by game, their ratio, z, and single reversals."""
    (games, single), joint = a.stability, a.joint_stability
    counts = games.observed[games.pairs > 0].astype(np.float64)
    z = games.z[np.isfinite(games.z)]
    both = np.isfinite(games.expected)
    expected, seen = games.expected[both], games.observed[both]
    fair = np.isfinite(joint.expected)
    rates = (0.05, 0.10)
    figures: list[tuple[str, float]] = [
        ("reversals of a game, mean", _mean(counts)),
        ("reversals of a game, median", _median(counts)),
        ("reversals of a game, most", float(counts.max()) if len(counts) else np.nan),
        ("expected by noise, mean", _mean(expected)),
        ("observed over expected", _ratio(seen, expected)),
        ("jointly expected, mean", _mean(joint.expected[fair])),
        ("observed over jointly expected", _ratio(games.observed[fair], joint.expected[fair])),
        ("z, mean", _mean(z)),
        ("z, median", _median(z)),
        (f"share of games with z ≥ {_HIGH:g}", _mean((z >= _HIGH).astype(np.float64))),
        ("share of games with z ≤ 0", _mean((z <= 0.0).astype(np.float64))),
    ]
    found = [("games with q", games.q), ("games with joint q", joint.q)]
    found += [("single reversals with q", single.q), ("single reversals with fair q", single.fair_q)]
    numbers = [("single reversals", len(single.p))]
    numbers += [(f"{name} < {rate:.2f}", _below(q, rate)) for name, q in found for rate in rates]
    rows: list[list[Cell]] = [[name, of.estimate(value, "no game gives it"), None] for name, value in figures]
    rows += [[name, None, number] for name, number in numbers]
    columns = [of.text("figure", ""), of.number("value", "value", 2, False), of.count("number", "number")]
    note = (
        "The sentences of appendix P, from the tables above. z and q take the pairs of a game as independent; the "
        "joint figures do not."
    )
    return Sheet("rank_stability_summary", "Rank stability in all", columns, rows, note)


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _median(values: Floats) -> float:
    return float(np.median(values)) if len(values) else float("nan")


def _ratio(seen: npt.NDArray[np.int64], expected: Floats) -> float:
    total = float(expected.sum())
    return float(seen.sum()) / total if total > 0.0 else float("nan")


def _below(q: Floats, rate: float) -> int:
    return int((q[np.isfinite(q)] < rate).sum())
