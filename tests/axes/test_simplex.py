"""Random opponents: the Sobol sequence, its scrambling, and the map to simplices."""

from pathlib import Path

import numpy as np
import pytest

from antemill.axes import sobol
from antemill.axes.grouping import FloatArray, decisions
from antemill.axes.simplex import (
    dirichlet_policies,
    legal_actions,
    scrambled,
    sobol_policies,
)
from antemill.axes.sobol import MAX_DIMENSIONS, directions, from_points, from_table, read_table
from tests.axes.axis_games import program


def points(dimensions: int, count: int, key: int) -> FloatArray:
    """The first points, from the table as far as it goes."""
    return scrambled(directions(min(dimensions, MAX_DIMENSIONS)), dimensions, np.arange(count), key)


def test_direction_numbers_are_those_of_scipy_in_every_dimension() -> None:
    from scipy.stats import qmc

    numbers = directions(300)
    word = np.zeros(300, np.int64)
    points = [word]
    for i in range(1, 512):
        word = word ^ numbers[:, (i & -i).bit_length() - 1]
        points.append(word)
    want = qmc.Sobol(300, scramble=False).random_base2(9)
    assert np.array_equal(np.array(points) * 2.0**-32, want)


def test_the_table_is_read_as_scipy_reads_it() -> None:
    table = read_table(3_000)
    assert table is not None
    assert np.array_equal(from_table(table), from_points(3_000))


@pytest.mark.parametrize("content", [None, b"PK\x03\x04 a damaged archive"])
def test_a_scipy_without_the_table_gives_the_same_numbers(
    content: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    want = directions(100)
    if content is not None:
        (tmp_path / "table.npz").write_bytes(content)
    monkeypatch.setattr(sobol, "_FILE", str(tmp_path / "table.npz"))
    sobol._directions.cache_clear()
    assert read_table(100) is None
    assert np.array_equal(directions(100), want)
    sobol._directions.cache_clear()


@pytest.mark.parametrize("count", [8, 64])
def test_scrambled_points_fill_every_stratum_of_every_dimension_once(count: int) -> None:
    found = points(40, count, 7)
    assert np.array_equal(np.sort(np.floor(found * count), axis=0), np.tile(np.arange(count)[:, None], 40))


def test_scrambled_points_fill_every_cell_of_the_first_two_dimensions_once() -> None:
    """The first two dimensions of a Sobol sequence are a (0, 2)-sequence, and scrambling keeps that."""
    found = points(2, 64, 7)
    for rows in (1, 2, 4, 8, 16, 32, 64):
        cells = np.floor(found * [rows, 64 // rows]).astype(int)
        assert len({tuple(cell) for cell in cells}) == 64


@pytest.mark.parametrize("name", ["appendix-b", "every construct"])
@pytest.mark.parametrize("seat", [0, 1])
def test_policies_are_distributions_over_the_legal_actions_of_one_seat(name: str, seat: int) -> None:
    types = decisions(program(name))
    weights = sobol_policies(types, seat, np.arange(16), 3)
    assert weights.shape == (16, types.offsets[-1])
    for d, who in enumerate(types.seats):
        own = weights[:, types.offsets[d] : types.offsets[d + 1]]
        assert own.sum(axis=1) == pytest.approx(np.full(16, float(who == seat)))
        assert (own[:, : types.lows[d]] == 0.0).all()
        assert (own[:, types.lows[d] :] > 0.0).all() == (who == seat)
    assert np.array_equal(np.flatnonzero(weights.any(axis=0)), legal_actions(types, seat))


def test_both_kinds_are_uniform_on_the_simplex() -> None:
    """A coordinate of Dirichlet(1, 1, 1, 1), an auction's bid, has mean 1/4 and variance 3/80; n = 1,000."""
    types = decisions(program("appendix-b"))
    bid = next(d for d, kind in enumerate(program("appendix-b").names.decisions) if kind.high == 3)
    assert types.seats[bid] == 0
    error = np.sqrt(3 / 80 / 1000)
    for weights in (sobol_policies(types, 0, np.arange(1000), 3), dirichlet_policies(types, 1000, 3)):
        own = weights[:, types.offsets[bid] : types.offsets[bid + 1]]
        assert abs(own.mean(axis=0) - 1 / 4).max() < 5 * error
        assert own.var(axis=0) == pytest.approx(np.full(4, 3 / 80), rel=0.25)


def test_too_many_opponents_are_refused_in_a_sentence() -> None:
    with pytest.raises(ValueError, match="2000 Sobol opponents are too many: at most 1024 are possible"):
        sobol_policies(decisions(program("kuhn")), 0, np.arange(2000), 1)
