"""The paper's further tables, under its numbers, with its bootstraps (GENSTRAT tables 2 to 8, appendices)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antemill.axes.pool_stats import correlation, vif
from antemill.axes.table import AXES
from antemill.tournament.statistics import sheets as of
from antemill.tournament.statistics.ablation import effect, siblings
from antemill.tournament.statistics.analysis import Analysis
from antemill.tournament.statistics.bradley_terry import outcomes
from antemill.tournament.statistics.complexity import THIRDS, mean_complexity
from antemill.tournament.statistics.correlation import agreement, correlate
from antemill.tournament.statistics.estimates import Estimates, estimate, jaggedness_without
from antemill.tournament.statistics.game_axes import LABELS, no_axes
from antemill.tournament.statistics.intervals import Floats, percentile
from antemill.tournament.statistics.jaggedness import NEIGHBOURS, SWEEP, sweep
from antemill.tournament.statistics.leaderboards import sign_reversals, slots
from antemill.tournament.statistics.margins import pair_mean_margins
from antemill.tournament.statistics.matches import Integers, encode, largest_group
from antemill.tournament.statistics.result_files import both_labels, labels, numbers
from antemill.tournament.statistics.robustness import leave_one_game_out
from antemill.tournament.statistics.sheets import Cell, Column, Sheet, by_columns, count, number, text
from antemill.tournament.statistics.stability import by_third
from antemill.tournament.statistics.strength import pair_margins
from antemill.tournament.statistics.tables import STRENGTH, paper_bounds
from antemill.tournament.statistics.variance import QUANTITIES, decomposition
from antemill.tournament.statistics.wins import fit_wins

_WARNING = (
    "The paper's z, p and q take the pairs of models for independent, which they are not: where no game differs from "
    "the leaderboard, more than half of all tournaments can show a game with q < .05."
)


def ablation(a: Analysis) -> Sheet | None:
    """Table 2. families: name -> (high-effort player, low-effort player)."""
    if not a.families:
        return None
    bootstrap = max(len(a.e.overall_drawn), 2)
    found = [effect(*_siblings(a.rows, high, low), bootstrap, a.e.seed) for high, low in a.families.values()]
    student = [one.student for one in found]
    parts: of.Parts = [
        (text("family", "family"), list(a.families)),
        (number("delta", f"gain ({of.MARGIN})"), of.estimates([one.delta for one in found])),
        (number("low", "paper's bootstrap: low"), of.estimates([one.low for one in found])),
        (number("high", "paper's bootstrap: high"), of.estimates([one.high for one in found])),
        (number("low_like", "games like these: low"), of.estimates([float(one.low) for one in student])),
        (number("high_like", "games like these: high"), of.estimates([float(one.high) for one in student])),
        (count("pairs", "pairs"), [one.pairs for one in found]),
        (count("games", "games"), [one.games for one in found]),
    ]
    bold = frozenset((line, 1) for line, one in enumerate(found) if one.significant)
    note = (
        "High-effort variant less low-effort variant, over sibling matches (same game, cards, seat and opponent). The "
        "paper's interval is too narrow for few games. Bold: it excludes 0."
    )
    return by_columns("table2_ablation", "Thinking ablation", parts, note, bold)


def _siblings(rows: pa.Table, high: str, low: str) -> tuple[np.ndarray, np.ndarray]:
    if "ablation" in rows.column_names:
        meant = pc.fill_null(pc.not_equal(pc.cast(rows["ablation"], pa.string()), ""), False)
        rows = rows.filter(meant) if pc.any(meant).as_py() else rows
    deck = "play_seed" if "play_seed" in rows.column_names else "run"
    alice, bob = (seat.to_pylist() for seat in both_labels(rows, "alice", "bob"))
    games = encode(labels(rows, "game"))[1]
    found = siblings(games, labels(rows, deck).to_pylist(), alice, bob, numbers(rows, "margin"), high, low)
    return found.game, found.difference


def without_last(a: Analysis) -> Sheet | None:
    """Table 3: the leaderboard without its last model."""
    e, last = a.e, len(a.e.models) - 1
    cells = e.cells.without_model(last)
    if last < 2 or not len(cells.game):
        return None
    found = e.fit(cells)
    drawn = None if e.drawn is None else e.fit(e.drawn.without_model(last))
    parts: of.Parts = [(text("model", "model"), e.models[:-1]), (number("alpha", STRENGTH), of.estimates(found))]
    title = f"Leaderboard without {e.models[-1]}"
    return by_columns("table3_without_last", title, [*parts, *paper_bounds(drawn)])


def tertile_leaderboards(a: Analysis) -> Sheet | None:
    """Table 4: leaderboards within thirds of the games by composite complexity."""
    e = a.e
    if not (a.thirds >= 0).any():
        return None
    parts: of.Parts = [(text("model", "model"), e.models)]
    for k, name in enumerate(THIRDS):
        found, drawn = within(e, np.flatnonzero(a.thirds == k))
        parts.append((number(f"alpha_{name}", f"{name} ({of.MARGIN})"), of.estimates(found)))
        parts += paper_bounds(drawn, f"_{name}")
    sizes = ", ".join(f"{name}: {int((a.thirds == k).sum())} games" for k, name in enumerate(THIRDS))
    note = f"95% intervals; {sizes}, easiest first."
    return by_columns("table4_tertiles", "Leaderboards by thirds of composite complexity", parts, note)


def within(e: Estimates, games: Integers) -> tuple[Floats, Floats | None]:
    """Strengths of the models on these games alone, and their replicates."""
    if not len(games):
        return np.full(len(e.models), np.nan), None
    drawn = None if e.few_drawn is None else e.fit(e.few_drawn.only_games(games))
    return e.fit(e.cells.only_games(games)), drawn


def pairwise(a: Analysis) -> Sheet:
    """Table 5: margins of the row over the column."""
    e = a.e
    margins = pair_margins(e.cells, e.once)
    bold = frozenset[tuple[int, int]]()
    if e.few_drawn is not None:
        significant = percentile(pair_margins(e.few_drawn, e.once)).excludes_zero()
        bold = frozenset((int(i), int(j) + 1) for i, j in zip(*np.nonzero(significant), strict=True))
    parts: of.Parts = [
        (text("model", ""), e.models),
        *((number(name, name), of.estimates(column)) for name, column in zip(e.models, margins.T, strict=True)),
    ]
    note = (
        f"Mean {of.MARGIN} of the row over the column, not adjusted. Bold: the 95% interval excludes 0 ({len(bold)} "
        f"entries). {int(sign_reversals(margins, e.overall).sum())} entries have a sign against the leaderboard."
    )
    return by_columns("table5_pairwise", "Head to head", parts, note, bold)


def slopes(a: Analysis) -> Sheet | None:
    """Table 7: each model's slope on each axis."""
    e, profile = a.e, a.profile
    if not np.isfinite(profile.slopes).any():
        return None
    columns = zip(_axis_columns(), map(of.estimates, profile.slopes.T), strict=True)
    bold = frozenset((int(m), int(k) + 1) for m, k in zip(*np.nonzero(profile.significant()), strict=True))
    note = f"Change of {STRENGTH} per standard deviation of the axis. Bold: q < .05 of the paper's p, on these games."
    title = "Capability profiles: slopes"
    return by_columns("table7_slopes", title, [(text("model", "model"), e.models), *columns], note, bold)


