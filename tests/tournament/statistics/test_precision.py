"""Errors of strengths and slopes: closed forms against simulation, refits and statsmodels; the stratified bootstrap."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pytest

from antemill.tournament.statistics import precision
from antemill.tournament.statistics.bootstrap import stratified_bootstrap
from antemill.tournament.statistics.cells import cells_of
from antemill.tournament.statistics.estimates import estimate, slope_errors_of, strength_errors
from antemill.tournament.statistics.game_axes import GameAxes, no_axes
from antemill.tournament.statistics.matches import Integers, SlotTable, from_codes, slot_table
from antemill.tournament.statistics.profile import slope_errors, zscore
from antemill.tournament.statistics.rare import rare_pots, warning
from antemill.tournament.statistics.strength import game_average, game_strengths, strengths
from tests.seeds import size
from tests.tournament.statistics.planted import SHAPES, Truth, play, truth


def table_of(margins: dict[tuple[int, int, int], list[tuple[float, float]]]) -> SlotTable:
    """A table from (game, low, high) -> margins of low over high in both matches of each run."""
    rows = [
        (game, run, *seats, margin if seats[0] == low else -margin)
        for (game, low, high), runs in margins.items()
        for run, both in enumerate(runs)
        for seats, margin in zip(((low, high), (high, low)), both, strict=True)
    ]
    game, run, alice, bob, margin = (np.array(column) for column in zip(*rows, strict=True))
    names = tuple(f"m{k}" for k in range(int(max(alice.max(), bob.max())) + 1))
    return from_codes(names, tuple(f"g{k}" for k in range(int(game.max()) + 1)), game, run, alice, bob, margin)


def test_the_noise_of_a_cell_is_that_of_its_runs_not_of_its_matches() -> None:
    """Runs sum to 2, 4 and 6 with all cards: variance 4 of a run, 12 of the three."""
    noise = precision.noise_of(table_of({(0, 0, 1): [(101.0, -99.0), (-48.0, 52.0), (3.0, 3.0)]}))
    assert noise.variance == pytest.approx([12.0])
    assert noise.freedom == pytest.approx([2.0])
    assert noise.row == pytest.approx([2.0])


def test_a_cell_of_one_run_borrows_the_noise_of_its_game() -> None:
    met_often = [(0.0, 0.0), (4.0, 4.0), (8.0, 8.0)]  # runs 0, 8, 16: 32 a row
    quiet = [(1.0, 1.0), (2.0, 2.0), (3.0, 3.0)]  # 2 a row
    noise = precision.noise_of(
        table_of({(0, 0, 1): met_often, (0, 1, 2): [(5.0, 7.0)], (1, 0, 1): quiet, (1, 1, 2): quiet})
    )
    common = (2 * 32.0 + 4 * 2.0) / 6
    loud = (2 * 32.0 + 2 * common) / 4
    assert noise.row == pytest.approx([loud, (4 * 2.0 + 2 * common) / 6])
    assert noise.variance == pytest.approx([3 * 64.0, 2 * loud, 3 * 4.0, 3 * 4.0])
    assert noise.freedom == pytest.approx([2.0, 4.0, 2.0, 2.0])


def test_without_repetitions_there_is_no_error() -> None:
    table = slot_table(play(truth(4, 3, seed=1), runs=1, seed=2))
    found = precision.propagated(precision.overall_influence(cells_of(table)), precision.noise_of(table))
    assert np.isnan(found.interval(strengths(table)).low).all()
    assert np.isnan(strengths(stratified_bootstrap(table, 5))).all()


@pytest.mark.parametrize("uneven", [False, True])
def test_strengths_are_the_cells_sums_times_their_influence(uneven: bool) -> None:
    table = slot_table(play(truth(5, 4, seed=1, rough=1.0), runs=6, seed=2, share=0.5, uneven=uneven))
    cells = cells_of(table)
    influence = precision.game_influence(cells)
    by_game = np.array([cells.total[cells.game == g] @ influence[cells.game == g] for g in range(4)])
    assert cells.total @ precision.overall_influence(cells) == pytest.approx(strengths(cells))
    assert cells.total @ precision.average_influence(cells) == pytest.approx(game_average(cells))
    assert by_game == pytest.approx(game_strengths(cells))


@pytest.mark.slow
def test_errors_are_the_spread_of_tournaments_played_again() -> None:
    """On an uneven schedule with much luck of the cards; slopes and both kinds of strengths."""
    t = truth(4, 9, seed=1, rough=0.5)
    names = ("game", "alice", "bob", "run")
    schedule, whole = (play(t, runs=8, seed=3, uneven=uneven) for uneven in (True, False))
    kept = set(zip(*(schedule[name].to_pylist() for name in names), strict=True))
    mask = pa.array([key in kept for key in zip(*(whole[name].to_pylist() for name in names), strict=True)])
    assert len(kept) < len(mask)
    estimates, errors = [], []
    for seed in range(80):
        table = slot_table(play(t, runs=8, seed=seed, deal=8.0).filter(mask))
        cells, noise = cells_of(table), precision.noise_of(table)
        per_game = game_strengths(cells)
        slope = np.linalg.pinv(np.hstack([np.ones((9, 1)), zscore(t.axes)]))[1:] @ per_game
        found = [
            precision.propagated(f(cells), noise).error
            for f in (precision.overall_influence, precision.average_influence)
        ]
        found.append(slope_errors(t.axes, per_game, precision.game_influence(cells), cells.game, noise)[0].error)
        estimates.append(np.concatenate([strengths(cells), game_average(cells), slope.T.ravel()]))
        errors.append(np.concatenate([each.ravel() ** 2 for each in found]))
    want, got = np.std(estimates, axis=0), np.sqrt(np.mean(errors, axis=0))
    assert got == pytest.approx(want, rel=0.25)
    assert (got / want).mean() == pytest.approx(1.0, abs=0.04)


def test_the_jackknife_of_an_average_over_games_is_the_standard_error_of_the_mean() -> None:
    table = slot_table(play(truth(5, 8, seed=1, rough=1.0), runs=3, seed=2))
    want = game_strengths(table).std(axis=0, ddof=1) / np.sqrt(8)
    for fit in (strengths, game_average):
        found = precision.jackknife(cells_of(table), fit)
        assert found.error == pytest.approx(want)
        assert found.freedom.tolist() == [7.0] * 5


def test_robust_errors_are_those_of_statsmodels() -> None:
    import statsmodels.api as sm

    random = np.random.default_rng(1)
    design = np.hstack([np.ones((15, 1)), random.normal(size=(15, 4))])
    response = random.normal(size=(15, 2)) * np.exp(design[:, 1:2])
    response[3, 1] = np.nan
    found = precision.robust(design, response)
    for model in range(2):
        there = np.isfinite(response[:, model])
        fit = sm.OLS(response[there, model], design[there]).fit(cov_type="HC2")
        assert found.error[:, model] == pytest.approx(fit.bse)
    assert (found.freedom[:, 0] < 10.0).all()
    assert (found.freedom > 1.0).all()


def test_bell_and_mccaffreys_degrees_of_freedom_of_a_mean_are_one_less_than_the_observations() -> None:
    found = precision.robust(np.ones((12, 1)), np.random.default_rng(1).normal(size=(12, 1)))
    assert found.freedom == pytest.approx(np.array([[11.0]]))


def test_students_interval() -> None:
    found = precision.Error(np.array([2.0, 2.0]), np.array([3.0, np.inf])).interval(np.array([1.0, 1.0]))
    assert found.high == pytest.approx([1.0 + 2.0 * 3.18245, 1.0 + 2.0 * 1.95996], abs=1e-4)
    assert found.low == pytest.approx(2.0 - found.high)


@pytest.mark.parametrize("runs", [2, 9])
def test_the_stratified_bootstrap_keeps_the_schedule_and_has_the_right_spread(runs: int) -> None:
    """Also with two runs, of which an ordinary resample shows half of the variance."""
    table = slot_table(play(truth(3, 2, seed=1), runs=runs, seed=2))
    cells, drawn = cells_of(table), stratified_bootstrap(table, 4000, seed=1)
    np.testing.assert_allclose(drawn.count, np.broadcast_to(cells.count, drawn.count.shape))
    assert drawn.total.mean(axis=0) == pytest.approx(cells.total, abs=0.1 * np.abs(cells.total).max())
    assert drawn.total.var(axis=0) == pytest.approx(precision.noise_of(table).variance, rel=0.1)
    assert np.abs(np.corrcoef(drawn.total.T) - np.eye(len(cells.total))).max() < 0.08


def test_replicates_are_the_same_whatever_their_number() -> None:
    table = slot_table(play(truth(4, 3, seed=1), runs=4, seed=2, uneven=True))
    few, many = stratified_bootstrap(table, 5, seed=3), stratified_bootstrap(table, 50, seed=3)
    np.testing.assert_array_equal(few.total, many.total[:5])
    assert not np.array_equal(few.total, stratified_bootstrap(table, 5, seed=4).total)


def days(seed: int) -> tuple[SlotTable, SlotTable]:
    """Four models of one strength, each in better or worse form by the day; the table with and without its days."""
    random = np.random.default_rng(seed)
    rows = play(truth(4, 3, seed=1, slope=0.0, gap=0.0), runs=10, seed=seed, deal=4.0)
    form = random.normal(size=(10, 4))
    a, b = (np.array([int(name[1:]) for name in rows[seat].to_pylist()]) for seat in ("alice", "bob"))
    day = np.array(rows["run"])
    margin = pa.array(np.array(rows["margin"]) + form[day, a] - form[day, b])
    rows = rows.set_column(rows.column_names.index("margin"), "margin", margin)
    return slot_table(rows.append_column("cluster", pa.array([f"d{d}" for d in day]))), slot_table(rows)


def test_ten_days_are_nine_degrees_of_freedom() -> None:
    """What a day adds to all of a model's games is one draw a day, whatever the number of matches."""
    table, _ = days(0)
    found = precision.propagated(precision.overall_influence(cells_of(table)), precision.noise_of(table))
    assert found.freedom == pytest.approx([9.0] * 4)


