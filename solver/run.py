"""Solving a game to a target: one loop for all algorithms on trees, which always has the best policy so far at hand.

    run = solve_tree(sides(build_tree(program)), "auto", target=1e-3, seconds=60)
    run.joint, run.exploitability, run.stopped

The average policy is measured at growing intervals, so that measuring takes a small share of the time. Interrupting the
loop (Ctrl-C, or a `watch` that returns False) ends it with the best policy measured until then.
"""

from __future__ import annotations

import math
import time
from contextlib import closing
from typing import NamedTuple

from engine.errors import UsageError
from engine.execute import Job, run
from solver.auto import choose
from solver.linear_program import solve_exactly
from solver.measures import Joint, measure
from solver.parallel import Crew
from solver.progress import Progress, Stopped, Trace, Watch
from solver.sequence_form import Sides, uniform_policy
from solver.traversal import Rule

RULES = {"cfr": Rule.CFR, "cfr+": Rule.CFR_PLUS, "dcfr": Rule.DCFR, "pcfr+": Rule.PCFR_PLUS}
ALGORITHMS = ("auto", "lp", "cfr", "cfr+", "dcfr", "pcfr+")  # on trees; "mccfr" is `solver.mccfr.solve_sampled`

_GROWTH = 20  # the interval between two measurements grows with the iterations made, by this part of them
_MEASURE_SHARE = 20  # iterations for the work of one
_MEASURE_OVERHEAD = 30_000  # the fixed cost of measuring, in entries and sequences of an iteration
_ROUNDING = 1e-9  # chips
_BATCH_SECONDS = 0.2  # between two looks at the clock, and at the keyboard


class Run(NamedTuple):
    """What a run has found."""

    joint: Joint  # the best policy measured
    value: float  # Alice's expected payoff under it, chips per game
    exploitability: float  # NashConv / 2, chips per game
    iterations: int  # made; the linear program counts as none
    seconds: float
    algorithm: str  # the one that ran, never "auto"
    trace: list[Trace]  # first the starting policy at iteration 0; never increases
    stopped: Stopped


def solve_tree(
    both: Sides,
    algorithm: str = "auto",
    target: float = 1e-3,
    iterations: int | None = None,
    seconds: float | None = None,
    start: Joint | None = None,
    workers: int = 1,
    watch: Watch | None = None,
) -> Run:
    """Solve until the exploitability is at most `target` chips, or one of the limits is reached.

    start: a joint policy to begin with (uniform without one). workers: threads; the result is the same for any number.
    Raises UsageError for an unknown algorithm, a limit that is not positive, or a `start` of another game.
    """
    _check(algorithm, iterations, seconds, workers)
    name = choose(both, target, start is not None) if algorithm == "auto" else algorithm
    record = _Record(both, name, target, seconds, iterations, watch)
    going = record.note(0, start or (uniform_policy(both[0]), uniform_policy(both[1])))
    try:
        if going and name == "lp":
            _solve_exactly(both, record)
        elif going:
            with Crew(both, RULES[name], workers, start) as crew:
                _iterate(crew, record)
    except KeyboardInterrupt:
        record.stopped = True
    return record.run()


def _check(algorithm: str, iterations: int | None, seconds: float | None, workers: int) -> None:
    if algorithm not in ALGORITHMS:
        raise UsageError(f"there is no algorithm {algorithm!r} for game trees: use one of {', '.join(ALGORITHMS)}.")
    for name, limit in (("iterations", iterations), ("seconds", seconds), ("workers", workers)):
        if limit is not None and not limit > 0:
            raise UsageError(f"the number of {name} must be positive, not {limit}.")


