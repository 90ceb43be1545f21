"""The tables of the games: their axes, margins, strengths, variance, rank stability."""

from __future__ import annotations

import numpy as np

from antemill.axes.pool_stats import correlation, vif
from antemill.axes.table import AXES
from antemill.tournament.statistics import sheets as of
from antemill.tournament.statistics.analysis import Analysis, statistic
from antemill.tournament.statistics.complexity import THIRDS, mean_complexity
from antemill.tournament.statistics.correlation import agreement
from antemill.tournament.statistics.estimates import Estimates, variance_of
from antemill.tournament.statistics.few import FEWEST, TOO_FEW_CLUSTERS
from antemill.tournament.statistics.game_axes import LABELS, NO_AXES
from antemill.tournament.statistics.intervals import Floats, percentile
from antemill.tournament.statistics.margins import pair_mean_margins
from antemill.tournament.statistics.sheets import Cell, Sheet
from antemill.tournament.statistics.stability import Stability, by_third, joint_floor
from antemill.tournament.statistics.variance import QUANTITIES, Variance

_WARNING = (
    "**The paper's z, p and q take the pairs of models for independent, which they are not: where no game differs from "
    "the leaderboard, more than half of all tournaments can show a game with q < .05 (docs/statistics.md).**"
)

_COLUMNS = (
    "*Composite*: one figure of how complex a game is, its axes with the weights of the table *Composite complexity*. "
    "*Third*: T1 is the third of the games with the lowest composite, T3 the one with the highest. *Sd of margins*: "
    "standard deviation over matches of what Alice wins less what Bob wins, in chips. On a page a game's name leads "
    "to its rulebook and its matches."
)
_DRAWN = "A name with @ is that of a generated game: its seed, and the complexity that was asked for."


@statistic(
    "games",
    "composite complexity, thirds, axes and spread of every game",
    "appendix I",
    group="Games",
    after="composite_weights",
)
def games(a: Analysis) -> Sheet:
    """The games: their axes, composite complexity, third, and spread of margins."""
    e, composite, thirds = a.e, a.composite, a.thirds
    rows: list[list[Cell]] = []
    for g, game in enumerate(e.games):
        why = "" if e.known[g] else e.axes.reasons.get(game, NO_AXES)
        third: Cell = THIRDS[thirds[g]] if thirds[g] >= 0 else of.Missing(why or composite.reason)
        values = [of.estimate(value, why) for value in e.axes.values[g]]
        length = of.estimate(e.axes.rulebook_length[g], "not known")
        spread = float(e.scale[g])
        rows.append([game, *values, length, of.estimate(composite.scores[g], why or composite.reason), third, spread])
    columns = [
        of.text("game", "game"),
        *(of.number(axis, label, 3, False) for axis, label in zip(AXES, LABELS, strict=True)),
        of.number("rulebook_length", "rulebook characters", 0, False),
        of.number("composite", "composite"),
        of.text("third", "third"),
        of.number("sigma", "sd of margins", 2, False),
    ]
    drawn = f" {_DRAWN}" if any("@" in game for game in e.games) else ""
    return Sheet("games", "The games", columns, rows, f"Axes: {e.axes.source}. {_COLUMNS}{drawn}")


@statistic("axis_correlations", "correlations between the axes", "figure 5", group="Games")
def axis_correlations(a: Analysis) -> Sheet:
    """Figure 5: Pearson correlations of the axes over the games."""
    e = a.e
    known, points = e.known, e.axes.values[e.known]
    matrix = correlation(points) if known.any() else np.full((len(AXES), len(AXES)), np.nan)
    constant = _constant(points)
    rows: list[list[Cell]] = []
    for k, axis in enumerate(AXES):
        reasons = [_no_variation(points, constant[k] or constant[b]) for b in range(len(AXES))]
        rows.append(
            [axis, *(of.Missing(reason) if reason else float(matrix[k, b]) for b, reason in enumerate(reasons))]
        )
    return Sheet(
        "axis_correlations",
        "Correlations of the axes",
        [of.text("axis", ""), *(of.Column(axis, label, heat=1.0) for axis, label in zip(AXES, LABELS, strict=True))],
        rows,
        f"Pearson, over {int(known.sum())} games.",
    )


