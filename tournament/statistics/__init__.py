"""What results mean: strengths, ratings and their uncertainty, as plain functions on tables and arrays.

table -> cells -> strength            rows of matches, their sums by game and pair, additive strengths
         bootstrap -> intervals       the same sums of resampled rows: every statistic of cells at once
leaderboard, robustness               strengths with intervals; what if a game or a model were missing
bradley_terry, elo, trueskill         ratings from who won; win_rates: of solvers and proposers
rating                                all of these for anybody's table of results
profile, complexity, jaggedness       what strengths depend on, and how smoothly
variance, stability, correlation      where differences come from, and how firm rankings are
ablation, fallbacks, margins          thinking budgets, plain figures
estimates, analysis, tables_*         what the tables of a file of matches are made of
contents, pictures, figures, analyze  the lists of tables (`statistic`) and of figures, and how they are written
adaptive, simulate_schedule           which matchup to play next, and what that saves
"""
