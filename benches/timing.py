"""A benchmark: pieces of work that are timed round by round, by the clock and by the processor.

A round's figure is the median over its pieces, each in the benchmark's unit. What makes a piece ready is not timed, nor
is the first round, which compiles kernels and fills caches. The figures are in the extra information of
pytest-benchmark's JSON: by the clock `figure`, `low` and `high`, and by the processor `processor`.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from typing import Any, NamedTuple

_PER_SECOND = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
_worked = 0.0


class Piece(NamedTuple):
    """Work: calling it does `amount` of something. before: makes it ready for the next call, untimed."""

    call: Callable[[], object]
    amount: float = 1.0
    before: Callable[[], object] | None = None


class Spent(NamedTuple):
    """Seconds of one call."""

    clock: float
    processor: float  # of this process and of the children that have ended


def worked() -> float:
    """The seconds that all pieces have taken: pytest-benchmark's timer, which leaves out their preparation."""
    return _worked


def value(unit: str, seconds: float, amount: float) -> float:
    """So many seconds for this amount in a unit: "THINGS/s", or a time as in "ms" and "ns/node", by thing."""
    time_unit, _, thing = unit.partition("/")
    return amount / seconds if thing == "s" else seconds / amount * _PER_SECOND[time_unit]


def once(piece: Piece) -> Spent:
    """Call a piece; what earlier calls have left behind is cleared away before."""
    global _worked
    if piece.before is not None:
        piece.before()
    gc.collect()
    begun, processor = time.perf_counter(), _processor()
    piece.call()
    spent = Spent(max(time.perf_counter() - begun, 1e-9), max(_processor() - processor, 1e-9))
    _worked += spent.clock
    return spent


def _processor() -> float:
    return sum(used.ru_utime + used.ru_stime for used in map(getrusage, (RUSAGE_SELF, RUSAGE_CHILDREN)))


class Bench(NamedTuple):
    """The fixture `bench`. quick: tiny work, to see that it runs. stack: is left when the benchmark is over."""

    fixture: Any  # pytest-benchmark's, which is untyped
    quick: bool
    folder: Path  # an empty one
    stack: ExitStack

    def size(self, full: int, tiny: int) -> int:
        """How much work."""
        return tiny if self.quick else full

    def __call__(self, name: str, unit: str, pieces: Sequence[Piece], rounds: int = 7, warm: bool = True) -> None:
        """Time the pieces. warm: whether there is a first round that does not count."""
        found: list[list[float]] = []  # of each round by the clock and by the processor

        def play() -> None:
            spent = [once(piece) for piece in pieces]
            each = [[value(unit, one[k], of.amount) for one, of in zip(spent, pieces, strict=True)] for k in range(2)]
            found.append([statistics.median(values) for values in each])

        self.fixture.name = self.fixture.fullname = name
        self.fixture.pedantic(play, rounds=rounds, warmup_rounds=int(warm))
        clock, processor = zip(*found[-rounds:], strict=True)
        figures = {"figure": statistics.median(clock), "low": min(clock), "high": max(clock)}
        self.fixture.extra_info |= {"unit": unit} | figures | {"processor": statistics.median(processor)}
