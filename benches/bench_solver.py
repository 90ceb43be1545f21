"""Speed of the solver: building trees, iterations on one thread and on two, runs to a target, and sampling.

Beside other solvers: `python -m benches.solver_peers`.
"""

from __future__ import annotations

from functools import cache

import msgspec
import pytest

from benches.bench_engine import Benchmark
from engine.builder.generate import generate
from engine.compiler.compile import compile_spec
from engine.machine.program import Program
from engine.rules.named import NAMED
from engine.rules.spec import Deck
from solver.algorithms.linear_program import solve_exactly
from solver.algorithms.mccfr import solve_sampled
from solver.algorithms.solve import solve
from solver.algorithms.table import RULES
from solver.algorithms.worker_pool import WorkerPool
from solver.game import ExtensiveForm
from solver.trees.build import build_tree
from solver.trees.sequence_form import Sides, sides

SUITS = ("hearts", "spades", "clubs", "diamonds")
BATCH = 2_000_000  # nodes times iterations in a round


def bigger_leduc(ranks: int, suits: int) -> Program:
    """Leduc with another deck, suits kept: 12 cards make 100,993 nodes, 20 make 518,721, 52 make 9,984,833."""
    deck = Deck(ranks=tuple(range(2, 2 + ranks)), suits=SUITS[:suits])
    return compile_spec(msgspec.structs.replace(NAMED["leduc"](), deck=deck), suited=True)


GAMES = {
    "leduc": lambda: bigger_leduc(3, 2),
    "leduc-12": lambda: bigger_leduc(6, 2),
    "leduc-20": lambda: bigger_leduc(10, 2),
    "seed-147": lambda: compile_spec(generate(147, 0.2)),
    "seed-32": lambda: compile_spec(generate(32, 0.1)),
}


@cache
def game(name: str) -> tuple[ExtensiveForm, Sides]:
    tree = build_tree(GAMES[name]())
    return tree, sides(tree)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("name", GAMES)
def bench_cfr_plus_iteration(benchmark: Benchmark, name: str, workers: int) -> None:
    """Nanoseconds a node for an update of both players."""
    tree, both = game(name)
    iterations = max(1, BATCH // tree.nodes)
    with WorkerPool(both, RULES["cfr+"], workers) as pool:
        pool.advance(1)
        benchmark.pedantic(pool.advance, args=(iterations,), rounds=40, warmup_rounds=2)
    seconds = benchmark.stats.stats.median / iterations
    benchmark.extra_info["nanoseconds_per_node"] = seconds / tree.nodes * 1e9


@pytest.mark.parametrize("algorithm", sorted(RULES))
def bench_iteration(benchmark: Benchmark, algorithm: str) -> None:
    """The algorithms beside each other, on Leduc."""
    tree, both = game("leduc")
    iterations = BATCH // tree.nodes
    with WorkerPool(both, RULES[algorithm]) as pool:
        benchmark.pedantic(pool.advance, args=(iterations,), rounds=20, warmup_rounds=2)
    benchmark.extra_info["nanoseconds_per_node"] = benchmark.stats.stats.median / iterations / tree.nodes * 1e9


@pytest.mark.parametrize("algorithm", [name for name in RULES if name != "cfr"])  # which takes long
def bench_leduc_to_1e_4(benchmark: Benchmark, algorithm: str) -> None:
    both = game("leduc")[1]
    benchmark.pedantic(solve, args=(both, algorithm, 1e-4), rounds=7, warmup_rounds=1)


def bench_leduc_by_linear_program(benchmark: Benchmark) -> None:
    benchmark.pedantic(solve_exactly, args=(game("leduc")[1],), rounds=7, warmup_rounds=1)


@pytest.mark.parametrize("name", ["leduc-12", "seed-147", "seed-32"])
def bench_build(benchmark: Benchmark, name: str) -> None:
    """The tree and its sequence form."""
    program = GAMES[name]()
    nodes = build_tree(program).nodes
    benchmark.pedantic(lambda: sides(build_tree(program)), rounds=5, warmup_rounds=1)
    benchmark.extra_info["nanoseconds_per_node"] = benchmark.stats.stats.median / nodes * 1e9


def bench_mccfr(benchmark: Benchmark) -> None:
    """Iterations a second on Leduc, without a tree."""
    program = GAMES["leduc"]()
    benchmark.pedantic(solve_sampled, args=(program,), kwargs={"iterations": 20_000}, rounds=5, warmup_rounds=1)
    benchmark.extra_info["iterations_per_second"] = 20_000 / benchmark.stats.stats.median