def mean_margins(a: Analysis) -> Sheet:
    """Table 8: plain mean margins by game and model, in order of the mean z-score of the axes."""
    e, level = a.e, np.full(len(a.e.games), np.nan)
    level[e.known] = mean_complexity(e.axes.values[e.known])
    order = np.argsort(level, kind="stable")  # gaps last
    margins = pair_mean_margins(e.table)[order]
    parts: of.Parts = [
        (text("game", "game"), [e.games[g] for g in order]),
        (number("complexity", "complexity"), of.estimates(level[order])),
        *((number(name, name), of.estimates(column)) for name, column in zip(e.models, margins.T, strict=True)),
    ]
    note = f"Mean {of.MARGIN} over play-seed pairs, not adjusted for opponents. Complexity: mean of the z-scored axes."
    return by_columns("table8_mean_margins", "Mean margins by game", parts, note)


def variance(a: Analysis) -> Sheet | None:
    """Appendix G: the variance decomposition of all models, and without the last."""
    e, last = a.e, len(a.e.models) - 1
    if last < 1 or len(e.games) < 2:
        return None
    sets = [("all", decomposition(e.per_game, e.errors.games))]
    rest = (e.table.alice != last) & (e.table.bob != last)
    if last > 1 and rest.any():
        part = largest_group(e.table.rows(rest))[0]
        fewer = estimate(part, no_axes(part.games), fit=e.fit)
        sets.append((f"without {e.models[-1]}", decomposition(fewer.per_game, fewer.errors.games)))
    rows: list[list[Cell]] = [
        [
            name,
            quantity,
            *map(of.estimate, (one.values[k], one.corrected[k], one.interval.low[k], one.interval.high[k])),
            one.cells,
            one.of,
        ]
        for name, one in sets
        for k, quantity in enumerate(QUANTITIES)
    ]
    heads = (("value", "value"), ("corrected", "without noise"), ("corrected_low", "low"), ("corrected_high", "high"))
    columns = [text("models", "models"), text("quantity", "quantity")]
    columns += [*(number(key, head, 2, False) for key, head in heads), count("cells", "cells"), count("of", "of")]
    note = (
        "sigma2_M: variance between models; sigma2_MG: model by game; their ratio. *Without noise*: less what the "
        "noise of the matches adds, with its 95% interval on these games. Cells: (model, game) pairs with a strength."
    )
    return Sheet("variance", "Variance decomposition", columns, rows, note)


