"""Solving a game tree to a target by any algorithm; the best strategy profile so far is always available.

    run = solve(build_tree(program), "auto", target=1e-3, seconds=60)
    run.profile, run.exploitability, run.reached

The average policy is measured at growing intervals, so that measuring takes only a small share of the time.
Interrupting the loop (Ctrl-C, or a `watch` that returns False) ends it with the best strategy profile measured until
then.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import takewhile
from operator import ge
from typing import Literal, NamedTuple

import numpy as np

from antemill.engine.arguments import number, one_of, whole, wrong_type
from antemill.engine.errors import ExecutionError
from antemill.engine.execute import Job, default_workers, run
from antemill.solver.algorithms.auto import NEVER, choose
from antemill.solver.algorithms.learner import average_policy
from antemill.solver.algorithms.linear_program import solve_exactly
from antemill.solver.algorithms.loop import (
    Limits,
    Record,
    Stopped,
    Trace,
    Watch,
    check_positive,
    iterate,
    limit,
    target_in_chips,
)
from antemill.solver.algorithms.table import AUTO, EXACT, ON_TREES, RULES
from antemill.solver.algorithms.worker_pool import WorkerPool
from antemill.solver.evaluation.measures import average_responses, expected_value, exploitability
from antemill.solver.game import Array, ExtensiveForm
from antemill.solver.policies.profile import Profiled, StrategyPair, StrategyProfile, profile_of
from antemill.solver.policies.solution import ROUNDING
from antemill.solver.trees.sequence_form import Sides, Tree, sides, uniform_policy

_GROWTH = 20  # the interval between two measurements, as a share of the iterations made so far
_MEASURE_SHARE = 20  # iterations that cost as much as one measurement
_MEASURE_OVERHEAD = 30_000  # the fixed cost of measuring, in entries and sequences of an iteration
_MORE_PATIENCE = 2  # time limit of the linear program in `auto`, as a multiple of the time until then
_AGAIN = 4  # iterations until it is tried again, as a multiple of those until then
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
    iterations: int  # iterations made; 0 for the linear program
    seconds: float
    algorithm: str  # the algorithm that ran, never "auto"
    trace: list[Trace]  # first the starting policy at iteration 0; never increases
    stopped: Stopped
    target: float  # chips: the exploitability at which it ends, at least what the linear program's rounding allows

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


class _Average(NamedTuple):
    """Average policies in implicit form: the sums of plans, and how to measure them."""

    totals: tuple[Array, Array]
    exploitability: Callable[[], float]


_Found = StrategyProfile | _Average


class _Averaging:
    """The iterations of a pool, whose average policies stay in implicit form."""

    def __init__(self, pool: WorkerPool) -> None:
        self.pool, self.advance = pool, pool.advance

    @property
    def done(self) -> int:
        return self.pool.done

    def average(self) -> _Found:
        return _Average(self.pool.totals(), self.pool.exploitability)


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
    "0.1%". "auto" and the linear program take a billionth of what uniform play loses for 0. A run stops with
    "precision" where 64-bit numbers can not show a smaller exploitability. start: a strategy profile to start from, or
    a run, whose profile is taken; by default uniform play. workers: threads, at most as many as there are processors;
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
    name, patience = choose(both) if algorithm == AUTO else (algorithm, NEVER)
    uniform = uniform_responses(both)
    loss, size = max(0.0, sum(uniform)) / 2, max(map(abs, uniform))
    least = max(target, ROUNDING * loss) if algorithm in (AUTO, EXACT) else target
    limits = Limits(least, iterations, seconds, 0.0 if iterations else _MEASURED * size)
    record = Record[_Found](name, limits, watch, partial(_measured, both), keep=_kept)
    with record.interruptible():
        if name == EXACT:
            going = record.note(0, lambda: start or (uniform_policy(both[0]), uniform_policy(both[1])))
            if going and _solve_exactly(both, record, 0, record.seconds_left()):
                record.precision = math.inf  # numbers of 64 bits give no better solution
        else:
            with WorkerPool(both, RULES[name], workers, start, storage_for(both, target, uniform)) as pool:
                made = _Averaging(pool)
                if record.note(0, lambda: start or made.average()):
                    _iterate(made, record, patience, _SOLVED * loss)
    return _run(both, record)


def _measured(both: Sides, found: _Found) -> float:
    return found.exploitability() if isinstance(found, _Average) else exploitability(both, found)


def _kept(before: _Found | None, found: _Found) -> _Found:
    """What was found. Sums change in later iterations, so a copy is kept, in the memory of the previous copy."""
    if not isinstance(found, _Average):
        return found
    alice, bob = found.totals
    kept = before.totals if isinstance(before, _Average) else (np.empty_like(alice), np.empty_like(bob))
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


def _iterate(made: _Averaging, record: Record[_Found], patience: int, solved: float) -> None:
    """Iterate. After `patience` iterations try the linear program; its solution is final if its exploitability is at
    most `solved`. If it takes too long, it is tried again later."""
    points = _points(made.pool.both)
    while patience < NEVER:
        if not iterate(made, record, takewhile(partial(ge, patience), points)):
            return
        found = _take_over(made.pool, record, solved)
        if found == "over":
            return
        patience = _AGAIN * patience if found == "too slow" else NEVER
    iterate(made, record, points)


def _take_over(pool: WorkerPool, record: Record[_Found], solved: float) -> Literal["over", "too slow", "not final"]:
    """Try to finish a run by the linear program. "not final": it has failed, or its solution is too far off."""
    name, left = record.algorithm, record.seconds_left()
    if not record.hand_over(EXACT, pool.done):
        return "over"
    limit, in_time = _MORE_PATIENCE * max(1.0, record.elapsed()), True
    try:
        in_time = _solve_exactly(pool.both, record, pool.done, limit if left is None else min(left, limit))
        if in_time:
            record.precision = max(record.precision, solved)
            if record.best <= max(record.target, record.precision):
                return "over"
    except ExecutionError as error:  # HiGHS has failed
        warnings.warn(f"{error} The iterations continue without it.", RuntimeWarning, stacklevel=2)
    if not record.hand_over(name, pool.done):
        return "over"
    return "not final" if in_time else "too slow"


def _run(both: Sides, record: Record[_Found]) -> Run:
    """The result when the run is over."""
    found, record.policy = record.policy, None
    if found is None:  # the interrupt came before the first measurement
        raise KeyboardInterrupt
    spent, last = record.elapsed(), record.trace[-1].iteration
    profile = average_policy(both, found.totals) if isinstance(found, _Average) else found
    del found  # the memory of the sums is reused for the realization plans
    best, stopped = record.best, record.stopped()
    if stopped == "interrupted":  # perhaps in the middle of writing down what was measured
        best = exploitability(both, profile)
    value = expected_value(both, profile)
    profile = profile if isinstance(profile, StrategyPair) else StrategyPair(*profile)
    return Run(profile, value, best, last, spent, record.algorithm, record.trace, stopped, record.target)


def _points(both: Sides) -> Iterator[int]:
    """The numbers of iterations after which to measure, so that measuring is a small share of the work."""
    size = sum(len(side.columns) + side.sequences for side in both)
    first = int(min(1_000, _MEASURE_SHARE * (2 + _MEASURE_OVERHEAD / size)))
    done = 0
    while True:
        done += max(first, done // _GROWTH)
        yield done


def _solve_exactly(both: Sides, record: Record[_Found], done: int, limit: float | None) -> bool:
    """Solve the linear program on a thread, so that an interrupt need not wait for it. Returns whether it was solved.

    done: iterations made before it. limit: seconds; None: no limit.
    """
    seconds = None if limit is None else max(1e-3, limit)
    with closing(run([Job(EXACT, 0, _linear_program, (both, seconds))], "threads", 1)) as outcomes:
        profile = next(outcomes).unwrap()
    if profile is not None:
        record.note(done, lambda: profile)
    return profile is not None


def _linear_program(_: int, both: Sides, seconds: float | None) -> StrategyProfile | None:
    try:
        return solve_exactly(both, seconds).profile
    except TimeoutError:
        return None
