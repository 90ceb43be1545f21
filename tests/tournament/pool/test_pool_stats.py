"""Statistics of a pool: variance inflation against its closed form and a regression, correlations, ranges, cuts."""

import numpy as np
import pytest

from antemill.axes import AXES
from antemill.axes.pool_stats import correlation, pool_stats, vif


def pool(games: int = 200) -> np.ndarray:
    """Correlated axes on very different scales."""
    random = np.random.default_rng(1)
    mixing = np.eye(6) + 0.4 * random.normal(size=(6, 6))
    return random.normal(size=(games, 6)) @ mixing * [1, 100, 0.01, 1, 5, 2] + [0, 1, 2, 3, 4, 5]


def regression_vif(points: np.ndarray, j: int) -> float:
    """1 / (1 - R^2) of an ordinary regression with an intercept."""
    y, others = points[:, j], np.delete(points, j, axis=1)
    x = np.column_stack((np.ones(len(y)), others))
    residuals = y - x @ np.linalg.lstsq(x, y, rcond=None)[0]
    return float(((y - y.mean()) ** 2).sum() / (residuals**2).sum())


def test_vif_equals_the_diagonal_of_the_inverse_correlation_matrix_and_a_regression() -> None:
    points = pool()
    factors = vif(points)
    assert factors == pytest.approx(np.diag(np.linalg.inv(np.corrcoef(points, rowvar=False))))
    assert factors == pytest.approx([regression_vif(points, j) for j in range(6)])
    assert factors.max() > 1.2


def test_an_axis_determined_by_others_has_an_infinite_vif() -> None:
    points = pool()
    points[:, 5] = 2 * points[:, 0] + 3
    factors = vif(points)
    assert np.isinf(factors[[0, 5]]).all()
    assert np.isfinite(factors[1:5]).all()


def test_an_axis_that_does_not_vary_is_left_out() -> None:
    points = pool()
    points[:, 3] = 0.1
    matrix, rest = correlation(points), np.delete(points, 3, axis=1)
    assert matrix[3].tolist() == [0, 0, 0, 1, 0, 0]
    assert np.delete(vif(points), 3) == pytest.approx(vif(rest))
    assert vif(points)[3] == 1.0


def test_correlations_are_pearsons() -> None:
    assert correlation(pool()) == pytest.approx(np.corrcoef(pool(), rowvar=False))


def test_ranges_and_cuts() -> None:
    points = np.tile(np.arange(101.0)[:, None], 6)
    stats = pool_stats(points)
    assert list(stats.axes) == list(stats.vif) == list(AXES)
    for spread in stats.axes.values():
        assert (spread.min, spread.median, spread.max) == (0, 50, 100)
        assert (spread.lower_cut, spread.upper_cut) == (33, 67)
    assert stats.games == 101
