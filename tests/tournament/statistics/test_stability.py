"""Rank stability against the noise null (N12): the paper's tables 9 and P, and planted nulls."""

from __future__ import annotations

from math import erf, sqrt

import numpy as np
import pytest
from scipy.stats import false_discovery_control
from scipy.stats import t as student

from antemill.tournament.statistics.analysis import examine
from antemill.tournament.statistics.bootstrap import cluster_bootstrap
from antemill.tournament.statistics.complexity import tertiles
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.matches import slot_table
from antemill.tournament.statistics.stability import (
    Stability,
    by_third,
    reversals,
    reversed_pairs,
    shown_reversals,
    stability,
)
from antemill.tournament.statistics.strength import game_strengths, strengths
from tests.seeds import size
from tests.tournament.statistics import genstrat_tables as paper
from tests.tournament.statistics.planted import centred, play, truth


def phi(x: float) -> float:
    return 0.5 * (1.0 + erf(x / sqrt(2.0)))


def test_the_reversals_of_table_9() -> None:
    """Mean 6.06, median 5, most 16, 303 in all; 16 pairs tie in the rounded table (paper: 6.22 and 311)."""
    table = paper.strengths()
    counts = reversed_pairs(paper.OVERALL, table).sum(axis=1)
    want = {row["seed"]: int(row["reversals"]) for row in paper.rows("per_game_reversals")}
    assert dict(zip(paper.SEEDS, counts.tolist(), strict=True)) == want
    assert (counts.mean(), np.median(counts), counts.max(), counts.sum()) == (6.06, 5.0, 16, 303)
    ties = sum(int(row[i] == row[j]) for row in table for i in range(9) for j in range(i))
    assert ties == 16
    assert 303 <= 311 <= 303 + ties


def test_the_reversals_of_table_9_by_thirds_of_complexity() -> None:
    counts = reversed_pairs(paper.OVERALL, paper.strengths()).sum(axis=1)
    third = tertiles(paper.COMPOSITE)
    means = [counts[third == k].mean() for k in range(3)]
    assert means == pytest.approx([8.8125, 5.0, 4.5294], abs=5e-4)
    printed = paper.column("rank_stability_tertiles", "mean_obs")
    for mean, value, games in zip(means, printed, (16, 17, 17), strict=True):
        assert mean - 0.005 <= value <= mean + 16 / games  # a tie of the rounded table may hide one reversal


def test_the_cross_table_gives_the_papers_totals_from_its_thirds() -> None:
    """Appendix P: 6.22 observed, 3.71 expected, z 3.2, ratio 1.68, 15 and 19 games, from the three rows."""
    rows = paper.rows("rank_stability_tertiles")
    third = np.repeat([0, 1, 2], [int(row["n"]) for row in rows])
    per_game = {key: np.array([float(row[key]) for row in rows])[third] for key in ("mean_obs", "mean_exp", "mean_z")}
    q = np.concatenate([_q(int(row["n"]), int(row["q05"]), int(row["q10"])) for row in rows])
    observed = per_game["mean_obs"]
    result = Stability(
        np.full(50, 36),
        observed,
        per_game["mean_exp"],
        np.ones(50),
        per_game["mean_z"],
        q,
        q,
    )
    *thirds, whole = by_third(result, third)
    assert [(t.games, t.below_05, t.below_10) for t in thirds] == [(16, 12, 14), (17, 3, 4), (17, 0, 1)]
    assert (whole.games, whole.below_05, whole.below_10) == (50, 15, 19)
    assert whole.observed == pytest.approx(6.22, abs=0.005)
    assert whole.expected == pytest.approx(3.71, abs=0.006)
    assert whole.z == pytest.approx(3.2, abs=0.05)
    assert whole.observed / whole.expected == pytest.approx(1.68, abs=0.005)


def _q(games: int, below_05: int, below_10: int) -> Floats:
    q = np.full(games, 0.5)
    q[:below_10] = 0.07
    q[:below_05] = 0.01
    return q


def example() -> tuple[Floats, Floats, Floats]:
    """Overall strengths, per-game strengths of 6 games, replicates."""
    random = np.random.default_rng(1)
    overall = np.array([0.9, 0.3, -0.2, -1.0])
    per_game = centred(overall + 1.2 * random.normal(size=(6, 4)))
    return overall, per_game, per_game + 0.4 * random.normal(size=(300, 6, 4))


def test_expected_reversals_are_those_of_the_formula() -> None:
    overall, per_game, replicates = example()
    found = stability(overall, per_game, replicates)
    p = []
    for g in range(6):
        observed, expected, variance = 0, 0.0, 0.0
        for i in range(4):
            for j in range(i + 1, 4):
                error = float(np.std(replicates[:, g, i] - replicates[:, g, j], ddof=1))
                chance = phi(-abs(overall[i] - overall[j]) / error)
                expected, variance = expected + chance, variance + chance * (1.0 - chance)
                observed += int(per_game[g, i] < per_game[g, j])
        z = (observed - expected) / sqrt(variance)
        p.append(1.0 - phi(z))
        got = (found.observed[g], found.expected[g], found.variance[g], found.z[g], found.p[g])
        assert got == pytest.approx((observed, expected, variance, z, p[-1]))
    assert found.q == pytest.approx(false_discovery_control(p))
    assert found.pairs.tolist() == [6] * 6


