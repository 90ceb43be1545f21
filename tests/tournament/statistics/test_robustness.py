"""Refits against the paper's own tables (GENSTRAT tables 1, 3, 4, 5, 9; N4, N8, N10), and on planted data."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

from antemill.tournament.statistics.bootstrap import cluster_bootstrap
from antemill.tournament.statistics.cells import cells_of
from antemill.tournament.statistics.intervals import percentile
from antemill.tournament.statistics.leaderboards import head_to_head, leaderboard, sign_reversals
from antemill.tournament.statistics.matches import slot_table
from antemill.tournament.statistics.robustness import leave_one_game_out
from antemill.tournament.statistics.strength import game_average, game_strengths, pair_margins, strengths
from tests.tournament.statistics import planted
from tests.tournament.statistics import statistics_tables as paper

TERTILE = np.repeat(np.arange(3), paper.TERTILE_SIZES)

# ------------------------------------------------------------------------------------------ the paper's tables


def test_the_pairwise_table_gives_back_the_leaderboard() -> None:
    """Table 5 -> Table 1 within .032: the additive fit with equal weights (the true ones are not published)."""
    table = paper.slots_of(paper.head_to_head()[None])
    fitted = strengths(table)
    assert np.abs(fitted - paper.LEADERBOARD).max() == pytest.approx(0.032, abs=5e-4)
    np.testing.assert_allclose(fitted, paper.head_to_head().sum(axis=1) / 9, atol=1e-12)
    np.testing.assert_array_equal(np.argsort(-fitted), np.arange(9))


def test_the_pairwise_table_is_antisymmetric_and_contradicts_the_leaderboard_in_two_entries() -> None:
    """Table 5 (N10): M + M' = 0; 2 of 72 entries have the opposite sign."""
    matrix = pair_margins(paper.slots_of(paper.head_to_head()[None]))
    off = ~np.eye(9, dtype=bool)
    assert np.isnan(matrix[~off]).all()
    np.testing.assert_array_equal((matrix + matrix.T)[off], 0.0)
    found = np.argwhere(sign_reversals(matrix, paper.LEADERBOARD))
    claude, gemini = paper.MODELS.index("claude-sonnet-4-6"), paper.MODELS.index("gemini-2.5-pro")
    assert found.tolist() == [[claude, gemini], [gemini, claude]]


def test_without_the_outlier_the_other_models_keep_their_order() -> None:
    """Table 5 -> Table 3 (N10): equal weights again, so only approximately; the order exactly."""
    table = paper.slots_of(paper.head_to_head()[None])
    refit = leaderboard(table.without_models(["m8"]))
    assert refit.models == tuple(f"m{k}" for k in range(8))
    assert np.abs(refit.strengths - paper.WITHOUT_LLAMA).max() < 0.05
    np.testing.assert_array_equal(refit.order, np.arange(8))
    np.testing.assert_array_equal(np.argsort(-paper.WITHOUT_LLAMA), np.arange(8))
    np.testing.assert_allclose(strengths(cells_of(table).without_model(8)), refit.strengths, atol=1e-12)


def test_per_game_strengths_are_recovered_from_their_gaps() -> None:
    """Table 9: every row sums to zero within its rounding (largest sum .02), and refits to itself."""
    printed = paper.per_game()
    assert np.abs(printed.sum(axis=1)).max() == pytest.approx(0.02, abs=1e-9)
    centred = printed - printed.mean(axis=1, keepdims=True)
    table = paper.slots_of(paper.gaps(printed))
    np.testing.assert_allclose(game_strengths(table), centred, atol=1e-12)
    np.testing.assert_allclose(strengths(table), centred.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(game_average(table), centred.mean(axis=0), atol=1e-12)


def test_tertile_refits_agree_with_the_tertile_leaderboards() -> None:
    """Table 9 by thirds -> Table 4 (N8): differences .051, .122, .185 and Spearman .929, 1.000, .983."""
    cells = cells_of(paper.slots_of(paper.gaps(paper.per_game())))
    refits = np.stack([strengths(cells.only_games(np.flatnonzero(third == TERTILE))) for third in range(3)])
    distance = np.abs(refits - paper.TERTILES).max(axis=1)
    np.testing.assert_allclose(distance, [0.051, 0.122, 0.185], atol=2e-3)
    rho = [spearmanr(a, b).statistic for a, b in zip(refits, paper.TERTILES, strict=True)]
    np.testing.assert_allclose(rho, [0.929, 1.0, 0.983], atol=1e-3)


def test_leaving_one_game_out_of_the_paper() -> None:
    """Table 9: with equal weights all 50 refits keep the order, as 48 of 50 do in the paper (N10)."""
    result = leave_one_game_out(paper.slots_of(paper.gaps(paper.per_game())))
    assert (result.kept, result.mean, result.least) == (50, 1.0, 1.0)


# ------------------------------------------------------------------------------------------ planted data


def test_leave_one_out_refits_are_the_refits_of_the_remaining_rows() -> None:
    """N10."""
    table = slot_table(planted.play(planted.truth(5, 6, seed=1), runs=2, seed=2, share=0.6))
    result = leave_one_game_out(table)
    for k, game in enumerate(table.games):
        want = strengths(table.only_games([name for name in table.games if name != game]))
        np.testing.assert_allclose(result.strengths[k], want, atol=1e-10)


def test_a_model_that_plays_one_game_only_is_missing_when_that_game_is_left_out() -> None:
    """N4, N10: then nothing says where the model stands."""
    rows = planted.play(planted.truth(4, 3, seed=1), runs=2, seed=2)
    table = slot_table(rows)
    other = (table.game == 0) | ((table.alice != 3) & (table.bob != 3))
    result = leave_one_game_out(table.rows(other))
    assert np.isnan(result.strengths).all(axis=1).tolist() == [True, False, False]
    assert np.isnan(result.tau[0])
    assert result.kept <= 2
    assert np.isfinite(result.mean)
    assert np.isfinite(result.least)


def test_group_refits_are_those_of_the_groups_rows_with_their_intervals() -> None:
    """N8, N10: the interval contains the estimate."""
    table = slot_table(planted.play(planted.truth(4, 5, seed=3), runs=4, seed=4))
    games = np.array([1, 3])
    found = strengths(cells_of(table).only_games(games))
    want = strengths(table.only_games([table.games[1], table.games[3]]))
    np.testing.assert_allclose(found, want, atol=1e-10)
    interval = percentile(strengths(cluster_bootstrap(table, 200, seed=5).only_games(games)))
    assert ((interval.low < found) & (found < interval.high)).all()


def test_head_to_head_finds_what_is_certain() -> None:
    """N10: margins of pairs with intervals; large gaps are significant, the diagonal never is."""
    t = planted.truth(4, 6, seed=1, slope=0.0)
    table = slot_table(planted.play(t, runs=10, seed=2))
    matrix = head_to_head(table)
    assert not matrix.significant.diagonal().any()
    assert matrix.significant[0, 3]
    assert matrix.significant[3, 0]
    np.testing.assert_allclose(matrix.interval.low, -matrix.interval.high.T)
    assert not matrix.reversals[0, 3]
