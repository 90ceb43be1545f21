"""Disguises: the test of recognition keeps its level and finds what is planted."""

from __future__ import annotations

import numpy as np
import pytest

from antemill.tournament.statistics.disguises import advantage, holm, table_of
from antemill.tournament.statistics.intervals import Floats


def _gains(rng: np.random.Generator, runs: int, forms: int, disguise: float = 0.0, better: float = 0.0) -> Floats:
    """Skewed gains with luck of the cards; disguise: deviation between disguises; better: as the game itself."""
    cards, forms_of = rng.exponential(2.0, (runs, 1)), disguise * rng.standard_normal(forms)
    made: Floats = cards + forms_of + rng.exponential(1.0, (runs, forms)) * rng.choice((-1, 3), (runs, forms))
    made[:, 0] += better
    return made


@pytest.mark.parametrize(("runs", "forms"), [(3, 2), (8, 6)])
def test_a_player_that_plays_by_structure_is_found_as_rarely_as_promised(runs: int, forms: int) -> None:
    rng = np.random.default_rng(1)
    p = [advantage([_gains(rng, runs, forms) for _ in range(2)], 99).p for _ in range(400)]
    assert np.mean([one <= 0.05 for one in p]) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)
    assert np.mean([one <= 0.5 for one in p]) == pytest.approx(0.5, abs=0.09)  # and it is not asleep


def test_a_player_that_knows_the_game_is_found() -> None:
    rng = np.random.default_rng(2)
    found = [advantage([_gains(rng, 40, 6, better=1.5)], 199) for _ in range(40)]
    assert np.mean([one.p <= 0.05 for one in found]) > 0.8
    held = [one.low is not None and one.high is not None and one.low <= 1.5 <= one.high for one in found]
    assert np.mean(held) > 0.85
    assert advantage([_gains(rng, 40, 6, better=-3)], 199).p > 0.9  # better in disguise is no recognition


def test_equal_gains_are_no_recognition() -> None:
    """A deterministic player has the same result in every form."""
    same = np.repeat(np.arange(5.0)[:, None], 3, axis=1)
    found = advantage([same])
    assert (found.difference, found.low, found.high, found.p) == (0, 0, 0, 1)
    assert advantage([same[:1]]).low is None


def test_tables_have_the_runs_of_all_forms_and_p_values_are_corrected_for_their_number() -> None:
    gains = {1: {0: 2.0, 3: 4.0}, 0: {0: 1.0, 3: 3.0, 5: 9.0}}
    np.testing.assert_array_equal(table_of(gains), [[1.0, 2.0], [3.0, 4.0]])
    assert holm([0.03, 0.01, 0.02]) == pytest.approx([0.04, 0.03, 0.04])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
