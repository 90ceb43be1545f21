"""Leduc poker with our solver and with others, in one run: `python -m benches.solver_peers [--targets 1e-3,1e-4]`.

Seconds of iterating until the average policy's exploitability (NashConv / 2) is at most a target, without set-up,
compilation and measuring, which all are left to take what they like. Every solver is measured after the same numbers of
iterations, so nobody stops early by a closer look. Peers that are not installed are named as such; they need
open-spiel; jax 0.7.2 and chex for JaxCFR; LiteEFG 1.0.0. Beside the table: nanoseconds a node and
iteration, and the linear program's seconds to an exact solution.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from engine.compiler.compile import compile_spec
from engine.rules.named import NAMED
from solver.algorithms.linear_program import solve_exactly
from solver.algorithms.table import RULES
from solver.algorithms.worker_pool import WorkerPool
from solver.evaluation.measures import exploitability
from solver.trees.build import build_tree
from solver.trees.sequence_form import Sides, sides

NODES = 9_457  # of Leduc with its suits kept, chance, decisions and ends
GAME = "leduc_poker"
WARM = 2  # iterations that are not timed: some solvers compile in the first ones
GROWTH = 1.05  # from one measurement's number of iterations to the next


class Peer(NamedTuple):
    """A solver that is set up."""

    step: Callable[[int], None]  # make so many iterations
    exploitability: Callable[[], float]


class Result(NamedTuple):
    """What one solver needed."""

    name: str
    seconds: dict[float, float]  # by target; without those not reached
    iterations: int
    total: float  # seconds of all iterations


def ours(both: Sides, algorithm: str) -> Peer:
    pool = WorkerPool(both, RULES[algorithm])
    return Peer(pool.advance, lambda: exploitability(both, pool.average()))


def openspiel() -> Peer:
    spiel = importlib.import_module("pyspiel")
    game = spiel.load_game(GAME)
    solver = spiel.CFRPlusSolver(game)
    return Peer(
        _repeat(solver.evaluate_and_update_policy), lambda: float(spiel.exploitability(game, solver.average_policy()))
    )


def jax_cfr() -> Peer:
    spiel = importlib.import_module("pyspiel")
    module = importlib.import_module("open_spiel.python.jax.cfr.jax_cfr")
    measure = importlib.import_module("open_spiel.python.algorithms.exploitability")
    game = spiel.load_game(GAME)
    solver = module.JaxCFR(game)
    ready = importlib.import_module("jax").block_until_ready

    def step(iterations: int) -> None:
        solver.multiple_steps(iterations)
        ready(list(vars(solver).values()))

    return Peer(step, lambda: float(measure.exploitability(game, solver.average_policy())))


def lite_efg(baseline: str) -> Peer:
    lite, module = importlib.import_module("LiteEFG"), importlib.import_module(f"LiteEFG.baselines.{baseline}")
    graph = module.graph()
    environment = lite.OpenSpielEnv(
        importlib.import_module("pyspiel").load_game(GAME), traverse_type="Enumerate", regenerate=False
    )
    environment.set_graph(graph)

    def once() -> None:
        graph.update_graph(environment)
        environment.update_strategy(graph.current_strategy())

    def measured() -> float:
        return float(sum(environment.exploitability(graph.current_strategy(), "linear-avg-iterate"))) / 2

    return Peer(_repeat(once), measured)


def _repeat(once: Callable[[], object]) -> Callable[[int], None]:
    def step(iterations: int) -> None:
        for _ in range(iterations):
            once()

    return step


def checkpoints(most: int) -> Iterator[int]:
    """Numbers of iterations at which to measure."""
    done = 20
    while done < most:
        yield done
        done = int(done * GROWTH) + 1
    yield most


def measure(name: str, peer: Peer, targets: list[float], most: int) -> Result:
    """Iterate a warm solver until the lowest target, or at most so many times."""
    seconds: dict[float, float] = {}
    total, done = 0.0, WARM
    for until in checkpoints(most):
        begun = time.perf_counter()
        peer.step(until - done)
        total += time.perf_counter() - begun
        done = until
        found = peer.exploitability()
        seconds |= {target: total for target in targets if found <= target and target not in seconds}
        if len(seconds) == len(targets):
            break
    return Result(name, seconds, done - WARM, total)


def line(result: Result, targets: list[float]) -> str:
    times = "".join(f"{result.seconds[t]:>12.4f}" if t in result.seconds else f"{'-':>12}" for t in targets)
    per_node = result.total / result.iterations / NODES * 1e9
    return f"{result.name:<26}{times}{result.iterations:>12,}{per_node:>12.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--targets", default="1e-3,1e-4", help="exploitabilities in chips, comma-separated")
    parser.add_argument("--most", type=int, default=20_000, help="iterations of a solver, at most")
    parser.add_argument("--only", default="", help="solvers whose name contains this")
    given = parser.parse_args()
    targets = sorted((float(target) for target in given.targets.split(",")), reverse=True)
    both = sides(build_tree(compile_spec(NAMED["leduc"](), suited=True)))
    solvers: list[tuple[str, Callable[[], Peer]]] = [
        *((f"antemill {name}", lambda name=name: ours(both, name)) for name in RULES if name != "cfr"),
        ("LiteEFG CFR+", lambda: lite_efg("CFRplus")),
        ("LiteEFG PCFR+", lambda: lite_efg("PCFR")),
        ("OpenSpiel JaxCFR", jax_cfr),
        ("OpenSpiel CFRPlusSolver", openspiel),
    ]
    print(f"{'Leduc, seconds to':<26}" + "".join(f"{t:>12.0e}" for t in targets) + f"{'iterations':>12}{'ns/node':>12}")
    for name, make in solvers:
        if given.only not in name:
            continue
        print(_one(name, make, targets, given.most), flush=True)
    solve_exactly(both)
    begun = time.perf_counter()
    exact = solve_exactly(both)
    print(f"{'antemill lp':<26}{time.perf_counter() - begun:>12.4f} to {exact.exploitability:.0e}")


def _one(name: str, make: Callable[[], Peer], targets: list[float], most: int) -> str:
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # some greet
            peer = make()
            peer.step(WARM)
    except ImportError as error:
        return f"{name:<26}not installed ({error.name})"
    return line(measure(name, peer, targets, most), targets)


if __name__ == "__main__":
    main()
