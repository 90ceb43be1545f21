"""Strengths, their bootstraps and the sums they are made of: against naive versions and statsmodels (N4, N6, N9)."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from statsmodels.regression.linear_model import OLS

from antemill.tournament.statistics import strength
from antemill.tournament.statistics.bootstrap import cluster_bootstrap, multinomial_weights
from antemill.tournament.statistics.cells import Cells, cells_of, game_spread
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.matches import SlotTable, largest_group, slot_table
from antemill.tournament.statistics.strength import (
    game_average,
    game_strengths,
    pair_margins,
    strengths,
)
from tests.tournament.statistics import planted


@pytest.fixture(scope="module")
def table() -> SlotTable:
    """Five models, four games, an uneven design with seats that matter."""
    return slot_table(planted.play(planted.truth(5, 4, seed=1), runs=3, seed=2, share=0.5))


def rows_of(text: str, margins: list[float] | None = None) -> SlotTable:
    """A slot table from words `game:alice-bob`; margins 1, 2, 3, ... if not given."""
    words = [word.replace(":", "-").split("-") for word in text.split()]
    margins = [float(k + 1) for k in range(len(words))] if margins is None else margins
    game, alice, bob = (list(column) for column in zip(*words, strict=True))
    return slot_table(
        pa.table({"game": game, "run": list(range(len(words))), "alice": alice, "bob": bob, "margin": margins})
    )


def naive_strengths(table: SlotTable, counts: Floats | None = None) -> Floats:
    """Least squares on rows, each repeated `counts` times, with the contrast as a further equation."""
    weight = np.sqrt(table.weight * (1.0 if counts is None else counts))
    design = np.zeros((len(table.margin) + 1, len(table.models)))
    design[np.arange(len(table.margin)), table.alice] = weight
    design[np.arange(len(table.margin)), table.bob] -= weight
    design[-1] = 1.0
    return np.asarray(np.linalg.lstsq(design, np.append(table.margin * weight, 0.0), rcond=None)[0], np.float64)


# ------------------------------------------------------------------------------------------ strengths


def test_strengths_are_the_least_squares_solution(table: SlotTable) -> None:
    """N4: against a dense solver, and against statsmodels with one model as the base."""
    found = strengths(table)
    np.testing.assert_allclose(found, naive_strengths(table), atol=1e-10)
    assert abs(found.sum()) < 1e-10
    design = np.zeros((len(table.margin), len(table.models)))
    design[np.arange(len(table.margin)), table.alice] = 1.0
    design[np.arange(len(table.margin)), table.bob] -= 1.0
    fitted = OLS(table.margin, design[:, 1:]).fit().params
    np.testing.assert_allclose(found - found[0], np.concatenate(([0.0], fitted)), atol=1e-10)


def test_weighted_strengths_are_weighted_least_squares(table: SlotTable) -> None:
    """N4: a weight of k is a row that appears k times."""
    random = np.random.default_rng(0)
    weight = random.integers(1, 5, len(table.margin)).astype(np.float64)
    rows = pa.table(
        {
            "game": [table.games[g] for g in table.game],
            "run": list(range(len(table.game))),
            "alice": [table.models[m] for m in table.alice],
            "bob": [table.models[m] for m in table.bob],
            "margin": table.margin,
            "weight": weight,
        }
    )
    repeated = rows.take(np.repeat(np.arange(len(weight)), weight.astype(np.int64)))
    want = strengths(slot_table(repeated.drop_columns("weight")))
    np.testing.assert_allclose(strengths(slot_table(rows)), want, atol=1e-10)


def test_per_game_strengths_are_fits_of_the_games_rows(table: SlotTable) -> None:
    """N4."""
    found = game_strengths(table)
    for k, game in enumerate(table.games):
        part = table.only_games([game])
        assert part.models == table.models
        np.testing.assert_allclose(found[k], naive_strengths(part), atol=1e-10)
    np.testing.assert_allclose(game_average(table), found.mean(axis=0))


def test_a_disconnected_game_is_missing_not_guessed() -> None:
    """N4: on g two pairs never met each other; h connects all."""
    table = rows_of("g:a-b g:c-d h:a-b h:b-c h:c-d")
    found = game_strengths(table)
    assert np.isnan(found[0]).all()
    assert np.isfinite(found[1]).all()
    assert np.isfinite(strengths(table)).all()
    assert np.isnan(game_average(table)).all()


def test_a_model_that_does_not_play_a_game_is_missing_there_only() -> None:
    """N4, appendix G: the contrast runs over the models that play the game."""
    table = rows_of("g:a-b h:a-b h:b-c", [2.0, 1.0, 1.0])
    found = game_strengths(table)
    np.testing.assert_allclose(found[0, :2], [1.0, -1.0])
    assert np.isnan(found[0, 2])
    np.testing.assert_allclose(found[1], [1.0, 0.0, -1.0], atol=1e-12)


def test_models_that_never_met_even_indirectly_can_not_be_compared() -> None:
    """N4: all strengths are missing; the largest group alone can be rated."""
    table = rows_of("g:a-b g:c-d g:d-e")
    assert np.isnan(strengths(table)).all()
    assert largest_group(table)[0].models == ("c", "d", "e")
    assert largest_group(table)[1] == ("a", "b")


def test_many_models_have_the_strengths_that_few_have(table: SlotTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """A single fit of many goes by the pairs that met; in a chain that takes as many steps as there are links."""
    chain = rows_of(" ".join(f"g:m{k:02d}-m{k + 1:02d}" for k in range(60)))
    apart, some = rows_of("g:a-b g:c-d"), cells_of(rows_of("g:a-b g:b-c h:c-d"))
    idle = some.select(np.array([True, True, False]))  # d does not play in it
    data: tuple[SlotTable | Cells, ...] = (table, chain, apart, idle)
    want = [strengths(one) for one in data]
    monkeypatch.setattr(strength, "MANY", 1)
    monkeypatch.setattr(strength, "_solve", lambda *_: pytest.fail("all pairs"))
    for one, wanted in zip(data, want, strict=True):
        np.testing.assert_allclose(strengths(one), wanted, rtol=1e-9, atol=1e-12)


def test_pair_margins_are_the_mean_margins_of_pairs(table: SlotTable) -> None:
    """Appendix J: both seats together, from the row's point of view."""
    found = pair_margins(table)
    mine = ((table.alice == 0) & (table.bob == 1)) | ((table.alice == 1) & (table.bob == 0))
    assert mine.any()
    signed = np.where(table.alice == 0, table.margin, -table.margin)[mine]
    assert found[0, 1] == pytest.approx(signed.mean())
    assert found[1, 0] == pytest.approx(-signed.mean())


