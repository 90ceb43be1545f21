"""The loop that all iterating algorithms share: iterate, measure the average policy, report, stop at the target.

A `Record` holds the measurements and decides whether to continue. A run ends when its measure is at most the target or
the rounding error of 64-bit numbers, when a limit is reached, when the watcher returns False, or on Ctrl-C. In each
case it leaves a policy.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Generic, Literal, NamedTuple, Protocol, TypeVar

from antemill.engine.arguments import ArgumentValueError, number

P = TypeVar("P")
P_co = TypeVar("P_co", covariant=True)
N = TypeVar("N", int, float)
Stopped = Literal["target", "time", "iterations", "interrupted", "precision"]

_BATCH_SECONDS = 0.2  # between two looks at the clock, and at the keyboard


class Trace(NamedTuple):
    """A measurement of the average policy, made after some iterations."""

    iteration: int
    seconds: float  # since the start, measuring included
    measure: float  # chips: the exploitability, or for an abstraction the abstract regret


class Progress(NamedTuple):
    """The progress of a run, as its watcher gets it."""

    algorithm: str
    iteration: int
    seconds: float
    measure: float  # chips, as in `Trace`; nan if nothing has been measured
    target: float
    seconds_left: float | None  # an estimate from the run so far; None while there are too few measurements


Watch = Callable[[Progress], bool | None]  # whether to continue; None, of a callback without a result, means yes


class Limits(NamedTuple):
    """When a run ends by itself. None means no such limit."""

    target: float  # chips
    iterations: int | None
    seconds: float | None
    precision: float = 0.0  # chips: the rounding of a measure


class Iterations(Protocol[P_co]):
    """A running algorithm: it iterates on demand and returns its average policy."""

    @property
    def done(self) -> int:
        """Complete iterations."""

    def advance(self, iterations: int) -> None:
        """Make this many more iterations."""

    def average(self) -> P_co:
        """The average policy of the iterations made."""


class Record(Generic[P]):
    """What a run has measured so far, and whether it should continue.

    measure: gives the chips that could still be gained against a policy; None if that cannot be computed.
    keep: makes what is kept of the best policy so far. It gets what was kept before (None at first) and may reuse its
    memory. By default the policy itself is kept.
    keep_best: whether a later policy with a worse measure is ignored, so that the trace never increases.
    tell_batches: whether the watcher is called after every batch of iterations instead of every measurement.
    """

    def __init__(
        self,
        algorithm: str,
        limits: Limits,
        watch: Watch | None,
        measure: Callable[[P], float] | None,
        *,
        keep: Callable[[P | None, P], P] = lambda _, policy: policy,
        keep_best: bool = True,
        tell_batches: bool = False,
    ) -> None:
        self.algorithm, self.target, self.precision = algorithm, limits.target, limits.precision
        self.most: float = math.inf if limits.iterations in (None, math.inf) else max(1, int(limits.iterations))
        self.trace: list[Trace] = []
        self.policy: P | None = None
        self.best = math.nan  # the measure of that policy
        self._watch, self._measure, self._keep = watch, measure, keep
        self._keep_best, self._tell_batches = keep_best, tell_batches
        self._begun = time.perf_counter()
        self._seconds = math.inf if limits.seconds is None else limits.seconds
        self._interrupted = False

    def note(self, iteration: int, average: Callable[[], P]) -> bool:
        """Measure a policy where that is possible, keep it, call the watcher, and return whether the run continues."""
        if self._measure is not None:
            policy = average()
            found = self._measure(policy)
            if not (self._keep_best and found >= self.best):
                self.best, self.policy = found, self._keep(self.policy, policy)
            self.trace.append(Trace(iteration, self.elapsed(), self.best))
            if not self._tell_batches:
                self._tell(iteration, self.trace[-1].seconds)
        return self._goes_on() and not (self.best <= max(self.target, self.precision) or iteration >= self.most)

    def batch_over(self, iteration: int) -> bool:
        """After a batch of iterations, call the watcher if `tell_batches`, and return whether the run continues."""
        if self._tell_batches and not self._interrupted:
            self._tell(iteration, self.elapsed())
        return self._goes_on()

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Within this block, Ctrl-C ends the run like a watcher that returns False."""
        try:
            yield
        except KeyboardInterrupt:
            self._interrupted = True

    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self._begun

    def seconds_left(self) -> float | None:
        """Seconds until the time limit; None if there is no limit."""
        return None if self._seconds == math.inf else self._seconds - self.elapsed()

    def stopped(self) -> Stopped:
        """Why the run has ended."""
        if self.best <= self.target:
            return "target"
        if self._interrupted:
            return "interrupted"
        if self.best <= self.precision:
            return "precision"
        return "time" if self.elapsed() >= self._seconds else "iterations"

    def _goes_on(self) -> bool:
        return not self._interrupted and self.elapsed() < self._seconds

    def _tell(self, iteration: int, seconds: float) -> None:
        if self._watch is not None:
            left = self._estimate(iteration, seconds)
            progress = Progress(self.algorithm, iteration, seconds, self.best, self.target, left)
            answer = self._watch(progress)
            self._interrupted = answer is not None and not answer

    def _estimate(self, iteration: int, seconds: float) -> float | None:
        """An estimate of the seconds left, by the limits and by a power law through the last half of the
        measurements."""
        guesses = [self._seconds - seconds] if self._seconds < math.inf else []
        if iteration > 0 and self.most < math.inf:
            guesses.append(seconds * (self.most - iteration) / iteration)
        half = next((point for point in self.trace if 2 * point.iteration >= iteration), None)
        if half is not None and 0 < half.iteration < iteration and half.measure > self.best > 0.0 < self.target:
            slope = math.log(half.measure / self.best) / math.log(iteration / half.iteration)
            factor = math.exp(min(50.0, math.log(max(1.0, self.best / self.target)) / slope))
            guesses.append(seconds * (factor - 1.0))
        return max(0.0, min(guesses)) if guesses else None


