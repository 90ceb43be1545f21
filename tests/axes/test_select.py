"""Farthest-point sampling against plain Python, and its rules for ties and bad input (X10)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antemill.axes.select import farthest_points, normalised
from tests.axes import naive_axes as naive


def test_it_equals_its_naive_twin_on_300_games() -> None:
    random = np.random.default_rng(1)
    points = random.normal(size=(300, 6)) * [1, 10, 0.1, 1, 5, 2]
    seeds = random.permutation(10_000)[:300]
    assert farthest_points(points, 40, seeds).tolist() == naive.farthest_points(points.tolist(), 40, seeds.tolist())


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=12),
    st.integers(1, 12),
    st.permutations(range(12)),
)
def test_ties_go_to_the_lower_seed(points: list[tuple[int, int]], count: int, seeds: list[int]) -> None:
    """On a grid, many distances tie exactly; `count` is often enough to use up all different points."""
    count, own = min(count, len(points)), seeds[: len(points)]
    assert farthest_points(np.array(points, np.float64), count, own).tolist() == naive.farthest_points(
        points, count, own
    )


def test_it_starts_next_to_the_centroid_and_goes_to_the_farthest() -> None:
    """Normalised: 0, 1/8, 5/8, 6/8, 1; the centroid is 1/2. At the end the second and the fourth tie at 1/8."""
    points = np.array([[0.0], [1.0], [5.0], [6.0], [8.0]])
    assert farthest_points(points, 4).tolist() == [2, 0, 4, 1]
    assert farthest_points(points, 4, [9, 8, 7, 6, 5]).tolist() == [2, 0, 4, 3]


def test_seeds_may_use_all_64_bits() -> None:
    points = np.array([[0.0], [1.0]])
    assert farthest_points(points, 1, np.array([2**64 - 1, 2**63], np.uint64)).tolist() == [1]
    assert farthest_points(points, 1, np.array([2**63, 2**64 - 1], np.uint64)).tolist() == [0]


def test_a_constant_axis_counts_for_nothing() -> None:
    points = np.random.default_rng(2).normal(size=(50, 3))
    with_constant = np.insert(points, 1, 4.0, axis=1)
    assert np.array_equal(farthest_points(with_constant, 20), farthest_points(points, 20))
    assert (normalised(with_constant)[:, 1] == 0.0).all()
    assert normalised(points).min() == 0.0
    assert normalised(points).max() == 1.0


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_missing_axis_is_refused_in_a_sentence(bad: float) -> None:
    points = np.ones((5, 6))
    points[3, 2] = bad
    with pytest.raises(ValueError, match="1 games have a missing or infinite axis, the first in row 3; score them"):
        farthest_points(points, 2)


@pytest.mark.parametrize("count", [0, 6])
def test_an_impossible_count_is_refused_in_a_sentence(count: int) -> None:
    with pytest.raises(ValueError, match=f"cannot choose {count} of 5 games; give a count from 1 to 5"):
        farthest_points(np.ones((5, 6)), count)
