"""The paper's tables of axes: profiles, complexity, correlations, local jaggedness. Each makes one `Sheet`."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from antemill.axes.pool_stats import correlation, vif
from antemill.axes.table import AXES
from antemill.tournament.statistics.complexity import THIRDS, Composite
from antemill.tournament.statistics.estimates import Estimates, jaggedness_without, slope_errors_of
from antemill.tournament.statistics.game_axes import LABELS, NO_AXES
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.jaggedness import NEIGHBOURS, SWEEP, Jaggedness, sweep
from antemill.tournament.statistics.profile import Control, Profile, why_missing
from antemill.tournament.statistics.sheets import (
    CHIPS,
    COLLAPSED,
    ONE_GAME,
    TOO_FEW,
    WHAT_INTERVALS_SAY,
    Cell,
    Column,
    Missing,
    Sheet,
    bounds,
    by_columns,
    collapse,
    count,
    estimate,
    estimates,
    interval_columns,
    number,
    text,
    two_intervals,
)
from antemill.tournament.statistics.table import Integers


def slopes(e: Estimates, profile: Profile) -> Sheet:
    """Table 7: each model's slope on each axis."""
    models = range(len(e.models))
    axes = [estimates(column, [_why(e, m, a) for m in models]) for a, column in enumerate(profile.slopes.T)]
    parts = [(text("model", "model"), e.models), *zip(_axis_columns(), axes, strict=True)]
    bold = frozenset((int(m), int(a) + 1) for m, a in zip(*np.nonzero(profile.significant()), strict=True))
    note = (
        f"Change of strength in {CHIPS} per standard deviation of the axis, the other axes held. "
        "Bold: q < .05, Benjamini-Hochberg over all coefficients."
    )
    return by_columns("table7_slopes", "Capability profiles: slopes", parts, note, bold)


def slope_details(e: Estimates, profile: Profile) -> Sheet:
    """Appendix L: slopes with intervals, p and q, one row a model and axis."""
    rows: list[list[Cell]] = []
    these, like = (error.interval(profile.slopes) for error in slope_errors_of(e))
    for m, model in enumerate(e.models):
        for a, axis in enumerate(AXES):
            reason = _why(e, m, a)
            both = [*bounds(these, (m, a), reason or e.noise_unknown), *bounds(like, (m, a), reason or ONE_GAME)]
            figures = [estimate(values[m, a], reason or TOO_FEW) for values in (profile.p, profile.q)]
            slope = estimate(profile.slopes[m, a], reason)
            rows.append([model, axis, slope, *bounds(profile.slope_interval, (m, a), reason), *figures, *both])
    columns = [
        text("model", "model"),
        text("axis", "axis"),
        number("slope", "slope"),
        *interval_columns(),
        number("p", "p", 4, False),
        number("q", "q", 4, False),
        *two_intervals(),
    ]
    note = (
        "95% paired-cluster bootstrap intervals; p: normal, of the slope over its bootstrap standard error: they "
        "are about these games alone. "
    ) + WHAT_INTERVALS_SAY
    return Sheet("slopes", "Slopes with intervals", columns, rows, note)


def levels(e: Estimates, profile: Profile) -> Sheet:
    """Appendix M: predicted strengths where one axis is at its maximum and the others at their medians."""
    rows: list[list[Cell]] = []
    for m, model in enumerate(e.models):
        for a, axis in enumerate(AXES):
            reason = _why(e, m, a) or "another slope is missing"
            level = estimate(profile.levels[m, a], reason)
            missing = reason if isinstance(level, Missing) else TOO_FEW
            rows.append([model, axis, level, *bounds(profile.level_interval, (m, a), missing)])
    columns = [
        text("model", "model"),
        text("axis", "axis at its maximum"),
        number("level", "strength"),
        *interval_columns(),
    ]
    return Sheet(
        "profile_levels",
        "Capability profiles in absolute units",
        columns,
        rows,
        f"Predicted strength in {CHIPS}; the other axes at their medians. 95% paired-cluster bootstrap intervals.",
    )


def length_control(e: Estimates, control: Control | None) -> Sheet:
    """Section 7: the slopes when the rulebook's length is one more regressor."""
    columns = [text("model", "model"), *_axis_columns(), number("log10_length", "log10 length")]
    title, name = "Slopes with control for the rulebook's length", "slopes_length_control"
    if control is None:
        reason = NO_AXES if not e.known.any() else "the lengths of the rulebooks are not known"
        return Sheet(name, title, columns, [[model, *[Missing(reason)] * (len(AXES) + 1)] for model in e.models])
    reason = "the games do not determine it beside the axes and the length"
    rows: list[list[Cell]] = [
        [
            model,
            *(estimate(value, _why(e, m, a) or reason) for a, value in enumerate(control.profile.slopes[m])),
            estimate(control.coefficient[m], reason),
        ]
        for m, model in enumerate(e.models)
    ]
    note = (
        f"{control.sign_changes} slopes change their sign against table 7; {control.kept} of "
        f"{control.significant} significant ones stay so. Last column: chips per factor of ten in "
        "length."
    )
    return Sheet(name, title, columns, rows, note)