class Codes(NamedTuple):
    """int64[rows]: what a row is of."""

    game: Integers
    pair: Integers
    run: Integers


Clusters = Callable[[Codes], Integers]
CLUSTERS: dict[str, Clusters] = {
    "days that overlap": lambda of: (10 * of.game + of.pair + of.run % 2) % 20,
    "half of the cells in one day": lambda of: np.where(
        (of.game + of.pair) % 2 == 0, 100 + (10 * of.game + of.pair) % 20, of.run % 4
    ),
}
ONE_A_CELL: dict[str, Clusters] = {
    "game": lambda of: of.game,
    "day": lambda of: (10 * of.game + of.pair) % 20,
}


def clustered(t: Truth, seed: int, cluster: Clusters) -> SlotTable:
    """Eight runs of every cell, with a column `cluster` that changes nothing about how they came to be."""
    rows = play(t, 8, seed)
    game, a, b = (np.array([int(name[1:]) for name in rows[key].to_pylist()]) for key in ("game", "alice", "bob"))
    pair = 5 * np.minimum(a, b) + np.maximum(a, b)
    codes = cluster(Codes(game, np.unique(pair, return_inverse=True)[1], np.array(rows["run"])))
    return slot_table(rows.append_column("cluster", pa.array(codes.astype(str))))


