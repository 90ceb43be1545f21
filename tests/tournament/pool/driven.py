"""The process that drives a build, without the work.

`build_pool` runs as it is. Its workers do nothing and report that their job is done; its store keeps names and no
contents. What is left is the driver's own work: planning, sending, recording, listing. Jobs are pickled as those of
real workers are. Every build is stopped after half of its jobs, and the same call finishes it, as after a kill.
"""

from __future__ import annotations

import gc
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from itertools import pairwise
from typing import Any, TypeVar
from unittest.mock import patch

import numpy as np
import pyarrow as pa
from msgspec import Struct

from antemill.engine.execute.job import Job, Outcome
from antemill.engine.execute.pool import AHEAD
from antemill.engine.execute.processes import encode
from antemill.engine.storage.places import Place
from antemill.tournament.pool import build
from antemill.tournament.pool.layout import CANDIDATES, GAMES, PARTS
from antemill.tournament.pool.spans import SHARD, Span, grain
from antemill.tournament.pool.work import build_part, build_shard, find_repeats, strike_repeats

T = TypeVar("T")
WORKERS = 1_000
ACCEPTED, REPEATED = 0.2, 0.002  # of the candidates
TENTHS = 10


class Stop(BaseException):
    """Ends a build as a kill would."""


class Kept:
    """What a store keeps: names of files by folder, the content of pool.json, and how often it was asked for what."""

    def __init__(self) -> None:
        self.files: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self.contents: dict[str, bytes] = {}
        self.asked: Counter[str] = Counter()


STORES: defaultdict[str, Kept] = defaultdict(Kept)  # by name, so that a store is sent to workers as its name


class Store(Place, frozen=True):
    """A store in memory."""

    @property
    def kept(self) -> Kept:
        """What is in it."""
        return STORES[self.name]

    def make(self, folder: str = "") -> None:
        """A store has no folders."""

    def write(self, file: str, data: bytes) -> None:
        """Keep it."""
        self.kept.asked["put"] += 1
        self.kept.contents[file] = data

    def read(self, file: str) -> bytes:
        """What was kept."""
        self.kept.asked["get"] += 1
        return self.kept.contents[file]

    def use(self, file: str, function: Callable[[pa.NativeFile], T]) -> T:
        """Refused: the store keeps no contents."""
        raise AssertionError(f"the driver opened {file} for {function}")

    def exists(self, file: str) -> bool:
        """Whether it was kept."""
        self.kept.asked["head"] += 1
        return file in self.kept.contents

    def names(self, folder: str = "") -> list[str]:
        """As a store lists them, a thousand a request."""
        found = sorted(self.kept.files[folder])
        self.kept.asked["list"] += len(found) // 1_000 + 1
        return found

    def remove(self, file: str) -> None:
        """Forget a name."""
        self.kept.asked["delete"] += 1
        folder, _, name = file.rpartition("/")
        self.kept.files[folder].pop(name, None)

    def sweep(self, folder: str = "") -> None:
        """Nothing is left behind in a store."""

    def put(self, folder: str, name: str) -> None:
        """What a worker writes."""
        self.kept.asked["put"] += 1
        self.kept.files[folder][name] = None


