"""Intervals of means of losses, beside what is known to be exact."""

from __future__ import annotations

import pytest
from scipy.special import chdtri

from antemill.tournament.statistics.losses import Loss, skewed


def test_the_interval_of_a_skewed_mean_is_that_of_rare_events() -> None:
    """Of y like events the exact interval is that of Poisson: Fay and Feuer's is built to give it."""
    events, normal = 4, 1.959964
    student = Loss(4.0, 2.0, 4 - normal * 2, 4 + normal * 2)
    found = skewed(student, 1.0)
    assert found.low == pytest.approx(chdtri(2 * events, 0.975) / 2, rel=1e-4)
    assert found.high == pytest.approx(chdtri(2 * events + 2, 0.025) / 2, rel=1e-4)
    perfect, better = Loss(0.0, 0.0, 0.0, 0.0), Loss(-1.0, 2.0, -5.0, 3.0)
    assert (skewed(perfect, 0.0), skewed(better, 1.0)) == (perfect, better)
