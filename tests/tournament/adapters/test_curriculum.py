"""Curricula: what is drawn, how often, in which order, from which side, and that nothing depends on anything else."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow.parquet as pq
import pytest

import antemill as am
from antemill.axes.table import AXES
from antemill.engine.builder.generate import generate
from antemill.engine.errors import UsageError
from antemill.engine.rules.same import canonical_digest
from antemill.tournament.adapters import Curriculum, Growth, refuse_benchmark
from antemill.tournament.pool.layout import open_pool
from antemill.tournament.pool.select import read_points, select_games, write_benchmark
from antemill.tournament.pool.split import SIDES, split_pool
from tests.tournament.pool.pool_jobs import scored_pool

HALVES = (0.5, 0.2, 0.3)


def whole(**options: Any) -> Curriculum:
    """Of all games of the pool of the tests."""
    return Curriculum(scored_pool(), side=None, **options)


def digests_of(course: Curriculum) -> set[str]:
    return {game.digest for game in course.games}


def test_a_game_is_what_the_pool_says_and_what_its_seed_builds() -> None:
    points = read_points(open_pool(scored_pool()))
    games = list(whole().games)
    assert [game.seed for game in games] == points.seeds.tolist()
    for game, axes in zip(games, points.values, strict=True):
        assert game.spec == generate(game.seed)
        assert game.digest == canonical_digest(game.spec)
        assert game.axes == dict(zip(AXES, axes.tolist(), strict=True))
    drawn = whole(seed=3).draw(200)
    assert set(drawn_digests(drawn)) == digests_of(whole())
    assert all(game == games[[one.seed for one in games].index(game.seed)] for game in drawn[:5])


def test_games_are_drawn_in_disguise_as_often_as_themselves() -> None:
    course = whole(seed=3, disguises=2)
    drawn = course.draw(90)
    assert [game.seed for game in drawn] == [game.seed for game in whole(seed=3).draw(90)]
    counts = Counter(game.disguise for game in drawn)
    assert len(counts) == 3
    assert all(15 <= count <= 45 for count in counts.values())
    for game in drawn[:12]:
        assert canonical_digest(game.spec) == game.digest
        want = generate(game.seed)
        assert game.spec == (want if game.disguise is None else am.disguise(want, game.disguise).game)
    kept = course.state()
    after = course.draw(5)
    course.restore(kept)
    assert course.draw(5) == after
    with pytest.raises(UsageError, match="another curriculum"):
        whole(seed=3).restore(kept)


def drawn_digests(drawn: list[Any]) -> list[str]:
    return [game.digest for game in drawn]


def test_sides_are_those_of_pool_split_and_its_files_are_taken_whole(tmp_path: Path) -> None:
    split = split_pool(scored_pool(), tmp_path, HALVES)
    for side in SIDES:
        want = set(pq.read_table(split.files[side])["canonical_digest"].to_pylist())
        assert want
        assert digests_of(Curriculum(scored_pool(), side=side, shares=HALVES)) == want
        assert digests_of(Curriculum(split.files[side])) == want
    assert len(whole()) == sum(split.games.values())


def test_ranges_hold_both_ends() -> None:
    values = sorted(game.axes["risk"] for game in whole().games)
    ranges = {"risk": (values[3], values[9]), "complexity": (0.0, 0.6)}
    want = {
        game.digest for game in whole().games if values[3] <= game.axes["risk"] <= values[9] and game.complexity <= 0.6
    }
    assert 0 < len(want) < 7
    course = whole(ranges=ranges)
    assert digests_of(course) == want == {game.digest for game in course.draw(100)}


def test_weights_are_ratios_between_the_least_and_the_most() -> None:
    """Ranks go from 0 to 1, so that game number k of n, in ascending order, is drawn r^(k / (n - 1)) times as often."""
    course = whole(weights={"complexity": 8.0, "risk": 0.5}, seed=4)
    games, draws = list(course.games), 10_000
    expected = np.ones(len(games))
    for name, ratio in (("complexity", 8.0), ("risk", 0.5)):
        values = [game.complexity if name == "complexity" else game.axes[name] for game in games]
        expected *= ratio ** (np.argsort(np.argsort(values)) / (len(games) - 1))
    expected *= draws / expected.sum()
    counts = Counter(drawn_digests(course.draw(draws)))
    found = np.array([counts[game.digest] for game in games])
    assert ((found - expected) ** 2 / expected).sum() < len(games) + 5 * np.sqrt(2 * len(games))


def test_a_growth_opens_the_easiest_games_first() -> None:
    course = whole(growth=Growth(by="state_space", start=0.2, step=0.4, target=1.0, window=3))
    ordered = [game.digest for game in sorted(course.games, key=lambda game: game.axes["state_space"])]
    first, second = -(-len(ordered) // 5), -(-len(ordered) * 3 // 5)
    assert set(drawn_digests(course.draw(100))) == set(ordered[:first])
    for score in (2.0, 2.0, -2.0, 2.0):  # windows: 2/3, 2/3
        course.report(score)
        assert course.open == 0.2
    course.report(3.0)  # -2, 2, 3: the mean is the target
    assert course.open == pytest.approx(0.6)
    assert set(drawn_digests(course.draw(200))) == set(ordered[:second])
    course.report(9.0)
    course.report(9.0)
    assert course.open == pytest.approx(0.6)  # the window started over
    course.report(9.0)
    assert course.open == 1.0
    assert set(drawn_digests(course.draw(300))) == set(ordered)


GROWING = Growth(start=0.3, step=0.2, target=0.0, window=2)


def test_draws_are_a_function_of_the_seed_and_go_on_from_a_state() -> None:
    course = whole(seed=7, weights={"risk": 2.0}, growth=GROWING)
    course.draw(5)
    for score in (1.0, 1.0, 1.0):
        course.report(score)
    kept = json.loads(json.dumps(course.state()))
    rest = drawn_digests(course.draw(50))
    again = whole(seed=7, weights={"risk": 2.0}, growth=GROWING)
    again.restore(kept)
    assert drawn_digests(again.draw(50)) == rest
    again.report(1.0)
    course.report(1.0)
    assert again.open == course.open > kept["open"]
    one, other = whole(seed=7), whole(seed=8)
    assert drawn_digests(one.draw(50)) == drawn_digests(whole(seed=7).draw(50)) != drawn_digests(other.draw(50))


@pytest.mark.parametrize(
    "options",
    [
        {"seed": 8},
        {"growth": GROWING},
        {"weights": {"risk": 2.0}},
        {"ranges": {"complexity": (0.0, 0.7)}},
        {"seed": 7, "side": "train"},
    ],
)
def test_the_state_of_another_curriculum_is_refused(options: dict[str, Any]) -> None:
    kept = whole(seed=7).state()
    other = Curriculum(scored_pool(), **{"side": None, "seed": 7, **options})
    with pytest.raises(UsageError, match="this state is of another curriculum: make it with the same games"):
        other.restore(kept)
    with pytest.raises(UsageError, match=r"this is no state of a curriculum .*: use what state\(\) returned"):
        other.restore({"drawn": 3})


# ------------------------------------------------------------------------------------------ benchmarks


def test_a_benchmark_s_games_are_drawn_only_if_that_is_said(tmp_path: Path) -> None:
    pool = Path(shutil.copytree(scored_pool(), tmp_path / "pool"))
    benchmark = select_games(pool, 6)
    held = set(benchmark["canonical_digest"].to_pylist())
    write_benchmark(tmp_path / "bench.parquet", benchmark)
    split = split_pool(pool, tmp_path / "split", (1.0, 0.0, 0.0))  # without saying which games are a benchmark's
    train = split.files["train"]
    assert held <= digests_of(Curriculum(train))
    named: dict[str, Any] = {"benchmarks": [tmp_path / "bench.parquet"]}
    everything = (1.0, 0.0, 0.0)
    refused = (
        r"6 of the games of .* are a benchmark's \(the first has the digest [0-9a-f]{32}\), on which players are tested"
    )
    for source, side in ((train, "train"), (pool, None)):
        with pytest.raises(UsageError, match=refused):
            Curriculum(source, side=side, **named)
        assert held <= digests_of(Curriculum(source, side=side, benchmark_games=True, **named))
    assert not held & digests_of(Curriculum(pool, shares=everything, **named))
    assert digests_of(Curriculum(pool, side="holdout", shares=everything, **named)) == held
    write_benchmark(pool / "benchmark.parquet", benchmark)  # as `antemill run` leaves it
    assert not held & digests_of(Curriculum(pool, shares=everything))
    specs = [game.spec for game in Curriculum(pool, shares=everything).games]
    refuse_benchmark(specs, [tmp_path / "bench.parquet"])
    renamed = msgspec.structs.replace(generate(int(benchmark["seed"][0].as_py())), name="Another")
    with pytest.raises(UsageError, match="1 of the games of this list are a benchmark's"):
        refuse_benchmark([*specs, renamed], [tmp_path / "bench.parquet"])


# ------------------------------------------------------------------------------------------ refusals
