"""Solving a game tree to a target by any algorithm; the best strategy profile so far is always available.

    run = solve(build_tree(program), "auto", target=1e-3, seconds=60)
    run.profile, run.exploitability, run.reached

The average policy is measured at growing intervals, so that measuring takes only a small share of the time.
Interrupting the loop (Ctrl-C, or a `watch` that returns False) ends it with the best strategy profile measured until
then.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import ExitStack, nullcontext, suppress
from functools import partial
from typing import NamedTuple

import numpy as np

from antemill.engine.arguments import number, one_of, whole, wrong_type
from antemill.engine.execute import default_workers
from antemill.engine.kernel_plain import compiled_at_once
from antemill.solver.algorithms.auto import Choice, choose
from antemill.solver.algorithms.learner import average_policy
from antemill.solver.algorithms.linear_program import solve_exactly
from antemill.solver.algorithms.loop import (
    Limits,
    Record,
    Stopped,
    Trace,
    Watch,
    check_positive,
    limit,
    target_in_chips,
)
from antemill.solver.algorithms.table import AUTO, EXACT, ON_TREES, RULES
from antemill.solver.algorithms.turns import Average, Averaging, Found, race, run_on
from antemill.solver.algorithms.worker_pool import WorkerPool
from antemill.solver.evaluation.measures import average_responses, expected_value, exploitability
from antemill.solver.game import ExtensiveForm
from antemill.solver.policies.profile import Profiled, StrategyPair, StrategyProfile, profile_of
from antemill.solver.trees.sequence_form import Sides, Tree, sides, uniform_policy

LARGE = 100_000  # sequences of both players from which on learners may use 32-bit numbers
_SOLVED = 1e-6  # of what uniform play can lose: a solution of the linear program that loses more is not final
_MEASURED = 2.0**-50  # of what a best response gets: the rounding of a measure
_DIGITS = 3e-5  # of what uniform play can lose: likewise; numbers of 32 bits stall at some 4e-7 of it
_PLACES = 1e-6  # of what a best response to uniform play gets, most of which all outcomes may have in common: likewise


class Run(NamedTuple):
    """The result of a run."""

    profile: StrategyProfile  # the best one that was measured
    value: float  # Alice's expected payoff under it, chips per game
    exploitability: float  # NashConv / 2, chips per game
    iterations: int  # iterations made, by all algorithms that took turns; 0 for the linear program
    seconds: float
    algorithm: str  # the algorithm that ran, never "auto"
    trace: list[Trace]  # first the starting policy at iteration 0; never increases
    stopped: Stopped
    target: float  # chips: the exploitability at which it ends

    @property
    def reached(self) -> bool:
        """Whether the exploitability is at most the target."""
        return self.exploitability <= self.target

    def __repr__(self) -> str:
        verdict = "reached" if self.reached else "not reached"
        return (
            f"<Run: value {self.value:.3g}, exploitability {self.exploitability:.2g} by {self.algorithm}, "
            f"target {self.target:g} {verdict}>"
        )


def solve(
    game: Tree,
    algorithm: str = "auto",
    target: float | str = 1e-3,
    iterations: int | None = None,
    seconds: float | None = None,
    start: Profiled | None = None,
    workers: int = 1,
    watch: Watch | None = None,
) -> Run:
    """Solve until the exploitability is at most `target`, or one of the limits is reached.

    game: a tree, or its sequence form. target: chips, or for a tree a share of the range of its payoffs, such as
    "0.1%". A run stops with "precision" where 64-bit numbers cannot show a smaller exploitability, and with the
    solution of the linear program. start: a strategy profile to start from, or a run, whose profile is taken; by
    default uniform play. workers: threads, at most as many as there are processors;
    the result is the same for any number. watch: called after each measurement; ends the run by returning False.
    Raises UsageError if `game` is not a tree, for an unknown algorithm, a negative target, a limit that is not
    positive, or a `start` of another game.
    """
    algorithm = one_of(algorithm, "algorithm", ON_TREES)
    target = target_in_chips(target, game.spread if isinstance(game, ExtensiveForm) else None)
    workers = whole(workers, "workers")
    iterations, seconds = limit(iterations, "iterations", whole), limit(seconds, "seconds", number)
    check_positive(iterations=iterations, seconds=seconds, workers=workers)
    if watch is not None and not callable(watch):
        wrong_type("watch", watch, "a function of a Progress", "leave it out, or give one that returns False to stop")
    workers = min(workers, default_workers())  # a thread without a processor delays the others at every barrier
    both = sides(game)
    start = None if start is None else profile_of(both, start)
    plan = choose(both) if algorithm == AUTO else Choice(algorithm)
    uniform = uniform_responses(both)
    loss, size = max(0.0, sum(uniform)) / 2, max(map(abs, uniform))
    limits = Limits(target, iterations, seconds, 0.0 if iterations else _MEASURED * size)
    record = Record[Found](plan.algorithm, limits, watch, partial(_measured, both), keep=_kept)
    storage = storage_for(both, target, uniform)
    with compiled_at_once() if storage == np.float32 else nullcontext():  # Python would compute sums in 32 bits, too

        def pool(name: str) -> WorkerPool:
            return WorkerPool(both, RULES[name], workers, start, storage)

        _run(both, plan, record, start, pool, _SOLVED * loss)
        return _result(both, record)


def _run(
    both: Sides,
    plan: Choice,
    record: Record[Found],
    start: StrategyProfile | None,
    pool: Callable[[str], WorkerPool],
    solved: float,
) -> None:
    """Solve by the plan, until the record says that it is enough; `pool` makes an algorithm's iterations."""
    with record.interruptible():
        if plan.algorithm == EXACT:
            going = record.note(0, lambda: start or (uniform_policy(both[0]), uniform_policy(both[1])))
            if going:
                _solve_exactly(both, record)
        else:
            with ExitStack() as pools:

                def begun(name: str) -> Averaging:
                    return Averaging(name, pools.enter_context(pool(name)))

                _iterate(plan, begun, record, start, solved)


