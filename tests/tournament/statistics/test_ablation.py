"""The thinking ablation (N14): sibling pairs, their mean, the bootstrap over games."""

from __future__ import annotations

import numpy as np
import pytest

from antemill.tournament.statistics.ablation import Effect, effect, siblings
from tests.tournament.statistics import genstrat_tables as paper

MATCHES = [  # game, play seed, alice, bob, margin
    (0, 7, "big", "x", 5.0),
    (0, 7, "small", "x", 2.0),  # pair 1: 3
    (0, 7, "x", "big", -1.0),
    (0, 7, "x", "small", 4.0),  # pair 2: 1 - (-4) = 5
    (1, 7, "big", "x", 1.0),  # no sibling on this game
    (0, 7, "big", "y", 1.0),  # no sibling against y
    (0, 8, "small", "x", 1.0),  # no sibling with these cards
    (0, 7, "big", "small", 9.0),  # against each other: none
    (0, 7, "x", "y", 9.0),
    (2, 1, "big", "x", 0.0),
    (2, 1, "big", "x", 2.0),  # another copy
    (2, 1, "small", "x", 0.0),
]


def test_siblings_share_game_cards_seat_and_opponent() -> None:
    game, deck, alice, bob, margin = zip(*MATCHES, strict=True)
    found = siblings(np.array(game), deck, alice, bob, np.array(margin), "big", "small")
    assert sorted(zip(found.game.tolist(), found.difference.tolist(), strict=True)) == [(0, 3.0), (0, 5.0)]
    back = siblings(np.array(game), deck, alice, bob, np.array(margin), "small", "big")
    assert sorted(back.difference.tolist()) == [-5.0, -3.0]


def test_delta_is_the_mean_over_pairs_and_resamples_are_of_whole_games() -> None:
    """Two games of unequal size: a resample is one of them twice, or both."""
    game, difference = np.array([0, 0, 0, 1]), np.array([1.0, 2.0, 3.0, 10.0])
    found = effect(game, difference, bootstrap=4000)
    assert found.delta == pytest.approx(4.0)
    assert (found.low, found.high) == (2.0, 10.0)
    assert (found.pairs, found.games) == (4, 2)


def test_students_interval_has_a_degree_of_freedom_less_than_games() -> None:
    """By hand: sums 6 and 10 over 3 and 1 pairs, so residuals -6 and 6; t with one degree of freedom is 12.706."""
    found = effect(np.array([0, 0, 0, 1]), np.array([1.0, 2.0, 3.0, 10.0]))
    assert found.error == pytest.approx(np.sqrt(2.0 * (36.0 + 36.0)) / 4.0)
    assert float(found.student.high) == pytest.approx(4.0 + 12.7062 * 3.0, abs=1e-3)
    assert float(found.student.low) == pytest.approx(4.0 - 12.7062 * 3.0, abs=1e-3)


def test_the_interval_is_deterministic_for_a_seed() -> None:
    random = np.random.default_rng(1)
    game, difference = random.integers(0, 30, 300), random.normal(size=300)
    assert effect(game, difference, 500, 3) == effect(game, difference, 500, 3)
    assert effect(game, difference, 500, 3) != effect(game, difference, 500, 4)


def test_games_that_share_their_effect_widen_the_interval() -> None:
    random = np.random.default_rng(2)
    game = np.repeat(np.arange(25), 20)
    shared = random.normal(size=25)[game] + 0.1 * random.normal(size=500)
    by_game = effect(game, shared)
    alone = effect(np.arange(500), shared)
    assert by_game.high - by_game.low > 3.0 * (alone.high - alone.low)


def test_significance_is_zero_outside_the_interval_as_in_table_2() -> None:
    marked = {}
    for row in paper.rows("table2_ablation"):
        found = Effect(float(row["delta"]), float(row["lo"]), float(row["hi"]), int(row["pairs"]), 50)
        marked[row["family"]] = found.significant
    assert marked == {"claude-sonnet-4-6": False, "gemini-2.5-pro": False, "gemini-3.1-pro": True, "gpt-5": True}
    assert sum(int(row["pairs"]) for row in paper.rows("table2_ablation")) == 620


def test_too_little_data_has_a_reason() -> None:
    none = effect(np.array([], np.int64), np.array([]))
    assert none.reason == "no pairs of sibling matches"
    assert np.isnan(none.delta)
    one = effect(np.array([3, 3]), np.array([1.0, 2.0]))
    assert (one.delta, one.reason) == (1.5, "one game gives no interval")
    assert not one.significant
    assert np.isnan(float(one.student.low))


def test_the_error_is_that_of_the_games_means() -> None:
    """Three games, one pair each: the standard deviation of the three over the root of three."""
    found = effect(np.array([0, 1, 2]), np.array([0.0, 1.0, 2.0]), bootstrap=10)
    assert found.delta == pytest.approx(1.0)
    assert found.error == pytest.approx(3**-0.5)