def leave_one_out(a: Analysis) -> Sheet | None:
    """Appendix H: the leaderboard without each game in turn."""
    e = a.e
    if len(e.games) < 2:
        return None
    found = leave_one_game_out(e.cells, e.fit)
    parts: of.Parts = [
        (text("left_out", "left out"), e.games),
        (number("tau", "tau", 3, False), of.estimates(found.tau)),
        *((number(name, name), of.estimates(column)) for name, column in zip(e.models, found.strengths.T, strict=True)),
    ]
    note = (
        f"Strengths without the game, and Kendall's tau with the full leaderboard. {found.kept} of {len(e.games)} "
        f"refits keep the order; mean tau {found.mean:.3f}, least {found.least:.3f}."
    )
    return by_columns("leave_one_out", "Leave one game out", parts, note)


def coverage(a: Analysis) -> Sheet | None:
    """Appendix H: is a model's strength related to how much it played?"""
    found = correlate(a.e.overall, slots(a.e.table).astype(np.float64))
    if not np.isfinite(found.spearman):
        return None
    columns, row = [count("models", "models")], list[Cell]([found.n])
    for name in ("kendall", "spearman", "pearson"):
        columns += [number(name, name.capitalize()), number(f"{name}_p", "p", 3, False)]
        row += [of.estimate(getattr(found, key)) for key in (name, f"{name}_p")]
    return Sheet("coverage", "Strength against number of matches", columns, [row])


def bradley_terry(a: Analysis) -> Sheet:
    """Appendix H: Bradley-Terry on 1[margin > 0], the best first, beside the strengths."""
    e = a.e
    found = fit_wins(outcomes(e.table, "lost"))
    order = np.argsort(-found.strengths.round(12), kind="stable")
    interval = found.spread.error.interval(found.strengths)
    values = (found.strengths, interval.low, interval.high)
    columns = [number("strength", "Bradley-Terry"), *of.interval_columns()]
    parts: of.Parts = [
        (text("model", "model"), [e.models[m] for m in order]),
        *((column, of.estimates(each[order])) for column, each in zip(columns, values, strict=True)),
        (count("rank", "rank"), list(range(1, len(order) + 1))),
        (count("rank_by_margin", "rank by margin"), (order + 1).tolist()),
    ]
    draws = int((e.table.margin == 0.0).sum())
    prior = " Someone is unbeaten or has not won, so every player has one more draw with an average one." * found.prior
    note = f"Log-odds of a positive margin; a draw counts as not won ({draws:,} draws); 95% intervals.{prior}"
    return by_columns("bradley_terry", "Bradley-Terry on wins", parts, note)