@statistic("vif", "the axes' variance inflation factors", "appendix D", group="Games")
def inflation(a: Analysis) -> Sheet:
    """Appendix D: variance inflation of each axis."""
    e = a.e
    points = e.axes.values[e.known]
    factors = vif(points) if len(points) else np.full(len(AXES), np.nan)
    constant = _constant(points)
    rows: list[list[Cell]] = []
    for k, axis in enumerate(AXES):
        reason = _no_variation(points, bool(constant[k]))
        if not reason and len(points) <= len(AXES):
            reason = f"{len(points)} games do not determine it"
        rows.append(
            [axis, of.Missing(reason) if reason else of.estimate(factors[k], "the axis follows from the others")]
        )
    return Sheet(
        "vif",
        "Variance inflation factors",
        [of.text("axis", "axis"), of.number("vif", "VIF", 2, False)],
        rows,
        "1 / (1 - R²) of each axis regressed on the others.",
    )


@statistic("table9_game_strengths", "strengths by game", "table 9", group="Games", after="table8_mean_margins")
def game_strengths(a: Analysis) -> Sheet:
    """Table 9: per-game strengths, in order of composite complexity."""
    e, composite = a.e, a.composite.scores
    rows = [
        [
            e.games[g],
            of.estimate(composite[g], _no_axes(e, g) or a.why_no_thirds),
            *(
                of.estimate(value, "" if np.isfinite(value) else e.why_not(g, m))
                for m, value in enumerate(e.per_game[g])
            ),
        ]
        for g in np.argsort(composite, kind="stable")  # gaps last
    ]
    sizes = np.abs(e.per_game[np.isfinite(e.per_game)])
    heat = float(np.percentile(sizes, 98)) if sizes.any() else 1.0
    columns = [of.text("game", "game"), of.number("composite", "composite")]
    columns += [of.Column(name, name, signed=True, heat=heat) for name in e.models]
    note = f"Strength on each game in {of.CHIPS}, relative to the mean of its players."
    return Sheet("table9_game_strengths", "Strengths by game", columns, rows, note)


@statistic(
    "game_strength_intervals",
    "strengths by game with intervals",
    "appendix P",
    group="Games",
    after="jaggedness_subsets",
)
def game_strength_intervals(a: Analysis) -> Sheet:
    """The intervals of table 9 (appendix P), one row a game and model."""
    e = a.e
    found = percentile(e.per_game_drawn)
    rows: list[list[Cell]] = []
    for g, game in enumerate(e.games):
        for m, model in enumerate(e.models):
            value = e.per_game[g, m]
            reason = "" if np.isfinite(value) else e.why_not(g, m)
            if not reason and e.fewest_units[g] < FEWEST:
                pair: list[Cell] = [of.Missing(f"a player has {TOO_FEW_CLUSTERS} on this game")] * 2
            elif not reason and e.fewest_runs[g] < 2:
                pair = [of.Missing(f"a pair met in one {_unit(e)} only")] * 2
            else:
                pair = of.bounds(found, (g, m), reason)
            rows.append([game, model, of.estimate(value, reason), *pair])
    columns = [
        of.text("game", "game"),
        of.text("model", "model"),
        of.number("alpha", "strength"),
        *of.interval_columns(),
    ]
    return Sheet(
        "game_strength_intervals",
        "Strengths by game with intervals",
        columns,
        rows,
        f"In {of.CHIPS}; 95% paired-cluster bootstrap intervals.",
    )


@statistic("table8_mean_margins", "plain margins by game", "table 8", group="Games", after="table7_slopes")
def mean_margins(a: Analysis) -> Sheet:
    """Table 8: plain mean margins by game and model, in order of the mean z-score of the axes."""
    e = a.e
    margins, known = pair_mean_margins(e.table)[:, e.place], e.known
    level = np.full(len(e.games), np.nan)
    level[known] = mean_complexity(e.axes.values[known])
    order = np.argsort(level, kind="stable")  # gaps last
    parts = [
        (of.text("game", "game"), [e.games[g] for g in order]),
        (of.number("complexity", "complexity"), [of.estimate(level[g], _no_axes(e, g)) for g in order]),
        *(
            (of.number(name, name), of.estimates(column, "did not play this game"))
            for name, column in zip(e.models, margins[order].T, strict=True)
        ),
    ]
    note = (
        f"Mean margin in {of.CHIPS} over play-seed pairs, not adjusted for opponents. Complexity: "
        f"mean of the z-scored axes. {of.MARGIN}"
    )
    return of.by_columns("table8_mean_margins", "Mean margins by game", parts, note)


