"""Variance decomposition (N11), against the paper's table 9 and planted components."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from antemill.tournament.statistics.errors import errors_of
from antemill.tournament.statistics.matches import slot_table
from antemill.tournament.statistics.strength import game_strengths
from antemill.tournament.statistics.variance import Variance, components, decomposition
from tests.tournament.statistics import genstrat_tables as paper
from tests.tournament.statistics.planted import Truth, centred, play, truth


def test_the_components_of_table_9_are_the_papers() -> None:
    """Appendix G: .86, .42, .49; the model variance divides by nine, not by eight (.9656)."""
    found = components(paper.strengths())
    assert found == pytest.approx([0.8583, 0.4185, 0.4876], abs=5e-5)
    assert found.round(2).tolist() == [0.86, 0.42, 0.49]
    assert paper.strengths().mean(axis=0).var(ddof=1) == pytest.approx(0.9656, abs=5e-5)


def test_components_by_hand() -> None:
    """Models 3 and -3 with interaction +-1: 9 and 1."""
    assert components(np.array([[4.0, -4.0], [2.0, -2.0]])) == pytest.approx([9.0, 1.0, 1 / 9])
    assert components(np.zeros((3, 2)))[:2].tolist() == [0.0, 0.0]
    assert np.isnan(components(np.zeros((3, 2)))[2])


def test_replicates_are_decomposed_as_the_estimate_is() -> None:
    cells = centred(np.random.default_rng(1).normal(size=(40, 4))).reshape(5, 8, 4)
    assert components(cells) == pytest.approx(np.array([components(part) for part in cells]))


def test_missing_cells_are_left_out_of_every_average() -> None:
    random = np.random.default_rng(2)
    cells = random.normal(size=(6, 4))
    cells[1, 2] = cells[4, 0] = np.nan
    model, game, grand = np.nanmean(cells, axis=0), np.nanmean(cells, axis=1), np.nanmean(cells)
    rest = cells - model - game[:, None] + grand
    want = [model.var(), np.nanmean(rest**2)]
    assert components(cells)[:2] == pytest.approx(want)
    wider = np.column_stack((cells, np.full(6, np.nan)))
    assert components(wider) == pytest.approx(components(cells))


def decomposed(t: Truth, runs: int, seed: int, **noise: Any) -> Variance:
    table = slot_table(play(t, runs=runs, seed=seed, **noise))
    per_game = game_strengths(table)
    return decomposition(per_game, errors_of(table, per_game).games)


def test_what_can_not_be_decomposed_is_missing() -> None:
    one = decomposition(np.array([[1.0, -1.0]]))
    assert one.values[0] == 1.0
    assert np.isnan(one.values[1:]).all()
    none = decomposition(np.full((3, 2), np.nan))
    assert np.isnan(none.values).all()
    assert (none.cells, none.of) == (0, 6)
    level = decomposition(np.zeros((3, 2)), np.zeros((3, 2, 2)))
    assert np.isnan(level.values[2])


def test_noise_inflates_the_interaction_and_the_estimate_without_noise_is_nearer() -> None:
    t = truth(6, 40, seed=1, slope=0.0, rough=0.5)
    found, want = decomposed(t, 10, 3, deal=5.0), components(t.strengths)
    assert found.values[1] > 1.15 * want[1]
    assert found.corrected == pytest.approx(want, rel=0.1)
    assert (found.interval.low < want).all()
    assert (want < found.interval.high).all()
    assert (found.cells, found.of) == (240, 240)


def test_copies_of_one_player_have_no_interaction_however_much_luck_the_cards_bring() -> None:
    """Luck of the cards cancels in every run."""
    t = truth(8, 12, seed=1, slope=0.0, gap=0.0)
    found = [decomposed(t, 6, seed, deal=6.0) for seed in range(30)]
    values = np.array([one.corrected[1] for one in found])
    assert np.mean([one.interval.low[1] == 0.0 for one in found]) >= 0.9
    assert abs(values.mean()) < 4.0 * values.std() / np.sqrt(len(values)) < 0.02
    assert np.mean([one.values[1] for one in found]) > 0.02
