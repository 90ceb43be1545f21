"""Reliability of a pool's scores, and stability of selections: coverage, simulated and real further plays."""

import shutil
from pathlib import Path

import msgspec
import numpy as np
import pytest

from antemill.axes import AXES, score
from antemill.axes.reliability import reliability
from antemill.axes.scores import default_seed
from antemill.axes.select import farthest_points
from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.tournament.pool.layout import open_pool
from antemill.tournament.pool.retest import Retest, read_retest, select_from_plays, survivors, survivors_of
from antemill.tournament.pool.score import score_pool
from antemill.tournament.pool.select import Limits, Points, read_points, select_games
from antemill.tournament.pool.stats import as_document, examine_pool
from antemill.tournament.report.pool import page_of_run
from antemill.tournament.report.pool_tables import pool_axes
from tests.tournament.pool.pool_jobs import scored_pool


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    """A copy of a finished pool with fast scores."""
    folder = Path(shutil.copytree(scored_pool(), tmp_path / "pool"))
    score_pool(folder, "fast", workers=1)
    return folder


def truths(kind: str, random: np.random.Generator, size: int) -> np.ndarray:
    """Games' axes with variance 1."""
    if kind == "normal":
        return random.normal(size=size)
    if kind == "skewed":
        return random.exponential(size=size)
    found: np.ndarray = random.exponential(size=size) * (random.random(size) < 0.5) / np.sqrt(0.75)  # half are zero
    return found


@pytest.mark.parametrize(("kind", "share"), [("normal", 0.9), ("zero-inflated", 0.4)])
def test_the_interval_holds_the_reliability(kind: str, share: float) -> None:
    """95% on paper; with a hundred games of a skewed axis a percentile interval holds a few per cent less."""
    held, errors, worlds = 0, [], 100
    for world in range(worlds):
        random = np.random.default_rng([world, len(kind)])
        truth, noise = truths(kind, random, 100), np.sqrt(1 / share - 1)
        found = reliability(*(truth + random.normal(0, noise, 100) for _ in range(2)))
        held += found.low <= share <= found.high
        errors.append(found.error)
    assert np.mean(errors) == pytest.approx(noise, rel=0.03)
    assert 0.82 <= held / worlds <= 0.99


def test_a_pool_is_played_twice_and_says_how_reliable_its_axes_are(pool: Path) -> None:
    points = read_points(open_pool(pool))
    retest = read_retest(open_pool(pool), "fast", points)
    assert retest is not None
    assert retest.first.tolist() == points.values.tolist()  # fewer than a hundred
    program = compile_spec(generate(int(points.seeds[2])))
    assert tuple(retest.second[2]) == score(program, "fast", default_seed(program) ^ 1).point()
    report = examine_pool(pool)
    assert report.stats is not None
    assert report.retest is not None
    document = as_document(report)["axes"]["brittleness"]
    assert document["reliability"] < as_document(report)["axes"]["state_space"]["reliability"]
    assert document["reliability_low"] < document["reliability"] < document["reliability_high"]
    sheet = pool_axes(report, report.stats)
    errors = [row[[column.key for column in sheet.columns].index("standard_error")] for row in sheet.rows]
    assert errors == [report.retest[axis].error for axis in AXES]


def test_the_survivors_of_a_benchmark_are_known_from_its_file_if_it_was_chosen_from_all_games(pool: Path) -> None:
    opened = open_pool(pool)
    points, all_games = read_points(opened), select_from_plays(pool, 4)
    assert all_games.benchmark.equals(select_games(pool, 4))
    assert all_games.survivors is not None
    assert survivors_of(opened, "fast", points, all_games.benchmark) == all_games.survivors
    some = select_from_plays(pool, 3, limits=Limits(f"state_space < {np.median(points.values[:, 0])}"))
    assert some.survivors is not None
    assert survivors_of(opened, "fast", points, some.benchmark) is None
    report = page_of_run(examine_pool(pool), all_games.benchmark, pool / "benchmark.parquet")
    assert f"measured again, {all_games.survivors:.0f} of them would be selected" in report


def test_the_simulated_survivors_are_those_of_real_plays(pool: Path) -> None:
    """A world in which both can be computed: many games, noise on one axis, and real second plays."""
    random = np.random.default_rng(7)
    truth = random.random((400, len(AXES)))
    noise = np.array([0, 0, 0, 0.02, 0.02, 0.4])

    def play() -> np.ndarray:
        found: np.ndarray = truth + random.normal(size=truth.shape) * noise
        return found

    first, second, able = play(), play(), np.arange(400)
    points = Points(first, able, [], [])
    retest = Retest(first[::4], second[::4])
    chosen = farthest_points(first, 40, able)
    again = [len(set(chosen) & set(farthest_points(play(), 40, able))) for _ in range(30)]
    assert survivors(points, able, chosen, (), retest) == pytest.approx(np.mean(again), abs=4)
    still = msgspec.structs.replace(retest, second=retest.first)
    assert survivors(points, able, chosen, (), still) == 40
    pinned = chosen[:30].tolist()
    assert survivors(points, able, farthest_points(first, 40, able, pinned), pinned, retest) >= 30
    assert select_from_plays(pool, 4, limits=Limits("state_space < 3")).survivors is not None


def test_what_does_not_vary_has_no_reliability() -> None:
    found = reliability(np.ones(5), np.ones(5))
    assert found.error == 0.0
    assert all(np.isnan(value) for value in (found.share, found.low, found.high))
    assert reliability(np.arange(5.0), np.arange(5.0)).share == 1.0
    with pytest.raises(ValueError, match="two plays of the same games"):
        reliability(np.ones(5), np.ones(4))