class Crew:
    """Workers that are done at once.

    repeated: the share of candidates that repeat a game. every: a mark is made after each so many jobs. stop: after so
    many jobs the build ends as by a kill. resident: returns the bytes of memory in use at a mark.
    """

    def __init__(
        self,
        store: Store,
        workers: int,
        repeated: float,
        every: int,
        stop: int | None = None,
        *,
        resident: Callable[[], int],
    ) -> None:
        self.window = AHEAD * workers
        self._repeated, self._resident = repeated, resident
        self.done: Counter[str] = Counter()
        self.marks: list[float] = []  # seconds
        self.memory: list[int] = []  # bytes
        self.sent = 0
        self._store, self._every, self._stop = store, every, stop

    def submit(self, job: Job[Any]) -> Future[Outcome[Any]]:
        """Do to the store what the job would."""
        number = self.done.total()
        if number == self._stop:
            raise Stop
        if number % self._every == 0:
            self.memory.append(self._resident())
            self.marks.append(time.process_time())
        self.sent += len(encode(job))
        self.done[job.function.__name__] += 1
        future: Future[Outcome[Any]] = Future()
        future.set_result(Outcome(job.key, "ok", self._value(job)))
        return future

    def _value(self, job: Job[Any]) -> object:
        store = self._store
        if job.function is build_part:
            stop, _ = job.args
            store.put(PARTS, Span(job.seed, stop).part)
            return int(ACCEPTED * (stop - job.seed))
        if job.function is build_shard:
            stop, _, parts, earlier = job.args
            store.kept.asked["get"] += len(parts) + 2 * len(earlier)
            for span in parts:
                store.remove(f"{PARTS}/{span.part}")
            for folder in (GAMES, CANDIDATES):
                store.put(folder, Span(job.seed, stop).file)
            return int(ACCEPTED * (stop - job.seed))
        if job.function is find_repeats:
            ranges, order = job.args
            first, last = order.settings.seeds
            store.kept.asked["get"] += -(-(last - first) // SHARD)
            return (
                np.linspace(first, last - 1, int(self._repeated * (last - first) / ranges)).astype(np.int64).tobytes()
            )
        assert job.function is strike_repeats
        store.kept.asked["get"] += 2
        store.kept.asked["put"] += 2
        return len(job.args[2]) // 8

    def cancel(self, future: Future[Any]) -> None:
        """It is done already."""

    def close(self) -> None:
        """There is nothing to release."""


class Figures(Struct, frozen=True):
    """One size. slowest, fastest: microseconds a job in a tenth of all. again: seconds that the second command takes to
    its first job."""

    seeds: int
    shards: int
    jobs: int
    seconds: float
    slowest: float
    fastest: float
    again: float
    memory_mb: float
    sent_mb: float
    asked: dict[str, int]


def simulate(
    seeds: int, workers: int = WORKERS, repeated: float = REPEATED, resident: Callable[[], int] = lambda: 0
) -> Figures:
    """Build a pool of so many seeds, stop after half of its jobs, and finish it.

    Raises AssertionError if it is not finished. resident: returns the bytes of memory in use.
    """
    store = Store(f"fake://{seeds}")
    STORES.pop(store.name, None)
    shards, parts = -(-seeds // SHARD), -(-seeds // grain(seeds))
    every = max((parts + shards) // TENTHS, 1)
    gc.collect()
    before = resident()
    first = Crew(store, workers, repeated, every, (parts + shards) // 2, resident=resident)
    second = Crew(store, workers, repeated, every, resident=resident)
    start = time.process_time()
    with suppress(Stop):
        _build(store, seeds, first)
    middle = time.process_time()
    _build(store, seeds, second)
    end = time.process_time()
    done = first.done + second.done
    assert len(store.kept.files[CANDIDATES]) == len(store.kept.files[GAMES]) == shards
    assert not store.kept.files[PARTS]
    assert (done["build_shard"], done["build_part"]) == (shards, parts)
    steps = [(b - a) / every * 1e6 for crew in (first, second) for a, b in pairwise(crew.marks)]
    memory = (max(first.memory + second.memory) - before) / 1e6
    sent = (first.sent + second.sent) / 1e6
    again = second.marks[0] - middle
    return Figures(
        seeds, shards, done.total(), end - start, max(steps), min(steps), again, memory, sent, dict(store.kept.asked)
    )


def _build(store: Store, seeds: int, crew: Crew) -> None:
    """`build_pool` with this crew, without the last step, which reads the candidates of all shards to count them."""

    @contextmanager
    def team(*_: object) -> Iterator[Crew]:
        yield crew

    with patch.object(build, "team", team), patch.object(build, "acceptance", lambda _: None):
        build.build_pool(store, (0, seeds), executor="ray", quiet=True)