def test_the_spread_of_a_game_is_that_of_its_signed_margins(table: SlotTable) -> None:
    """N9: population standard deviation of Alice's margins over Bob."""
    want = [table.margin[table.game == g].std() for g in range(len(table.games))]
    np.testing.assert_allclose(game_spread(cells_of(table)), want, rtol=1e-10)


# ------------------------------------------------------------------------------------------ bootstraps


def test_weights_are_multinomial_and_the_first_are_the_same_for_any_number() -> None:
    weights = multinomial_weights(7, 5_000, seed=9)
    assert (weights.sum(axis=1) == 7).all()
    assert weights.mean(axis=0) == pytest.approx(np.ones(7), abs=0.06)
    assert weights.var(axis=0) == pytest.approx(np.full(7, 6 / 7), abs=0.08)
    np.testing.assert_array_equal(multinomial_weights(7, 300, seed=9), weights[:300])
    assert not np.array_equal(multinomial_weights(7, 300, seed=8), weights[:300])


def test_every_replicate_is_the_fit_of_its_resampled_rows(table: SlotTable) -> None:
    """N6: sums against rows repeated as often as their cluster was drawn, overall and by game."""
    drawn = cluster_bootstrap(table, 20, seed=4)
    weights = multinomial_weights(table.clusters, 20, seed=4)
    overall, by_game = strengths(drawn), game_strengths(drawn)
    spread = game_spread(drawn)
    for b in range(20):
        counts = weights[b][table.cluster]
        np.testing.assert_allclose(overall[b], naive_strengths(table, counts), atol=1e-9)
        margins = np.repeat(table.margin[table.game == 1], counts[table.game == 1].astype(np.int64))
        assert spread[b, 1] == pytest.approx(margins.std())
        part = table.game == 1
        if np.isfinite(by_game[b, 1]).all():
            want = naive_strengths(table.only_games([table.games[1]]), counts[part])
            np.testing.assert_allclose(by_game[b, 1], want, atol=1e-9)


def test_a_replicate_that_loses_a_model_of_a_game_is_missing() -> None:
    """N6: its contrast would be another one; with both clusters drawn it is there."""
    table = rows_of("g:a-b g:b-c")
    found = strengths(cluster_bootstrap(table, 200, seed=1))
    both = (multinomial_weights(2, 200, seed=1) > 0.0).all(axis=1)
    assert 0 < both.sum() < 200
    np.testing.assert_array_equal(np.isfinite(found).all(axis=1), both)
    assert np.isnan(found[~both]).all()


def test_clusters_are_drawn_whole() -> None:
    """N6: the two matches of a run always come together, so that the cards' luck cancels in every replicate."""
    t = planted.truth(3, 2, seed=1, slope=0.0)
    table = slot_table(planted.play(t, runs=5, seed=2, noise=0.0, deal=10.0))
    assert table.clusters == len(table.margin) // 2
    found = strengths(cluster_bootstrap(table, 50, seed=1))
    np.testing.assert_allclose(found, np.tile(t.overall, (50, 1)), atol=1e-9)


def test_results_do_not_depend_on_the_order_of_the_rows() -> None:
    """N6, D3: the same slots in another order give the same clusters, and the same replicates."""
    rows = planted.play(planted.truth(4, 3, seed=1), runs=2, seed=2, whole=True)
    order = np.random.default_rng(0).permutation(rows.num_rows)
    first, second = (cluster_bootstrap(slot_table(part), 50, seed=1) for part in (rows, rows.take(order)))
    np.testing.assert_array_equal(first.total, second.total)
    np.testing.assert_array_equal(first.squares, second.squares)
