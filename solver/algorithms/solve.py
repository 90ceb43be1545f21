"""Solving a game tree to a target by any algorithm; the best strategy profile so far is always available.

    run = solve(build_tree(program), "auto", target=1e-3, seconds=60)
    run.profile, run.exploitability, run.reached

The average policy is measured at growing intervals, so that measuring takes only a small share of the time.
Interrupting the loop (Ctrl-C, or a `watch` that returns False) ends it with the best strategy profile measured until
then.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from antemill.engine.arguments import number, one_of, whole, wrong_type
from antemill.solver.algorithms.iterations import Iterations, average_policy
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
from antemill.solver.algorithms.table import AUTO, DENSE, EXACT, ON_TREES, RULES, SPARSE
from antemill.solver.evaluation.measures import average_responses, expected_value, exploitability
from antemill.solver.game import Array, ExtensiveForm
from antemill.solver.policies.profile import StrategyPair, StrategyProfile
from antemill.solver.trees.sequence_form import Sides, Tree, sides, uniform_policy

_MEASURED = 2.0**-50  # of what a best response gets: the rounding of a measure
_GROWTH = 20  # the interval between two measurements, as a share of the iterations made so far
_MEASURE_SHARE = 20  # iterations that cost as much as one measurement
_MEASURE_OVERHEAD = 30_000  # the fixed cost of measuring, in entries and sequences of an iteration


class Run(NamedTuple):
    """The result of a run."""

    profile: StrategyProfile  # the best one that was measured
    value: float  # Alice's expected payoff under it, chips per game
    exploitability: float  # NashConv / 2, chips per game
    iterations: int  # 0 for the linear program
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


class _Average(NamedTuple):
    """Average policies in implicit form: the sums of plans, and how to measure them."""

    totals: tuple[Array, Array]
    exploitability: Callable[[], float]


_Found = StrategyProfile | _Average


class _Averaging:
    """Iterations whose average policies stay in implicit form."""

    def __init__(self, made: Iterations) -> None:
        self._made, self.advance = made, made.advance

    @property
    def done(self) -> int:
        return self._made.done

    def average(self) -> _Found:
        return _Average(self._made.totals(), self._made.exploitability)

    def points(self) -> Iterator[int]:
        """The numbers of iterations after which to measure, so that measuring is a small share of the work."""
        size = sum(len(side.columns) + side.sequences for side in self._made.both)
        first, done = int(min(1_000, _MEASURE_SHARE * (2 + _MEASURE_OVERHEAD / size))), 0
        while True:
            done += max(first, done // _GROWTH)
            yield done


def solve(
    game: Tree,
    algorithm: str = AUTO,
    target: float | str = 1e-3,
    iterations: int | None = None,
    seconds: float | None = None,
    watch: Watch | None = None,
) -> Run:
    """Solve until the exploitability is at most `target`, or one of the limits is reached.

    game: a tree, or its sequence form. target: chips, or for a tree a share of the range of its payoffs, such as
    "0.1%". A run stops with "precision" where 64-bit numbers cannot show a smaller exploitability, and with the
    solution of the linear program. watch: called after each measurement; ends the run by returning False.
    Raises UsageError if `game` is not a tree, for an unknown algorithm, a negative target, or a limit that is not
    positive; ExecutionError if HiGHS fails.
    """
    algorithm = one_of(algorithm, "algorithm", ON_TREES)
    target = target_in_chips(target, game.spread if isinstance(game, ExtensiveForm) else None)
    iterations, seconds = limit(iterations, "iterations", whole), limit(seconds, "seconds", number)
    check_positive(iterations=iterations, seconds=seconds)
    if watch is not None and not callable(watch):
        wrong_type("watch", watch, "a function of a Progress", "leave it out, or give one that returns False to stop")
    both = sides(game)
    algorithm = chosen(both) if algorithm == AUTO else algorithm
    size = max(map(abs, uniform_responses(both)))
    limits = Limits(target, iterations, seconds, 0.0 if iterations else _MEASURED * size)
    record = Record[_Found](algorithm, limits, watch, partial(_measured, both), keep=_kept)
    with record.interruptible():
        if algorithm == EXACT:
            _solve_exactly(both, record)
        else:
            made = _Averaging(Iterations(both, RULES[algorithm]))
            if record.note(0, made.average):
                iterate(made, record, made.points())
            del made
    return _result(both, record)


def chosen(both: Sides) -> str:
    """The algorithm of `auto`: the linear program where payoffs are many for the sequences."""
    dense = len(both[0].columns) > DENSE * (both[0].sequences + both[1].sequences)
    return EXACT if dense else SPARSE


def _solve_exactly(both: Sides, record: Record[_Found]) -> None:
    """Solve the linear program in the time that there is, after uniform play."""
    if record.note(0, lambda: (uniform_policy(both[0]), uniform_policy(both[1]))):
        try:
            profile = solve_exactly(both, record.seconds_left()).profile
        except TimeoutError:
            return
        record.note(0, lambda: profile)
        record.precision = math.inf  # numbers of 64 bits give no better solution


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


def _result(both: Sides, record: Record[_Found]) -> Run:
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