@statistic("variance", "variance between models, and model by game", "appendix G", group="Games", after="fallbacks")
def variance(a: Analysis) -> Sheet:
    """Appendix G: the variance decomposition of all models, and without the last."""
    e = a.e
    sets: list[tuple[str, Variance]] = [("all", variance_of(e))]
    last = e.models[-1]
    rest = (e.cells.low < len(e.models) - 1) & (e.cells.high < len(e.models) - 1)
    if len(e.models) > 2 and rest.any():
        sets.append((f"without {last}", variance_of(e, len(e.models) - 1)))
    rows: list[list[Cell]] = []
    for name, found in sets:
        why = found.reason or e.noise_unknown
        for k, quantity in enumerate(QUANTITIES):
            paper = [of.estimate(found.values[k], found.reason), *of.bounds(found.interval, k, found.reason)]
            less = [of.estimate(found.corrected[k], why), *of.bounds(found.corrected_interval, k, why)]
            rows.append([name, quantity, *paper, of.collapse(found.collapsed[k]), *less, found.cells, found.of])
    columns = [of.text("models", "models"), of.text("quantity", "quantity"), of.number("value", "value", 2, False)]
    columns += [*of.interval_columns(False), of.text("flag", "flag"), of.number("corrected", "without noise", 2, False)]
    columns += [of.number("corrected_low", "low", 2, False), of.number("corrected_high", "high", 2, False)]
    columns += [of.count("cells", "cells"), of.count("of", "of")]
    note = (
        "sigma2_M: variance between models; sigma2_MG: model by game; their ratio. *low, high*: 95% bias-corrected "
        "within-cell bootstrap intervals, which take luck of the cards for noise of the strengths and hold the truth "
        "in less than 95%. *Without noise*: the estimate less what sampling noise adds, by whole runs, with its basic "
        "interval on these games; it may fall below zero where the truth is near zero. "
        f"Cells: (model, game) pairs with a strength. {of.COLLAPSED}"
    )
    return Sheet("variance", "Variance decomposition", columns, rows, note)


@statistic(
    "rank_stability",
    "do games reorder the models beyond noise?",
    "appendix P",
    group="Games",
    after="game_strength_intervals",
)
def rank_stability(a: Analysis) -> Sheet:
    """Appendix P: each game against the noise null."""
    e, found, joint = a.e, a.stability[0], a.joint_stability
    games = range(len(e.games))
    alone = [_why_not_tested(e, found, g) for g in games]
    jointly = [_why_not_tested_jointly(e, found, g) for g in games]
    tau = of.estimates(agreement(e.overall, e.per_game).tau, "fewer than two players whose strengths differ")
    parts = [
        (of.text("game", "game"), e.games),
        (of.number("tau", "tau"), tau),
        (of.count("pairs", "pairs"), found.pairs.tolist()),
        (of.count("observed", "reversals"), found.observed.tolist()),
        (of.number("expected", "expected", 2, False), of.estimates(found.expected, alone)),
        (of.number("z", "z"), of.estimates(found.z, alone)),
        (of.number("p", "p", 4, False), of.estimates(found.p, alone)),
        (of.number("q", "q", 4, False), of.estimates(found.q, alone)),
        (of.number("joint_expected", "jointly expected", 2, False), of.estimates(joint.expected, jointly)),
        (of.number("joint_sd", "sd", 2, False), of.estimates(np.sqrt(joint.variance), jointly)),
        (of.number("joint_p", "joint p", 4, False), of.estimates(joint.p, jointly)),
        (of.number("joint_q", "joint q", 4, False), of.estimates(joint.q, jointly)),
    ]
    note = (
        "Kendall's tau of the game's order with the leaderboard; pairs of models in the other "
        "order; the number that sampling noise alone would give; q: Benjamini-Hochberg over the games. "
        f"{_WARNING} The joint columns do not: mean and standard deviation of the reversals that noise shared by "
        f"the pairs gives, p = (k + 1) / (B + 1), at least {joint_floor(len(e.games)):.2g}, and q over the games."
    )
    return of.by_columns("rank_stability", "Rank stability by game", parts, note)


