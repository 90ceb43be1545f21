"""Local jaggedness (N9): against a naive version, its definition's constants, and planted roughness."""

from __future__ import annotations

import numpy as np
import pytest

from antemill.tournament.statistics.analysis import examine
from antemill.tournament.statistics.cells import cells_of, game_spread
from antemill.tournament.statistics.correlation import correlate
from antemill.tournament.statistics.game_axes import GameAxes
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.jaggedness import (
    SWEEP,
    Jaggedness,
    jaggedness,
    local_jaggedness,
    neighbourhoods,
    studentized,
    sweep,
)
from antemill.tournament.statistics.matches import slot_table
from antemill.tournament.statistics.strength import game_strengths, strengths
from tests.tournament.statistics import genstrat_tables as paper
from tests.tournament.statistics.planted import Truth, play, truth


def naive(z: Floats, axes: Floats, neighbours: int) -> list[float]:
    """J by the formula, one model and one game at a time."""
    low, high = axes.min(axis=0), axes.max(axis=0)
    scaled = (axes - low) / (high - low)
    found = []
    for m in range(z.shape[1]):
        spreads = []
        for g in range(len(axes)):
            by_distance = sorted(range(len(axes)), key=lambda h: (h != g, np.linalg.norm(scaled[h] - scaled[g]), h))
            near = [z[h, m] for h in by_distance[: neighbours + 1]]
            mean = sum(near) / len(near)
            spreads.append((sum((value - mean) ** 2 for value in near) / len(near)) ** 0.5)
        found.append(sum(spreads) / len(spreads))
    return found


def points(games: int = 20, models: int = 3) -> tuple[Floats, Floats]:
    random = np.random.default_rng(4)
    return random.normal(size=(games, models)) + 3.0, random.normal(size=(games, 6)) * [1, 10, 0.1, 1, 5, 2]


@pytest.mark.parametrize("neighbours", [1, 3, 7, 19])
def test_jaggedness_is_that_of_the_formula(neighbours: int) -> None:
    z, axes = points()
    assert local_jaggedness(z, axes, neighbours=neighbours).values == pytest.approx(naive(z, axes, neighbours))


def test_replicates_are_computed_as_the_estimate_is() -> None:
    z, axes = points()
    drawn = np.stack([z, 2.0 * z, z + 1.0])
    near = neighbourhoods(axes)
    want = np.array(naive(z, axes, 3))
    assert jaggedness(drawn, near) == pytest.approx(np.stack([want, 2.0 * want, want]))


def test_a_neighbourhood_begins_with_the_game_and_equal_distances_go_to_the_earlier_game() -> None:
    axes = np.array([[0.0, 5.0], [1.0, 5.0], [2.0, 5.0], [3.0, 5.0]])
    assert neighbourhoods(axes, 1).tolist() == [[0, 1], [1, 0], [2, 1], [3, 2]]
    assert neighbourhoods(np.zeros((3, 2)), 2).tolist() == [[0, 1, 2], [1, 0, 2], [2, 0, 1]]


def test_axes_are_normalised_by_their_range() -> None:
    axes = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 600.0], [10.0, 1000.0]])
    assert neighbourhoods(axes, 1)[0].tolist() == [0, 1]
    with pytest.raises(ValueError, match="4 games have no 4 neighbours"):
        neighbourhoods(axes, 4)


def test_gaps_are_left_out_of_neighbourhoods() -> None:
    z, axes = points()
    z[4, 1] = np.nan
    near = neighbourhoods(axes)
    spreads = []
    for row in near:
        values = z[row, 1]
        if np.isfinite(values[0]):
            spreads.append(np.nanstd(values))
    found = jaggedness(z, near)
    assert found[1] == pytest.approx(np.mean(spreads))
    assert found[[0, 2]] == pytest.approx(np.array(naive(np.nan_to_num(z), axes, 3))[[0, 2]])
    z[:, 2] = np.nan
    assert np.isnan(jaggedness(z, near)[2])


def test_the_sweep_compares_orders_with_three_neighbours() -> None:
    z, axes = points(games=12)
    found = sweep(z, axes)
    assert found.sizes == SWEEP == (2, 3, 4, 5, 7, 10, 15)
    assert found.agreement[1] == pytest.approx(1.0)
    assert found.values[3] == pytest.approx(naive(z, axes, 5))
    assert found.mean[3] == pytest.approx(np.mean(naive(z, axes, 5)))
    assert np.isnan(found.mean[-1])
    assert np.isnan(found.agreement[-1])


