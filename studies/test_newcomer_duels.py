"""The simulation of docs/duels.md: its finding in small."""

from __future__ import annotations

import numpy as np

from studies import newcomer_duels as study


def test_the_adaptive_schedule_costs_less_where_prices_differ_and_errs_no_more() -> None:
    found = {how: np.array([study.errors(how, seed, True, 8) for seed in range(30)]) for how in ("random", "adaptive")}
    error = {how: float(np.sqrt((each[:, 0] ** 2).mean())) for how, each in found.items()}
    assert found["adaptive"][:, 1].mean() < 0.8 * found["random"][:, 1].mean()
    assert error["adaptive"] < 1.1 * error["random"]


def test_all_opponents_are_met_by_every_schedule() -> None:
    everybody = study.PLAYERS - 1
    assert len({study.errors(how, 3, True, everybody) for how in ("random", "spread", "adaptive")}) == 1