def composite_weights(composite: Composite) -> Sheet:
    """Appendix I: the axes' weights in the composite."""
    reason = composite.reason or "the axis has no slopes"
    parts = [(text("axis", "axis"), AXES), (number("weight", "weight"), estimates(composite.weights, reason))]
    share = (
        f" It explains {composite.explained:.0%} of the slopes' variance." if np.isfinite(composite.explained) else ""
    )
    note = "First principal component of the models' slopes." + share
    return by_columns("composite_weights", "Composite complexity", parts, note)


def game_table(e: Estimates, composite: Composite, thirds: Integers) -> Sheet:
    """The games: their axes, composite complexity, third, and spread of margins."""
    rows: list[list[Cell]] = []
    for g, game in enumerate(e.games):
        why = "" if e.known[g] else e.axes.reasons.get(game, NO_AXES)
        third: Cell = THIRDS[thirds[g]] if thirds[g] >= 0 else Missing(why or composite.reason)
        values = [estimate(value, why) for value in e.axes.values[g]]
        length = estimate(e.axes.rulebook_length[g], "not known")
        spread = float(e.scale[g])
        rows.append([game, *values, length, estimate(composite.scores[g], why or composite.reason), third, spread])
    columns = [
        text("game", "game"),
        *(number(axis, label, 3, False) for axis, label in zip(AXES, LABELS, strict=True)),
        number("rulebook_length", "rulebook characters", 0, False),
        number("composite", "composite"),
        text("third", "third"),
        number("sigma", "sd of margins", 2, False),
    ]
    return Sheet("games", "The games", columns, rows, f"Axes: {e.axes.source}.")


def axis_correlations(e: Estimates) -> Sheet:
    """Figure 5: Pearson correlations of the axes over the games."""
    known, points = e.known, e.axes.values[e.known]
    matrix = correlation(points) if known.any() else np.full((len(AXES), len(AXES)), np.nan)
    constant = _constant(points)
    rows: list[list[Cell]] = []
    for a, axis in enumerate(AXES):
        reasons = [_no_variation(points, constant[a] or constant[b]) for b in range(len(AXES))]
        rows.append([axis, *(Missing(reason) if reason else float(matrix[a, b]) for b, reason in enumerate(reasons))])
    return Sheet(
        "axis_correlations",
        "Correlations of the axes",
        [text("axis", ""), *(Column(axis, label, heat=1.0) for axis, label in zip(AXES, LABELS, strict=True))],
        rows,
        f"Pearson, over {int(known.sum())} games.",
    )


def vif_table(e: Estimates) -> Sheet:
    """Appendix D: variance inflation of each axis."""
    points = e.axes.values[e.known]
    factors = vif(points) if len(points) else np.full(len(AXES), np.nan)
    constant = _constant(points)
    rows: list[list[Cell]] = []
    for a, axis in enumerate(AXES):
        reason = _no_variation(points, bool(constant[a]))
        if not reason and len(points) <= len(AXES):
            reason = f"{len(points)} games do not determine it"
        rows.append([axis, Missing(reason) if reason else estimate(factors[a], "the axis follows from the others")])
    return Sheet(
        "vif",
        "Variance inflation factors",
        [text("axis", "axis"), number("vif", "VIF", 2, False)],
        rows,
        "1 / (1 - R²) of each axis regressed on the others.",
    )


