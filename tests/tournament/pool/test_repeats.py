"""No game twice in a pool: which candidate stays, for every order in which the pool is made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from antemill.engine import canonical_digest, from_json, generate, rules_digest
from antemill.engine.errors import ExecutionError, StorageError
from antemill.tournament.pool import build
from antemill.tournament.pool.build import build_pool
from antemill.tournament.pool.layout import open_pool
from antemill.tournament.pool.score import score_pool
from antemill.tournament.pool.select import select_games
from antemill.tournament.pool.split import split_pool
from antemill.tournament.pool.stats import examine_pool
from tests.tournament.pool.pool_jobs import files_of

SIMPLE = (0.0, 0.0)  # games of which most are repeats
SEEDS = (100, 160)  # in two blocks


def rows_of(folder: Path) -> list[dict[str, Any]]:
    """Candidates in the order of seeds, the accepted ones with the columns of their games."""
    pool = open_pool(folder)
    rows = []
    for cell in pool.cells:
        stored = {row["seed"]: row for row in pool.games(cell).to_pylist()}
        rows += [row | stored.pop(row["seed"], {}) for row in pool.candidates(cell).to_pylist()]
        assert not stored
    return rows


def test_of_several_candidates_that_are_one_game_the_lowest_seed_stays(tmp_path: Path) -> None:
    built = build_pool(tmp_path, SEEDS, SIMPLE, workers=1)
    first: dict[str, int] = {}
    repeats = 0
    for row in rows_of(tmp_path):
        spec, digest = generate(row["seed"], 0.0), row["canonical_digest"]
        if row["reason"] in ("", "repeat"):
            assert digest == canonical_digest(spec)
            assert row["accepted"] == (first.setdefault(digest, row["seed"]) == row["seed"])
        else:
            assert digest is None
        if row["accepted"]:
            assert (from_json(row["spec"]), row["rules_digest"]) == (spec, rules_digest(spec))
        else:
            assert "spec" not in row
        repeats += row["reason"] == "repeat"
    assert repeats > 5
    assert len(first) > 5
    assert built.rejected["repeat"] == built.broken["repeat"] == repeats
    assert built.accepted == len(first)
    assert built.accepted + sum(built.rejected.values()) == built.candidates
    assert examine_pool(tmp_path).built == built


def test_how_a_pool_came_about_does_not_show(tmp_path: Path) -> None:
    """Two workers, or extended at both ends: the same files."""
    build_pool(tmp_path / "at once", SEEDS, SIMPLE, workers=1)
    want = files_of(tmp_path / "at once")
    build_pool(tmp_path / "two workers", SEEDS, SIMPLE, workers=2)
    for seeds in ((130, 140), (126, 150), SEEDS):
        build_pool(tmp_path / "grown", seeds, SIMPLE, workers=1)
    for folder in tmp_path.iterdir():
        assert files_of(folder) == want, folder.name


COMMANDS: dict[str, Callable[[Path], Any]] = {
    "score": lambda pool: score_pool(pool, "fast", workers=1),
    "stats": examine_pool,
    "select": select_games,
    "split": lambda pool: split_pool(pool, pool / "split", (0.8, 0.1, 0.1)),
}


def test_a_pool_whose_repeats_are_not_known_is_not_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As after a stop while a pool was extended downwards: the upper cells know nothing of the lower ones."""
    build_pool(tmp_path, (128, 180), SIMPLE, workers=1)
    score_pool(tmp_path, "fast", workers=1)
    first = {row["seed"] for row in rows_of(tmp_path) if row["accepted"]}
    with monkeypatch.context() as patch:
        patch.setattr(build, "find_repeats", stop)
        with pytest.raises(ExecutionError, match="stopped here"):
            build_pool(tmp_path, (0, 180), SIMPLE, workers=1)
    stopped = files_of(tmp_path)
    for name, command in COMMANDS.items():
        with pytest.raises(StorageError, match=r"is not finished .*: run the same `antemill pool build` again"):
            command(tmp_path)
        assert files_of(tmp_path) == stopped, name
    build_pool(tmp_path, (0, 180), SIMPLE, workers=1)
    assert first - {row["seed"] for row in rows_of(tmp_path) if row["accepted"]}
    score_pool(tmp_path, "fast", workers=1)
    build_pool(tmp_path / "at once", (0, 180), SIMPLE, workers=1)
    score_pool(tmp_path / "at once", "fast", workers=1)
    want = files_of(tmp_path / "at once")
    assert {name: data for name, data in files_of(tmp_path).items() if not name.startswith("at once")} == want


def stop(*_: object) -> None:
    raise ExecutionError("stopped here.")


def test_a_benchmark_has_no_game_twice(tmp_path: Path) -> None:
    build_pool(tmp_path, SEEDS, SIMPLE, workers=1)
    score_pool(tmp_path, "fast", workers=1)
    chosen = select_games(tmp_path, 1_000)["canonical_digest"].to_pylist()
    assert len(chosen) == len(set(chosen)) == examine_pool(tmp_path).built.accepted
