"""Three sides of a pool: decided by the canonical digest, the benchmark's games held out."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from antemill.engine.errors import UsageError
from antemill.engine.storage.store import GAMES, programs, read
from antemill.tournament.pool.build import build_pool
from antemill.tournament.pool.score import score_pool
from antemill.tournament.pool.select import read_benchmark, select_games, write_benchmark
from antemill.tournament.pool.split import SIDES, side, split_pool
from antemill.tournament.pool.standard import HELD
from tests.tournament.pool.pool_jobs import scored_pool

SHARES = (0.6, 0.2, 0.2)
SIMPLE = (0.0, 0.0)


def sides_of(folder: Path) -> dict[str, str]:
    """The side of every game in a split, by digest."""
    return {
        digest: name
        for name in SIDES
        for digest in read(folder / f"{name}.parquet", GAMES)["canonical_digest"].to_pylist()
    }


def test_the_same_game_is_on_the_same_side_of_every_pool(tmp_path: Path) -> None:
    for name, seeds in (("small", (100, 130)), ("large", (90, 170)), ("other", (300, 360))):
        build_pool(tmp_path / name, seeds, SIMPLE, workers=1)
        split_pool(tmp_path / name, tmp_path / f"{name} split", SHARES)
    small, large, other = (sides_of(tmp_path / f"{name} split") for name in ("small", "large", "other"))
    assert small.items() <= large.items()
    common = large.keys() & other.keys()
    assert len(common) > 5
    assert all(large[digest] == other[digest] for digest in common)


def test_every_accepted_game_is_on_one_side_and_can_be_played(tmp_path: Path) -> None:
    pool = scored_pool()
    done = split_pool(pool, tmp_path, SHARES)
    parts = [read(path, GAMES) for path in sorted((pool / "games").iterdir())]
    accepted = [row["seed"] for part in parts for row in part.to_pylist()]
    found = [row["seed"] for name in SIDES for row in read(done.files[name], GAMES).to_pylist()]
    assert sorted(found) == accepted
    assert sum(len(list(programs(read(path, GAMES), "it"))) for path in done.files.values()) == len(accepted)
    assert done.games == {name: read(path, GAMES).num_rows for name, path in done.files.items()}


def test_shares_are_kept_and_a_larger_train_leaves_the_holdout() -> None:
    rng = random.Random(5)
    digests = [f"{rng.getrandbits(128):032x}" for _ in range(20_000)]
    counts = Counter(side(digest, SHARES) for digest in digests)
    assert all(abs(counts[name] / 20_000 - share) < 0.01 for name, share in zip(SIDES, SHARES, strict=True))
    for digest in digests:
        before, after = side(digest, SHARES), side(digest, (0.75, 0.05, 0.2))
        assert before == after or (before, after) == ("test", "train")
    assert {side(digest, (1.0, 0.0, 0.0)) for digest in digests} == {"train"}
    assert {side(digest, (0.0, 1.0, 0.0)) for digest in digests} == {"test"}
    assert {side(digest, (0.0, 0.0, 1.0)) for digest in digests} == {"holdout"}


def test_sides_stay_what_they_are() -> None:
    assert [side(f"{number:032x}", SHARES) for number in range(8)] == [
        *("train", "test", "train", "test", "train", "train", "test", "test"),
    ]


def test_games_of_a_benchmark_are_held_out_also_under_other_names(tmp_path: Path) -> None:
    """The benchmark is another pool's, whose seeds are none of this one."""
    build_pool(tmp_path / "theirs", (300, 360), SIMPLE, workers=1)
    score_pool(tmp_path / "theirs", "fast", workers=1)
    write_benchmark(tmp_path / "bench.parquet", select_games(tmp_path / "theirs", 20))
    held = HELD.union(read_digests(tmp_path / "bench.parquet"))
    build_pool(tmp_path / "ours", (100, 160), SIMPLE, workers=1)
    done = split_pool(tmp_path / "ours", tmp_path / "split", (1.0, 0.0, 0.0), [tmp_path / "bench.parquet"])
    found = sides_of(tmp_path / "split")
    assert done.benchmark == len(held & found.keys()) > 2
    assert all(found[digest] == ("holdout" if digest in held else "train") for digest in found)


def read_digests(benchmark: Path) -> list[str]:
    found: list[str] = read_benchmark(benchmark)["canonical_digest"].to_pylist()
    return found


@pytest.mark.parametrize(
    ("shares", "fault"),
    [
        ((0.9, 0.5, -0.4), "train and test come to 1.4"),
        ((1.5, 0.1, -0.6), "a share is a number from 0 to 1"),
        ((float("nan"), 0.1, 0.9), "a share is a number from 0 to 1"),
        ((0.5, 0.1, 0.1), "come to 0.7"),
    ],
)
def test_wrong_shares_are_named(tmp_path: Path, shares: tuple[float, float, float], fault: str) -> None:
    with pytest.raises(UsageError, match=fault):
        split_pool(tmp_path / "pool", tmp_path / "split", shares)
