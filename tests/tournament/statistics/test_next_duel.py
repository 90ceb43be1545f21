"""Which opponent makes a newcomer's rating most certain for the money."""

from __future__ import annotations

import numpy as np
import pytest

from antemill.tournament.statistics.bradley_terry import bradley_terry
from antemill.tournament.statistics.next_duel import (
    covariance_of,
    fall_of,
    next_opponent,
    shares_of_costs,
    variance_of,
)


def met() -> np.ndarray:
    """Five players, the last one new: it drew its five rounds with each of the first two."""
    random = np.random.default_rng(3)
    wins = np.zeros((5, 5))
    strengths = np.array([1.5, 0.5, 0.0, -2.0])
    for i in range(4):
        for j in range(4):
            if i != j:
                won = random.binomial(40, 1.0 / (1.0 + np.exp(strengths[j] - strengths[i])))
                wins[i, j] += won
                wins[j, i] += 40 - won
    wins[4, :2] = wins[:2, 4] = 2.5
    return wins


def test_the_fall_is_that_of_the_covariance_with_the_rounds_added() -> None:
    wins, rounds = met(), 20
    strengths, covariance = bradley_terry(wins, "normal").strengths, covariance_of(wins)
    curvature = np.linalg.inv(covariance)
    falls = fall_of(strengths, covariance, 4, rounds)
    for j in range(4):
        p = 1.0 / (1.0 + np.exp(strengths[j] - strengths[4]))
        step = np.eye(5)[4] - np.eye(5)[j]
        more = np.linalg.inv(curvature + rounds * p * (1 - p) * np.outer(step, step))
        assert falls[j] == pytest.approx(variance_of(covariance, 4) - variance_of(more, 4))
    assert falls[4] == 0.0


def test_the_opponent_of_about_the_newcomers_strength_is_next_unless_it_is_dear() -> None:
    wins = met()
    best = next_opponent(wins, 4, [0, 1, 2, 3], [1.0] * 4, 20)
    strengths = bradley_terry(wins, "normal").strengths
    assert best == int(np.argmin(np.abs(strengths[:4] - strengths[4])))
    costs = [1.0] * 4
    costs[best] = 10.0
    assert next_opponent(wins, 4, [0, 1, 2, 3], costs, 20) != best
    assert next_opponent(wins, 4, [3], [1.0], 20) == 3


def test_what_each_player_adds_to_a_duels_cost() -> None:
    each = np.array([1.0, 5.0, 2.0, 0.5])
    pairs = [(i, j) for i in range(4) for j in range(4) if i != j]
    costs = [each[i] + each[j] for i, j in pairs]
    assert shares_of_costs(pairs, costs, 4) == pytest.approx(each)
    with_new = shares_of_costs(pairs, costs, 5)
    assert with_new[4] == pytest.approx(np.mean(costs) / 2)
    assert (shares_of_costs(pairs, [0.0] * len(pairs), 4) == 1.0).all()
