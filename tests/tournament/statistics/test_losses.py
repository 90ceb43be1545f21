"""Intervals of means of losses, beside what is known to be exact."""

from __future__ import annotations

import pytest
from scipy.special import chdtri

from antemill.tournament.statistics.losses import Loss, above_zero, faultless, interval, mean_loss, mean_of, skewed


def test_the_interval_of_a_skewed_mean_is_that_of_rare_events() -> None:
    """Of y like events the exact interval is that of Poisson: Fay and Feuer's is built to give it."""
    events, normal = 4, 1.959964
    student = Loss(4.0, 2.0, 4 - normal * 2, 4 + normal * 2)
    found = skewed(student, 1.0)
    assert found.low == pytest.approx(chdtri(2 * events, 0.975) / 2, rel=1e-4)
    assert found.high == pytest.approx(chdtri(2 * events + 2, 0.025) / 2, rel=1e-4)
    perfect, better = Loss(0.0, 0.0, 0.0, 0.0), Loss(-1.0, 2.0, -5.0, 3.0)
    assert (skewed(perfect, 0.0), skewed(better, 1.0)) == (perfect, better)


def test_the_upper_bound_of_luck_about_zero_is_not_below_students() -> None:
    """The gamma distribution of a mean that is small beside its error has nearly all its weight at zero."""
    student = interval(0.0001, 0.01, 500)
    found = skewed(student, 0.0005)
    assert found.low == pytest.approx(0, abs=1e-9)
    assert found.high == student.high


def test_equal_losses_have_an_interval_without_width_also_if_rounding_sets_them_apart() -> None:
    for student in (interval(0.5, 1e-18, 9), interval(1e-200, 1e-200, 9)):
        assert skewed(student, 0.0) == student


def test_few_pairs_without_a_mistake_have_a_mean_and_no_interval() -> None:
    """A mistake is a hundredth of the game's unit."""
    slight = [0.01, -0.02, 0.0]
    assert faultless(slight, 2.0)
    assert mean_loss(slight, 2.0) == Loss(mean_of(slight).mean, mean_of(slight).error, None, None)
    assert mean_loss(slight, 1.0) == mean_of(slight)  # below zero by luck
    assert mean_loss([0.0] * 30, 1.0) == Loss(0, 0, 0, 0)
    assert mean_loss([1.0], 1.0) == Loss(1, None, None, None)


def test_an_interval_is_cut_where_the_truth_can_not_be() -> None:
    assert above_zero(Loss(0.1, 0.2, -0.3, 0.5)) == Loss(0.1, 0.2, 0.0, 0.5)
    assert above_zero(Loss(-0.1, None, None, None)) == Loss(-0.1, None, None, None)
