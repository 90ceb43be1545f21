"""What results mean: strengths, ratings and their uncertainty, as plain functions on tables and arrays.

matches -> cells -> strength          rows of matches, their sums by game and pair, additive strengths
           bootstrap -> intervals     the same sums of resampled rows: every statistic of cells at once
leaderboards, robustness              strengths with intervals; what if a game or a model were missing
bradley_terry, elo, trueskill         ratings from wins; win_rates: of solvers and proposers
rating, paired_wins, ranks            all of these for any table of results, with many players, and compared
result_files, result_columns          tables of results from files, in the columns that others use
profile, complexity, jaggedness       how strengths depend on the axes, and how smoothly
variance, stability, correlation      where differences come from, and how firm rankings are
ablation, margins                     thinking budgets, plain means
estimates, analysis                   all estimates of a table of matches
statistic, tables_*, contents         the tables, each registered where it is computed
figures, outputs                      the figures; how tables and figures are written
next_match                            which matchup to play next

As a library, with matches from anywhere:

    table = read_slots("slots.parquet")        # or slot_table(rows), results_table(read_rows("results.csv"))
    board = leaderboard(table)                 # or of a data frame; strengths in chips a game, with 95% intervals
    rate(table, RatingOptions("elo"))          # or bradley-terry, margin, trueskill
    analyze("slots.parquet", out="out")        # the tables and figures of the paper

The names below are imported when they are first used, so that `import antemill.tournament.statistics` alone costs
nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from antemill.engine.facade import lazily

if TYPE_CHECKING:
    from antemill.tournament.statistics.game_axes import GameAxes, read_axes
    from antemill.tournament.statistics.intervals import Interval
    from antemill.tournament.statistics.jaggedness import local_jaggedness
    from antemill.tournament.statistics.leaderboards import HeadToHead, Leaderboard, head_to_head, leaderboard
    from antemill.tournament.statistics.matches import SlotTable, read_slots, slot_table
    from antemill.tournament.statistics.outputs import AnalysisSummary, analyze
    from antemill.tournament.statistics.profile import Profile, capability_profile
    from antemill.tournament.statistics.rating import RatingOptions, rate
    from antemill.tournament.statistics.rating_results import Rating
    from antemill.tournament.statistics.result_columns import results_table
    from antemill.tournament.statistics.result_files import read_rows
    from antemill.tournament.statistics.strength import game_strengths, strengths

__all__ = [
    "AnalysisSummary",
    "GameAxes",
    "HeadToHead",
    "Interval",
    "Leaderboard",
    "Profile",
    "Rating",
    "RatingOptions",
    "SlotTable",
    "analyze",
    "capability_profile",
    "game_strengths",
    "head_to_head",
    "leaderboard",
    "local_jaggedness",
    "rate",
    "read_axes",
    "read_rows",
    "read_slots",
    "results_table",
    "slot_table",
    "strengths",
]

__getattr__, __dir__ = lazily(__name__)
