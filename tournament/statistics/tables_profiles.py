"""The tables of capability profiles: each model's slopes on the axes, and the composite that follows from them."""

from __future__ import annotations

import numpy as np

from antemill.axes.pool_stats import vif
from antemill.axes.reliability import Reliability, reliability
from antemill.axes.table import AXES
from antemill.tournament.statistics import sheets as of
from antemill.tournament.statistics.analysis import Analysis, statistic
from antemill.tournament.statistics.errors_in_axes import corrected_slopes
from antemill.tournament.statistics.estimates import Estimates, control_of
from antemill.tournament.statistics.game_axes import LABELS, NO_AXES
from antemill.tournament.statistics.profile import why_missing
from antemill.tournament.statistics.sheets import Cell, Sheet

MOST_INFLATION = 10  # of a variance, above which a table of slopes warns
_MEANINGS = " ".join(f"{axis.label.capitalize()}: {axis.what}." for axis in AXES.values())


@statistic("table7_slopes", "capability profiles", "table 7", group="Profiles", after="table6_against_*")
def slopes(a: Analysis) -> Sheet:
    """Table 7: each model's slope on each axis."""
    e, profile = a.e, a.profile
    models = range(len(e.models))
    axes = [of.estimates(column, [_why(e, m, k) for m in models]) for k, column in enumerate(profile.slopes.T)]
    parts = [(of.text("model", "model"), e.models), *zip(_axis_columns(), axes, strict=True)]
    bold = frozenset((int(m), int(k) + 1) for m, k in zip(*np.nonzero(profile.significant()), strict=True))
    note = (
        f"Change of strength in {of.CHIPS} per standard deviation of the axis, the other axes held. "
        "Bold: q < .05, Benjamini-Hochberg over all coefficients, on these games alone: other games may give another "
        f"slope.{_collinear(e)} The axes are measures of games. {_MEANINGS}"
    )
    return of.by_columns("table7_slopes", "Capability profiles: slopes", parts, note, bold)


@statistic(
    "slopes",
    "capability profiles with intervals, p and q",
    "appendix L",
    group="Profiles",
    after="table9_game_strengths",
)
def slope_details(a: Analysis) -> Sheet:
    """Appendix L: slopes with intervals, p and q, one row a model and axis."""
    e, profile = a.e, a.profile
    rows: list[list[Cell]] = []
    these, like = (error.interval(profile.slopes) for error in a.slope_errors)
    for m, model in enumerate(e.models):
        for k, axis in enumerate(AXES):
            reason = _why(e, m, k)
            both = [
                *of.bounds(these, (m, k), reason or e.noise_unknown),
                *of.bounds(like, (m, k), reason or of.ONE_GAME),
            ]
            figures = [of.estimate(values[m, k], reason or of.TOO_FEW) for values in (profile.p, profile.q)]
            slope = of.estimate(profile.slopes[m, k], reason)
            rows.append([model, axis, slope, *of.bounds(profile.slope_interval, (m, k), reason), *figures, *both])
    columns = [
        of.text("model", "model"),
        of.text("axis", "axis"),
        of.number("slope", "slope"),
        *of.interval_columns(),
        of.number("p", "p", 4, False),
        of.number("q", "q", 4, False),
        *of.two_intervals(),
    ]
    note = (
        "95% paired-cluster bootstrap intervals; p: normal, of the slope over its bootstrap standard error: they "
        f"are about these games alone.{_collinear(e)} "
    ) + "The three intervals are those of the overall leaderboard."
    return Sheet("slopes", "Slopes with intervals", columns, rows, note)


@statistic("profile_levels", "profiles in absolute units", "appendix M", group="Profiles")
def levels(a: Analysis) -> Sheet:
    """Appendix M: predicted strengths where one axis is at its maximum and the others at their medians."""
    e, profile = a.e, a.profile
    rows: list[list[Cell]] = []
    for m, model in enumerate(e.models):
        for k, axis in enumerate(AXES):
            reason = _why(e, m, k) or "another slope is missing"
            level = of.estimate(profile.levels[m, k], reason)
            missing = reason if isinstance(level, of.Missing) else of.TOO_FEW
            rows.append([model, axis, level, *of.bounds(profile.level_interval, (m, k), missing)])
    columns = [
        of.text("model", "model"),
        of.text("axis", "axis at its maximum"),
        of.number("level", "strength"),
        *of.interval_columns(),
    ]
    return Sheet(
        "profile_levels",
        "Capability profiles in absolute units",
        columns,
        rows,
        f"Predicted strength in {of.CHIPS}; the other axes at their medians. 95% paired-cluster bootstrap intervals.",
    )


