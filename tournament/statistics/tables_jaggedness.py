"""The tables of local jaggedness."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from antemill.tournament.statistics import sheets as of
from antemill.tournament.statistics.analysis import Analysis, statistic
from antemill.tournament.statistics.estimates import Estimates, jaggedness_without
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.jaggedness import NEIGHBOURS, SWEEP, sweep
from antemill.tournament.statistics.sheets import Cell, Sheet


@statistic("jaggedness", "local jaggedness J", "section 8", group="Jaggedness", after="bradley_terry")
def jaggedness(a: Analysis) -> Sheet:
    """Section 8: local jaggedness, smoothest first."""
    e, found = a.e, a.jagged
    rows: list[list[Cell]] = []
    for m in np.argsort(found.values, kind="stable"):
        reason = found.reason or "no neighbourhood with two strengths"
        value = of.estimate(found.values[m], reason)
        missing = reason if isinstance(value, of.Missing) else of.TOO_FEW
        pair = of.bounds(found.interval, int(m), missing)
        missing = reason if isinstance(value, of.Missing) else e.noise_unknown
        less = [of.estimate(found.corrected[m], missing), *of.bounds(found.corrected_interval, int(m), missing)]
        beyond = _beyond(a, int(m), reason if isinstance(value, of.Missing) else "")
        tail = [of.estimate(found.p[m], missing), *beyond, of.estimate(e.overall[m], "no overall strength")]
        rows.append([e.models[m], value, *pair, of.collapse(found.collapsed[m]), *less, *tail])
    columns = [
        of.text("model", "model"),
        of.number("J", "J", 3, False),
        *of.interval_columns(False, 3),
        of.text("flag", "flag"),
        of.number("corrected", "without noise", 3, False),
        of.number("corrected_low", "low", 3, False),
        of.number("corrected_high", "high", 3, False),
        of.number("p", "p of J = 0", 4, False),
        of.number("beyond", "beyond the profile", 3, False),
        of.number("beyond_corrected", "beyond, without noise", 3, False),
        of.number("beyond_low", "low", 3, False),
        of.number("beyond_high", "high", 3, False),
        of.number("alpha", "strength"),
    ]
    note = (
        "Mean over the games of the standard deviation of (strength on the game - strength "
        f"overall) / sd of margins over a game and its {found.neighbours} nearest; 95% "
        "bias-corrected paired-cluster bootstrap intervals. Noise alone makes every J positive, also in these "
        "intervals. *Without noise*: J without it, with its 95% interval on these games and the p-value of J = 0, at "
        f"least 1 / {len(e.these.per_game) + 1} with so many replicates. *Beyond the profile*: J of the strengths' "
        "residuals on the axes, so that a steep but smooth trend along an axis does not count; the same without noise, "
        f"with its 95% interval on these games. {of.COLLAPSED}"
    )
    return Sheet("jaggedness", "Local jaggedness", columns, rows, note)


def _beyond(a: Analysis, m: int, reason: str) -> list[Cell]:
    """J beyond the profile, the same without noise, and its bounds."""
    found = a.jagged
    if found.beyond is None or found.beyond_corrected is None or found.beyond_interval is None:
        return [of.Missing(reason)] * 4
    few = reason or "no more games than slopes"
    missing = reason or (few if not np.isfinite(found.beyond[m]) else a.e.noise_unknown)
    pair = of.bounds(found.beyond_interval, m, missing)
    return [of.estimate(found.beyond[m], few), of.estimate(found.beyond_corrected[m], missing), *pair]


@statistic("jaggedness_sweep", "J by size of the neighbourhood", "appendix N", group="Jaggedness")
def by_neighbours(a: Analysis) -> Sheet:
    """Appendix N: J at other sizes of the neighbourhood."""
    e = a.e
    known = e.known
    found = sweep(e.z_scores[known], e.axes.values[known])
    rows: list[list[Cell]] = []
    for k, size in enumerate(SWEEP):
        reason = f"{int(known.sum())} games have no {size} neighbours each" if known.sum() <= size else "no strengths"
        rho = of.estimate(found.agreement[k], reason if known.sum() <= size else "no order to compare")
        rows.append([size, of.estimate(found.mean[k], reason), rho, *(of.estimate(v, reason) for v in found.values[k])])
    columns = [
        of.count("K", "K"),
        of.number("mean", "mean J", 3, False),
        of.number("spearman", "Spearman with K = 3", 3, False),
        *(of.number(n, n, 3, False) for n in e.models),
    ]
    return Sheet("jaggedness_sweep", "Jaggedness by size of the neighbourhood", columns, rows)


@statistic("jaggedness_subsets", "J without some of the models", "appendix N", group="Jaggedness")
def without_models(a: Analysis) -> Sheet:
    """Appendix N: J when other models had not taken part."""
    e = a.e
    models = len(e.models)
    baseline = jaggedness_without(e, [], NEIGHBOURS)
    others = np.array([jaggedness_without(e, [m], NEIGHBOURS) for m in range(models)])
    top, bottom = list(range(min(3, models))), list(range(max(0, models - 3), models))
    subsets = [jaggedness_without(e, dropped, NEIGHBOURS) for dropped in (top, bottom, sorted({*top, *bottom}))]
    reason = _no_jaggedness(e)
    one_less = [column[np.isfinite(column)] for column in others.T]
    means, least, most = (
        [figure(part) if len(part) else np.nan for part in one_less] for figure in (np.mean, min, max)
    )
    whole = (
        ("baseline", "baseline", baseline),
        ("loo_mean", "leave-one-out mean", means),
        ("loo_min", "least", least),
        ("loo_max", "most", most),
    )
    without = (("drop_top3", "without top 3"), ("drop_bottom3", "without bottom 3"), ("middle", "middle only"))
    parts = [
        (of.text("model", "model"), e.models),
        *((of.number(key, label, 3, False), of.estimates(values, reason)) for key, label, values in whole),
        *(
            (of.number(key, label, 3, False), _kept(values, gone, reason))
            for (key, label), values, gone in zip(without, subsets, (top, bottom, {*top, *bottom}), strict=True)
        ),
    ]
    note = "The strengths, the spread of margins and J are computed from the matches of the remaining models alone."
    return of.by_columns("jaggedness_subsets", "Jaggedness without some models", parts, note)


def _kept(values: Floats, gone: Collection[int], reason: str) -> list[Cell]:
    """The figures of the models that are left."""
    why = reason if len(gone) < len(values) - 1 else "no opponent is left"
    return [None if m in gone else of.estimate(value, why) for m, value in enumerate(values)]


def _no_jaggedness(e: Estimates) -> str:
    known = int(e.known.sum())
    return (
        f"{known} games have no {NEIGHBOURS} neighbours each"
        if known <= NEIGHBOURS
        else "its strengths are not connected"
    )