class _Record:
    """The measurements of a run: what is best so far, and whether to go on."""

    def __init__(
        self,
        both: Sides,
        algorithm: str,
        target: float,
        seconds: float | None,
        iterations: int | None,
        watch: Watch | None,
    ) -> None:
        self.both, self.algorithm, self.target, self.watch = both, algorithm, target, watch
        self.most = math.inf if iterations is None else iterations
        self.begun = time.perf_counter()
        self.deadline = math.inf if seconds is None else self.begun + seconds
        self.trace: list[Trace] = []
        self.best = math.inf
        self.stopped = False  # by the watcher or the keyboard

    def note(self, iteration: int, joint: Joint) -> bool:
        """Measure a joint policy, keep it if it is the best one, tell the watcher; returns whether to go on."""
        found = measure(self.both, joint)
        if found.exploitability < self.best:
            self.best, self.value, self.joint = found.exploitability, found.value, joint
        self.iterations = iteration
        self.trace.append(Trace(iteration, self.elapsed(), self.best))
        if self.watch is not None:
            now = self.trace[-1]
            told = Progress(self.algorithm, now.iteration, now.seconds, self.best, self.target, self._seconds_left())
            self.stopped = not self.watch(told)
        return not (self.stopped or self.best <= self.target or iteration >= self.most or self.late())

    def elapsed(self) -> float:
        return time.perf_counter() - self.begun

    def late(self) -> bool:
        return time.perf_counter() >= self.deadline

    def _verdict(self) -> Stopped:
        if self.best <= self.target:
            return "target"
        if self.stopped:
            return "interrupted"
        return "time" if self.late() else "iterations"

    def run(self) -> Run:
        """What there is when the run is over."""
        found = self.joint, self.value, self.best, self.iterations
        return Run(*found, self.elapsed(), self.algorithm, self.trace, self._verdict())

    def _seconds_left(self) -> float | None:
        """By the power law through the last half of the run, and by the limits."""
        now = self.trace[-1]
        guesses = [self.deadline - self.begun - now.seconds] if self.deadline < math.inf else []
        if now.iteration > 0 and self.most < math.inf:
            guesses.append(now.seconds * (self.most - now.iteration) / now.iteration)
        half = next(point for point in self.trace if 2 * point.iteration >= now.iteration)
        if 0 < half.iteration < now.iteration and half.exploitability > self.best > 0.0 < self.target:
            slope = math.log(half.exploitability / self.best) / math.log(now.iteration / half.iteration)
            factor = math.exp(min(50.0, math.log(max(1.0, self.best / self.target)) / slope))
            guesses.append(now.seconds * (factor - 1.0))
        return max(0.0, min(guesses)) if guesses else None


def _iterate(crew: Crew, record: _Record) -> None:
    """Iterations until the record says that it is enough."""
    step = _first_interval(crew.both)
    speed = 0.0  # iterations a second; at first unknown
    going = True
    while going:
        until = min(record.most, crew.done + max(step, crew.done // _GROWTH))
        while crew.done < until and not record.late():
            begun = time.perf_counter()
            batch = int(min(until - crew.done, max(1.0, speed * _BATCH_SECONDS)))
            crew.advance(batch)
            speed = batch / max(1e-9, time.perf_counter() - begun)
        going = record.note(crew.done, crew.joint())


def _first_interval(both: Sides) -> int:
    """Iterations in which measuring once is a small share of the work."""
    size = sum(len(side.columns) + side.sequences for side in both)
    return int(min(1_000, _MEASURE_SHARE * (2 + _MEASURE_OVERHEAD / size)))


def _solve_exactly(both: Sides, record: _Record) -> None:
    """The linear program, on a thread: an interrupt need not wait for it. It reaches any target, but for rounding."""
    record.target = max(record.target, _ROUNDING)
    left = None if record.deadline == math.inf else max(1e-3, record.deadline - time.perf_counter())
    with closing(run([Job("lp", 0, _linear_program, (both, left))], "threads", 1)) as outcomes:
        joint = next(outcomes).unwrap()
    if joint is not None:
        record.note(0, joint)


def _linear_program(_: int, both: Sides, seconds: float | None) -> Joint | None:
    try:
        return solve_exactly(both, seconds).joint
    except TimeoutError:
        return None
