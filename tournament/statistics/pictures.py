"""The figures of a tournament's analysis; one that would be empty is left out, with the reason."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from antemill.axes.table import AXES
from antemill.tournament.charts.chart import Chart
from antemill.tournament.statistics import figures
from antemill.tournament.statistics.analysis import Analysis
from antemill.tournament.statistics.few import masked
from antemill.tournament.statistics.game_axes import LABELS, NO_AXES
from antemill.tournament.statistics.intervals import Interval, percentile
from antemill.tournament.statistics.sheets import CHIPS
from antemill.tournament.statistics.tables_games import axis_correlations, game_strengths


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
    interval = masked(percentile(e.overall_drawn), e.enough())
    return figures.strengths(e.models, e.overall, interval, "Overall leaderboard", f"strength ({CHIPS})")


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
    return figures.profiles(LABELS, models, values[whole], part, title, unit)


def _bars(found: Analysis) -> Chart | str:
    jagged = found.jagged
    if not np.isfinite(jagged.corrected).any():
        if np.isfinite(jagged.values).any():
            return found.e.noise_unknown
        return jagged.reason or "no neighbourhood with two strengths"
    unit = "J without noise (standard deviations of the margin)"
    return figures.bars(found.e.models, jagged.corrected, jagged.corrected_interval, "Local jaggedness", unit)


def _plane(found: Analysis) -> Chart | str:
    e, jagged = found.e, found.jagged
    if not (np.isfinite(jagged.corrected) & np.isfinite(e.overall)).any():
        return jagged.reason or e.why_not_overall()
    names = (f"strength ({CHIPS})", "local jaggedness J without noise")
    return figures.plane(e.overall, jagged.corrected, e.models, names, "Strength and jaggedness")


def _scatter(found: Analysis) -> Chart | str:
    e, known = found.e, found.e.known
    if not known.any():
        return NO_AXES
    across, up = AXES["state_space"], AXES["information_sensitivity"]
    x, y = (e.axes.values[known, tuple(AXES).index(axis.name)] for axis in (across, up))
    games = [game for game, there in zip(e.games, known, strict=True) if there]
    labels, title = (across.title, up.title), "Games that reorder the models beyond noise"
    return figures.scatter(x, y, games, labels, found.joint_stability.q[known], title)


def _correlations(found: Analysis) -> Chart | str:
    if found.e.known.sum() < 2:
        return NO_AXES
    return figures.heat_map(axis_correlations(found), "Correlations of the axes", "Pearson r", LABELS)


def _heat(found: Analysis) -> Chart | str:
    if not np.isfinite(found.e.per_game).any():
        return "no game determines strengths"
    scores = found.composite.scores
    title = "Strengths by game" + (", least complex first" if np.isfinite(scores).any() else "")
    return figures.heat_map(game_strengths(found), title, CHIPS)


FIGURES: dict[str, Callable[[Analysis], Chart | str]] = {
    "leaderboard": _strengths,
    "profile": lambda found: _radar(found, absolute=False),
    "profile_levels": lambda found: _radar(found, absolute=True),
    "jaggedness": _bars,
    "jaggedness_strength": _plane,
    "games": _scatter,
    "axis_correlations": _correlations,
    "game_strengths": _heat,
}
BESIDE = {  # the table that says more of what a figure shows
    "leaderboard": "table1_leaderboard",
    "profile": "table7_slopes",
    "profile_levels": "profile_levels",
    "jaggedness": "jaggedness",
    "jaggedness_strength": "jaggedness",
    "games": "rank_stability",
    "axis_correlations": "axis_correlations",
    "game_strengths": "table9_game_strengths",
}