@pytest.mark.slow
@pytest.mark.parametrize("cluster", CLUSTERS.values(), ids=CLUSTERS)
def test_intervals_hold_the_truth_however_clusters_lie_across_cells(
    cluster: Clusters,
) -> None:
    t = truth(5, 8, 1)
    want = t.strengths.mean(axis=0)
    held, errors, drawn = [], [], []
    for seed in range(size(25, 60)):
        table = clustered(t, seed, cluster)
        found = precision.propagated(precision.overall_influence(cells_of(table)), precision.noise_of(table))
        interval = found.interval(strengths(table))
        held.append((interval.low <= want) & (want <= interval.high))
        errors.append(found.error)
        if seed < 10:
            drawn.append(strengths(stratified_bootstrap(table, 200)).var(axis=0))
    assert 0.91 <= np.mean(held) <= 0.985
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(0.0707, rel=0.06)  # 2 * sqrt(32 / 8 / 8 / 400)
    assert np.mean(drawn) == pytest.approx(np.mean(np.square(errors[:10])), rel=0.1)


@pytest.mark.parametrize("cluster", ONE_A_CELL.values(), ids=ONE_A_CELL)
def test_where_no_cell_has_two_clusters_there_is_no_interval(cluster: Clusters) -> None:
    table = clustered(truth(5, 8, 1), 0, cluster)
    found = precision.propagated(precision.overall_influence(cells_of(table)), precision.noise_of(table)).interval(
        strengths(table)
    )
    assert np.isnan([found.low, found.high]).all()
    assert np.isnan(strengths(stratified_bootstrap(table, 5))).all()


