"""The paper's figures: profiles, jaggedness, scatter of the games, heat map (GENSTRAT figures 1 to 8)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from antemill.tournament.charts import heat, plots, radar
from antemill.tournament.charts.chart import Chart
from antemill.tournament.charts.ranks import Rank, ranks
from antemill.tournament.statistics.intervals import Floats, Interval
from antemill.tournament.statistics.sheets import Sheet, shade, shown

_NAMED = 20  # points of a scatter plot that have their names beside them, at most


def profiles(
    names: Sequence[str], models: Sequence[str], values: Floats, interval: Interval, title: str, unit: str
) -> Chart:
    """One radar a model: estimates, 95% bands, and the circle of zero.

    values: float64[models, axes] without gaps; a gap in the interval leaves out the band.
    """
    reach = radar.reach_of(values.ravel(), interval.low.ravel(), interval.high.ravel())
    panels = [
        radar.radar(model, names, values[m], interval.low[m], interval.high[m], reach) for m, model in enumerate(models)
    ]
    note = (
        f"{unit[:1].upper()}{unit[1:]}. Dashed: zero. Band: the 95% bootstrap interval. All models have the same rim."
    )
    return Chart(title, tuple(panels), note, columns=3)


def bars(models: Sequence[str], values: Floats, interval: Interval, title: str, unit: str) -> Chart:
    """Horizontal bars in ascending order with whiskers; models without a value are left out."""
    order = [int(i) for i in np.argsort(values, kind="stable") if np.isfinite(values[i])]
    note = "Whiskers: the 95% interval without noise, on these games."
    return Chart(title, (ranks(_rows(models, values, interval, order), unit, bars=True),), note)


def strengths(models: Sequence[str], values: Floats, interval: Interval, title: str, unit: str) -> Chart:
    """Points with whiskers, strongest on top, and a line at zero; models without a value are left out."""
    order = [int(i) for i in np.argsort(-values, kind="stable") if np.isfinite(values[i])]
    note = "Whiskers: the 95% paired-cluster bootstrap interval, from low to high in the table. Dashed: zero."
    return Chart(title, (ranks(_rows(models, values, interval, order), unit),), note)


def scatter(x: Floats, y: Floats, games: Sequence[str], labels: tuple[str, str], q: Floats, title: str) -> Chart:
    """The games in the plane of two axes, marked by the q-value of their excess reversals; significant ones named."""
    with np.errstate(invalid="ignore"):
        strong, weak = q < 0.05, (q >= 0.05) & (q < 0.10)
    bands = (
        (~np.isfinite(q), 5, "s7", "not tested"),
        (np.isfinite(q) & ~strong & ~weak, 0, "s0", "q ≥ 0.10"),
        (weak, 1, "s4", "0.05 ≤ q < 0.10"),
        (strong, 4, "s1", "q < 0.05"),
    )
    points, kinds = [], []
    for chosen, shape, kind, label in bands:
        spelled = kind == "s1" and int(chosen.sum()) <= _NAMED
        points += [
            plots.Marked(x[g], y[g], games[g] if spelled else "", kind, shape, f"{games[g]}: {label}")
            for g in np.flatnonzero(chosen).tolist()
        ]
        if chosen.any():
            kinds.append((f"{label} ({int(chosen.sum())})", kind, shape))
    note = "q: the share of false discoveries among the games that are called so, by Benjamini and Hochberg."
    return Chart(title, (plots.plane(points, *labels, kinds),), note)


def plane(x: Floats, y: Floats, models: Sequence[str], labels: tuple[str, str], title: str) -> Chart:
    """The models in a plane, each with its name; those with a gap are left out."""
    there = np.flatnonzero(np.isfinite(x) & np.isfinite(y)).tolist()
    return Chart(title, (plots.plane([plots.Marked(x[i], y[i], models[i]) for i in there], *labels),))


def heat_map(sheet: Sheet, title: str, unit: str, names: Sequence[str] = ()) -> Chart:
    """The heated columns of a table with their numbers, blue to orange about zero; gaps are grey. names: of the rows,
    if not those of the first column."""
    heated = [i for i, column in enumerate(sheet.columns) if column.heat]
    limit, across = sheet.columns[heated[0]].heat, [sheet.columns[i].heading for i in heated]
    shares = [
        [shade(cell, limit) if isinstance(cell := row[i], float) else float("nan") for i in heated]
        for row in sheet.rows
    ]
    words = [[shown(row[i], sheet.columns[i]) for i in heated] for row in sheet.rows]
    panel = heat.heat_map(names or [str(row[0]) for row in sheet.rows], across, shares, words, unit)
    return Chart(title, (panel,), f"Full colour: {limit:.3g}. Orange is above zero, blue below.")


def _rows(models: Sequence[str], values: Floats, interval: Interval, order: Sequence[int]) -> list[Rank]:
    return [Rank(models[i], float(values[i]), float(interval.low[i]), float(interval.high[i])) for i in order]
