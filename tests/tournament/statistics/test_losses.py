"""Intervals of means of losses, beside what is known to be exact."""

from __future__ import annotations

import math

import pytest
from scipy.special import chdtri

from antemill.tournament.statistics.losses import Loss, above_zero, faultless, interval, mean_loss, mean_of, skewed


def test_the_interval_of_a_skewed_mean_is_that_of_rare_events() -> None:
    """Of y like events the exact interval is that of Poisson: Fay and Feuer's is built to give it."""
    events, normal = 4, 1.959964
    student = Loss(4.0, 2.0, 4 - normal * 2, 4 + normal * 2)
    found = skewed(student, 1.0, 1.0)
    assert found.low == pytest.approx(chdtri(2 * events, 0.975) / 2, rel=1e-4)
    assert found.high == pytest.approx(chdtri(2 * events + 2, 0.025) / 2, rel=1e-4)
    better = Loss(-1.0, 2.0, -5.0, 3.0)
    assert skewed(better, 1.0, 1.0) == better


def test_the_upper_bound_of_luck_about_zero_is_not_below_students() -> None:
    """The gamma distribution of a mean that is small beside its error has nearly all its weight at zero."""
    student = interval(0.0001, 0.01, 500)
    found = skewed(student, 0.0005, 0.01)
    assert found.low == pytest.approx(0, abs=1e-9)
    assert found.high == student.high


def test_no_mistake_in_n_pairs_leaves_room_for_one_in_n_over_3_7() -> None:
    """A mistake is a hundredth of the game's unit. Of that rate nothing is seen in 2.5% of samples."""
    slight = [0.01, -0.02, 0.0]
    assert faultless(slight, 2.0)
    found = mean_loss(slight, 2.0, 30.0)
    assert (found.mean, found.error) == (mean_of(slight).mean, mean_of(slight).error)
    assert found.low is not None
    assert found.low <= 0.0
    assert found.high == pytest.approx(3.7 / 3 * 30.0)
    assert mean_loss([0.0] * 40, 1.0, 8.0) == Loss(0.0, 0.0, 0.0, 3.7 * (8.0 / 40))
    assert mean_loss(slight, 1.0, 30.0) == mean_of(slight)  # below zero by luck
    assert mean_loss([1.0], 1.0, 5.0) == Loss(1, None, None, None)
    assert math.exp(-3.7) == pytest.approx(0.025, abs=5e-4)


def test_equal_losses_have_an_interval_with_a_width() -> None:
    found = mean_loss([0.5] * 9, 1.0, 4.0)
    assert found.low == 0.5
    assert found.high == pytest.approx(0.5 + 3.7 / 9 * 4.0)


def test_an_interval_is_cut_where_the_truth_can_not_be() -> None:
    assert above_zero(Loss(0.1, 0.2, -0.3, 0.5)) == Loss(0.1, 0.2, 0.0, 0.5)
    assert above_zero(Loss(-0.1, None, None, None)) == Loss(-0.1, None, None, None)