def test_intervals_hold_the_truth_where_runs_weigh_unlike() -> None:
    t = truth(5, 8, 1)
    held = []
    for seed in range(32):
        rows = play(t, 2, seed)
        weight = np.exp(np.random.default_rng(seed).normal(size=rows.num_rows // 2))
        table = slot_table(rows.append_column("weight", pa.array(np.tile(weight, 2))))
        found = precision.propagated(precision.average_influence(cells_of(table)), precision.noise_of(table)).interval(
            game_average(table)
        )
        held.append((found.low <= t.strengths.mean(axis=0)) & (t.strengths.mean(axis=0) <= found.high))
    assert 0.91 <= np.mean(held) <= 0.99


def test_the_error_for_games_like_these_is_never_the_smaller_one() -> None:
    """Few games may by chance differ less than the noise of their matches."""
    these = precision.Error(np.array([1.0, 1.0, np.nan, 1.0]), np.array([50.0, 50.0, 9.0, 50.0]))
    like = precision.Error(np.array([0.5, 3.0, 1.0, np.nan]), np.array([3.0, 3.0, 3.0, 3.0]))
    found = like.at_least(these)
    np.testing.assert_array_equal(found.error, [1.0, 3.0, 1.0, np.nan])
    assert found.freedom[:3].tolist() == [50.0, 3.0, 3.0]
    for seed in range(8):
        t = truth(4, 8, seed, slope=0.0)
        table = slot_table(play(t, runs=2, seed=seed))
        axes = no_axes(table.games)
        e = estimate(table, GameAxes(t.axes, axes.rulebook_length, "", {}), 2, 2)
        for first, second in (strength_errors(e), slope_errors_of(e)):
            point = np.zeros(first.error.shape)
            assert (second.interval(point).high >= first.interval(point).high).all()


def test_players_whose_mean_hangs_on_rare_pots_are_named_and_no_others() -> None:
    found = {}
    for shape in ("", *SHAPES):
        worlds = [slot_table(play(truth(4, 4, s), 8, s, shape=shape)) for s in range(10)]
        found[shape] = [len(rare_pots(table)) for table in worlds]
    assert np.mean(found.pop("jackpots")) > 3.0
    assert np.mean(found.pop("95% ties")) > 2.0  # five runs of a hundred decide
    assert max(max(each) for each in found.values()) == 0
    assert "few large pots decide the mean of m0, m2" in warning(("m0", "m2"))
    assert not warning(())


def test_as_many_slopes_as_games_have_no_error() -> None:
    random = np.random.default_rng(1)
    assert np.isnan(precision.robust(random.normal(size=(5, 5)), random.normal(size=(5, 2))).error).all()


def test_of_one_game_no_interval_is_for_games_like_it() -> None:
    """However often it is played, it does not say how games differ."""
    t = truth(4, 1, 0, slope=0.0)
    table = slot_table(play(t, runs=6, seed=0))
    e = estimate(table, no_axes(table.games), 20, 20)
    these, like = strength_errors(e)
    assert np.isfinite(these.error).all()
    assert not np.isfinite(like.error).any()