def test_the_p_value_of_a_reversal_is_the_share_of_replicates_without_it() -> None:
    overall, per_game, replicates = example()
    found = reversals(overall, per_game, replicates)
    assert len(found.p) == stability(overall, per_game, replicates).observed.sum() > 3
    for g, up, low, p in zip(found.game, found.upper, found.lower, found.p, strict=True):
        assert overall[up] > overall[low]
        assert per_game[g, low] > per_game[g, up]
        assert p == pytest.approx(np.mean(replicates[:, g, low] <= replicates[:, g, up]))
    assert found.q == pytest.approx(false_discovery_control(found.p))


def test_level_models_have_no_order_and_a_difference_in_the_last_digit_is_none() -> None:
    overall = np.array([0.5, 0.5 + 1e-13, -1.0])
    per_game = np.array([[0.2, 0.2 - 1e-13, -0.4], [-0.2, 0.1, 0.1]])
    found = stability(overall, per_game, per_game + np.random.default_rng(1).normal(size=(50, 2, 3)))
    assert found.pairs.tolist() == [2, 2]
    assert found.observed.tolist() == [0, 1]


def test_gaps_and_unknown_noise_are_reported_as_gaps() -> None:
    overall, per_game, replicates = example()
    per_game[0, 1] = np.nan
    per_game[1] = np.nan
    replicates[:, 2] = np.nan
    replicates[:, 3] = per_game[3]
    found = stability(overall, per_game, replicates)
    assert found.pairs.tolist()[:3] == [3, 0, 6]
    assert np.isnan(found.expected[[1, 2]]).all()
    assert found.expected[3] == 0.0
    assert np.isnan(found.q[1:4]).all()
    assert np.isfinite(found.q[[0, 4, 5]]).all()
    none = stability(np.full(4, np.nan), per_game, replicates)
    assert none.pairs.sum() == none.observed.sum() == 0


def test_planted_reorderings_are_found_where_they_are() -> None:
    t = truth(7, 30, seed=5, slope=0.0)
    turned = np.tile(t.overall, (30, 1))
    turned[:10] = t.overall[::-1]
    t = type(t)(t.axes, t.overall, t.slopes, turned)
    table = slot_table(play(t, runs=20, seed=6))
    found = stability(strengths(table), game_strengths(table), game_strengths(cluster_bootstrap(table, 200)))
    assert (found.q[:10] < 0.05).all()
    assert (found.q[10:] > 0.05).all()


@pytest.mark.slow
def test_games_without_a_difference_are_seldom_taken_for_one_with_it() -> None:
    """Pairs share models, so that reversals come in swarms: the printed q finds some in many of these tournaments."""
    printed, shown = [], []
    for seed in range(size(20, 40)):
        t = truth(8, 10, seed=5, slope=0.0, gap=0.1)
        a = examine(play(t, runs=6, seed=seed, deal=4.0), bootstrap=100)
        printed.append((a.stability[0].q < 0.05).any())
        shown.append(a.shown.shown.any())
    assert np.mean(printed) > 0.25
    assert np.mean(shown) <= 0.1


def test_a_planted_reversal_is_shown_among_all_that_a_tournament_of_the_papers_size_has() -> None:
    t = truth(9, 50, seed=5, slope=0.0, gap=0.1)
    strong = np.tile(t.overall, (50, 1))
    strong[7] = [0.9, 0.85, 0.8, -0.5, 0.5, -0.8, -0.85, -0.9, -0.95]
    found = examine(play(type(t)(t.axes, t.overall, t.slopes, strong), runs=6, seed=6, noise=0.3)).shown
    assert found.observed.sum() > 100
    assert found.shown[7] > 0
    assert np.delete(found.shown, 7).sum() == 0
    assert found.p[7] < 1e-6


def test_the_p_of_a_game_is_students_of_its_clearest_reversal_times_its_pairs() -> None:
    overall, per_game, _ = example()
    covariance = np.tile(np.diag([0.02, 0.02, 0.02, 0.02]), (6, 1, 1))
    found = shown_reversals(overall, per_game, covariance, np.full(6, 7.0))
    for g in range(6):
        gaps = [per_game[g, j] - per_game[g, i] for i in range(4) for j in range(i + 1, 4)]
        wrong = [gap for gap in gaps if gap > 0]
        want = min([1.0, *(6 * 2 * student(7).sf(gap / 0.2) for gap in wrong)])
        assert (found.observed[g], found.p[g]) == (len(wrong), pytest.approx(want))
        assert found.shown[g] == sum(6 * 6 * 2 * student(7).sf(gap / 0.2) < 0.05 for gap in wrong)
