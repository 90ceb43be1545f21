"""Composite complexity and tertiles (N8), against the paper's tables 7 and 9."""

from __future__ import annotations

import numpy as np
import pytest

from antemill.tournament.statistics.complexity import composite, first_component, mean_complexity, tertiles
from antemill.tournament.statistics.profile import zscore
from tests.tournament.statistics import genstrat_tables as paper


def test_the_weights_of_table_7_are_the_papers() -> None:
    """Appendix I: .45 .15 .41 .29 .09 .72 from unrounded slopes; from the printed ones, these."""
    weights, share = first_component(paper.slopes())
    assert weights == pytest.approx([0.4518, 0.1513, 0.4029, 0.2788, 0.0847, 0.7251], abs=5e-5)
    printed = np.array([0.45, 0.15, 0.41, 0.29, 0.09, 0.72])
    assert weights == pytest.approx(printed, abs=0.012)
    assert np.linalg.norm(printed) == pytest.approx(1.0018, abs=5e-5)
    assert np.linalg.norm(weights) == pytest.approx(1.0)
    assert share == pytest.approx(0.601, abs=5e-4)


def test_the_sign_makes_the_sum_positive() -> None:
    weights, share = first_component(-paper.slopes())
    assert weights.sum() > 0.0
    assert weights == pytest.approx(first_component(paper.slopes())[0])
    exact, _ = first_component(np.array([[1.0, -1.0], [-1.0, 1.0]]))
    assert exact == pytest.approx([np.sqrt(0.5), -np.sqrt(0.5)])
    assert 0 < share < 1


def test_the_composite_projects_z_scores() -> None:
    axes = np.random.default_rng(1).normal(size=(20, 6))
    found = composite(axes, paper.slopes())
    assert found.scores == pytest.approx(zscore(axes) @ first_component(paper.slopes())[0])
    assert found.scores.mean() == pytest.approx(0.0, abs=1e-12)


def test_an_axis_without_slopes_takes_no_part() -> None:
    axes = np.random.default_rng(1).normal(size=(20, 6))
    slopes = paper.slopes()
    slopes[:, 2] = np.nan
    found = composite(axes, slopes)
    rest = composite(np.delete(axes, 2, axis=1), np.delete(slopes, 2, axis=1))
    assert np.isnan(found.weights[2])
    assert found.scores == pytest.approx(rest.scores)


@pytest.mark.parametrize("slopes", [np.full((3, 6), np.nan), paper.slopes()[:1], np.ones((3, 6))])
def test_slopes_that_do_not_differ_give_no_composite(slopes: np.ndarray) -> None:
    found = composite(np.random.default_rng(1).normal(size=(5, 6)), slopes)
    assert np.isnan(found.scores).all()


def test_fifty_games_give_thirds_of_16_17_and_17_in_the_order_of_table_9() -> None:
    third = tertiles(paper.COMPOSITE)
    assert np.bincount(third).tolist() == [16, 17, 17]
    assert (np.diff(third) >= 0).all()
    assert paper.COMPOSITE.mean() == pytest.approx(-0.0002, abs=5e-5)
    assert paper.COMPOSITE.std() == pytest.approx(1.395, abs=5e-4)


def test_games_without_a_score_are_in_no_third_and_equal_scores_keep_their_order() -> None:
    assert tertiles(np.array([2.0, np.nan, 1.0, 1.0])).tolist() == [2, -1, 0, 1]


def test_the_mean_of_the_z_scores_is_centred_and_follows_the_composite() -> None:
    """Appendix O. The printed columns of tables 8 and 9 correlate at .876, and table 8's spreads by 1.553."""
    axes = np.random.default_rng(2).normal(size=(50, 6)) * [1, 2, 3, 4, 5, 6]
    assert mean_complexity(axes) == pytest.approx(zscore(axes).sum(axis=1) / 6)
    assert mean_complexity(axes).mean() == pytest.approx(0.0, abs=1e-12)
    printed = dict(zip((row["seed"] for row in paper.rows("table8_pair_mean_margin")), PRINTED, strict=True))
    assert np.corrcoef([printed[seed] for seed in paper.SEEDS], paper.COMPOSITE)[0, 1] == pytest.approx(0.876, abs=5e-4)
    assert PRINTED.std() == pytest.approx(1.553, abs=5e-4)


PRINTED = paper.column("table8_pair_mean_margin", "cmplx_mean_z")
