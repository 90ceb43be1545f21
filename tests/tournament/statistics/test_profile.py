"""Capability profiles (N7): against statsmodels, the paper's tables, and planted slopes."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.outliers_influence import variance_inflation_factor

from antemill.axes.pool_stats import correlation, vif
from antemill.tournament.statistics.bootstrap import cluster_bootstrap
from antemill.tournament.statistics.intervals import Floats, false_discovery
from antemill.tournament.statistics.matches import slot_table
from antemill.tournament.statistics.profile import (
    capability_profile,
    least_squares,
    zscore,
)
from antemill.tournament.statistics.strength import game_strengths
from tests.tournament.statistics import genstrat_tables as paper
from tests.tournament.statistics.planted import centred, play, truth


def data(games: int = 30, models: int = 4, draws: int = 40) -> tuple[Floats, Floats, Floats]:
    """Axes, strengths, replicates."""
    random = np.random.default_rng(3)
    axes = random.normal(size=(games, 6)) @ (np.eye(6) + 0.3 * random.normal(size=(6, 6))) + 5.0
    strengths = centred(random.normal(size=(games, models)))
    return axes, strengths, strengths + 0.2 * random.normal(size=(draws, games, models))


def regression(axes: Floats, response: Floats) -> Floats:
    """Intercept and slopes by statsmodels; games without a response are left out."""
    there = np.isfinite(response)
    design = np.column_stack((np.ones(len(axes)), (axes - axes.mean(axis=0)) / axes.std(axis=0)))
    return np.asarray(OLS(response[there], design[there]).fit().params)


def test_slopes_are_those_of_statsmodels_for_the_estimate_and_every_replicate() -> None:
    axes, strengths, replicates = data()
    found = capability_profile(axes, strengths, replicates)
    for m in range(4):
        want = regression(axes, strengths[:, m])
        assert found.intercept[m] == pytest.approx(want[0])
        assert found.slopes[m] == pytest.approx(want[1:])
    drawn = np.array([[regression(axes, r[:, m])[1:] for m in range(4)] for r in replicates])
    assert found.slope_interval.low == pytest.approx(np.percentile(drawn, 2.5, axis=0))
    assert found.slope_interval.high == pytest.approx(np.percentile(drawn, 97.5, axis=0))
    error = drawn.std(axis=0, ddof=1)
    assert found.p == pytest.approx(2.0 * normal_tail(np.abs(found.slopes) / error))
    assert found.q.ravel() == pytest.approx(multipletests(found.p.ravel(), method="fdr_bh")[1])


def normal_tail(z: Floats) -> Floats:
    from math import erfc

    return np.array([0.5 * erfc(value / np.sqrt(2.0)) for value in z.ravel()]).reshape(z.shape)


def test_missing_strengths_are_left_out_model_by_model_and_replicate_by_replicate() -> None:
    axes, strengths, replicates = data()
    strengths[[0, 5], 1] = np.nan
    replicates[3, 7, 2] = np.nan
    found = capability_profile(axes, strengths, replicates)
    assert found.slopes[1] == pytest.approx(regression(axes, strengths[:, 1])[1:])
    z = zscore(axes)
    drawn = least_squares(np.column_stack((np.ones(len(z)), z)), replicates)
    assert drawn[3, :, 2] == pytest.approx(regression(axes, replicates[3, :, 2]))


def test_levels_are_predictions_at_one_axis_maximum_and_the_medians_of_the_rest() -> None:
    """Appendix M."""
    axes, strengths, replicates = data()
    found = capability_profile(axes, strengths, replicates)
    z = (axes - axes.mean(axis=0)) / axes.std(axis=0)
    for a in range(6):
        game = np.median(z, axis=0)
        game[a] = z[:, a].max()
        assert found.levels[:, a] == pytest.approx(found.intercept + found.slopes @ game)
        drawn = [r[0] + r[1:] @ game for r in (regression(axes, rep[:, 0]) for rep in replicates)]
        assert found.level_interval.low[0, a] == pytest.approx(np.percentile(drawn, 2.5))


def test_an_axis_that_does_not_vary_has_no_slope_and_the_others_keep_theirs() -> None:
    axes, strengths, replicates = data()
    rest = capability_profile(np.delete(axes, 2, axis=1), strengths)
    axes[:, 2] = 0.25
    found = capability_profile(axes, strengths, replicates)
    assert np.isnan(found.slopes[:, 2]).all()
    assert np.isnan(found.q[:, 2]).all()
    assert np.delete(found.slopes, 2, axis=1) == pytest.approx(rest.slopes)


def test_collinear_axes_and_few_games_are_reported() -> None:
    axes, strengths, _ = data()
    axes[:, 4] = 2.0 * axes[:, 1] - 1.0
    found = capability_profile(axes, strengths)
    assert np.isnan(found.slopes[:, [1, 4]]).all()
    assert np.isfinite(found.slopes[:, [0, 2, 3, 5]]).all()
    axes, strengths, replicates = data(games=4)
    assert np.isnan(capability_profile(axes, strengths, replicates).slopes).all()


def test_vif_is_that_of_statsmodels_and_of_the_papers_r_squared() -> None:
    axes, _, _ = data(games=50)
    design = np.column_stack((np.ones(50), axes))
    assert vif(axes) == pytest.approx([variance_inflation_factor(design, a + 1) for a in range(6)])
    for row in paper.rows("vif"):
        printed = float(row["vif"])
        r = np.sqrt({3.31: 0.698, 1.97: 0.492, 2.7: 0.63, 1.45: 0.31, 1.24: 0.194, 1.19: 0.16}[printed])
        x, y = np.array([1.0, -1.0, 1.0, -1.0]), np.array([1.0, 1.0, -1.0, -1.0])
        points = np.column_stack((x, r * x + np.sqrt(1 - r**2) * y))
        assert vif(points)[0] == pytest.approx(printed, abs=0.005)
        assert correlation(points)[0, 1] == pytest.approx(r)


def test_false_discovery_leaves_gaps_out_of_the_family() -> None:
    p = np.array([[0.01, np.nan], [0.04, 0.03]])
    assert false_discovery(p)[0, 0] == pytest.approx(0.03)
    assert np.isnan(false_discovery(p)[0, 1])
    assert np.isnan(false_discovery(np.array([np.nan]))).all()


def test_planted_slopes_are_recovered() -> None:
    t = truth(5, 30, seed=1)
    table = slot_table(play(t, runs=20, seed=2))
    replicates = game_strengths(cluster_bootstrap(table, 200))
    found = capability_profile(t.axes, game_strengths(table), replicates)
    assert found.slopes == pytest.approx(t.slopes, abs=0.12)
    assert np.abs(found.slopes - t.slopes).mean() < 0.03
    assert found.intercept == pytest.approx(t.overall, abs=0.1)
    large = np.abs(t.slopes) > 0.2
    assert found.significant()[large].all()
