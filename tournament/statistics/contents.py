"""The tables of a tournament, in the order of files and pages: one list. A new table is a function and a line here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from antemill.tournament.statistics import tables as own
from antemill.tournament.statistics import tables_disguises as disguised
from antemill.tournament.statistics import tables_paper as paper
from antemill.tournament.statistics.analysis import Analysis
from antemill.tournament.statistics.sheets import Sheet
from antemill.tournament.statistics.statistic import Statistics

GROUPS = ("Strength", "Profiles", "Games", "Disguises", "Play")  # of the page of a tournament
Make: TypeAlias = Callable[[Analysis], Sheet | Iterable[Sheet] | None]
TABLES: tuple[tuple[str, Make, str, str, str, bool], ...] = (
    # name, function, what it says, where the paper has it, group, whether only `paper` has it
    ("table1_leaderboard", own.leaderboard, "strengths with intervals and ranks", "table 1", "Strength", False),
    ("differences", own.differences, "differences of all pairs, corrected for their number", "", "Strength", False),
    ("table2_ablation", paper.ablation, "what a bigger thinking budget gains", "table 2", "Play", False),
    ("table3_without_last", paper.without_last, "the leaderboard without its last model", "table 3", "Strength", True),
    ("table4_tertiles", paper.tertile_leaderboards, "leaderboards by complexity", "table 4", "Strength", True),
    ("table5_pairwise", paper.pairwise, "mean margins of all pairs", "table 5", "Strength", True),
    ("table6_against_*", own.references, "margins against a reference player", "table 6", "Strength", False),
    ("bradley_terry", paper.bradley_terry, "ratings from wins alone", "appendix H", "Strength", True),
    ("leave_one_out", paper.leave_one_out, "the leaderboard without each game", "appendix H", "Strength", True),
    ("coverage", paper.coverage, "strength against number of matches", "appendix H", "Strength", True),
    ("slopes", own.slopes, "capability profiles with intervals, p and q", "appendix L", "Profiles", False),
    ("table7_slopes", paper.slopes, "capability profiles", "table 7", "Profiles", True),
    (
        "composite_weights",
        paper.composite_weights,
        "what composite complexity is made of",
        "appendix I",
        "Profiles",
        True,
    ),
    ("jaggedness", own.jaggedness, "local jaggedness J", "section 8", "Profiles", False),
    ("jaggedness_sweep", paper.by_neighbours, "J by size of the neighbourhood", "appendix N", "Profiles", True),
    ("jaggedness_subsets", paper.without_models, "J without some of the models", "appendix N", "Profiles", True),
    ("table9_game_strengths", own.game_strengths, "strengths by game", "table 9", "Games", False),
    ("game_strength_intervals", own.game_strength_intervals, "the same with intervals", "appendix P", "Games", False),
    ("rank_stability", own.rank_stability, "which games reorder the models beyond noise", "", "Games", False),
    ("rank_stability_paper", paper.stability, "reversals of every game, as printed", "appendix P", "Games", True),
    ("rank_stability_thirds", paper.stability_thirds, "the same by complexity", "appendix P", "Games", True),
    ("rank_stability_summary", paper.stability_summary, "the same over all games", "appendix P", "Games", True),
    ("reversals", paper.reversals, "single pairs against the leaderboard", "appendix P", "Games", True),
    ("table8_mean_margins", paper.mean_margins, "plain margins by game", "table 8", "Games", True),
    ("variance", paper.variance, "variance between models, and model by game", "appendix G", "Games", True),
    ("games", own.games, "the games' axes, composite and spread", "appendix I", "Games", True),
    ("axis_correlations", paper.axis_correlations, "correlations between the axes", "figure 5", "Games", True),
    ("vif", paper.inflation, "the axes' variance inflation factors", "appendix D", "Games", True),
    ("disguises", disguised.disguises, "figures in each disguise, on the same cards", "", "Disguises", False),
    ("recognised", disguised.recognised, "games played better as themselves", "", "Disguises", False),
    ("fallbacks", own.fallbacks, "moves without a legal action in the reply", "appendix F", "Play", False),
)
PAPER = frozenset(name for name, *_, only in TABLES if only)
STATISTICS = Statistics[Analysis](*GROUPS)
for _name, _make, _what, _where, _group, _only in TABLES:
    STATISTICS(_name, _what, _where, group=_group, printed=_name == "table1_leaderboard")(_make)
