"""Pools that are grown by copies."""

from __future__ import annotations

from pathlib import Path

import pytest

from antemill.tournament.bench import growing_pools
from antemill.tournament.bench.growing_pools import grown_pool
from antemill.tournament.pool.layout import complete_pool
from antemill.tournament.pool.shard_reading import candidates, games, scored_by, scores
from tests.tournament.cli.test_cli import document


def test_copies_are_a_complete_pool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(growing_pools, "DRAWN", 64)
    small, large = (complete_pool(grown_pool(seeds, tmp_path / str(seeds), scored=True)) for seeds in (64, 150))
    (drawn,), (shard,) = small.shards, large.shards
    version = scored_by(large, "fast")
    assert version is not None
    for there, here in (
        (candidates(small, drawn), candidates(large, shard)),
        (games(small, drawn), games(large, shard)),
        (scores(small, drawn, "fast", version), scores(large, shard, "fast", version)),
    ):
        rows = there.to_pylist()
        copies = [row | {"seed": row["seed"] + 64 * copy} for copy in range(3) for row in rows]
        assert here.to_pylist() == [row for row in copies if row["seed"] < 150]
    found = document(capsys, "pool", "stats", str(tmp_path / "150"))
    assert (found["candidates"], found["accepted"]) == (150, games(large, shard).num_rows)
    built = document(capsys, "pool", "build", str(tmp_path / "150"), "--seeds", "0:150")
    assert built["accepted"] == found["accepted"]
