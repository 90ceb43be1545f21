"""The solver: trees, iterations, runs to a target, exact solutions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine.program import Program
from antemill.solver.algorithms.linear_program import solve_exactly
from antemill.solver.algorithms.mccfr import solve_sampled
from antemill.solver.algorithms.solve import solve
from antemill.solver.algorithms.table import RULES
from antemill.solver.algorithms.worker_pool import WorkerPool
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import sides
from antemill.tournament.bench.measure import Measurement, Setting, Work
from antemill.tournament.bench.sample_games import bigger_leduc

_GROUP = "solver"
_SAMPLES = 20_000
_BATCH = 2_000_000  # nodes times iterations that are timed at once


def leduc() -> Program:
    """Leduc with its suits kept, 9,457 nodes."""
    return bigger_leduc(3)


GAMES: dict[str, tuple[str, Callable[[], Program]]] = {  # by name: what it is, and how it is made
    "leduc": ("Leduc with suits, 9,457 nodes", leduc),
    "leduc-12": ("Leduc with twelve cards, 100,993 nodes", lambda: bigger_leduc(6)),
    "drawn": ("a drawn game (20@0.2), 108,542 nodes", lambda: compile_spec(generate(20, 0.2))),
}


def _game(name: str, setting: Setting) -> Program:
    return leduc() if setting.quick else GAMES[name][1]()


def _build(name: str, setting: Setting) -> Sequence[Work]:
    program = _game(name, setting)
    return [Work(lambda: build_tree(program), build_tree(program).nodes)]


def _iterations(name: str, algorithm: str, setting: Setting) -> Sequence[Work]:
    tree = build_tree(_game(name, setting))
    number = max(1, setting.size(_BATCH, 1) // tree.nodes)
    pool = setting.stack.enter_context(WorkerPool(sides(tree), RULES[algorithm]))
    return [Work(lambda: pool.advance(number), number * tree.nodes)]


def _to_target(algorithm: str, setting: Setting) -> Sequence[Work]:
    both, target = sides(build_tree(leduc())), 0.1 if setting.quick else 1e-4
    return [Work(lambda: solve(both, algorithm, target))]


def _exactly(_: Setting) -> Sequence[Work]:
    both = sides(build_tree(leduc()))
    return [Work(lambda: solve_exactly(both))]


def _sampled(setting: Setting) -> Sequence[Work]:
    program, number = leduc(), setting.size(_SAMPLES, 50)
    return [Work(lambda: solve_sampled(program, iterations=number), number)]


_SOLVED = tuple(name for name in RULES if name != "cfr")  # which takes long

MEASUREMENTS = (
    *(
        Measurement(f"tree-{name}", _GROUP, f"building the tree: {words}", "ns/node", partial(_build, name))
        for name, (words, _) in GAMES.items()
    ),
    *(
        Measurement(
            f"iteration-{name}",
            _GROUP,
            f"a CFR+ iteration of both players: {words}",
            "ns/node",
            partial(_iterations, name, "cfr+"),
            repeats=15,
        )
        for name, (words, _) in GAMES.items()
    ),
    *(
        Measurement(
            f"leduc-{algorithm}",
            _GROUP,
            f"Leduc to an exploitability of 1e-4, {algorithm.upper()}",
            "ms",
            partial(_to_target, algorithm),
        )
        for algorithm in _SOLVED
    ),
    Measurement("leduc-lp", _GROUP, "Leduc exactly, linear program", "ms", _exactly),
    Measurement("mccfr", _GROUP, "MCCFR on Leduc, without a tree", "iterations/s", _sampled),
)
