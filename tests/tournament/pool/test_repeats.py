"""No game twice in a pool: which candidate stays, whatever the order in which the pool came about."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine import canonical_digest, from_json, generate, rules_digest
from engine.errors import StorageError
from engine.storage.store import GAME, GAMES, read
from tests.tournament.pool.pool_jobs import files_of
from tournament.pool.build import build_pool
from tournament.pool.layout import open_pool
from tournament.pool.score import require_distinct, score_pool
from tournament.pool.select import read_points, select_games
from tournament.pool.split import split_pool
from tournament.pool.stats import examine_pool
from tournament.pool.work import build_block

SIMPLE = (0.0, 0.0)  # games of which most are repeats
SEEDS = (100, 160)  # in two blocks


def rows_of(folder: Path) -> list[dict[str, Any]]:
    pool = open_pool(folder)
    return [row for block in pool.blocks for row in read(pool.games(block), GAMES).to_pylist()]


def test_of_several_candidates_that_are_one_game_the_lowest_seed_stays(tmp_path: Path) -> None:
    built = build_pool(tmp_path, SEEDS, SIMPLE, workers=1)
    first: dict[str, int] = {}
    repeats = 0
    for row in rows_of(tmp_path):
        spec, digest = generate(row["seed"], 0.0), row["canonical_digest"]
        if row["reason"] in ("", "repeat"):
            assert (digest, row["rules_digest"]) == (canonical_digest(spec), rules_digest(spec))
            assert row["accepted"] == (first.setdefault(digest, row["seed"]) == row["seed"])
        else:
            assert digest is row["rules_digest"] is None
        if row["accepted"]:
            assert from_json(row["spec"]) == spec
        else:
            assert all(row[field.name] is None for field in GAME)
        repeats += row["reason"] == "repeat"
    assert repeats > 5
    assert len(first) > 5
    assert built.rejected["repeat"] == built.broken["repeat"] == repeats
    assert built.accepted == len(first)
    assert built.accepted + sum(built.rejected.values()) == built.candidates
    assert examine_pool(tmp_path).built == built


def test_how_a_pool_came_about_does_not_show(tmp_path: Path) -> None:
    """Two workers, extended at both ends, or finished after a stop between any two parts: the same files."""
    build_pool(tmp_path / "at once", SEEDS, SIMPLE, workers=1)
    want = files_of(tmp_path / "at once")
    build_pool(tmp_path / "two workers", SEEDS, SIMPLE, workers=2)
    for seeds in ((130, 140), (126, 150), SEEDS):
        build_pool(tmp_path / "grown", seeds, SIMPLE, workers=1)
    for part in ("part-000000000000.parquet", "part-000000000128.parquet"):
        build_pool(tmp_path / f"without {part}", SEEDS, SIMPLE, workers=1)
        (tmp_path / f"without {part}" / "games" / part).unlink()
        build_pool(tmp_path / f"without {part}", SEEDS, SIMPLE, workers=1)
    for folder in tmp_path.iterdir():
        assert files_of(folder) == want, folder.name


@pytest.mark.parametrize(
    "command",
    [
        lambda pool: score_pool(pool, "fast", ["risk"], workers=1),
        examine_pool,
        lambda pool: read_points(open_pool(pool)),
        select_games,
        lambda pool: split_pool(pool, pool / "split", (0.8, 0.1, 0.1)),
    ],
)
def test_a_pool_whose_repeats_are_still_in_it_is_not_finished(tmp_path: Path, command: Callable[[Path], Any]) -> None:
    """As after a stop while a pool was extended downwards: the upper part knows nothing of the lower one yet."""
    build_pool(tmp_path, SEEDS, SIMPLE, workers=1)
    score_pool(tmp_path, "fast", workers=1)
    want = files_of(tmp_path)
    pool = open_pool(tmp_path)
    pool.games(pool.blocks[1]).write_bytes(build_block(128, 160, SIMPLE).part)
    with pytest.raises(StorageError, match=r"is not finished \(seed 1\d\d repeats the game of a lower one\)"):
        command(tmp_path)
    build_pool(tmp_path, SEEDS, SIMPLE, workers=1)
    assert files_of(tmp_path) == want


def test_a_benchmark_has_no_game_twice(tmp_path: Path) -> None:
    build_pool(tmp_path, SEEDS, SIMPLE, workers=1)
    score_pool(tmp_path, "fast", workers=1)
    chosen = select_games(tmp_path, 1_000)["canonical_digest"].to_pylist()
    assert len(chosen) == len(set(chosen)) == examine_pool(tmp_path).built.accepted
    require_distinct(open_pool(tmp_path))