def iterate(made: Iterations[P], record: Record[P], points: Iterable[int]) -> bool:
    """Iterate until the record ends the run, or the points end; returns whether the run continues.

    points: the numbers of iterations after which to measure, ascending.
    """
    speed = 0.0  # iterations a second; at first unknown
    for point in points:
        until, going = int(min(record.most, point)), True
        while going and made.done < until:
            begun, before = time.perf_counter(), made.done
            made.advance(int(min(until - before, max(1.0, speed * _BATCH_SECONDS))))
            speed = (made.done - before) / max(1e-9, time.perf_counter() - begun)
            going = record.batch_over(made.done)
        if not (record.note(made.done, made.average) and going):
            return False
    return True


def target_in_chips(target: float | str, spread: float | None) -> float:
    """A target in chips. A text such as "0.1%" is a share of the range of payoffs.

    spread: the largest payoff less the smallest one, chips; None if it is unknown. Raises UsageError for a target that
    cannot be used, or for a share of an unknown range.
    """
    if not isinstance(target, str) or not target.endswith("%"):
        return check_target(target)  # type: ignore[arg-type]  # which refuses texts
    try:
        part = check_target(float(target[:-1]) / 100)
    except ValueError:
        raise ArgumentValueError(
            f"the target {target!r} is not a share of the range of payoffs: write it as in 0.1%."
        ) from None
    if spread is None:
        raise ArgumentValueError("without a tree the range of payoffs is unknown: give the target in chips.")
    return part * spread


def check_target(target: float) -> float:
    """The target, checked. Raises UsageError unless it is a finite number of chips that is at least 0."""
    if (isinstance(target, float) and not math.isfinite(target)) or (found := number(target, "target")) < 0:
        raise ArgumentValueError(f"the target is {target}: give a finite number of chips, at least 0.")
    return found


def limit(given: N | None, name: str, read: Callable[[object, str], N]) -> N | None:
    """A limit, as `read` of `engine.arguments` gives it; None and floats, infinite ones too, stay as they are."""
    return given if given is None or isinstance(given, float) else read(given, name)


def check_positive(**limits: float | None) -> None:
    """Raise UsageError unless every limit is positive or None."""
    for name, limit in limits.items():
        if limit is not None and not limit > 0:
            raise ArgumentValueError(f"the number of {name} must be positive, not {limit}.")