@statistic("slopes_length_control", "slopes with the rulebook's length as a regressor", "section 7", group="Profiles")
def length_control(a: Analysis) -> Sheet:
    """Section 7: the slopes when the rulebook's length is one more regressor."""
    e, control = a.e, control_of(a.e)
    columns = [of.text("model", "model"), *_axis_columns(), of.number("log10_length", "log10 length")]
    title, name = "Slopes with control for the rulebook's length", "slopes_length_control"
    if control is None:
        reason = NO_AXES if not e.known.any() else "the lengths of the rulebooks are not known"
        return Sheet(name, title, columns, [[model, *[of.Missing(reason)] * (len(AXES) + 1)] for model in e.models])
    reason = "the games do not determine it beside the axes and the length"
    rows: list[list[Cell]] = [
        [
            model,
            *(of.estimate(value, _why(e, m, k) or reason) for k, value in enumerate(control.profile.slopes[m])),
            of.estimate(control.coefficient[m], reason),
        ]
        for m, model in enumerate(e.models)
    ]
    note = (
        f"{control.sign_changes} slopes change their sign against table 7; {control.kept} of "
        f"{control.significant} significant ones stay so. Last column: chips per factor of ten in "
        "length."
    )
    return Sheet(name, title, columns, rows, note)


@statistic("axis_errors", "the axes' standard errors and reliability, if games were played twice", group="Profiles")
def axis_errors(a: Analysis) -> Sheet | None:
    """How far two plays of the games are apart, axis by axis."""
    e = a.e
    if e.axes.again is None or not e.known.any():
        return None
    pairs = zip(AXES, LABELS, e.axes.values[e.known].T, e.axes.again[e.known].T, strict=True)
    rows: list[list[Cell]] = []
    for axis, label, first, second in pairs:
        found = reliability(first, second)
        why = f"{label} does not vary"
        rows.append([axis, of.estimate(found.error, why), *(of.estimate(x, why) for x in _shares(found))])
    columns = [of.text("axis", "axis"), of.number("standard_error", "standard error", 3, False)]
    columns += [of.number("reliability", "reliability", 3, False), *of.interval_columns()]
    note = (
        f"Of one play of the {int(e.known.sum())} games with axes, from two. The reliability, with its 95% interval "
        "over games, is the share of the variance that is not noise of the play."
    )
    return Sheet("axis_errors", "Errors of the axes", columns, rows, note)


@statistic("slopes_corrected", "slopes corrected for noise in the axes, if games were played twice", group="Profiles")
def slopes_corrected(a: Analysis) -> Sheet | None:
    """Least squares beside the errors-in-variables estimate, one row a model and axis."""
    e, profile = a.e, a.profile
    if e.axes.again is None or not e.known.any():
        return None
    known = e.known
    found, error = corrected_slopes(e.axes.values[known], e.axes.again[known], e.per_game[known])
    interval = error.interval(found)
    rows: list[list[Cell]] = []
    for m, model in enumerate(e.models):
        for k, axis in enumerate(AXES):
            reason = _why(e, m, k)
            own = reason or "the axes are too noisy for these games"
            slope, corrected = of.estimate(profile.slopes[m, k], reason), of.estimate(found[m, k], own)
            rows.append([model, axis, slope, corrected, *of.bounds(interval, (m, k), own)])
    columns = [of.text("model", "model"), of.text("axis", "axis"), of.number("slope", "slope")]
    columns += [of.number("corrected", "corrected"), *of.interval_columns()]
    note = (
        f"Change of strength in {of.CHIPS} per standard deviation of the axis. Noise in an axis draws its slope "
        "towards 0 and moves a part of it to other axes; the corrected slope takes the noise out, which two plays of "
        "every game show. 95% jackknife intervals for games like these: in simulations of 50 games they hold the slope "
        "in 87% of the cases, of 200 games in 95%."
    )
    return Sheet("slopes_corrected", "Slopes corrected for noise in the axes", columns, rows, note)


def _shares(found: Reliability) -> tuple[float, float, float]:
    return found.share, found.low, found.high


@statistic("composite_weights", "what composite complexity is made of", "appendix I", group="Profiles")
def composite_weights(a: Analysis) -> Sheet:
    """Appendix I: the axes' weights in the composite."""
    composite = a.composite
    reason = composite.reason or "the axis has no slopes"
    parts = [(of.text("axis", "axis"), AXES), (of.number("weight", "weight"), of.estimates(composite.weights, reason))]
    share = (
        f" It explains {composite.explained:.0%} of the slopes' variance." if np.isfinite(composite.explained) else ""
    )
    note = "First principal component of the models' slopes." + share
    return of.by_columns("composite_weights", "Composite complexity", parts, note)


def _collinear(e: Estimates) -> str:
    """A warning, where axes hang together so much that slopes trade places."""
    points = e.axes.values[e.known]
    factors = vif(points) if len(points) > len(AXES) else np.zeros(len(AXES))
    high = [
        f"{axis} {factor:.0f}" if np.isfinite(factor) else f"{axis} ∞"
        for axis, factor in zip(AXES, factors, strict=True)
        if factor > MOST_INFLATION
    ]
    if not high:
        return ""
    said = f"**Variance inflation above {MOST_INFLATION}: {', '.join(high)}.**"
    return f" {said} The games hardly distinguish such an axis from the others."


def _axis_columns() -> list[of.Column]:
    return [of.number(axis, label) for axis, label in zip(AXES, LABELS, strict=True)]


def _why(e: Estimates, model: int, axis: int) -> str:
    """Why a model has no slope on an axis; "" if it has."""
    known = e.known
    return why_missing(e.axes.values[known], e.per_game[known, model], axis) if known.any() else NO_AXES
