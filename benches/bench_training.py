"""Speed of the vectorised environment on one core: decisions a second with observations, beside a rollout's.

Random play, both seats asked; illegal actions are masked, so that the environment draws them itself. Each game is timed
beside its rollout in the same round, since a machine's speed drifts.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import numpy as np
import pytest

from antemill.engine.machine.lanes import Lanes
from antemill.engine.machine.policy import UNIFORM
from antemill.engine.machine.rollout import empty_log, rollout, streams
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import GameSpec
from antemill.tournament.adapters import vector_env
from antemill.tournament.bench.sample_games import accepted, accepted_specs
from benches.bench_table import Benchmark

LANES = 512
STEPS = 60
POOL = 24  # accepted games for the median over the pool


def _compare(benchmark: Benchmark, specs: Sequence[GameSpec], events: bool, quick: bool) -> None:
    tables = [vector_env(spec, 8 if quick else LANES, events=events, illegal="masked", copy=False) for spec in specs]
    buffers, actions, timer = empty_log(4_000 * 24, 4_000), np.full(tables[0].num_envs, -1), benchmark._timer
    rates: list[list[float]] = [[] for _ in tables]
    ratios: list[list[float]] = [[] for _ in tables]

    def all_games() -> None:
        for table, rate, ratio in zip(tables, rates, ratios, strict=True):
            asked = table.reset(seed=1)[1]["asked"]
            start, decisions = timer(), 0
            for _ in range(STEPS):
                decisions += int(np.count_nonzero(asked))
                asked = table.step(actions)[-1]["asked"]
            middle = timer()
            log = rollout(table.programs[0], 4_000, streams(1), buffers=buffers)
            rate.append(decisions / (middle - start))
            ratio.append(rate[-1] / (log.rows / (timer() - middle)))

    benchmark.pedantic(all_games, rounds=1 if quick else 7, warmup_rounds=1)
    benchmark.extra_info["decisions_per_second"] = statistics.median(map(statistics.median, rates))
    benchmark.extra_info["share_of_rollout"] = statistics.median(map(statistics.median, ratios))


@pytest.mark.parametrize("events", [False, True])
@pytest.mark.parametrize("name", sorted(NAMED))
def bench_vector_env(benchmark: Benchmark, name: str, events: bool, quick: bool) -> None:
    _compare(benchmark, [NAMED[name]()], events, quick)


@pytest.mark.parametrize("events", [False, True])
def bench_vector_env_pool(benchmark: Benchmark, events: bool, quick: bool) -> None:
    """The median over accepted games."""
    _compare(benchmark, accepted_specs(2 if quick else POOL), events, quick)


def bench_lanes(benchmark: Benchmark) -> None:
    """Whole episodes of an accepted game by random players inside the machine."""
    (program,) = accepted(1)
    lanes = Lanes(program, 4_000, alice=UNIFORM, bob=UNIFORM)
    benchmark(lanes.reset, streams(1))
    if benchmark.stats is not None:
        benchmark.extra_info["decisions_per_second"] = int(lanes.made.sum()) / benchmark.stats.stats.median