def composite_weights(a: Analysis) -> Sheet | None:
    """Appendix I: the axes' weights in the composite."""
    found = a.composite
    if not np.isfinite(found.weights).any():
        return None
    parts: of.Parts = [(text("axis", "axis"), list(AXES)), (number("weight", "weight"), of.estimates(found.weights))]
    note = f"First principal component of the models' slopes: {found.explained:.0%} of their variance."
    return by_columns("composite_weights", "Composite complexity", parts, note)


def inflation(a: Analysis) -> Sheet | None:
    """Appendix D: variance inflation of each axis."""
    points = a.e.axes.values[a.e.known]
    if len(points) <= len(AXES):
        return None
    parts: of.Parts = [(text("axis", "axis"), list(AXES)), (number("vif", "VIF", 2, False), of.estimates(vif(points)))]
    note = "1 / (1 - R²) of each axis regressed on the others."
    return by_columns("vif", "Variance inflation factors", parts, note)


def axis_correlations(a: Analysis) -> Sheet | None:
    """Figure 5: Pearson correlations of the axes over the games."""
    points = a.e.axes.values[a.e.known]
    if len(points) < 2:
        return None
    matrix = correlation(points)
    columns = [Column(axis, label, heat=1.0) for axis, label in zip(AXES, LABELS, strict=True)]
    parts: of.Parts = [(text("axis", ""), list(AXES)), *zip(columns, map(of.estimates, matrix.T), strict=True)]
    return by_columns("axis_correlations", "Correlations of the axes", parts, f"Pearson, over {len(points)} games.")


def by_neighbours(a: Analysis) -> Sheet | None:
    """Appendix N: J at other sizes of the neighbourhood."""
    e, known = a.e, a.e.known
    if not np.isfinite(a.jagged.values).any():
        return None
    found = sweep(e.z_scores[known], e.axes.values[known])
    parts: of.Parts = [
        (count("K", "K"), list(SWEEP)),
        (number("mean", "mean J", 3, False), of.estimates(found.mean)),
        (number("spearman", "Spearman with K = 3", 3, False), of.estimates(found.agreement)),
        *((number(n, n, 3, False), of.estimates(values)) for n, values in zip(e.models, found.values.T, strict=True)),
    ]
    return by_columns("jaggedness_sweep", "Jaggedness by size of the neighbourhood", parts)


def without_models(a: Analysis) -> Sheet | None:
    """Appendix N: J when other models had not taken part."""
    e, models = a.e, len(a.e.models)
    if not np.isfinite(a.jagged.values).any():
        return None
    others = np.array([jaggedness_without(e, [m], NEIGHBOURS) for m in range(models)])
    there = [column[np.isfinite(column)] for column in others.T]
    one_less = [[figure(part) if len(part) else np.nan for part in there] for figure in (np.mean, min, max)]
    top, bottom = list(range(min(3, models))), list(range(max(0, models - 3), models))
    subsets = [jaggedness_without(e, dropped, NEIGHBOURS) for dropped in (top, bottom, sorted({*top, *bottom}))]
    heads = [("baseline", "baseline"), ("loo_mean", "leave-one-out mean"), ("loo_min", "least"), ("loo_max", "most")]
    heads += [("drop_top3", "without top 3"), ("drop_bottom3", "without bottom 3"), ("middle", "middle only")]
    values: list[Sequence[float] | Floats] = [jaggedness_without(e, [], NEIGHBOURS), *one_less, *subsets]
    columns = [number(key, head, 3, False) for key, head in heads]
    parts: of.Parts = [(text("model", "model"), e.models), *zip(columns, map(of.estimates, values), strict=True)]
    note = "The strengths, the spread of margins and J are computed from the matches of the remaining models alone."
    return by_columns("jaggedness_subsets", "Jaggedness without some models", parts, note)


def stability(a: Analysis) -> Sheet | None:
    """Appendix P: each game against the noise null, as printed."""
    found = a.stability[0]
    if not np.isfinite(found.expected).any():
        return None
    heads = (("expected", 2), ("z", 2), ("p", 4), ("q", 4))
    parts: of.Parts = [
        (text("game", "game"), a.e.games),
        (count("observed", "reversals"), found.observed.tolist()),
        *((number(key, key, digits, key == "z"), of.estimates(getattr(found, key))) for key, digits in heads),
    ]
    return by_columns("rank_stability_paper", "Rank stability by game, as printed", parts, _WARNING)