def jaggedness_table(e: Estimates, found: Jaggedness) -> Sheet:
    """Section 8: local jaggedness, smoothest first."""
    rows: list[list[Cell]] = []
    for m in np.argsort(found.values, kind="stable"):
        reason = found.reason or "no neighbourhood with two strengths"
        value = estimate(found.values[m], reason)
        missing = reason if isinstance(value, Missing) else TOO_FEW
        pair = bounds(found.interval, int(m), missing)
        missing = reason if isinstance(value, Missing) else e.noise_unknown
        less = [estimate(found.corrected[m], missing), *bounds(found.corrected_interval, int(m), missing)]
        tail = [estimate(found.p[m], missing), estimate(e.overall[m], "no overall strength")]
        rows.append([e.models[m], value, *pair, collapse(found.collapsed[m]), *less, *tail])
    columns = [
        text("model", "model"),
        number("J", "J", 3, False),
        *interval_columns(False, 3),
        text("flag", "flag"),
        number("corrected", "without noise", 3, False),
        number("corrected_low", "low", 3, False),
        number("corrected_high", "high", 3, False),
        number("p", "p of J = 0", 4, False),
        number("alpha", "strength"),
    ]
    note = (
        "Mean over the games of the standard deviation of (strength on the game - strength "
        f"overall) / sd of margins over a game and its {found.neighbours} nearest; 95% "
        "bias-corrected paired-cluster bootstrap intervals. Noise alone makes every J positive, and these intervals do "
        "not undo it; the figure shows J *without noise*: right at zero, with its 95% interval on these games and the "
        f"p-value of J = 0. {COLLAPSED}"
    )
    return Sheet("jaggedness", "Local jaggedness", columns, rows, note)


def jaggedness_sweep(e: Estimates) -> Sheet:
    """Appendix N: J at other sizes of the neighbourhood."""
    known = e.known
    found = sweep(e.z_scores[known], e.axes.values[known])
    rows: list[list[Cell]] = []
    for k, size in enumerate(SWEEP):
        reason = f"{int(known.sum())} games have no {size} neighbours each" if known.sum() <= size else "no strengths"
        rho = estimate(found.agreement[k], reason if known.sum() <= size else "no order to compare")
        rows.append([size, estimate(found.mean[k], reason), rho, *(estimate(v, reason) for v in found.values[k])])
    columns = [
        count("K", "K"),
        number("mean", "mean J", 3, False),
        number("spearman", "Spearman with K = 3", 3, False),
        *(number(n, n, 3, False) for n in e.models),
    ]
    return Sheet("jaggedness_sweep", "Jaggedness by size of the neighbourhood", columns, rows)


def jaggedness_subsets(e: Estimates) -> Sheet:
    """Appendix N: J when other models had not taken part."""
    models = len(e.models)
    baseline = jaggedness_without(e, [], NEIGHBOURS)
    others = np.array([jaggedness_without(e, [m], NEIGHBOURS) for m in range(models)])
    top, bottom = list(range(min(3, models))), list(range(max(0, models - 3), models))
    subsets = [jaggedness_without(e, dropped, NEIGHBOURS) for dropped in (top, bottom, sorted({*top, *bottom}))]
    reason = _no_jaggedness(e)
    one_less = [column[np.isfinite(column)] for column in others.T]
    means, least, most = ([of(part) if len(part) else np.nan for part in one_less] for of in (np.mean, min, max))
    whole = (
        ("baseline", "baseline", baseline),
        ("loo_mean", "leave-one-out mean", means),
        ("loo_min", "least", least),
        ("loo_max", "most", most),
    )
    without = (("drop_top3", "without top 3"), ("drop_bottom3", "without bottom 3"), ("middle", "middle only"))
    parts = [
        (text("model", "model"), e.models),
        *((number(key, label, 3, False), estimates(values, reason)) for key, label, values in whole),
        *(
            (number(key, label, 3, False), _kept(values, gone, reason))
            for (key, label), values, gone in zip(without, subsets, (top, bottom, {*top, *bottom}), strict=True)
        ),
    ]
    note = "The strengths, the spread of margins and J are computed anew from the matches of the remaining models."
    return by_columns("jaggedness_subsets", "Jaggedness without some models", parts, note)


def _kept(values: Floats, gone: Collection[int], reason: str) -> list[Cell]:
    """The figures of those who are not gone."""
    why = reason if len(gone) < len(values) - 1 else "no opponent is left"
    return [None if m in gone else estimate(value, why) for m, value in enumerate(values)]


def _no_jaggedness(e: Estimates) -> str:
    known = int(e.known.sum())
    return (
        f"{known} games have no {NEIGHBOURS} neighbours each"
        if known <= NEIGHBOURS
        else "its strengths are not connected"
    )


def _axis_columns() -> list[Column]:
    return [number(axis, label) for axis, label in zip(AXES, LABELS, strict=True)]


def _why(e: Estimates, model: int, axis: int) -> str:
    """Why a model has no slope on an axis; "" if it has."""
    known = e.known
    return why_missing(e.axes.values[known], e.per_game[known, model], axis) if known.any() else NO_AXES


def _constant(points: Floats) -> Floats:
    return np.asarray(np.ptp(points, axis=0) == 0.0) if len(points) else np.zeros(len(AXES))


def _no_variation(points: Floats, constant: bool) -> str:
    if not len(points):
        return NO_AXES
    return "the axis does not vary over the games" if constant else ""
