"""The paper's figures of a tournament: profiles, jaggedness, scatter of the games, heat map (GENSTRAT figures 1 to 8).

A figure whose printed interval holds too rarely is drawn twice: as printed, and from the estimate beside it. A figure
that would be empty is left out, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from antemill.axes.table import AXES
from antemill.tournament.charts import axes, heat, plots, radar
from antemill.tournament.charts.chart import Chart
from antemill.tournament.charts.ranks import Rank, ranked
from antemill.tournament.statistics import figures_axes
from antemill.tournament.statistics.analysis import Analysis
from antemill.tournament.statistics.estimates import shown_interval
from antemill.tournament.statistics.game_axes import LABELS, NO_AXES
from antemill.tournament.statistics.intervals import Floats, Interval
from antemill.tournament.statistics.sheets import CHIPS, Sheet, shade, shown
from antemill.tournament.statistics.tables_games import axis_correlations, game_strengths
from antemill.tournament.statistics.tables_strength import slot_counts

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


def plane(x: Floats, y: Floats, models: Sequence[str], labels: tuple[str, str], title: str) -> Chart:
    """The models in a plane, each with its name; those with a gap are left out."""
    there = np.flatnonzero(np.isfinite(x) & np.isfinite(y)).tolist()
    points = [plots.Marked(x[i], y[i], models[i], *axes.mark(i)) for i in there]
    return Chart(title, (plots.plane(points, *labels),))


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


def figures_of(found: Analysis) -> tuple[dict[str, Chart], dict[str, str]]:
    """The figures by name, and those that would be empty with the reason."""
    drawn: dict[str, Chart] = {}
    left_out: dict[str, str] = {}
    for name, draw in FIGURES.items():
        drawing = draw(found)
        if isinstance(drawing, str):
            left_out[name] = drawing
        else:
            drawn[name] = drawing
    return drawn, left_out


def _strengths(found: Analysis) -> Chart | str:
    e = found.e
    if not np.isfinite(e.overall).any():
        return e.why_not_overall()
    interval, whiskers = shown_interval(e)
    return strengths(e.models, e.overall, interval, "Overall leaderboard", f"strength ({CHIPS})", whiskers)


def _radar(found: Analysis, absolute: bool) -> Chart | str:
    p = found.profile
    values, interval = (p.levels, p.level_interval) if absolute else (p.slopes, p.slope_interval)
    whole = np.flatnonzero(np.isfinite(values).all(axis=1)).tolist()
    if not whole:
        return "no model has all slopes"
    part = Interval(interval.low[whole], interval.high[whole])
    models = [found.e.models[m] for m in whole]
    if absolute:
        title, unit = "Capability profiles in absolute units", f"predicted strength ({CHIPS}) where the axis is highest"
    else:
        title, unit = "Capability profiles", f"slope ({CHIPS} per standard deviation of the axis)"
    return profiles(LABELS, models, values[whole], part, title, unit, whole)


def _printed_bars(found: Analysis) -> Chart | str:
    jagged = found.jagged
    if not np.isfinite(jagged.values).any():
        return jagged.reason or "no neighbourhood with two strengths"
    note = "Whiskers: the paper's 95% bias-corrected interval. Noise alone makes every J positive; both keep it."
    title, unit = "Local jaggedness as printed (figure 4)", "J with its noise (standard deviations of the margin)"
    return bars(found.e.models, jagged.values, jagged.interval, title, unit, note)


def _bars(found: Analysis) -> Chart | str:
    jagged = found.jagged
    if not np.isfinite(jagged.corrected).any():
        if np.isfinite(jagged.values).any():
            return found.e.noise_unknown
        return jagged.reason or "no neighbourhood with two strengths"
    title, unit = "Local jaggedness without noise", "J without noise (standard deviations of the margin)"
    note = "Whiskers: the 95% interval without noise, on these games."
    return bars(found.e.models, jagged.corrected, jagged.corrected_interval, title, unit, note)


def _plane(found: Analysis) -> Chart | str:
    e, jagged = found.e, found.jagged
    if not (np.isfinite(jagged.corrected) & np.isfinite(e.overall)).any():
        return jagged.reason or e.why_not_overall()
    names = (f"strength ({CHIPS})", "local jaggedness J without noise")
    return plane(e.overall, jagged.corrected, e.models, names, "Strength and jaggedness")


def _coverage(found: Analysis) -> Chart | str:
    """Appendix H: strength against the number of slots."""
    e = found.e
    if not np.isfinite(e.overall).any():
        return e.why_not_overall()
    names = "matches of the model", f"strength ({CHIPS})"
    return plane(
        slot_counts(e).astype(np.float64), e.overall, e.models, names, "Strength and number of matches (appendix H)"
    )


def _scatter(found: Analysis, joint: bool) -> Chart | str:
    e, known = found.e, found.e.known
    if not known.any():
        return NO_AXES
    across, up = AXES["state_space"], AXES["information_sensitivity"]
    x, y = (e.axes.values[known, tuple(AXES).index(axis.name)] for axis in (across, up))
    games = [game for game, there in zip(e.games, known, strict=True) if there]
    if joint:
        q, title = found.joint_stability.q, "Games that reorder the models beyond noise that pairs share, by joint q"
    else:
        q, title = found.stability[0].q, "Games that reorder the models beyond noise, by the paper's q (figure 8)"
    if not np.isfinite(q[known]).any():
        return "no game can be tested for reversals beyond noise"
    return scatter(x, y, games, (across.title, up.title), q[known], title)


def _correlations(found: Analysis) -> Chart | str:
    if found.e.known.sum() < 2:
        return NO_AXES
    return heat_map(axis_correlations(found), "Correlations of the axes", "Pearson r", LABELS)


def _heat(found: Analysis) -> Chart | str:
    if not np.isfinite(found.e.per_game).any():
        return "no game determines strengths"
    scores = found.composite.scores
    title = "Strengths by game" + (", least complex first" if np.isfinite(scores).any() else "")
    return heat_map(game_strengths(found), title, CHIPS)


FIGURES: dict[str, Callable[[Analysis], Chart | str]] = {
    "leaderboard": _strengths,
    "coverage": _coverage,
    "profile": lambda found: _radar(found, absolute=False),
    "profile_levels": lambda found: _radar(found, absolute=True),
    "jaggedness": _printed_bars,
    "jaggedness_without_noise": _bars,
    "jaggedness_strength": _plane,
    "benchmark": figures_axes.benchmark,
    "axis_densities": figures_axes.axis_densities,
    "pool": figures_axes.pool,
    "games": lambda found: _scatter(found, joint=False),
    "games_joint": lambda found: _scatter(found, joint=True),
    "axis_correlations": _correlations,
    "game_strengths": _heat,
}
BESIDE = {  # the table that says more of what a figure shows
    "leaderboard": "table1_leaderboard",
    "coverage": "coverage",
    "profile": "table7_slopes",
    "profile_levels": "profile_levels",
    "jaggedness": "jaggedness",
    "jaggedness_without_noise": "jaggedness",
    "jaggedness_strength": "jaggedness",
    "benchmark": "games",
    "axis_densities": "games",
    "pool": "games",
    "games": "rank_stability",
    "games_joint": "rank_stability",
    "axis_correlations": "axis_correlations",
    "game_strengths": "table9_game_strengths",
}
