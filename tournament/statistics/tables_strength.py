"""The tables of how strong the models are: leaderboards, pairs, robustness, Bradley-Terry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from antemill.tournament.statistics import replies
from antemill.tournament.statistics import sheets as of
from antemill.tournament.statistics.analysis import Analysis, statistic
from antemill.tournament.statistics.bootstrap import cluster_bootstrap
from antemill.tournament.statistics.bradley_terry import aligned, bradley_terry, outcomes, win_matrix
from antemill.tournament.statistics.bradley_terry import fit as fit_wins
from antemill.tournament.statistics.bradley_terry import interval as unbounded
from antemill.tournament.statistics.cells import Cells, cells_of
from antemill.tournament.statistics.complexity import THIRDS
from antemill.tournament.statistics.correlation import correlate
from antemill.tournament.statistics.estimates import Estimates, ranks_of, strength_errors
from antemill.tournament.statistics.few import FEWEST, TOO_FEW_CLUSTERS, masked, units_of_pairs
from antemill.tournament.statistics.game_axes import NO_AXES
from antemill.tournament.statistics.intervals import Floats, Interval, percentile
from antemill.tournament.statistics.leaderboards import NO_RANK, rank_columns, sign_reversals, slots
from antemill.tournament.statistics.margins import reference_margins
from antemill.tournament.statistics.matches import Flags, Integers, SlotTable
from antemill.tournament.statistics.placing import places, said
from antemill.tournament.statistics.profile import zscore
from antemill.tournament.statistics.rare import rare_pots, warning
from antemill.tournament.statistics.robustness import axis_clusters, leave_one_game_out
from antemill.tournament.statistics.sentences import cells_left, order_kept, sign_changes, top_and_bottom, widths
from antemill.tournament.statistics.sheets import Cell, Sheet
from antemill.tournament.statistics.strength import game_strengths, pair_margins, strengths
from antemill.tournament.statistics.tables_play import asked_of


@statistic("table1_leaderboard", "additive strengths with intervals", "table 1", group="Strength", printed=True)
def leaderboard(a: Analysis) -> Sheet:
    """Table 1. Players with too few matches are in `few_matches` instead."""
    e, apart = a.e, a.apart
    found, played, there = percentile(e.overall_drawn), slot_counts(e), e.enough()
    these, like = (error.interval(e.overall) for error in strength_errors(e))
    ranks = rank_columns(ranks_of(e), np.arange(len(e.models)))
    asked = asked_of(a.rows)
    rows: list[list[Cell]] = []
    for m, model in enumerate(e.models):
        reason = "" if np.isfinite(e.overall[m]) else e.why_not_overall()
        ranked = [cells[m] for _, cells in ranks]
        pair = _bounds(found, m, there, reason)
        both = [*of.bounds(these, m, reason or e.noise_unknown), *of.bounds(like, m, reason or of.ONE_GAME)]
        cells = [ranked[0], model, of.estimate(e.overall[m], reason), *pair, *ranked[1:], *both, int(played[m])]
        rows.append([*cells, *replies.cells(asked, model)])
    columns = [
        ranks[0][0],
        of.text("model", "model"),
        of.number("alpha", "strength"),
        *of.interval_columns(),
        *(column for column, _ in ranks[1:]),
        *of.two_intervals(),
        of.count("slots", "matches"),
        *replies.COLUMNS,
    ]
    once = "" if e.fit is strengths else " Every game counts once, however often it was played."
    few = f"Left out, with {TOO_FEW_CLUSTERS} against the players of the leaderboard: "
    absent = f"{few}{', '.join(apart.models)}. " if apart.models else ""
    note = (
        f"Strength in {of.CHIPS}, from {len(e.table.margin):,} matches on "
        f"{len(e.games)} game{'' if len(e.games) == 1 else 's'}.{once} {absent}"
        "Rank: one more than the number of models that the matches show to be better. Worst rank: the last that they "
        "do not rule out, for all models at once at 95%. P(best): the probability of being the best. "
        f"{of.WHAT_INTERVALS_SAY} ({len(e.overall_drawn):,} replicates). {warning(rare_pots(e.table))}"
    ).rstrip()
    return Sheet("table1_leaderboard", "Overall leaderboard", columns, rows, note)


@statistic("differences", "differences of all pairs of strengths, corrected for their number", group="Strength")
def differences(a: Analysis) -> Sheet:
    """All pairs of models of the leaderboard, in its order."""
    e, found = a.e, ranks_of(a.e)
    rows: list[list[Cell]] = [
        [
            e.models[i],
            e.models[j],
            *(
                of.estimate(values[i, j], NO_RANK)
                for values in (found.difference, found.interval.low, found.interval.high, found.p)
            ),
        ]
        for i in range(len(e.models))
        for j in range(i + 1, len(e.models))
    ]
    columns = [of.text("model", "model"), of.text("against", "against"), of.number("difference", "difference")]
    columns += [*of.interval_columns(), of.number("p", "p", 4, False)]
    note = (
        f"Strength of the model less that of the other, in {of.CHIPS}. All intervals hold together in 95%, and p, "
        f"of no difference, is corrected for all pairs; it is at least {found.floor:.2g} with {len(e.overall_drawn):,} "
        "replicates. Ranks come from these."
    )
    return Sheet("differences", "Differences between models", columns, rows, note)


@statistic(
    "few_matches", "players with too few matches for the leaderboard, if there are any", group="Strength", printed=True
)
def few_matches(a: Analysis) -> Sheet | None:
    """The players that were set apart, with strengths beside the leaderboard."""
    apart = a.apart
    if not apart.models:
        return None
    parts = [
        (of.text("model", "model"), apart.models),
        (of.number("alpha", "strength"), of.estimates(apart.strengths, "met no player of the leaderboard")),
        (of.count("runs", "runs"), apart.units.tolist()),
        (of.count("slots", "matches"), apart.slots.tolist()),
    ]
    note = (
        f"Players with {TOO_FEW_CLUSTERS} against the players of the leaderboard. Too few for an interval or a rank: "
        f"mean of margin plus opponent's strength, in {of.CHIPS}. No other table of strengths has them."
    )
    return of.by_columns("few_matches", "Too few matches for the leaderboard", parts, note)


@statistic("table5_pairwise", "mean margins of all pairs", "table 5", group="Strength", after="table4_tertiles")
def pairwise(a: Analysis) -> Sheet:
    """Table 5: margins of the row over the column."""
    e = a.e
    few = e.drawn.map(lambda sums: sums[: len(e.per_game_drawn)])
    once = e.fit is not strengths
    margins, drawn = pair_margins(e.cells, once), pair_margins(few, once)
    enough = units_of_pairs(e.table)[np.ix_(e.place, e.place)] >= FEWEST
    significant = percentile(drawn).excludes_zero() & enough
    rows: list[list[Cell]] = []
    for i, model in enumerate(e.models):
        cells: list[Cell] = [of.estimate(margins[i, j], "never met") if i != j else None for j in range(len(e.models))]
        rows.append([model, *cells])
    bold = frozenset((int(i), int(j) + 1) for i, j in zip(*np.nonzero(significant), strict=True))
    against = int(sign_reversals(margins, e.overall).sum())
    note = (
        f"Mean margin of the row over the column in {of.CHIPS}, not adjusted"
        f"{'; every game counts once, however often it was played' if once else ''}. Bold: the 95% interval excludes "
        f"0, of pairs with {FEWEST} runs or more ({len(bold)} entries). {against} entries have a sign against the "
        f"leaderboard. {of.MARGIN}"
    )
    columns = [of.text("model", "")] + [of.number(name, name) for name in e.models]
    return Sheet("table5_pairwise", "Head to head", columns, rows, note, bold)


@statistic("table6_against_*", "margins against a reference player", "table 6", group="Strength")
def references(a: Analysis) -> list[Sheet]:
    """Table 6: margins against each reference player."""
    return [_reference(a.whole, player, a.e.models, a.overall) for player in a.references]


def _reference(table: SlotTable, player: str, models: Sequence[str], overall: Mapping[str, float]) -> Sheet:
    """The table of one reference player. models: in leaderboard order; overall: their strengths."""
    found = reference_margins(table, player)
    played = [g for g in range(len(table.games)) if found.groups[g].any()]
    columns = [of.text("model", "model")]
    for g in played:
        columns += [of.number(table.games[g], table.games[g]), of.number(f"{table.games[g]}_se", "SE", 2, False)]
    columns += [of.number("average", "average"), of.count("slots", "matches")]
    cells: list[list[Cell]] = []
    for model in (name for name in [*models, *(set(found.models) - set(models))] if name in found.models):
        m = found.models.index(model)
        row: list[Cell] = [model]
        for g in played:
            row += [
                of.estimate(found.mean[g, m], "never met here"),
                of.estimate(found.error[g, m], "one play seed" if found.groups[g, m] else "never met here"),
            ]
        cells.append([*row, of.estimate(found.average[m], "never met"), int(found.slots[:, m].sum())])
    strengths = np.array([overall.get(name, np.nan) for name in found.models])
    agree = correlate(found.average, strengths)
    told = (
        f"Spearman {agree.spearman:.2f} (p = {agree.spearman_p:.4f}), Pearson {agree.pearson:.2f}"
        if not agree.reason
        else f"not known ({agree.reason})"
    )
    note = (
        f"Mean margin against {player} in {of.CHIPS} over play-seed pairs, and its standard error. "
        f"Correlation of the averages with the leaderboard: {told}."
    )
    return Sheet(f"table6_against_{_file_name(player)}", f"Matches against {player}", columns, cells, note)


@statistic(
    "table3_without_last",
    "the leaderboard without its last model",
    "table 3",
    group="Strength",
    after="table2_ablation",
)
def without_last(a: Analysis) -> Sheet:
    """Table 3: the leaderboard without its last model."""
    e = a.e
    columns = [of.text("model", "model"), of.number("alpha", "strength"), *of.interval_columns()]
    last, rest = e.models[-1], e.models[:-1]
    cells = e.cells.without_model(len(rest))
    if not len(cells.game):
        reason = f"no match is without {last}"
        rows: list[list[Cell]] = [[model, *[of.Missing(reason)] * 3] for model in rest]
        kept = ""
    else:
        there = e.enough(e.table.without_models([last]))
        found, interval = _refit(e, cells, e.drawn.without_model(len(rest)), there)
        met = {int(code) for code in (*cells.low, *cells.high)}
        kept = order_kept(e.overall[:-1], found) + sign_changes(rest, e.overall[:-1], found)
        kept += cells_left(e.per_game[:, :-1], game_strengths(cells))
        rows = []
        for m, model in enumerate(rest):
            reason = _why_no_refit(e, there, m, "its opponents fall into groups that never met")
            reason = "" if np.isfinite(found[m]) else reason if m in met else f"it met {last} only"
            rows.append([model, of.estimate(found[m], reason), *_bounds(interval, m, there, reason)])
    note = (
        f"Strength in {of.CHIPS} with the last model's matches left out, 95% paired-cluster bootstrap interval. {kept}"
    ).rstrip()
    return Sheet("table3_without_last", f"Leaderboard without {last}", columns, rows, note)


@statistic("table4_tertiles", "leaderboards within thirds by complexity", "table 4", group="Strength")
def tertile_leaderboards(a: Analysis) -> Sheet:
    """Table 4: leaderboards within thirds of the games by composite complexity."""
    e, thirds = a.e, a.thirds
    columns = [of.text("model", "model")]
    for name in THIRDS:
        columns += [
            of.number(f"alpha_{name}", name),
            of.number(f"low_{name}", "low"),
            of.number(f"high_{name}", "high"),
        ]
    rows: list[list[Cell]] = [[model] for model in e.models]
    parts: list[Floats] = []
    spans: list[Interval] = []
    for k in range(3):
        games = np.flatnonzero(thirds == k)
        there = e.enough(e.table.only_games([e.games[game] for game in games]))
        found, interval = within(e, games, there)
        parts.append(found)
        spans.append(masked(interval, there))
        empty = a.why_no_thirds or "no game is in this third"
        for m, row in enumerate(rows):
            reason = _why_no_refit(e, there, m, "not connected on these games") if len(games) else empty
            reason = "" if np.isfinite(found[m]) else reason
            row += [of.estimate(found[m], reason), *_bounds(interval, m, there, reason)]
    sizes = ", ".join(f"{name}: {int((thirds == k).sum())} games" for k, name in enumerate(THIRDS))
    note = f"Strength in {of.CHIPS} with 95% intervals; {sizes}, easiest first."
    note += top_and_bottom(e.models, e.overall, parts) + widths(e.models, spans)
    return Sheet("table4_tertiles", "Leaderboards by thirds of composite complexity", columns, rows, note)


@statistic("bradley_terry", "ratings from wins alone", "appendix H", group="Strength", after="coverage")
def bradley_terry_table(a: Analysis) -> Sheet:
    """Appendix H: Bradley-Terry on 1[margin > 0], the best first, beside the strengths.

    A player that never lost to the others, or never won, has no finite rating but a place above or below them
    (`placing`).
    """
    e = a.e
    won, there = outcomes(e.table, "lost"), e.enough()
    wins = win_matrix(cells_of(won))
    found = bradley_terry(wins)
    where = places(wins, found)
    refits = fit_wins(win_matrix(cluster_bootstrap(won, len(e.per_game_drawn), e.seed)))
    drawn = unbounded(aligned(refits, found.strengths))
    by_margin = {m: place for place, m in enumerate(e.place)}
    rows: list[list[Cell]] = []
    for rank, m in enumerate(sorted(by_margin, key=lambda m: where[m].rank), 1):
        strength, place = float(found.strengths[m]), by_margin[m]
        beside = said(where[m], e.table.models, 1.0, 2)
        pair = [of.limit(drawn.low[m]), of.limit(drawn.high[m])] if there[place] else [of.Missing(TOO_FEW_CLUSTERS)] * 2
        rows.append(
            [
                e.models[place],
                strength if np.isfinite(strength) else of.Placed(beside),
                *pair,
                of.Missing(beside) if where[m].level is None else rank,
                place + 1,
            ]
        )
    draws = int((e.table.margin == 0.0).sum())
    note = (
        f"Log-odds of a positive margin; a draw counts as not won ({draws:,} draws); 95% "
        "paired-cluster bootstrap intervals. Every match counts once, however often its game was played."
    )
    columns = [
        of.text("model", "model"),
        of.number("strength", "Bradley-Terry"),
        *of.interval_columns(),
        of.count("rank", "rank"),
        of.count("rank_by_margin", "rank by margin"),
    ]
    return Sheet("bradley_terry", "Bradley-Terry on wins", columns, rows, note)


@statistic("leave_one_out", "the leaderboard without each game", "appendix H", group="Strength", after="variance")
def leave_one_out(a: Analysis) -> Sheet:
    """Appendix H: the leaderboard without each game in turn."""
    e = a.e
    found = leave_one_game_out(e.cells, e.fit)
    rows: list[list[Cell]] = []
    for g, game in enumerate(e.games):
        tau = of.estimate(found.tau[g], "the other games do not connect all players")
        rows.append([game, tau, *(of.estimate(v, "not connected") for v in found.strengths[g])])
    note = (
        f"Strengths without the game, and Kendall's tau with the full leaderboard. {found.kept} "
        f"of {len(e.games)} refits keep the order; mean tau {_said(found.mean)}, least "
        f"{_said(found.least)}."
    )
    columns = [
        of.text("left_out", "left out"),
        of.number("tau", "tau", 3, False),
        *(of.number(name, name) for name in e.models),
    ]
    return Sheet("leave_one_out", "Leave one game out", columns, rows, note)


@statistic("axis_clusters", "leaderboards within clusters of similar games", "section 6", group="Strength")
def partition(a: Analysis) -> Sheet:
    """Section 6: refits within clusters of the axes' space."""
    e = a.e
    columns = [
        of.text("cluster", "cluster"),
        of.count("games", "games"),
        of.number("spearman", "Spearman", 2, False),
        *(of.number(name, name) for name in e.models),
    ]
    title, known = "Leaderboards by clusters of similar games", np.flatnonzero(e.known)
    rows: list[list[Cell]] = []
    if not len(known):
        rows = [["all", 0, *[of.Missing(NO_AXES)] * (1 + len(e.models))]]
    labels = axis_clusters(zscore(e.axes.values[known])) if len(known) else known
    for label in np.unique(labels):
        games = known[labels == label]
        found = e.fit(e.cells.only_games(games))
        rho = correlate(e.overall, found)
        everyone = np.ones(len(e.models), bool)
        values = [
            of.estimate(value, _why_no_refit(e, everyone, m, "not connected on these games"))
            for m, value in enumerate(found)
        ]
        rows.append([str(int(label) + 1), len(games), of.estimate(rho.spearman, rho.reason), *values])
    note = (
        "Strengths within clusters (Ward's) of the games by their z-scored axes, and Spearman's "
        "correlation with the leaderboard."
    )
    return Sheet("axis_clusters", title, columns, rows, note)


