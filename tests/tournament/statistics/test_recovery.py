"""Planted tournaments, hundreds of them: estimates are unbiased and the paper's intervals cover (N4, N5, N6)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from antemill.tournament.statistics.bootstrap import cluster_bootstrap
from antemill.tournament.statistics.intervals import Floats, Interval, percentile
from antemill.tournament.statistics.matches import Flags, SlotTable, from_codes, slot_table
from antemill.tournament.statistics.strength import game_average, strengths
from antemill.tournament.statistics.wins import fit_wins
from tests.seeds import size
from tests.tournament.statistics import planted

TOURNAMENTS = size(100, 300)
REPLICATES = 200
MODELS = 5

Estimate = Callable[[SlotTable, int], tuple[Floats, Interval]]


def additive(table: SlotTable, seed: int) -> tuple[Floats, Interval]:
    return strengths(table), percentile(strengths(cluster_bootstrap(table, REPLICATES, seed)))


def averaged(table: SlotTable, seed: int) -> tuple[Floats, Interval]:
    return game_average(table), percentile(game_average(cluster_bootstrap(table, REPLICATES, seed)))


def by_wins(table: SlotTable, _seed: int) -> tuple[Floats, Interval]:
    found = fit_wins(table)
    return found.strengths, found.spread.error.interval(found.strengths)


def measure(play: Callable[[int], SlotTable], estimate: Estimate, truth: Floats) -> tuple[Floats, Floats, float]:
    """Bias and its standard error, float64[models] each, and the intervals' coverage over all models."""
    points, covered = [], []
    for seed in range(TOURNAMENTS):
        point, bounds = estimate(play(seed), seed)
        points.append(point)
        inside: Flags = (bounds.low <= truth) & (truth <= bounds.high)
        covered.append(inside)
    error = np.std(points, axis=0) / np.sqrt(TOURNAMENTS)
    return np.mean(points, axis=0) - truth, np.asarray(error, np.float64), float(np.mean(covered))


def check(bias: Floats, error: Floats, coverage: float) -> None:
    assert (np.abs(bias) < 4.0 * error).all()
    assert 0.92 <= coverage <= 0.98


@pytest.mark.slow
def test_strengths_of_a_full_design() -> None:
    """N4, N6: cards that favour a seat, common to both matches of a run."""
    t = planted.truth(MODELS, 4, seed=1)
    check(
        *measure(
            lambda seed: slot_table(planted.play(t, runs=8, seed=seed, deal=3.0)), additive, t.strengths.mean(axis=0)
        )
    )


@pytest.mark.slow
def test_averages_over_games_of_an_uneven_schedule_with_interaction() -> None:
    """Games with different numbers of runs and pairs: every game counts once."""
    t = planted.truth(MODELS, 3, seed=4, rough=1.0)

    def play(seed: int) -> SlotTable:
        many, few = planted.play(t, runs=24, seed=seed), planted.play(t, runs=8, seed=1000 + seed, share=0.4)
        first = pa.array([game == "g000" for game in many["game"].to_pylist()])
        later = pa.array([game != "g000" for game in few["game"].to_pylist()])
        return slot_table(pa.concat_tables([many.filter(first), few.filter(later)]))

    check(*measure(play, averaged, t.strengths.mean(axis=0)))


@pytest.mark.slow
def test_bradley_terry_strengths() -> None:
    """N5: planted log-odds; the maximum of the likelihood leans outward by a share of a standard error."""
    skill = np.linspace(0.8, -0.8, MODELS)
    low, high = np.triu_indices(MODELS, 1)
    a, b = np.repeat(low, 60), np.repeat(high, 60)

    def play(seed: int) -> SlotTable:
        won = np.random.default_rng(seed).random(len(a)) < 1.0 / (1.0 + np.exp(skill[b] - skill[a]))
        game = np.zeros(len(a), np.int64)
        names = tuple(f"m{k}" for k in range(MODELS))
        return from_codes(names, ("g",), game, np.arange(len(a)), a, b, np.where(won, 1.0, -1.0))

    bias, error, coverage = measure(play, by_wins, skill)
    assert (np.abs(bias) < 0.02 + 4.0 * error).all()
    assert 0.92 <= coverage <= 0.98
