"""The paper's figures of a tournament: profiles, jaggedness, scatter of the games, heat map (GENSTRAT figures 1 to 8).

A figure that would be empty is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from antemill.axes.table import AXES
from antemill.tournament.charts import heat, plots, radar
from antemill.tournament.charts.chart import Chart
from antemill.tournament.charts.ranks import Rank, ranked
from antemill.tournament.statistics import figures_axes
from antemill.tournament.statistics.analysis import Analysis
from antemill.tournament.statistics.estimates import shown_interval
from antemill.tournament.statistics.game_axes import LABELS
from antemill.tournament.statistics.intervals import Floats, Interval
from antemill.tournament.statistics.sheets import MARGIN, Sheet, shade, shown
from antemill.tournament.statistics.tables import STRENGTH, game_strengths
from antemill.tournament.statistics.tables_paper import axis_correlations

_NAMED = 20  # points of a scatter plot that have their names beside them, at most


def profiles(
    names: Sequence[str],
    models: Sequence[str],
    values: Floats,
    interval: Interval,
    title: str,
    unit: str,
    series: Sequence[int] | None = None,
) -> Chart:
    """One radar a model: estimates, 95% bands, and the circle of zero.

    values: float64[models, axes] without gaps; a gap in the interval leaves out the band. series: the numbers of the
    models' colours, by default their places.
    """
    reach = radar.reach_of(values.ravel(), interval.low.ravel(), interval.high.ravel())
    colours = range(len(models)) if series is None else series
    panels = [
        radar.radar(model, names, values[m], interval.low[m], interval.high[m], reach, colours[m])
        for m, model in enumerate(models)
    ]
    note = (
        f"{unit[:1].upper()}{unit[1:]}. Dashed: zero. Band: the 95% bootstrap interval. All models have the same rim."
    )
    return Chart(title, tuple(panels), note, columns=3)


def bars(models: Sequence[str], values: Floats, interval: Interval, title: str, unit: str, note: str) -> Chart:
    """Horizontal bars in ascending order with whiskers; models without a value are left out. note: on the whiskers."""
    order = [int(i) for i in np.argsort(values, kind="stable") if np.isfinite(values[i])]
    return ranked(title, _rows(models, values, interval, order), unit, note, bars=True)


def strengths(models: Sequence[str], values: Floats, interval: Interval, title: str, unit: str, whiskers: str) -> Chart:
    """Points with whiskers, strongest on top, and a line at zero; models without a value are left out. whiskers: what
    they are."""
    order = [int(i) for i in np.argsort(-values, kind="stable") if np.isfinite(values[i])]
    note = f"Whiskers: {whiskers}. Dashed: the mean of all players."
    return ranked(title, _rows(models, values, interval, order), unit, note)


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
    note = "q: the share of false discoveries among the games with a q as small, by Benjamini and Hochberg."
    return Chart(title, (plots.plane(points, *labels, kinds),), note)


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
    """Rows in an order. A model has the colour and the mark of its place on the leaderboard in every figure."""
    return [Rank(models[i], float(values[i]), float(interval.low[i]), float(interval.high[i]), series=i) for i in order]


def figures_of(found: Analysis, paper: bool = False) -> dict[str, Chart]:
    """The figures by name; paper: also those of the paper that no table's row draws better."""
    drawn = {name: draw(found) for name, draw in FIGURES.items() if paper or name not in PAPER}
    return {name: chart for name, chart in drawn.items() if chart is not None}


def _strengths(found: Analysis) -> Chart | None:
    e = found.e
    interval, whiskers = shown_interval(e)
    title = "Overall leaderboard"
    return strengths(e.models, e.overall, interval, title, STRENGTH, whiskers) if np.isfinite(e.overall).any() else None


def _radar(found: Analysis, absolute: bool) -> Chart | None:
    p = found.profile
    values, interval = (p.levels, p.level_interval) if absolute else (p.slopes, p.slope_interval)
    whole = np.flatnonzero(np.isfinite(values).all(axis=1)).tolist()
    if not whole:
        return None
    part = Interval(interval.low[whole], interval.high[whole])
    models = [found.e.models[m] for m in whole]
    if absolute:
        title, unit = "Capability profiles in absolute units (figure 7)", f"{STRENGTH} where the axis is highest"
    else:
        title, unit = "Capability profiles (figure 3)", f"slope ({MARGIN} per standard deviation of the axis)"
    return profiles(LABELS, models, values[whole], part, title, unit, whole)


def _bars(found: Analysis) -> Chart | None:
    jagged = found.jagged
    if not np.isfinite(jagged.values).any():
        return None
    none = np.full(len(jagged.values), np.nan)
    note = "Noise alone makes every J positive."
    title = "Local jaggedness (figure 4)"
    return bars(
        found.e.models, jagged.values, Interval(none, none), title, "J (standard deviations of the margin)", note
    )


def _scatter(found: Analysis) -> Chart | None:
    e, known = found.e, found.e.known
    q = found.stability[0].q
    if not np.isfinite(q[known]).any():
        return None
    across, up = AXES["state_space"], AXES["information_sensitivity"]
    x, y = (e.axes.values[known, tuple(AXES).index(axis.name)] for axis in (across, up))
    games = [game for game, there in zip(e.games, known, strict=True) if there]
    title = "Games that reorder the models beyond noise, by the paper's q (figure 8)"
    return scatter(x, y, games, (across.title, up.title), q[known], title)


def _correlations(found: Analysis) -> Chart | None:
    sheet = axis_correlations(found)
    return None if sheet is None else heat_map(sheet, "Correlations of the axes (figure 5)", "Pearson r", LABELS)


def _heat(found: Analysis) -> Chart | None:
    if not np.isfinite(found.e.per_game).any():
        return None
    title = "Strengths by game" + (", least complex first" if np.isfinite(found.composite.scores).any() else "")
    return heat_map(game_strengths(found), title, MARGIN)


FIGURES: dict[str, Callable[[Analysis], Chart | None]] = {
    "leaderboard": _strengths,
    "game_strengths": _heat,
    "benchmark": figures_axes.benchmark,
    "axis_densities": figures_axes.axis_densities,
    "profile": lambda found: _radar(found, absolute=False),
    "jaggedness": _bars,
    "axis_correlations": _correlations,
    "pool": figures_axes.pool,
    "profile_levels": lambda found: _radar(found, absolute=True),
    "games": _scatter,
}
PAPER = frozenset(FIGURES) - {"leaderboard", "game_strengths", "profile"}
BESIDE = {  # the table that says more of what a figure shows
    "leaderboard": "table1_leaderboard",
    "game_strengths": "table9_game_strengths",
    "benchmark": "games",
    "axis_densities": "games",
    "profile": "slopes",
    "jaggedness": "jaggedness",
    "axis_correlations": "axis_correlations",
    "pool": "games",
    "profile_levels": "slopes",
    "games": "rank_stability",
}