def test_the_papers_mean_of_nine_lies_between_those_of_its_sweep_and_orders_agree() -> None:
    """Appendix N: .067 at K = 2 and .099 at K = 15; one swap of ranks three and four of nine is .983."""
    printed = paper.column("jaggedness", "J")
    assert printed.mean() == pytest.approx(0.0741, abs=5e-5)
    assert 0.067 < printed.mean() < 0.099
    swapped = printed.copy()
    order = np.argsort(-printed)
    swapped[order[2]], swapped[order[3]] = printed[order[3]], printed[order[2]]
    assert correlate(printed, swapped).spearman == pytest.approx(0.983, abs=5e-4)


def test_planted_roughness_is_recovered_and_a_smooth_model_is_smoother() -> None:
    t = truth(6, 40, seed=3, slope=0.0, rough=0.6)
    smooth = t.strengths.copy()
    smooth[:, 2] = t.overall[2]
    t = type(t)(t.axes, t.overall, t.slopes, smooth - smooth.mean(axis=1, keepdims=True))
    table = slot_table(play(t, runs=60, seed=4))
    cells = cells_of(table)
    z = studentized(game_strengths(cells), strengths(cells), game_spread(cells))
    found = local_jaggedness(z, t.axes)
    gaps = t.strengths[:, :, None] - t.strengths[:, None, :]
    scale = np.sqrt(2.0**2 + 1.0**2 + (gaps**2).sum(axis=(1, 2)) / 30)
    want = naive((t.strengths - t.strengths.mean(axis=0)) / scale[:, None], t.axes, 3)
    assert found.values == pytest.approx(want, abs=0.02)
    assert int(np.argmin(found.values)) == 2


def without_noise(t: Truth, runs: int, seed: int, noise: float = 2.0) -> Jaggedness:
    axes = GameAxes(t.axes, np.full(len(t.games), np.nan), "planted", {})
    return examine(play(t, runs=runs, seed=seed, noise=noise, deal=4.0), axes_of=lambda _: axes).jagged


def test_too_few_games_have_no_jaggedness() -> None:
    z, axes = points(games=3)
    assert np.isnan(local_jaggedness(z, axes).values).all()
    assert np.isnan(local_jaggedness(z[:0], axes[:0]).values).all()


def test_models_that_are_as_strong_everywhere_are_not_jagged() -> None:
    """J = 0: half of the estimates are zero, nearly all intervals begin there, and the test is fair."""
    t = truth(5, 12, seed=3, slope=0.0)
    found = [without_noise(t, runs=5, seed=seed) for seed in range(24)]
    smooth, p = np.array([each.smooth for each in found]), np.array([each.p for each in found])
    assert np.mean([each.interval.low for each in found] == np.zeros((24, 5))) >= 0.93
    assert 0.3 <= np.mean(smooth == 0.0) <= 0.75
    assert np.mean(p < 0.05) < 0.1
    assert 0.4 < np.mean(p) < 0.6
    assert np.mean([each.values for each in found]) > 2.0 * smooth.mean()


def test_without_noise_agrees_with_the_root_mean_square_where_there_is_hardly_any() -> None:
    t = truth(5, 12, seed=3, rough=0.7)
    found = without_noise(t, runs=8, seed=1, noise=0.05)
    assert (found.smooth >= found.values).all()  # a root mean square beside a mean
    assert found.smooth == pytest.approx(found.values, rel=0.2)
    assert ((found.interval.low < found.smooth) & (found.smooth < found.interval.high)).all()
    assert (found.interval.high - found.interval.low < 0.2 * found.smooth).all()
    assert (found.p < 1e-6).all()


def test_a_model_with_unknown_noise_has_no_jaggedness_without_it() -> None:
    z, axes = points()
    noise = np.full(z.shape, 0.01)
    noise[3, 1] = np.nan
    found = local_jaggedness(z, axes, noise)
    assert np.isfinite(found.values).all()
    assert np.isnan(found.smooth).tolist() == [False, True, False]
    assert np.isnan(found.interval.high).tolist() == [False, True, False]
