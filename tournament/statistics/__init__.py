"""What results mean: strengths, ratings and their uncertainty, as plain functions on tables and arrays.

matches -> cells -> strength          rows of matches, their sums by game and pair, additive strengths
           errors -> ranks            one estimator of error, for these games and for games like these
           bootstrap -> intervals     the paper's intervals for its own tables
wins -> bradley_terry, elo            ratings from wins; trueskill: match by match; win_rates: of solvers and proposers
leaderboards, rating                  a tournament's strengths, and ratings of any table of results, with ranks
result_files, result_columns          tables of results from files, in the columns that others use
profile, complexity, jaggedness       how strengths depend on the axes, and how smoothly
variance, stability, correlation      where differences come from, and how firm rankings are
robustness, ablation, margins         without a game; thinking budgets; plain means
estimates -> analysis -> tables       all estimates of a table of matches; contents has the list of the tables
figures, sheets, outputs              the figures; how tables and figures are written
next_match, losses                    which matchup to play next; means of rare mistakes

As a library, with matches from anywhere:

    table = read_slots("slots.parquet")        # or slot_table(rows), results_table(read_rows("results.csv"))
    board = leaderboard(table)                 # or of a data frame; strengths as margins, with 95% intervals
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
    from antemill.tournament.statistics.rating import Rating, RatingOptions, rate
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
