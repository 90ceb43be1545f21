"""The paper's tables of games: margins, strengths, variance, rank stability. Each makes one `Sheet`."""

from __future__ import annotations

import numpy as np

from antemill.tournament.statistics.complexity import mean_complexity
from antemill.tournament.statistics.correlation import agreement
from antemill.tournament.statistics.estimates import Estimates, variance_of
from antemill.tournament.statistics.few import FEWEST, TOO_FEW_CLUSTERS
from antemill.tournament.statistics.game_axes import NO_AXES
from antemill.tournament.statistics.intervals import Floats, percentile
from antemill.tournament.statistics.margins import pair_mean_margins
from antemill.tournament.statistics.sheets import (
    CHIPS,
    COLLAPSED,
    TOO_FEW,
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
)
from antemill.tournament.statistics.stability import Joint, Reversals, Stability, by_third
from antemill.tournament.statistics.table import Integers
from antemill.tournament.statistics.variance import QUANTITIES, Variance

_WARNING = (
    "**The paper's z, p and q take the pairs of models for independent, which they are not: where no game differs from "
    "the leaderboard, more than half of all tournaments can show a game with q < .05 (docs/statistics.md).**"
)


def mean_margins(e: Estimates) -> Sheet:
    """Table 8: plain mean margins by game and model, in order of the mean z-score of the axes."""
    margins, known = pair_mean_margins(e.table)[:, e.place], e.known
    level = np.full(len(e.games), np.nan)
    level[known] = mean_complexity(e.axes.values[known])
    order = np.argsort(level, kind="stable")  # gaps last
    parts = [
        (text("game", "game"), [e.games[g] for g in order]),
        (number("complexity", "complexity"), [estimate(level[g], _no_axes(e, g)) for g in order]),
        *(
            (number(name, name), estimates(column, "did not play this game"))
            for name, column in zip(e.models, margins[order].T, strict=True)
        ),
    ]
    note = (
        f"Mean margin in {CHIPS} over play-seed pairs, not adjusted for opponents. Complexity: "
        "mean of the z-scored axes."
    )
    return by_columns("table8_mean_margins", "Mean margins by game", parts, note)


def game_strength_table(e: Estimates, composite: Floats, why: str) -> Sheet:
    """Table 9: per-game strengths, in order of composite complexity."""
    rows = [
        [
            e.games[g],
            estimate(composite[g], _no_axes(e, g) or why),
            *(estimate(value, "" if np.isfinite(value) else e.why_not(g, m)) for m, value in enumerate(e.per_game[g])),
        ]
        for g in np.argsort(composite, kind="stable")  # gaps last
    ]
    sizes = np.abs(e.per_game[np.isfinite(e.per_game)])
    heat = float(np.percentile(sizes, 98)) if sizes.any() else 1.0
    columns = [text("game", "game"), number("composite", "composite")]
    columns += [Column(name, name, signed=True, heat=heat) for name in e.models]
    note = f"Strength on each game in {CHIPS}, relative to the mean of its players."
    return Sheet("table9_game_strengths", "Strengths by game", columns, rows, note)


def game_strength_intervals(e: Estimates) -> Sheet:
    """The intervals of table 9 (appendix P), one row a game and model."""
    found = percentile(e.per_game_drawn)
    rows: list[list[Cell]] = []
    for g, game in enumerate(e.games):
        for m, model in enumerate(e.models):
            value = e.per_game[g, m]
            reason = "" if np.isfinite(value) else e.why_not(g, m)
            if not reason and e.fewest_units[g] < FEWEST:
                pair: list[Cell] = [Missing(f"a player has {TOO_FEW_CLUSTERS} on this game")] * 2
            elif not reason and e.fewest_runs[g] < 2:
                pair = [Missing(f"a pair met in one {_unit(e)} only")] * 2
            else:
                pair = bounds(found, (g, m), reason)
            rows.append([game, model, estimate(value, reason), *pair])
    columns = [text("game", "game"), text("model", "model"), number("alpha", "strength"), *interval_columns()]
    return Sheet(
        "game_strength_intervals",
        "Strengths by game with intervals",
        columns,
        rows,
        f"In {CHIPS}; 95% paired-cluster bootstrap intervals.",
    )


def variance_table(e: Estimates) -> Sheet:
    """Appendix G: the variance decomposition of all models, and without the last."""
    sets: list[tuple[str, Variance]] = [("all", variance_of(e))]
    last = e.models[-1]
    rest = (e.cells.low < len(e.models) - 1) & (e.cells.high < len(e.models) - 1)
    if len(e.models) > 2 and rest.any():
        sets.append((f"without {last}", variance_of(e, len(e.models) - 1)))
    rows: list[list[Cell]] = []
    for name, found in sets:
        why = found.reason or e.noise_unknown
        for k, quantity in enumerate(QUANTITIES):
            paper = [estimate(found.values[k], found.reason), *bounds(found.interval, k, found.reason)]
            less = [estimate(found.corrected[k], why), *bounds(found.corrected_interval, k, why)]
            rows.append([name, quantity, *paper, collapse(found.collapsed[k]), *less, found.cells, found.of])
    columns = [text("models", "models"), text("quantity", "quantity"), number("value", "value", 2, False)]
    columns += [*interval_columns(False), text("flag", "flag"), number("corrected", "without noise", 2, False)]
    columns += [number("corrected_low", "low", 2, False), number("corrected_high", "high", 2, False)]
    columns += [count("cells", "cells"), count("of", "of")]
    note = (
        "sigma2_M: variance between models; sigma2_MG: model by game; their ratio. 95% "
        "bias-corrected within-cell bootstrap intervals, which take luck of the cards for noise of the "
        "strengths and hold the truth less often than they say; then the estimate less what sampling noise adds, by "
        "whole runs, with its basic interval on these games; it may fall below zero where the truth is near it; "
        f"cells: (model, game) pairs with a strength. {COLLAPSED}"
    )
    return Sheet("variance", "Variance decomposition", columns, rows, note)


