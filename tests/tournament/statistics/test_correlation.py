"""Rank correlations (N10, N12, N13), against the paper's tables 1, 6, 8 and 9 and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr

from antemill.tournament.statistics.correlation import agreement, correlate
from tests.tournament.statistics import genstrat_tables as paper


def test_kendalls_tau_of_every_game_of_table_9() -> None:
    """Mean .65, median .72, from .11 to .89 (appendix P); .6568, .7222, .0845, .889 from the rounded table."""
    found = agreement(paper.OVERALL, paper.strengths())
    want = {row["seed"]: float(row["tau"]) for row in paper.rows("per_game_reversals")}
    assert dict(zip(paper.SEEDS, found.tau, strict=True)) == pytest.approx(want)
    assert (found.mean, found.median) == pytest.approx((0.6568, 0.7222), abs=5e-5)
    assert (found.least, found.most) == pytest.approx((0.0845, 0.8889), abs=5e-5)
    assert (found.share_60, found.share_80, found.games) == (0.72, 0.26, 50)


def test_tau_without_ties_follows_from_the_reversals() -> None:
    """1 - 2 n / 36: one swap among nine models is .944, two among fifty refits average .9978 (appendix H)."""
    order = np.arange(9.0)
    swapped = order.copy()
    swapped[[3, 4]] = [4.0, 3.0]
    assert correlate(order, swapped).kendall == pytest.approx(1 - 2 / 36)
    assert agreement(order, np.vstack([np.tile(order, (48, 1)), swapped, swapped])).mean == pytest.approx(
        0.9978, abs=5e-5
    )
    for row in paper.rows("per_game_reversals"):
        assert float(row["tau_a_from_reversals"]) == pytest.approx(1 - 2 * int(row["reversals"]) / 36)


def test_table_6_agrees_with_the_leaderboard_as_the_paper_says() -> None:
    """Appendix K: Spearman .95, p .0001; Pearson .98."""
    where = {row[""]: row for row in paper.rows("table6_cfr")}
    average = np.array([float(where[model]["avg"]) for model in paper.MODELS])
    found = correlate(average, paper.OVERALL)
    assert found.spearman == pytest.approx(0.95, abs=5e-5)
    assert found.spearman_p == pytest.approx(9e-5, abs=1e-5)
    assert found.pearson == pytest.approx(0.982, abs=5e-4)
    assert found.pearson_p == pytest.approx(2.6e-6, abs=1e-7)


def test_tables_8_and_9_correlate_over_all_cells() -> None:
    printed = {row["seed"]: i for i, row in enumerate(paper.rows("table8_pair_mean_margin"))}
    margins = paper.by_model("table8_pair_mean_margin")[[printed[seed] for seed in paper.SEEDS]]
    assert correlate(margins.ravel(), paper.strengths().ravel()).pearson == pytest.approx(0.901, abs=5e-4)
    assert np.abs(margins.sum(axis=1)).max() == pytest.approx(5.56)


def test_correlations_are_scipys_and_gaps_are_left_out() -> None:
    random = np.random.default_rng(1)
    x = random.normal(size=30).round(1)
    y = (x + random.normal(size=30)).round(1)
    found = correlate(np.append(x, [np.nan, 1.0]), np.append(y, [1.0, np.nan]))
    assert found.n == 30
    assert (found.kendall, found.kendall_p) == pytest.approx(tuple(kendalltau(x, y)))
    assert (found.spearman, found.spearman_p) == pytest.approx(tuple(spearmanr(x, y)))
    assert (found.pearson, found.pearson_p) == pytest.approx(tuple(pearsonr(x, y)))


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([], [], "0 pairs: at least two are needed"),
        ([1.0], [2.0], "1 pairs: at least two are needed"),
        ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0], "all values of one side are equal"),
    ],
)
def test_what_does_not_correlate_says_why(x: list[float], y: list[float], reason: str) -> None:
    found = correlate(np.array(x), np.array(y))
    assert found.reason == reason
    assert np.isnan(found.kendall)


def test_games_without_an_order_have_no_tau() -> None:
    found = agreement(np.array([2.0, 1.0, 0.0]), np.array([[1.0, 1.0, 1.0], [np.nan, np.nan, 1.0], [3.0, 1.0, np.nan]]))
    assert np.isnan(found.tau[:2]).all()
    assert (found.tau[2], found.games, found.mean) == (1.0, 1, 1.0)
    assert agreement(np.array([1.0]), np.array([[1.0]])).games == 0
