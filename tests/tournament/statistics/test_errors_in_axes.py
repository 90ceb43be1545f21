"""Slopes on noisy axes: the bias of least squares is gone, intervals hold, and the tables appear with a second play."""

import numpy as np
import pytest

from antemill.tournament.statistics.errors_in_axes import corrected_slopes
from antemill.tournament.statistics.profile import capability_profile

SLOPES = np.array([0.2, 0.0, 0.3, -0.1, 0.0, 0.25])
RELIABLE = np.array([1.0, 0.99, 0.85, 0.98, 0.95, 0.5])  # about those of the precise tier
Floats = np.ndarray


def world(seed: int, games: int) -> tuple[Floats, Floats, Floats]:
    """Two plays of games whose axes hang together, and one model's strengths."""
    random = np.random.default_rng(seed)
    truth = random.normal(size=(games, 6))
    truth[:, 1:4] = truth[:, 1:4] * 0.8 + 0.6 * truth[:, [0]]
    one, two = (truth + random.normal(size=truth.shape) * np.sqrt(1 / RELIABLE - 1) for _ in range(2))
    return one, two, (truth @ SLOPES + random.normal(size=games) * 0.4)[:, None]


def test_noise_in_the_axes_biases_least_squares_and_not_the_corrected_slopes() -> None:
    plain, corrected, held, worlds = [], [], np.zeros(6), 24
    for seed in range(worlds):
        one, two, strengths = world(seed, 200)
        found, error = corrected_slopes(one, two, strengths)
        interval, true = error.interval(found), SLOPES * one.std(axis=0)
        held += (interval.low[0] <= true) & (true <= interval.high[0])
        corrected.append(found[0] / one.std(axis=0))
        plain.append(capability_profile(one, strengths).slopes[0] / one.std(axis=0))
    assert np.mean(plain, axis=0)[[2, 5]] == pytest.approx([0.23, 0.125], abs=0.02)  # of .3 and .25
    assert np.median(corrected, axis=0) == pytest.approx(SLOPES, abs=0.03)
    assert (held / worlds >= 0.85).all()


def test_without_noise_they_are_those_of_least_squares() -> None:
    one, _, strengths = world(1, 40)
    strengths = np.column_stack([strengths, strengths])
    strengths[3, 1] = np.nan
    found, _ = corrected_slopes(one, one, strengths)
    assert found[0] == pytest.approx(capability_profile(one, strengths).slopes[0])
    rest = np.arange(40) != 3
    alone = capability_profile(one[rest], strengths[rest]).slopes[1] * one.std(axis=0) / one[rest].std(axis=0)
    assert found[1] * one.std(axis=0) / one[rest].std(axis=0) == pytest.approx(alone)


def test_what_the_noise_hides_is_not_estimated() -> None:
    one, two, strengths = world(1, 40)
    one[:, 5] = np.random.default_rng(2).normal(size=40)  # two plays that have nothing in common
    found, error = corrected_slopes(one, two, strengths)
    assert np.isnan(found).all()
    assert np.isnan(error.error).all()
    assert np.isnan(corrected_slopes(one[:8], two[:8], strengths[:8])[0]).all()
    still = one.copy()
    still[:, 2] = 1.0
    kept = corrected_slopes(still, still, strengths)[0][0]
    assert np.isnan(kept[2])
    assert np.isfinite(np.delete(kept, 2)).all()