def _iterate(
    plan: Choice,
    begun: Callable[[str], Averaging],
    record: Record[Found],
    start: StrategyProfile | None,
    solved: float,
) -> None:
    """Iterate by a plan; `begun` gives an algorithm's iterations."""
    first = begun(plan.algorithm)
    if record.note(0, lambda: start or first.average()):
        best = race(first, begun(plan.rival), record) if plan.rival else first
        if best is not None:
            run_on(best, record, plan.patience, solved)


def _solve_exactly(both: Sides, record: Record[Found]) -> None:
    """Solve the linear program in the time that is left."""
    with suppress(TimeoutError):
        profile = solve_exactly(both, record.seconds_left()).profile
        record.note(0, lambda: profile)
        record.precision = math.inf  # numbers of 64 bits give no better solution


def _measured(both: Sides, found: Found) -> float:
    return found.exploitability() if isinstance(found, Average) else exploitability(both, found)


def _kept(before: Found | None, found: Found) -> Found:
    """What was found. Sums change in later iterations, so a copy is kept, in the memory of the previous copy."""
    if not isinstance(found, Average):
        return found
    alice, bob = found.totals
    kept = before.totals if isinstance(before, Average) else (np.empty_like(alice), np.empty_like(bob))
    kept[0][:], kept[1][:] = alice, bob
    return found._replace(totals=kept)


def uniform_responses(both: Sides) -> tuple[float, float]:
    """The value of each player's best response to uniform play, chips."""
    sizes = both[0].sequences, both[1].sequences
    return average_responses(both, (np.zeros(sizes[0]), np.zeros(sizes[1])), np.empty(max(sizes)))


def storage_for(both: Sides, target: float, uniform: tuple[float, float]) -> type:
    """The type of the learners' numbers: float32 where that saves much memory and is exact enough for the target.

    uniform: `uniform_responses` of the sides.
    """
    alice, bob = uniform
    if both[0].sequences + both[1].sequences < LARGE:
        return np.float64
    least = max(_DIGITS * (alice + bob) / 2, _PLACES * abs(alice), _PLACES * abs(bob))
    return np.float32 if target >= least else np.float64


def _result(both: Sides, record: Record[Found]) -> Run:
    """The result when the run is over."""
    found, record.policy = record.policy, None
    if found is None:  # the interrupt came before the first measurement
        raise KeyboardInterrupt
    spent, last = record.elapsed(), record.trace[-1].iteration
    profile = average_policy(both, found.totals) if isinstance(found, Average) else found
    del found  # the memory of the sums is reused for the realization plans
    best, stopped = record.best, record.stopped()
    if stopped == "interrupted":  # perhaps in the middle of writing down what was measured
        best = exploitability(both, profile)
    value = expected_value(both, profile)
    profile = profile if isinstance(profile, StrategyPair) else StrategyPair(*profile)
    return Run(profile, value, best, last, spent, record.algorithm, record.trace, stopped, record.target)
