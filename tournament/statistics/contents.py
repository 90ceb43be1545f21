"""The statistics of a tournament: every table that `antemill tournament analyze` writes, and every figure.

A new one is a function from the analysis to a table, and a line here.
"""

from __future__ import annotations

from collections.abc import Iterator

from antemill.tournament.statistics import tables_axes as axis
from antemill.tournament.statistics import tables_games as game
from antemill.tournament.statistics import tables_play as play
from antemill.tournament.statistics import tables_strength as strength
from antemill.tournament.statistics.analysis import Analysis
from antemill.tournament.statistics.estimates import control_of
from antemill.tournament.statistics.sheets import Sheet
from antemill.tournament.statistics.statistic import Statistic


def _references(a: Analysis) -> Iterator[Sheet]:
    for player in a.references:
        yield play.reference_table(a.whole, player, a.e.models, a.overall)


STATISTICS: tuple[Statistic[Analysis], ...] = (  # those with the paper's numbers first
    Statistic(
        "table1_leaderboard",
        "additive strengths with intervals",
        lambda a: strength.leaderboard(a.e, a.apart),
        "table 1",
        printed=True,
    ),
    Statistic(
        "few_matches",
        "players with too few matches for the leaderboard, if there are any",
        lambda a: strength.few_matches(a.apart) if a.apart.models else None,
        printed=True,
    ),
    Statistic(
        "table2_ablation",
        "what a bigger thinking budget gains",
        lambda a: play.ablation_table(a.rows, a.families, len(a.e.overall_drawn), a.e.seed),
        "table 2",
    ),
    Statistic(
        "table3_without_last", "the leaderboard without its last model", lambda a: strength.without_last(a.e), "table 3"
    ),
    Statistic(
        "table4_tertiles",
        "leaderboards within thirds by complexity",
        lambda a: strength.tertile_leaderboards(a.e, a.thirds, a.why_no_thirds),
        "table 4",
    ),
    Statistic("table5_pairwise", "mean margins of all pairs", lambda a: strength.pairwise(a.e), "table 5"),
    Statistic("table6_against_*", "margins against a reference player", _references, "table 6"),
    Statistic("table7_slopes", "capability profiles", lambda a: axis.slopes(a.e, a.profile), "table 7"),
    Statistic("table8_mean_margins", "plain margins by game", lambda a: game.mean_margins(a.e), "table 8"),
    Statistic(
        "table9_game_strengths",
        "strengths by game",
        lambda a: game.game_strength_table(a.e, a.composite.scores, a.why_no_thirds),
        "table 9",
    ),
    Statistic(
        "slopes",
        "capability profiles with intervals, p and q",
        lambda a: axis.slope_details(a.e, a.profile),
        "appendix L",
    ),
    Statistic("profile_levels", "profiles in absolute units", lambda a: axis.levels(a.e, a.profile), "appendix M"),
    Statistic(
        "slopes_length_control",
        "slopes with the rulebook's length as a regressor",
        lambda a: axis.length_control(a.e, control_of(a.e)),
        "section 7",
    ),
    Statistic(
        "composite_weights",
        "what composite complexity is made of",
        lambda a: axis.composite_weights(a.composite),
        "appendix I",
    ),
    Statistic(
        "games",
        "composite complexity, thirds, axes and spread of every game",
        lambda a: axis.game_table(a.e, a.composite, a.thirds),
        "appendix I",
    ),
    Statistic("axis_correlations", "how the axes hang together", lambda a: axis.axis_correlations(a.e), "figure 5"),
    Statistic("vif", "the axes' variance inflation factors", lambda a: axis.vif_table(a.e), "appendix D"),
    Statistic(
        "fallbacks", "moves without a legal action in the reply", lambda a: play.fallback_table(a.rows), "appendix F"
    ),
    Statistic(
        "variance", "variance between models, and model by game", lambda a: game.variance_table(a.e), "appendix G"
    ),
    Statistic(
        "leave_one_out", "the leaderboard without each game", lambda a: strength.leave_one_out(a.e), "appendix H"
    ),
    Statistic(
        "axis_clusters", "leaderboards within clusters of similar games", lambda a: strength.partition(a.e), "section 6"
    ),
    Statistic("coverage", "strength against number of matches", lambda a: strength.coverage(a.e), "appendix H"),
    Statistic("bradley_terry", "ratings from wins alone", lambda a: strength.bradley_terry_table(a.e), "appendix H"),
    Statistic("jaggedness", "local jaggedness J", lambda a: axis.jaggedness_table(a.e, a.jagged), "section 8"),
    Statistic("jaggedness_sweep", "J by size of the neighbourhood", lambda a: axis.jaggedness_sweep(a.e), "appendix N"),
    Statistic("jaggedness_subsets", "J without single axes", lambda a: axis.jaggedness_subsets(a.e), "appendix N"),
    Statistic(
        "game_strength_intervals",
        "strengths by game with intervals",
        lambda a: game.game_strength_intervals(a.e),
        "appendix P",
    ),
    Statistic(
        "rank_stability",
        "do games reorder the models beyond noise?",
        lambda a: game.rank_stability(a.e, a.stability[0], a.joint_stability),
        "appendix P",
    ),
    Statistic(
        "rank_stability_thirds",
        "the same by thirds of complexity",
        lambda a: game.rank_stability_summary(a.e, a.stability[0], a.joint_stability, a.thirds, a.why_no_thirds),
        "appendix P",
    ),
    Statistic(
        "reversals",
        "single pairs of models that a game orders against the leaderboard",
        lambda a: game.reversal_table(a.e, a.stability[1]),
        "appendix P",
    ),
)
