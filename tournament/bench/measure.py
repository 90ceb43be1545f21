"""A measurement: pieces of work that are timed again and again; the median of the repeats, and their spread.

The first call of every piece is not timed: it compiles kernels and fills caches. The value of one repeat is the median
over the pieces, each by its own time; most measurements have one piece.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import NamedTuple

from msgspec import Struct

from antemill.engine.errors import AntemillError
from antemill.engine.kernel_plain import compiled_at_once

REPEATS = 7
_PER_SECOND = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}


class UnavailableError(AntemillError):
    """This machine cannot do what is to be measured; the text is the reason."""


class Setting(NamedTuple):
    """What a measurement is prepared with."""

    quick: bool  # tiny work: to see that it runs, not how fast
    stack: ExitStack  # is left when the measurement is over: temporary folders, servers

    def size(self, full: int, quick: int) -> int:
        """How much work: `full`, or `quick`."""
        return quick if self.quick else full


class Work(NamedTuple):
    """One piece: calling it does `amount` of something. before: makes it ready for the next call, untimed."""

    call: Callable[[], object]
    amount: float = 1.0
    before: Callable[[], object] | None = None


class Measurement(Struct, frozen=True):
    """One line of the table.

    unit: "THINGS/s", or a time as in "ms" and "ns/node", by thing. prepare: makes the pieces of work; raises
    UnavailableError if this machine cannot do them. warm: whether a piece is called once before it is timed; false
    where `prepare` does that itself.
    """

    name: str
    group: str
    what: str
    unit: str
    prepare: Callable[[Setting], Sequence[Work]]
    repeats: int = REPEATS
    warm: bool = True

    def value(self, seconds: float, amount: float) -> float:
        """The value in the measurement's unit of this amount in so many seconds."""
        time_unit, _, thing = self.unit.partition("/")
        return amount / seconds if thing == "s" else seconds / amount * _PER_SECOND[time_unit]


class Figure(Struct, frozen=True):
    """A measurement's result: the median of the repeats, the smallest and the largest of them."""

    name: str
    what: str
    unit: str
    value: float
    low: float
    high: float
    repeats: int


class Missing(Struct, frozen=True):
    """What could not be measured here, and why."""

    name: str
    reason: str


class Table(Struct, frozen=True):
    """All results, in the order of the list."""

    results: list[Figure]
    missing: list[Missing]

    def figure(self, name: str) -> Figure | None:
        """The result of that name; None if it is not there."""
        return next((figure for figure in self.results if figure.name == name), None)


def measure(measurement: Measurement, quick: bool = False) -> Figure:
    """Take a measurement. Raises UnavailableError if this machine cannot."""
    with ExitStack() as stack:
        works = measurement.prepare(Setting(quick, stack))
        if measurement.warm:
            for work in works:
                once(work)
        repeats = 1 if quick else measurement.repeats
        values = [
            statistics.median(measurement.value(once(work), work.amount) for work in works) for _ in range(repeats)
        ]
    return figure_of(measurement.name, measurement.what, measurement.unit, values)


def figure_of(name: str, what: str, unit: str, values: Sequence[float]) -> Figure:
    """The result of these repeats."""
    return Figure(name, what, unit, statistics.median(values), min(values), max(values), len(values))


def once(work: Work, clock: Callable[[], float] = time.perf_counter) -> float:
    """Seconds of one call, without its preparation; what earlier calls have left behind is cleared away before."""
    if work.before is not None:
        work.before()
    gc.collect()
    with compiled_at_once():
        begun = clock()
        work.call()
        return max(clock() - begun, 1e-9)


def take(measurements: Sequence[Measurement], quick: bool = False) -> Iterator[Figure | Missing]:
    """Take measurements one after the other."""
    for measurement in measurements:
        try:
            yield measure(measurement, quick)
        except UnavailableError as error:
            yield Missing(measurement.name, str(error))


def table_of(found: Sequence[Figure | Missing]) -> Table:
    """The results and what is missing, apart."""
    return Table([one for one in found if isinstance(one, Figure)], [one for one in found if isinstance(one, Missing)])
