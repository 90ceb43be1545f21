"""The process that drives a build holds names and counts, however large the pool is."""

from __future__ import annotations

import pytest

from antemill.tournament.pool.spans import SHARD, grain
from tests.tournament.pool.driven import STORES, simulate


@pytest.mark.parametrize("seeds", [100_000, 1_000_003])
def test_a_stopped_build_goes_on_with_what_is_missing(seeds: int) -> None:
    """`simulate` asserts that every part and every shard is made once; a search and what it finds come on top."""
    figures = simulate(seeds, workers=20)
    assert figures.shards == -(-seeds // SHARD)
    assert figures.jobs == -(-seeds // grain(seeds)) + figures.shards + 1 + figures.shards
    assert set(STORES[f"fake://{seeds}"].contents) == {"pool.json"}


def test_what_is_sent_and_asked_is_in_proportion_to_the_jobs() -> None:
    for figures in (small := simulate(1_000_000, workers=20), large := simulate(4_000_000, workers=20)):
        assert figures.sent_mb * 1e6 / figures.jobs < 2_000
        assert figures.asked["put"] < figures.jobs * 1.1 + 10
        assert figures.asked["delete"] < figures.jobs
    assert large.asked["list"] <= small.asked["list"] + 5
    assert large.asked["head"] == small.asked["head"]
