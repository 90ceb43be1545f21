"""The runs of `auto`, in which algorithms take turns: two of the CFR family, and then the better of these and the
linear program."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

from antemill.engine.errors import ExecutionError
from antemill.solver.algorithms.linear_program import solve_exactly
from antemill.solver.algorithms.loop import Record, iterate
from antemill.solver.algorithms.table import EXACT
from antemill.solver.algorithms.worker_pool import WorkerPool
from antemill.solver.game import Array
from antemill.solver.policies.profile import StrategyProfile

_GROWTH = 20  # the interval between two measurements, as a share of the iterations made so far
_MEASURE_SHARE = 20  # iterations that cost as much as one measurement
_MEASURE_OVERHEAD = 30_000  # the fixed cost of measuring, in entries and sequences of an iteration
RACE = 140  # iterations of each of two algorithms, or a few more, after which one of them is chosen
CLEAR = 0.5  # the second algorithm is chosen if its exploitability is below this part of the first one's


class Average(NamedTuple):
    """Average policies in implicit form: the sums of plans, and how to measure them."""

    totals: tuple[Array, Array]
    exploitability: Callable[[], float]


Found = StrategyProfile | Average


class Averaging:
    """The iterations of a pool, whose average policies stay in implicit form.

    others: iterations of other pools in the same run, which are counted, too.
    """

    def __init__(self, algorithm: str, pool: WorkerPool) -> None:
        self.algorithm, self.pool, self.others, self.advance = algorithm, pool, 0, pool.advance

    @property
    def done(self) -> int:
        return self.pool.done + self.others

    def average(self) -> Found:
        return Average(self.pool.totals(), self.pool.exploitability)

    def points(self) -> Iterator[int]:
        """The numbers of iterations after which to measure, so that measuring is a small share of the work."""
        size = sum(len(side.columns) + side.sequences for side in self.pool.both)
        first = int(min(1_000, _MEASURE_SHARE * (2 + _MEASURE_OVERHEAD / size)))
        done = self.done
        while True:
            done += max(first, done // _GROWTH)
            yield done


def race_turns(made: Averaging) -> int:
    """The turns of each of two algorithms. Small games have none, because one turn would be longer than the race."""
    turn = next(made.points())
    return 0 if turn > RACE else -(-RACE // turn)


def race(first: Averaging, second: Averaging, record: Record[Found]) -> Averaging | None:
    """Let two algorithms take turns. Returns the one that continues, or None if the run is over."""
    for _ in range(race_turns(second)):
        for mine, other in ((first, second), (second, first)):
            mine.others, record.algorithm = other.pool.done, mine.algorithm
            if not iterate(mine, record, islice(mine.points(), 1)):
                return None
    behind = second.pool.done > 0 and second.pool.exploitability() < CLEAR * first.pool.exploitability()
    best, other = (second, first) if behind else (first, second)
    best.others, record.algorithm = other.pool.done, best.algorithm
    return best


def run_on(made: Averaging, record: Record[Found], patience: int, solved: float) -> None:
    """Iterate. After `patience` iterations the linear program takes turns with them until one of the two is done.

    The program's solution is final if its exploitability is at most `solved`.
    """
    points = made.points()
    while made.done < patience:
        if not iterate(made, record, islice(points, 1)):
            return
    if _take_turns(made, record, points, solved):
        iterate(made, record, points)


def _take_turns(made: Averaging, record: Record[Found], points: Iterator[int], solved: float) -> bool:
    """Solve the linear program, and iterate for as long as it takes. Returns whether the iterations continue alone."""
    turns = _Turns(made, record, points)
    try:
        profile = solve_exactly(made.pool.both, record.seconds_left(), turns).profile
    except TimeoutError:
        return False
    except ExecutionError as error:  # HiGHS has failed
        warnings.warn(f"{error} The iterations continue without it.", RuntimeWarning, stacklevel=2)
        return True
    if not record.hand_over(EXACT, made.done):
        return False
    record.note(made.done, lambda: profile)
    record.precision = max(record.precision, solved)
    return record.best > max(record.target, record.precision) and record.hand_over(made.algorithm, made.done)


class _Turns:
    """Called after every step of the linear program: iterates to the next measurement whenever the iterations have
    taken less time than the program. Returns whether the program should go on."""

    def __init__(self, made: Averaging, record: Record[Found], points: Iterator[int]) -> None:
        self._made, self._record, self._points = made, record, points
        self._begun, self._iterating = time.perf_counter(), 0.0  # seconds

    def __call__(self) -> bool:
        going = True
        while going and (before := time.perf_counter() - self._begun) > 2 * self._iterating:
            going = iterate(self._made, self._record, islice(self._points, 1))
            self._iterating += time.perf_counter() - self._begun - before
        return going
