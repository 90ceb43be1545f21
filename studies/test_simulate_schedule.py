"""The simulation of docs/schedules.md: its rotating schedule, and its finding in small."""

from __future__ import annotations

from itertools import combinations

import pytest

from studies import simulate_schedule as simulation


def test_the_circle_method_lets_every_model_play_once_a_round() -> None:
    pairs = simulation.circle(6)
    assert sorted(pairs) == list(combinations(range(6), 2))
    for k in range(0, 15, 3):
        assert len({model for pair in pairs[k : k + 3] for model in pair}) == 6


def test_the_adaptive_schedule_needs_fewer_runs_where_games_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    """The simulation of docs/schedules.md in small: same intervals with at least a tenth fewer runs."""
    monkeypatch.setattr(simulation, "RUNS", 480)
    monkeypatch.setattr(simulation, "REPLICATES", 100)
    noisy = next(scenario for scenario in simulation.SCENARIOS if scenario.name == "games differ in noise")
    rotated, adapted = simulation.compare(noisy, 3)
    assert rotated.runs == 480
    assert adapted.width <= rotated.width
    assert adapted.runs < 0.9 * 480
