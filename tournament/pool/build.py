"""`pool build`: makes shards of candidates and games from seeds; existing files are never made again.

Workers draw a few seeds at a time, some seconds of work, and write them as a part. When all parts of a shard are there,
a worker makes the shard of them. When all shards are there, repeats are rejected. This process holds counts and names
of files, and lists the files that an earlier command has left.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from contextlib import suppress

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from antemill.engine.builder.caps import BENCHMARK_CAPS, Caps
from antemill.engine.builder.generate import builder_hash
from antemill.engine.errors import StorageError
from antemill.engine.execute import Executor, Job, Progress, Setup, progress_bar
from antemill.engine.rules.canonical.digests import form_hash
from antemill.engine.storage.places import Place, place
from antemill.engine.storage.store import VERSION, machine
from antemill.tournament.pool import layout
from antemill.tournament.pool.given_caps import changes_of, dial_of
from antemill.tournament.pool.jobs import SETUP, Crew, perform, require_workers, team
from antemill.tournament.pool.layout import Pool, Settings
from antemill.tournament.pool.lock import working
from antemill.tournament.pool.repeats import AT_ONCE
from antemill.tournament.pool.shard_reading import candidates, count_games
from antemill.tournament.pool.spans import Known, Span, gaps, grain, named, parts
from antemill.tournament.pool.verify import explaining
from antemill.tournament.pool.versions import numba_version
from antemill.tournament.pool.work import (
    VERDICT_COLUMNS,
    Order,
    Verdicts,
    build_part,
    build_shard,
    find_repeats,
    gate_constants,
    remove_shard,
    strike_repeats,
    verdicts,
)


class Built(Struct, frozen=True):
    """A finished pool: how many candidates, accepted ones, and rejected ones by reason."""

    candidates: int
    accepted: int
    rejected: dict[str, int]  # each under the first rule that it breaks
    broken: dict[str, int]  # each under every rule that it breaks


class Making(Struct, frozen=True):
    """Names the job that makes a shard of its parts."""

    shard: Span

    def __str__(self) -> str:
        return f"the shard of {self.shard}"


def build_pool(
    folder: str | os.PathLike[str] | Place,
    seeds: tuple[int, int],
    complexity: tuple[float, float] | None = None,
    workers: int | None = None,
    executor: str = "local",
    quiet: bool = False,
    accept: int | None = None,
    setup: Setup = SETUP,
    crew: Crew | None = None,
    caps: Caps = BENCHMARK_CAPS,
) -> Built:
    """Build the pool of these seeds in a folder, or what is missing of it. The result never depends on `workers`.

    accept: the limit of accepted games for the pool's description; `antemill.tournament.pool.accept` applies it. setup:
    of the workers, `TO_BUILD` in a process that does not score the pool, too. crew: provides the workers instead, and
    keeps them. caps: of the generator; where they allow a dial above 1, the seeds' complexities are scaled to all of
    it by default. Raises UsageError for a complexity beyond the caps, StorageError if the folder holds another pool or
    a damaged file, or if another process works there, ExecutionError if a worker died; finished files stay.
    """
    require_workers(workers, executor)
    settings = settings_of(seeds, complexity, accept, caps)
    where = place(folder)
    where.make()
    with working(where):
        pool = layout.create_pool(where, settings)
        with explaining(pool):
            return _build(pool, workers, executor, quiet, setup, crew)


def settings_of(
    seeds: tuple[int, int], complexity: tuple[float, float] | None, accept: int | None, caps: Caps
) -> Settings:
    """The description of a pool that this version builds. Raises UsageError for a complexity beyond the caps."""
    versions = builder_hash(), machine(), gate_constants(), VERSION, form_hash()
    return Settings(seeds, dial_of(complexity, caps), *versions, accept, changes_of(caps))


def _build(pool: Pool, workers: int | None, executor: str, quiet: bool, setup: Setup, crew: Crew | None) -> Built:
    """Build what is missing of a pool."""
    _sweep(pool)
    there = layout.whole_shards(pool)
    if pool.settings.complete and all(shard in there for shard in pool.shards):
        for shard in pool.shards:  # what is there is believed to be right, but not to be readable
            count_games(pool, shard)
        return acceptance(pool)
    if pool.settings.complete:
        pool = layout.save_pool(pool, complete=False)
    try:
        with team(workers, executor, setup, crew) as found:
            _finish(pool, there, found, quiet)
    except BaseException:
        with suppress(StorageError):  # the next command does it, too
            _sweep(pool)
        raise
    _tidy(pool)
    return acceptance(layout.save_pool(pool, complete=True))


def acceptance(pool: Pool) -> Built:
    """Counts of the pool's candidates. Raises StorageError if the pool is unfinished."""
    layout.complete_pool(pool.folder)
    total = Verdicts()
    for shard in pool.shards:
        total.add(verdicts(candidates(pool, shard, VERDICT_COLUMNS), pool.settings.gate))
    rejected = {reason: count for reason, count in sorted(total.first.items()) if reason}
    return Built(total.first.total(), total.first[""], rejected, dict(sorted(total.broken.items())))


