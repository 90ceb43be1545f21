"""The solver: trees, iterations, runs to a target, exact solutions."""

from __future__ import annotations

import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine.program import Program
from antemill.solver.algorithms.iterations import Iterations
from antemill.solver.algorithms.linear_program import solve_exactly
from antemill.solver.algorithms.mccfr import solve_sampled
from antemill.solver.algorithms.solve import solve
from antemill.solver.algorithms.table import RULES
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import sides
from benches.games import bigger_leduc
from benches.timing import Bench, Piece

_SAMPLES = 20_000
_BATCH = 2_000_000  # nodes times iterations that are timed at once
_GAMES = {  # with 9,457, 100,993 and 108,542 nodes
    "leduc": lambda: bigger_leduc(3),
    "leduc-12": lambda: bigger_leduc(6),
    "drawn": lambda: compile_spec(generate(20, 0.2)),
}


def _game(bench: Bench, name: str) -> Program:
    return _GAMES["leduc" if bench.quick else name]()


@pytest.mark.parametrize("name", _GAMES)
def bench_tree(bench: Bench, name: str) -> None:
    program = _game(bench, name)
    bench(f"tree-{name}", "ns/node", [Piece(lambda: build_tree(program), build_tree(program).nodes)])


@pytest.mark.parametrize("name", _GAMES)
def bench_iteration(bench: Bench, name: str) -> None:
    """A CFR+ iteration of both players."""
    tree = build_tree(_game(bench, name))
    number = max(1, bench.size(_BATCH, 1) // tree.nodes)
    made = Iterations(sides(tree), RULES["cfr+"])
    piece = Piece(lambda: made.advance(number), number * tree.nodes)
    bench(f"iteration-{name}", "ns/node", [piece], 15)


@pytest.mark.parametrize("algorithm", [name for name in RULES if name != "cfr"])  # which takes long
def bench_leduc(bench: Bench, algorithm: str) -> None:
    """Leduc to an exploitability of 1e-4."""
    both, target = sides(build_tree(bigger_leduc(3))), 0.1 if bench.quick else 1e-4
    bench(f"leduc-{algorithm}", "ms", [Piece(lambda: solve(both, algorithm, target))])


def bench_leduc_exactly(bench: Bench) -> None:
    """The linear program."""
    both = sides(build_tree(bigger_leduc(3)))
    bench("leduc-lp", "ms", [Piece(lambda: solve_exactly(both))])


def bench_mccfr(bench: Bench) -> None:
    """Sampling on Leduc, without a tree."""
    program, number = bigger_leduc(3), bench.size(_SAMPLES, 50)
    bench("mccfr", "iterations/s", [Piece(lambda: solve_sampled(program, iterations=number), number)])
