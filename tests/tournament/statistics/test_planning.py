"""What a schedule promises is what the leaderboard of such a tournament then says."""

from __future__ import annotations

import numpy as np
import pytest
from antemill.tournament.cards.foreseen import noise_of

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.match import Game
from antemill.engine.rules.named import kuhn
from antemill.tournament.statistics.leaderboards import leaderboard
from antemill.tournament.statistics.matches import SlotTable, slot_table
from antemill.tournament.statistics.planning import Runs, foresee
from tests.tournament.statistics import planted

FACTOR = 1.25  # within which prediction and report agree


def plan(table: SlotTable) -> list[Runs]:
    """The runs of a table."""
    rows = np.unique(np.stack((table.game, table.low, table.high, table.cluster)), axis=1)[:3]
    cells, counts = np.unique(rows, axis=1, return_counts=True)
    return [
        Runs(table.games[game], table.models[a], table.models[b], float(count))
        for game, a, b, count in zip(*cells, counts, strict=True)
    ]


@pytest.mark.parametrize(
    ("models", "games", "runs", "share", "uneven", "noise", "deal"),
    [
        (2, 1, 60, 1.0, False, 2.0, 1.0),
        (8, 10, 5, 0.4, False, 3.0, 0.0),
        (5, 6, 30, 0.7, True, 1.0, 4.0),
    ],
)
def test_the_predicted_width_is_that_of_the_leaderboard(
    models: int, games: int, runs: int, share: float, uneven: bool, noise: float, deal: float
) -> None:
    truth = planted.truth(models, games, seed=models, slope=0.0)
    widths, differences, found = [], [], None
    for seed in range(5):
        table = slot_table(planted.play(truth, runs, seed, noise, deal, share, uneven=uneven))
        found = foresee(plan(table), dict.fromkeys(truth.games, noise / np.sqrt(2.0)))
        assert found is not None
        board = leaderboard(table, 500)
        reported = float(np.mean(board.interval.high - board.interval.low) / 2)
        widths.append(found.half_width / reported)
        differences.append(found.difference > found.half_width)
    assert 1 / FACTOR < np.mean(widths) < FACTOR
    assert all(differences)
    assert found is not None
    assert found.noise == pytest.approx(noise / np.sqrt(2.0))
    assert found.players == models


def test_two_players_by_hand() -> None:
    """n runs of one pair: the difference has variance s^2 / n, and each strength is half of it."""
    found = foresee([Runs("g", "a", "b", 25.0)], {"g": 2.0})
    assert found is not None
    assert found.difference == pytest.approx(1.96 * 2.0 / 5.0, rel=1e-4)
    assert found.half_width == pytest.approx(found.difference / 2)


def test_without_intervals_nothing_is_promised() -> None:
    assert foresee([], {}) is None
    assert foresee([Runs("g", "a", "b", 4.0)], {"g": 1.0}) is None
    assert foresee([Runs("g", "a", "b", 9.0), Runs("g", "c", "d", 9.0)], {"g": 1.0}) is None


def test_the_noise_is_that_of_random_play_with_the_same_cards() -> None:
    """Kuhn, by going through all deals and ways of play: the payoff's variance within a deal, halved."""
    payoffs: dict[tuple[int, int], list[tuple[float, int]]] = {
        (a, b): [
            (0.25, 1 if a > b else -1),  # both check
            (0.125, -1),  # Alice checks and folds to a bet
            (0.125, 2 if a > b else -2),
            (0.25, 1),  # Bob folds to a bet
            (0.25, 2 if a > b else -2),
        ]
        for a in range(3)
        for b in range(3)
        if a != b
    }
    within = []
    for ends in payoffs.values():
        mean = sum(p * x for p, x in ends)
        within.append(sum(p * (x - mean) ** 2 for p, x in ends))
    exact = np.sqrt(np.mean(within) / 2)
    assert noise_of(Game.of(compile_spec(kuhn()))) == pytest.approx(exact, rel=0.15)