@statistic("coverage", "strength against number of matches", "appendix H", group="Strength")
def coverage(a: Analysis) -> Sheet:
    """Appendix H: is a model's strength related to how much it played?"""
    e = a.e
    found = correlate(e.overall, slot_counts(e).astype(np.float64))
    columns, row = [of.count("models", "models")], list[Cell]([found.n])
    for name in ("kendall", "spearman", "pearson"):
        columns += [of.number(name, name.capitalize()), of.number(f"{name}_p", "p", 3, False)]
        row += [of.estimate(getattr(found, key), found.reason) for key in (name, f"{name}_p")]
    return Sheet("coverage", "Strength against number of matches", columns, [row])


def slot_counts(e: Estimates) -> Integers:
    """int64[models]: matches of each model, in leaderboard order."""
    return slots(e.table)[e.place]


def within(e: Estimates, games: Integers, there: Flags) -> tuple[Floats, Interval]:
    """Strengths of the models on these games alone, and their intervals. there: which models play enough on them."""
    if not len(games):
        missing = np.full(len(e.models), np.nan)
        return missing, Interval(missing, missing)
    few = e.drawn.only_games(games).map(lambda sums: sums[: len(e.per_game_drawn)])
    return _refit(e, e.cells.only_games(games), few, there)


def _refit(e: Estimates, cells: Cells, drawn: Cells, there: Flags) -> tuple[Floats, Interval]:
    """Strengths by a part of the cells and their intervals, among the models that play enough in it, if any do."""
    kept = there[cells.low] & there[cells.high] if there.any() else np.ones(len(cells.game), bool)
    return e.fit(cells.select(kept)), percentile(e.fit(drawn.select(kept)))


def _bounds(interval: Interval, model: int, there: Flags, reason: str) -> list[Cell]:
    """The bounds of a strength. reason: why there is no strength, "" if there is."""
    return of.bounds(interval, model, reason) if there[model] or reason else [of.Missing(TOO_FEW_CLUSTERS)] * 2


def _why_no_refit(e: Estimates, there: Flags, model: int, pooled: str) -> str:
    """Why a model has no strength in a part of the matches. pooled: the reason if all games are fitted together."""
    if there.any() and not there[model]:
        return TOO_FEW_CLUSTERS
    return pooled if e.fit is strengths else "a game of the average has no strength for it"


def _file_name(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in name)


def _said(value: float) -> str:
    return f"{value:.3f}" if np.isfinite(value) else "not known"
