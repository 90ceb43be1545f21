"""Speed of the axes: one game at either tier, on one core."""

from __future__ import annotations

import pytest

from axes import TIERS, score
from benches.bench_engine import Benchmark, accepted_programs


@pytest.mark.parametrize("tier", sorted(TIERS))
def bench_score(benchmark: Benchmark, tier: str) -> None:
    programs = accepted_programs()[:20]

    def all_games() -> None:
        for program in programs:
            score(program, TIERS[tier])

    benchmark.pedantic(all_games, rounds=3, warmup_rounds=1)
    benchmark.extra_info["milliseconds_per_game"] = benchmark.stats.stats.median / len(programs) * 1e3