def stability_thirds(a: Analysis) -> Sheet | None:
    """Appendix P: the test by thirds of complexity, and over all games."""
    found = by_third(a.stability[0], a.thirds)
    if not np.isfinite([third.expected for third in found]).any():
        return None
    rows = [
        [
            third.name,
            third.games,
            third.below_05,
            third.below_10,
            *map(of.estimate, (third.observed, third.expected, third.z)),
        ]
        for third in found
    ]
    columns = [text("third", "games"), count("n", "n"), count("q05", "q < .05"), count("q10", "q < .10")]
    columns += [number("observed", "mean reversals", 2, False), number("expected", "mean expected", 2, False)]
    tau = agreement(a.e.overall, a.e.per_game)
    note = (
        f"Kendall's tau with the leaderboard: mean {tau.mean:.3f}, median {tau.median:.3f}, {tau.least:.3f} to "
        f"{tau.most:.3f}; {tau.share_60:.0%} of {tau.games} games have at least .6, {tau.share_80:.0%} at least .8. "
    )
    title = "Rank stability by thirds of complexity, as printed"
    return Sheet("rank_stability_thirds", title, [*columns, number("z", "mean z")], rows, note + _WARNING)


def stability_summary(a: Analysis) -> Sheet | None:
    """Appendix P's sentences: counts by game, their ratio, z, and single reversals."""
    games, single = a.stability
    both = np.isfinite(games.expected)
    if not both.any():
        return None
    counts, z = games.observed[games.pairs > 0].astype(np.float64), games.z[np.isfinite(games.z)]
    expected = float(games.expected[both].sum())
    figures = [("reversals of a game, mean", counts.mean()), ("median", np.median(counts)), ("most", counts.max())]
    figures += [("expected by noise, mean", games.expected[both].mean())]
    figures += [("observed over expected", games.observed[both].sum() / expected if expected else np.nan)]
    if len(z):
        figures += [("z, mean", z.mean()), ("z, median", np.median(z)), ("share of games with z ≥ 2", (z >= 2).mean())]
        figures += [("share of games with z ≤ 0", (z <= 0).mean())]
    figures += [("single reversals", len(single.p))]
    figures += [(f"games with q < {bar:.2f}", _below(games.q, bar)) for bar in (0.05, 0.1)]
    figures += [(f"single reversals with q < {bar:.2f}", _below(single.q, bar)) for bar in (0.05, 0.1)]
    columns = [text("figure", ""), number("value", "value", 2, False)]
    rows = [[name, of.estimate(value)] for name, value in figures]
    return Sheet("rank_stability_summary", "Rank stability in all, as printed", columns, rows)


def reversals(a: Analysis) -> Sheet | None:
    """Appendix P: single reversals, most certain first, as printed."""
    e, found = a.e, a.stability[1]
    order = np.lexsort((found.lower, found.upper, found.game, np.nan_to_num(found.p, nan=2.0)))
    parts: of.Parts = [
        (text("game", "game"), [e.games[g] for g in found.game[order]]),
        (text("stronger_here", "stronger here"), [e.models[m] for m in found.lower[order]]),
        (text("stronger_overall", "stronger overall"), [e.models[m] for m in found.upper[order]]),
        (number("gap", f"by ({of.MARGIN})"), found.gap[order].tolist()),
        (number("p", "p", 4, False), of.estimates(found.p[order])),
        (number("q", "q", 4, False), of.estimates(found.q[order])),
    ]
    note = (
        "p: share of bootstrap replicates in which the reversal does not hold; pairs were chosen as they look reversed."
    )
    return by_columns("reversals", "Single reversals, as printed", parts, note) if len(order) else None


def _below(q: Floats, rate: float) -> int:
    return int((q[np.isfinite(q)] < rate).sum())


def _axis_columns() -> list[Column]:
    return [number(axis, label) for axis, label in zip(AXES, LABELS, strict=True)]
