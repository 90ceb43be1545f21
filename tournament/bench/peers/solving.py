"""Leduc poker to a target by our solver and by others.

What is timed is iterating until the average policy's exploitability (NashConv / 2, in chips) is at most the target.
Set-up, compilation and measuring are not timed. All solvers are measured after the same numbers of iterations, so none
stops early because it is measured more often; the number that was enough is then timed again from the start.
"""

from __future__ import annotations

import contextlib
import importlib
import io
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from antemill.solver.algorithms.table import RULES
from antemill.solver.algorithms.worker_pool import WorkerPool
from antemill.solver.evaluation.measures import exploitability
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import Sides, sides
from antemill.tournament.bench.measure import Setting, UnavailableError, Work
from antemill.tournament.bench.solving import leduc

TARGET, QUICK_TARGET = 1e-4, 1.0
_GAME = "leduc_poker"
_WARM = 2  # iterations that are not timed: some solvers compile in the first ones
_GROWTH = 1.05  # from one measurement's number of iterations to the next
_MOST = 20_000


class Solver(NamedTuple):
    """A solver that is set up."""

    step: Callable[[int], object]  # make so many iterations
    exploitability: Callable[[], float]


Make = Callable[[], Solver]


@cache
def _sides() -> Sides:
    return sides(build_tree(leduc()))


def ours(algorithm: str) -> Solver:
    """Antemill."""
    pool = WorkerPool(_sides(), RULES[algorithm])
    return Solver(pool.advance, lambda: exploitability(_sides(), pool.average()))


def openspiel() -> Solver:
    """OpenSpiel's CFR+ in C++."""
    spiel = importlib.import_module("pyspiel")
    game = spiel.load_game(_GAME)
    solver = spiel.CFRPlusSolver(game)
    return Solver(
        _repeat(solver.evaluate_and_update_policy), lambda: float(spiel.exploitability(game, solver.average_policy()))
    )


def jax_cfr() -> Solver:
    """OpenSpiel's CFR+ in JAX."""
    spiel = importlib.import_module("pyspiel")
    module = importlib.import_module("open_spiel.python.jax.cfr.jax_cfr")
    ready = importlib.import_module("jax").block_until_ready
    game = spiel.load_game(_GAME)
    solver = module.JaxCFR(game)

    def step(iterations: int) -> None:
        solver.multiple_steps(iterations)
        ready(list(vars(solver).values()))

    def measured() -> float:
        policy = solver.average_policy()
        return float(spiel.exploitability(game, spiel.TabularPolicy(_rows(policy))))

    return Solver(step, measured)


def _rows(policy: Any) -> dict[str, list[tuple[int, float]]]:
    """A policy of OpenSpiel's Python as one of its C++."""
    return {
        name: [(action, float(row[action])) for action in range(len(row)) if policy.legal_actions_mask[index][action]]
        for name, index in policy.state_lookup.items()
        for row in [policy.action_probability_array[index]]
    }


def lite_efg(baseline: str) -> Solver:
    """LiteEFG, by one of its baselines."""
    lite, module = importlib.import_module("LiteEFG"), importlib.import_module(f"LiteEFG.baselines.{baseline}")
    graph = module.graph()
    environment = lite.OpenSpielEnv(
        importlib.import_module("pyspiel").load_game(_GAME), traverse_type="Enumerate", regenerate=False
    )
    environment.set_graph(graph)

    def once() -> None:
        graph.update_graph(environment)
        environment.update_strategy(graph.current_strategy())

    def measured() -> float:
        return float(sum(environment.exploitability(graph.current_strategy(), "linear-avg-iterate"))) / 2

    return Solver(_repeat(once), measured)


def noregret() -> Solver:
    """noregret's CFR+ on the processor, with alternating updates."""
    module = importlib.import_module("noregret")
    kernel = module.FPKer()
    game = module.to_efg(kernel, module.OpenSpielGame(kernel, _GAME))
    row = module.CFR_plus(kernel, game.row_sequence_form_polytope)
    column = module.CFR_plus(kernel, game.column_sequence_form_polytope)

    both = (row, column)
    played = [one.output(False) for one in both]

    def once() -> None:  # what its own loop does, which cannot be continued
        for seat, one in enumerate(both):
            one.observe(game.utility(seat, played[1 - seat]))
            played[seat] = one.output(False)

    return Solver(_repeat(once), lambda: float(game.exploitability(row.average_strategy, column.average_strategy)))


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
        done = int(done * _GROWTH) + 1
    yield most


def to_target(make: Make, setting: Setting) -> Sequence[Work]:
    """Iterations from a fresh, warm solver until the target. Raises UnavailableError if it does not get there."""
    target = QUICK_TARGET if setting.quick else TARGET
    solver, done = _begun(make), _WARM
    for until in checkpoints(_MOST):
        solver.step(until - done)
        done = until
        if solver.exploitability() <= target:
            break
    else:
        raise UnavailableError(f"not at {target} after {_MOST:,} iterations.")
    fresh: list[Solver] = []

    def begin() -> None:
        fresh[:] = [_begun(make)]

    return [Work(lambda: fresh[0].step(done - _WARM), 1.0, begin)]


def _begun(make: Make) -> Solver:
    with contextlib.redirect_stdout(io.StringIO()):  # some greet
        solver = make()
        solver.step(_WARM)
    return solver