def _finish(pool: Pool, there: Known, crew: Executor, quiet: bool) -> None:
    """Make what is missing of the pool, but for its description."""
    order = Order(pool.folder, pool.settings, numba_version())
    first, stop = pool.settings.seeds
    with progress_bar("candidates", stop - first, quiet) as bar:
        work = _Building(order, pool, there, bar)
        for jobs in (work.jobs(), work.rest()):
            for key, _ in perform(jobs, crew):
                work.take(key)
    repeats = _repeats(order, pool, crew)
    struck = [Job(shard, shard.start, strike_repeats, (shard.stop, order, seeds)) for shard, seeds in repeats]
    for _ in perform(struck, crew):
        pass


class _Building:
    """The jobs that make parts and shards, and their progress."""

    def __init__(self, order: Order, pool: Pool, there: Known, bar: Progress) -> None:
        self._order, self._pool, self._there, self._bar = order, pool, there, bar
        self._parts = Known(parts(pool.folder.names(layout.PARTS)))
        self._open: deque[tuple[Span, set[Span]]] = deque()  # shards, with their parts that are not there yet
        self._done, self._all = 0, pool.settings.seeds[1] - pool.settings.seeds[0]

    def jobs(self) -> Iterator[Job[int]]:
        """Parts of one shard after the other; a shard as soon as the parts before it in this order are there."""
        size = grain(self._all)
        for shard in self._pool.shards:
            if shard in self._there:
                self._count(shard.size)
                continue
            missing = list(gaps(shard, [*self._earlier(shard), *self._parts.of(shard)], size))
            self._count(shard.size - sum(part.size for part in missing))
            self._open.append((shard, set(missing)))
            for part in missing:
                yield from self._ready()
                yield Job(part, part.start, build_part, (part.stop, self._order))

    def rest(self) -> Iterator[Job[int]]:
        """The last shards, when all parts are there."""
        yield from self._ready()

    def take(self, key: Span | Making) -> None:
        """Note what a worker has finished."""
        if isinstance(key, Making):
            self._parts.forget(key.shard)
            self._there.forget(key.shard)
            self._there.add(key.shard)
            return
        for _, missing in self._open:
            missing.discard(key)
        self._parts.add(key)
        self._count(key.size)

    def _ready(self) -> Iterator[Job[int]]:
        while self._open and not self._open[0][1]:
            shard, _ = self._open.popleft()
            arguments = (shard.stop, self._order, tuple(self._parts.of(shard)), self._earlier(shard))
            yield Job(Making(shard), shard.start, build_shard, arguments)

    def _earlier(self, shard: Span) -> tuple[Span, ...]:
        """What smaller pools in this folder had of the shard, and larger ones that are being cut."""
        return tuple(self._there.of(shard))

    def _count(self, seeds: int) -> None:
        self._done += seeds
        self._bar(self._done, self._all)


def _repeats(order: Order, pool: Pool, crew: Executor) -> Iterator[tuple[Span, bytes]]:
    """The shards that have games of lower seeds, with the seeds of these (int64)."""
    first, stop = pool.settings.seeds
    ranges = -(-(stop - first) // AT_ONCE)
    jobs = (Job(f"repeats {n + 1} of {ranges}", n, find_repeats, (ranges, order)) for n in range(ranges))
    found = [np.frombuffer(seeds, np.int64) for _, seeds in perform(jobs, crew)]
    repeats: npt.NDArray[np.int64] = np.sort(np.concatenate(found))
    for shard in pool.shards:
        low, high = np.searchsorted(repeats, shard.start), np.searchsorted(repeats, shard.stop - 1, "right")
        if low < high:
            yield shard, repeats[low:high].tobytes()


def _sweep(pool: Pool) -> None:
    """Remove what killed writers left."""
    for name in ("", layout.CANDIDATES, layout.GAMES, layout.PARTS):
        pool.folder.sweep(name)


def _tidy(pool: Pool) -> None:
    """Remove parts, shards of the smaller pool that this one grew from, and files that killed writers left behind."""
    _sweep(pool)
    wanted = Known(pool.shards)
    for span in parts(pool.folder.names(layout.PARTS)):
        pool.folder.remove(f"{layout.PARTS}/{span.part}")
    pool.folder.drop(layout.PARTS)
    for span in {*named(pool.folder.names(layout.CANDIDATES)), *named(pool.folder.names(layout.GAMES))}:
        if span not in wanted:
            remove_shard(pool.folder, span)
