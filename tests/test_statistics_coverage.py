"""Planted tournaments over hundreds of replicates: bias of estimates, coverage of 95% intervals (N6, N7, N9, N11).

A coverage between 92 and 98 percent is asked for where the interval's assumptions hold. Where noise is large, the
paper's bias-corrected intervals of quantities that noise inflates fail, as their docstrings say; the intervals without
noise hold there.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.planted import Truth, play, truth
from tournament.statistics.ablation import effect
from tournament.statistics.bootstrap import cluster_bootstrap, within_cell_bootstrap
from tournament.statistics.cells import cells_of, game_spread
from tournament.statistics.intervals import Floats, Interval
from tournament.statistics.jaggedness import jaggedness, local_jaggedness, neighbourhoods, studentized
from tournament.statistics.profile import capability_profile, zscore
from tournament.statistics.strength import game_strengths, strengths
from tournament.statistics.table import slot_table
from tournament.statistics.variance import components, decomposition

REPLICATES = 200
DRAWS = 150
LOW, HIGH = 0.92, 0.98


def share(intervals: list[Interval], want: Floats) -> float:
    """The share of intervals that hold the truth, over all replicates and entries."""
    inside = [(interval.low <= want) & (want <= interval.high) for interval in intervals]
    return float(np.mean(inside))


def true_jaggedness(t: Truth, noise: float, deal: float) -> Floats:
    """J of the planted strengths, their scale that of balanced margins."""
    gaps = t.strengths[:, :, None] - t.strengths[:, None, :]
    models = t.strengths.shape[1]
    scale = np.sqrt(noise**2 + deal**2 + (gaps**2).sum(axis=(1, 2)) / (models * (models - 1)))
    return jaggedness(studentized(t.strengths, t.strengths.mean(axis=0), scale), neighbourhoods(t.axes))


@pytest.mark.slow
def test_slopes_and_levels_are_unbiased_and_their_intervals_cover() -> None:
    """N7: percentile intervals of the paired-cluster bootstrap."""
    t = truth(5, 14, seed=1)
    z = zscore(t.axes)
    peak = np.tile(np.median(z, axis=0), (6, 1))
    np.fill_diagonal(peak, z.max(axis=0))
    want = t.overall[:, None] + t.slopes @ peak.T
    slopes, found, levels = [], [], []
    for replicate in range(REPLICATES):
        table = slot_table(play(t, runs=12, seed=replicate, share=0.8))
        drawn = game_strengths(cluster_bootstrap(table, DRAWS, replicate))
        profile = capability_profile(t.axes, game_strengths(table), drawn)
        slopes.append(profile.slopes)
        found.append(profile.slope_interval)
        levels.append(profile.level_interval)
    spread = np.std(slopes, axis=0)
    assert (np.abs(np.mean(slopes, axis=0) - t.slopes) < 4.0 * spread / np.sqrt(REPLICATES)).all()
    assert LOW <= share(found, t.slopes) <= HIGH
    assert LOW <= share(levels, want) <= HIGH


@pytest.mark.slow
@pytest.mark.parametrize(("noise", "runs"), [(1.0, 12), (2.0, 12)])
def test_intervals_of_jaggedness_cover(noise: float, runs: int) -> None:
    """N9: the bias-corrected interval where noise is small, the one without noise in both cases."""
    t = truth(5, 16, seed=2, slope=0.1, rough=0.7)
    want = true_jaggedness(t, noise, noise / 2)
    plain, corrected, values, without = [], [], [], []
    for replicate in range(REPLICATES):
        table = slot_table(play(t, runs=runs, seed=replicate, noise=noise, deal=noise / 2))
        cells, drawn = cells_of(table), cluster_bootstrap(table, 2 * DRAWS, replicate)
        z = studentized(game_strengths(cells), strengths(cells), game_spread(cells))
        z_drawn = studentized(game_strengths(drawn), strengths(drawn), game_spread(drawn))
        found = local_jaggedness(z, t.axes, z_drawn)
        plain.append(found.interval)
        corrected.append(found.corrected_interval)
        values.append(found.values)
        without.append(found.corrected)
    bias, rest = (np.mean(each, axis=0) - want for each in (values, without))
    assert np.abs(rest).max() < 0.03 * want.mean()
    assert LOW <= share(corrected, want) <= HIGH
    if noise < 2.0:
        assert LOW <= share(plain, want) <= HIGH
    else:
        assert bias.mean() > 3.0 * np.abs(rest).mean()


@pytest.mark.slow
@pytest.mark.parametrize(("noise", "runs"), [(0.15, 8), (2.0, 12)])
def test_intervals_of_the_variance_components_cover(noise: float, runs: int) -> None:
    """N11: as for jaggedness."""
    t = truth(5, 12, seed=3, slope=0.0, rough=0.8)
    want = components(t.strengths)
    plain, corrected, values, without = [], [], [], []
    for replicate in range(REPLICATES):
        table = slot_table(play(t, runs=runs, seed=replicate, noise=noise, deal=0.0))
        found = decomposition(game_strengths(table), within_cell_bootstrap(table, DRAWS, replicate))
        plain.append(found.interval)
        corrected.append(found.corrected_interval)
        values.append(found.values)
        without.append(found.corrected)
    bias, rest = (np.mean(each, axis=0) - want for each in (values, without))
    assert np.abs(rest / want).max() < 0.02
    assert LOW <= share(corrected, want) <= HIGH
    if noise < 1.0:
        assert LOW <= share(plain, want) <= HIGH
    else:
        assert bias[1] > 3.0 * abs(rest[1])


@pytest.mark.slow
def test_the_interval_of_the_ablation_covers() -> None:
    """N14: games share a part of the effect; 60 of them, each with a few pairs."""
    random = np.random.default_rng(4)
    held, found = [], []
    for replicate in range(2 * REPLICATES):
        game = random.integers(0, 60, 300)
        difference = 0.4 + random.normal(size=60)[game] + 2.0 * random.normal(size=300)
        one = effect(game, difference, 400, replicate)
        held.append(one.low <= 0.4 <= one.high)
        found.append(one.delta)
    assert abs(np.mean(found) - 0.4) < 4.0 * np.std(found) / np.sqrt(len(found))
    assert LOW <= np.mean(held) <= HIGH
