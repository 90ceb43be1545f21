"""Iterations of the solver by algorithm, and on two threads."""

from __future__ import annotations

from functools import cache

import pytest

from antemill.solver.algorithms.table import RULES
from antemill.solver.algorithms.worker_pool import WorkerPool
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import Sides, sides
from antemill.tournament.bench.sample_games import bigger_leduc
from antemill.tournament.bench.solving import GAMES
from benches.bench_table import Benchmark

_BATCH = 2_000_000  # nodes times iterations in a round
_GAMES = {name: make for name, (_, make) in GAMES.items()} | {"leduc-20": lambda: bigger_leduc(10)}


@cache
def _sides(name: str) -> tuple[Sides, int]:
    tree = build_tree(_GAMES[name]())
    return sides(tree), tree.nodes


def _iterations(benchmark: Benchmark, both: Sides, nodes: int, algorithm: str, workers: int, quick: bool) -> None:
    number = 1 if quick else max(1, _BATCH // nodes)
    with WorkerPool(both, RULES[algorithm], workers) as pool:
        benchmark.pedantic(pool.advance, args=(number,), rounds=20, warmup_rounds=2)
    if benchmark.stats is not None:
        benchmark.extra_info["unit"] = "ns/node"
        benchmark.extra_info["figure"] = benchmark.stats.stats.median / number / nodes * 1e9


@pytest.mark.parametrize("algorithm", sorted(RULES))
def bench_algorithms(benchmark: Benchmark, quick: bool, algorithm: str) -> None:
    """The algorithms beside each other, on Leduc."""
    _iterations(benchmark, *_sides("leduc"), algorithm, 1, quick)


@pytest.mark.parametrize("name", _GAMES)
def bench_two_threads(benchmark: Benchmark, quick: bool, name: str) -> None:
    """CFR+ on two threads."""
    _iterations(benchmark, *_sides("leduc" if quick else name), "cfr+", 2, quick)
