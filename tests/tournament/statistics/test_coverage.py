"""Planted tournaments with luck of the cards: bias of estimates, coverage of 95% intervals (N6, N7, N9, N11, N12).

Small settings of `benches.coverage`, whose tables are in docs/statistics.md. Where the paper's intervals fail, as the
docs say, they must fail here too: else the worlds are too easy to show anything.
"""

from __future__ import annotations

import numpy as np
import pytest

from antemill.tournament.statistics.ablation import effect, siblings
from benches import coverage
from benches.coverage import DELTA, Setting, effect_world, variants
from tests.seeds import size

WORLDS = size(20, 60)
LOW, HIGH = 0.91, 0.99


@pytest.mark.slow
def test_intervals_of_strengths_slopes_variance_and_jaggedness_hold() -> None:
    """N6, N7, N9, N11: each on what it is about, and none on what it is not about."""
    found = coverage.run(Setting("", players=5, games=12, runs=6, luck=4.0), WORLDS)
    for name in (
        "strength, these",
        "strength, like",
        "slope, these",
        "slope, like",
        "level",
        "J, beside",
        "J beyond, beside",
    ):
        assert LOW <= found[name] <= HIGH, name
    for name in ("sigma2_M, beside", "sigma2_MG, beside", "ratio, beside"):
        assert found[name] >= 0.86, name  # one a tournament: a standard error of 3%
    assert found["strength, like, paper"] < 0.8
    assert found["slope, like, paper"] < 0.8
    assert found["sigma2_MG, paper"] < 0.5
    assert abs(found["sigma2_MG bias, beside"]) < 0.3 * found["sigma2_MG bias, paper"]


@pytest.mark.slow
def test_an_uneven_schedule_with_single_runs_and_correlated_axes_holds_too() -> None:
    found = coverage.run(Setting("", players=5, games=12, runs=10, uneven=True, correlation=0.8), WORLDS)
    for name in ("strength, these", "strength, like", "slope, these", "slope, like", "J, beside", "J beyond, beside"):
        assert LOW <= found[name] <= 0.995, name
    assert found["sigma2_MG, beside"] >= 0.86


@pytest.mark.slow
def test_where_nothing_differs_nothing_is_found() -> None:
    """N9, N12: copies of one player, and much luck. The paper's intervals of J and of the interaction hold nothing."""
    found = coverage.run(Setting("", players=7, games=10, runs=6, interaction=0.0, gap=0.05, luck=6.0), 60)
    assert found["J, paper"] == found["sigma2_MG, paper"] == 0.0
    assert found["J, beside"] >= LOW
    assert found["J beyond, beside"] >= LOW
    assert found["sigma2_MG, beside"] >= LOW
    assert found["J = 0 rejected"] <= 0.08
    assert found["order, paper"] > 0.2
    assert found["order, beside"] <= 0.12
    assert found["order p, beside"] <= 0.07
    assert found["reversal, beside"] <= 0.12
    assert found["width"] == pytest.approx(1.0, abs=0.1)


def test_students_interval_of_the_ablation_holds_for_four_games_where_the_papers_does_not() -> None:
    """N14: worlds of `benches.coverage`, in which both variants meet the anchors with the same cards."""
    paper, ours = np.mean([effect_world("", 4, seed) for seed in range(200)], axis=0)
    assert paper <= 0.86
    assert 0.9 <= ours <= 0.985


@pytest.mark.parametrize("shape", ["", "half ties"])
def test_siblings_of_every_shape_have_the_planted_effect(shape: str) -> None:
    game, deck, alice, bob, margin = variants(shape, 400, 3)
    assert len(set(zip(game.tolist(), deck.tolist(), alice.tolist(), bob.tolist(), strict=True))) == len(game)
    pairs = siblings(game, deck.tolist(), alice.tolist(), bob.tolist(), margin, "high", "low")
    found = effect(pairs.game, pairs.difference, 10)
    assert (found.pairs, found.games) == (len(game) // 2, 400)
    assert abs(found.delta - DELTA) < 4.0 * found.error