def rank_stability(e: Estimates, found: Stability, joint: Joint) -> Sheet:
    """Appendix P: each game against the noise null."""
    games = range(len(e.games))
    alone = [_why_not_tested(e, found, g) for g in games]
    jointly = [_why_not_tested_jointly(e, found, g) for g in games]
    tau = estimates(agreement(e.overall, e.per_game).tau, "fewer than two players whose strengths differ")
    parts = [
        (text("game", "game"), e.games),
        (number("tau", "tau"), tau),
        (count("pairs", "pairs"), found.pairs.tolist()),
        (count("observed", "reversals"), found.observed.tolist()),
        (number("expected", "expected", 2, False), estimates(found.expected, alone)),
        (number("z", "z"), estimates(found.z, alone)),
        (number("p", "p", 4, False), estimates(found.p, alone)),
        (number("q", "q", 4, False), estimates(found.q, alone)),
        (number("joint_expected", "jointly expected", 2, False), estimates(joint.expected, jointly)),
        (number("joint_sd", "sd", 2, False), estimates(np.sqrt(joint.variance), jointly)),
        (number("joint_p", "joint p", 4, False), estimates(joint.p, jointly)),
        (number("joint_q", "joint q", 4, False), estimates(joint.q, jointly)),
    ]
    note = (
        "Kendall's tau of the game's order with the leaderboard; pairs of models in the other "
        "order; how many sampling noise alone would give; q: Benjamini-Hochberg over the games. "
        f"{_WARNING} The joint columns do not: mean and standard deviation of the reversals that noise shared by "
        "the pairs gives, p = (k + 1) / (B + 1), and q over the games."
    )
    return by_columns("rank_stability", "Rank stability by game", parts, note)


def rank_stability_summary(e: Estimates, found: Stability, joint: Joint, thirds: Integers, why: str) -> Sheet:
    """Appendix P: the test by thirds of complexity, and over all games."""
    rows: list[list[Cell]] = []
    for third, games in zip(by_third(found, thirds), [*(thirds == k for k in range(3)), thirds > -2], strict=True):
        reason = why if third.name != "all" and not (thirds >= 0).any() else "no game gives it"
        means = [estimate(value, reason) for value in (third.observed, third.expected, third.z)]
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
        text("third", "games"),
        count("n", "n"),
        count("q05", "q < .05"),
        count("q10", "q < .10"),
        number("observed", "mean reversals", 2, False),
        number("expected", "mean expected", 2, False),
        number("z", "mean z"),
        count("joint_q05", "joint q < .05"),
        count("joint_q10", "joint q < .10"),
    ]
    return Sheet("rank_stability_thirds", "Rank stability by thirds of complexity", columns, rows, note)


def reversal_table(e: Estimates, found: Reversals) -> Sheet:
    """Appendix P: single reversals, most certain first."""
    order = np.lexsort((found.lower, found.upper, found.game, np.nan_to_num(found.p, nan=2.0)))
    p, q = (estimates(values[order], "the noise on this game is unknown") for values in (found.p, found.q))
    fair = [estimates(values[order], e.noise_unknown) for values in (found.fair, found.fair_q)]
    parts = [
        (text("game", "game"), [e.games[g] for g in found.game[order]]),
        (text("stronger_here", "stronger here"), [e.models[m] for m in found.lower[order]]),
        (text("stronger_overall", "stronger overall"), [e.models[m] for m in found.upper[order]]),
        (number("gap", "by"), found.gap[order].tolist()),
        (number("p", "p", 4, False), p),
        (number("q", "q", 4, False), q),
        (number("fair_p", "fair p", 4, False), fair[0]),
        (number("fair_q", "fair q", 4, False), fair[1]),
    ]
    note = (
        f"{len(order)} pairs of models that a game orders against the leaderboard. p: share of "
        "bootstrap replicates in which the reversal does not hold; q: Benjamini-Hochberg over "
        "all of them. **Read them with care:** a p of 0 only means fewer than one in all replicates, and pairs were "
        "chosen because they look reversed. Fair p: 2 (k + 1) / (B + 1)."
    )
    return by_columns("reversals", "Single reversals", parts, note)


def _no_axes(e: Estimates, game: int) -> str:
    return "" if e.known[game] else e.axes.reasons.get(e.games[game], NO_AXES)


def _why_not_tested_jointly(e: Estimates, found: Stability, game: int) -> str:
    return "no two players with strengths here and overall" if found.pairs[game] == 0 else e.noise_unknown


def _why_not_tested(e: Estimates, found: Stability, game: int) -> str:
    if found.pairs[game] == 0:
        return "no two players with strengths here and overall"
    if e.fewest_runs[game] < 2:
        return f"a pair met in one {_unit(e)} only: its noise is unknown"
    return TOO_FEW if np.isnan(found.expected[game]) else "no reversal is possible by noise"


def _unit(e: Estimates) -> str:
    return "cluster" if e.table.clustered else "run"


def _said(value: float) -> str:
    return f"{value:.3f}" if np.isfinite(value) else "not known"


def _share(value: float) -> str:
    return f"{value:.0%}" if np.isfinite(value) else "none"