@statistic("rank_stability_thirds", "the same by thirds of complexity", "appendix P", group="Games")
def rank_stability_summary(a: Analysis) -> Sheet:
    """Appendix P: the test by thirds of complexity, and over all games."""
    e, found, joint, thirds = a.e, a.stability[0], a.joint_stability, a.thirds
    rows: list[list[Cell]] = []
    for third, games in zip(by_third(found, thirds), [*(thirds == k for k in range(3)), thirds > -2], strict=True):
        reason = a.why_no_thirds if third.name != "all" and not (thirds >= 0).any() else "no game gives it"
        means = [of.estimate(value, reason) for value in (third.observed, third.expected, third.z)]
        q = joint.q[games]
        fair = [int((q[np.isfinite(q)] < rate).sum()) for rate in (0.05, 0.10)]
        rows.append([third.name, third.games, third.below_05, third.below_10, *means, *fair])
    all_games = agreement(e.overall, e.per_game)
    note = (
        f"Kendall's tau of the games' orders with the leaderboard: mean {_said(all_games.mean)}, "
        f"median {_said(all_games.median)}, {_said(all_games.least)} to {_said(all_games.most)}; "
        f"{_share(all_games.share_60)} of {all_games.games} games have at least .6, "
        f"{_share(all_games.share_80)} at least .8. {_WARNING} The last two columns count with the joint q."
    )
    columns = [
        of.text("third", "games"),
        of.count("n", "n"),
        of.count("q05", "q < .05"),
        of.count("q10", "q < .10"),
        of.number("observed", "mean reversals", 2, False),
        of.number("expected", "mean expected", 2, False),
        of.number("z", "mean z"),
        of.count("joint_q05", "joint q < .05"),
        of.count("joint_q10", "joint q < .10"),
    ]
    return Sheet("rank_stability_thirds", "Rank stability by thirds of complexity", columns, rows, note)


@statistic(
    "reversals", "single pairs of models that a game orders against the leaderboard", "appendix P", group="Games"
)
def reversals(a: Analysis) -> Sheet:
    """Appendix P: single reversals, most certain first."""
    e, found = a.e, a.stability[1]
    order = np.lexsort((found.lower, found.upper, found.game, np.nan_to_num(found.p, nan=2.0)))
    p, q = (of.estimates(values[order], "the noise on this game is unknown") for values in (found.p, found.q))
    fair = [of.estimates(values[order], e.noise_unknown) for values in (found.fair, found.fair_q)]
    parts = [
        (of.text("game", "game"), [e.games[g] for g in found.game[order]]),
        (of.text("stronger_here", "stronger here"), [e.models[m] for m in found.lower[order]]),
        (of.text("stronger_overall", "stronger overall"), [e.models[m] for m in found.upper[order]]),
        (of.number("gap", "by"), found.gap[order].tolist()),
        (of.number("p", "p", 4, False), p),
        (of.number("q", "q", 4, False), q),
        (of.number("fair_p", "fair p", 4, False), fair[0]),
        (of.number("fair_q", "fair q", 4, False), fair[1]),
    ]
    note = (
        f"{len(order)} pairs of models that a game orders against the leaderboard. p: share of "
        "bootstrap replicates in which the reversal does not hold; q: Benjamini-Hochberg over "
        "all of them. **Read them with care:** a p of 0 only means fewer than one in all replicates, and pairs were "
        "chosen because they look reversed. Fair p: Student's two-sided p of the gap, with the noise of the game's "
        "runs; it is computed and not counted, so it can be as small as the data say."
    )
    return of.by_columns("reversals", "Single reversals", parts, note)


def _constant(points: Floats) -> Floats:
    return np.asarray(np.ptp(points, axis=0) == 0.0) if len(points) else np.zeros(len(AXES))


def _no_variation(points: Floats, constant: bool) -> str:
    if not len(points):
        return NO_AXES
    return "the axis does not vary over the games" if constant else ""


def _no_axes(e: Estimates, game: int) -> str:
    return "" if e.known[game] else e.axes.reasons.get(e.games[game], NO_AXES)


def _why_not_tested_jointly(e: Estimates, found: Stability, game: int) -> str:
    return "no two players with strengths here and overall" if found.pairs[game] == 0 else e.noise_unknown


def _why_not_tested(e: Estimates, found: Stability, game: int) -> str:
    if found.pairs[game] == 0:
        return "no two players with strengths here and overall"
    if e.fewest_runs[game] < 2:
        return f"a pair met in one {_unit(e)} only: its noise is unknown"
    return of.TOO_FEW if np.isnan(found.expected[game]) else "no reversal is possible by noise"


def _unit(e: Estimates) -> str:
    return "cluster" if e.table.clustered else "run"


def _said(value: float) -> str:
    return f"{value:.3f}" if np.isfinite(value) else "not known"


def _share(value: float) -> str:
    return f"{value:.0%}" if np.isfinite(value) else "none"
