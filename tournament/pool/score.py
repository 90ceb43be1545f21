"""`pool score`: shards of games in, shards of scores out; the generator is never run.

    scores/TIER/VERSION/axes.json            the version of each axis
    scores/TIER/VERSION/START-STOP.parquet   the axes of a shard's games (in `parts` those of a few, while it is made)

VERSION is that of all axes at the tier (`antemill.axes.exact.scores.version_of`). Scores of other versions stay, so
that versions can be compared. Values of an unchanged axis are copied from them: after a change of one axis only that
one is computed. A file without some axes names those that it has: START-STOP.risk+brittleness.parquet.
"""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from secrets import token_hex

import msgspec
from msgspec import Struct

from antemill.axes.exact.scores import axis_version_of, version_of
from antemill.axes.table import AXES
from antemill.engine.errors import StorageError, UsageError
from antemill.engine.execute import Job, Progress, progress_bar, silent
from antemill.engine.storage.places import Place
from antemill.tournament.pool.jobs import Crew, perform, require_workers, team
from antemill.tournament.pool.layout import VERSIONS, Pool, complete_pool
from antemill.tournament.pool.lock import working
from antemill.tournament.pool.retest import read_retest, write_retest
from antemill.tournament.pool.scoring import ScoreOrder, Source, join_scores, score_file, score_part
from antemill.tournament.pool.select import require_tier
from antemill.tournament.pool.shard_reading import count_games
from antemill.tournament.pool.spans import Known, Span, gaps, grain, parse
from antemill.tournament.pool.verify import explaining
from antemill.tournament.pool.versions import numba_version

_GRAINS = 4  # grains whose games are a worker's piece of work: again some ten seconds, beside which its write is short


class Scored(Struct, frozen=True):
    """What `score_pool` did: games that have the axes now, and how many of them were scored by this call."""

    games: int
    scored: int
    tier: str
    axes: tuple[str, ...]


class _Joining(Struct, frozen=True):
    """Names the job that brings a shard's scores together."""

    shard: Span

    def __str__(self) -> str:
        return f"the scores of {self.shard}"


class _Piece(Struct, frozen=True):
    """Names the job that scores the games of some seeds."""

    span: Span
    shard: Span
    axes: tuple[str, ...]

    def __str__(self) -> str:
        return f"the scores of {self.span}"


def score_pool(
    folder: str | os.PathLike[str] | Place,
    tier: str = "fast",
    only: Sequence[str] = (),
    workers: int | None = None,
    executor: str = "local",
    quiet: bool = False,
    crew: Crew | None = None,
) -> Scored:
    """Score the pool's accepted games at a tier, all axes or `only` some, where that was not done yet. crew: provides
    the workers instead of workers and executor, and keeps them.
    Raises UsageError for an unknown tier or axis, StorageError for an unfinished or damaged pool, and if another
    process works on it.
    """
    require_workers(workers, executor)
    wanted = wanted_axes(tier, only)
    with working(folder):
        pool = complete_pool(folder)
        with explaining(pool):
            return _score(pool, tier, wanted, workers, executor, quiet, crew)


def _score(
    pool: Pool,
    tier: str,
    wanted: tuple[str, ...],
    workers: int | None,
    executor: str,
    quiet: bool,
    crew: Crew | None,
) -> Scored:
    """Score what is missing of a complete pool."""
    version = version_of(tier)
    target = f"scores/{tier}/{version}"
    if not pool.folder.exists(f"{target}/{VERSIONS}"):
        versions = {axis: axis_version_of(tier, axis) for axis in AXES}
        pool.folder.write(f"{target}/{VERSIONS}", msgspec.json.format(msgspec.json.encode(versions)) + b"\n")
    for name in (target, f"{target}/parts"):
        pool.folder.sweep(name)
    order = ScoreOrder(pool.folder, pool.settings.builder, tier, target, version, numba_version(), token_hex(8))
    first, stop = pool.settings.seeds
    with progress_bar(f"{tier} scores", stop - first, quiet) as bar:
        work = _Scoring(order, pool, wanted, bar)
        retested = wanted != tuple(AXES) or read_retest(pool, tier) is not None
        if work.open or not retested:
            with team(workers, executor, crew=crew) as found:
                for jobs in (work.jobs(), work.rest()):
                    for key, count in perform(jobs, found):
                        work.take(key, count)
                if not retested and work.games:
                    write_retest(pool, tier, found)
    pool.folder.drop(f"{target}/parts")
    return Scored(work.games, work.scored, tier, wanted)


def left_to_score(pool: Pool, tier: str, wanted: tuple[str, ...]) -> list[tuple[Span, list[Span]]]:
    """The shards that are not wholly scored, each with the seeds of which some axis is missing."""
    version = version_of(tier)
    target = f"scores/{tier}/{version}"
    order = ScoreOrder(pool.folder, pool.settings.builder, tier, target, version, numba_version(), "")
    return _Scoring(order, pool, wanted, silent).left()


def wanted_axes(tier: str, only: Sequence[str]) -> tuple[str, ...]:
    """The axes named by `only` in their usual order, all if none is named. Raises UsageError for an unknown name."""
    require_tier(tier)
    names = {name.replace("-", "_") for name in only}
    if unknown := sorted(names - set(AXES)):
        raise UsageError(f"there is no axis '{unknown[0]}': use some of {', '.join(AXES)}.")
    return tuple(axis for axis in AXES if axis in names or not names)


def versions_of(pool: Pool, tier: str) -> Mapping[str, Mapping[str, str]]:
    """The versions by which the pool has scores at a tier, each with those of its axes."""
    found = {}
    for version in pool.folder.folders(f"scores/{tier}"):
        file = f"scores/{tier}/{version}/{VERSIONS}"
        if pool.folder.exists(file):
            try:
                found[version] = msgspec.json.decode(pool.folder.read(file), type=dict[str, str])
            except (msgspec.MsgspecError, UnicodeDecodeError) as error:
                raise StorageError(
                    f"{pool.folder.path(file)} is damaged: remove it and score the pool again."
                ) from error
    return found


class _Scoring:
    """The jobs that score a pool, and their progress."""

    def __init__(self, order: ScoreOrder, pool: Pool, wanted: tuple[str, ...], bar: Progress) -> None:
        self._order, self._pool, self._wanted, self._bar = order, pool, wanted, bar
        self._sources = _sources(pool, order.tier)
        self._known = Known({source.span for source in self._sources})
        self._by_span: dict[Span, list[Source]] = {}
        for source in self._sources:
            self._by_span.setdefault(source.span, []).append(source)
        self._waiting: deque[tuple[Span, set[_Piece]]] = deque()
        self._done, self._all = 0, pool.settings.seeds[1] - pool.settings.seeds[0]
        self._counts: Counter[Span] = Counter()
        self.games = self.scored = 0
        self.open = False
        for shard in pool.shards:
            if self._finished(shard):
                self.games += count_games(pool, shard)
                self._count(shard.size)
            else:
                self.open = True

    def jobs(self) -> Iterator[Job[int]]:
        """Pieces of one shard after the other; a shard as soon as the pieces before it in this order are there."""
        waiting = [shard for shard in self._pool.shards if not self._finished(shard)]
        for number, shard in enumerate(waiting):
            pieces = self._missing(shard)
            self._waiting.append((shard, set(pieces)))
            following = waiting[number + 1] if number + 1 < len(waiting) else None
            for place, piece in enumerate(pieces):
                yield from self._ready()
                ahead = following if place >= len(pieces) // 2 else None
                span = piece.span
                yield Job(piece, span.start, score_part, (span.stop, self._order, shard, piece.axes, ahead))

    def left(self) -> list[tuple[Span, list[Span]]]:
        """The shards that are not finished, each with the seeds that lack an axis."""
        return [
            (shard, [piece.span for piece in self._missing(shard)])
            for shard in self._pool.shards
            if not self._finished(shard)
        ]

    def rest(self) -> Iterator[Job[int]]:
        """The last shards, when all pieces are there."""
        yield from self._ready()

    def take(self, key: _Piece | _Joining, count: int) -> None:
        """Note what a worker has finished, and how many games."""
        if isinstance(key, _Joining):
            self.games += count
            self.scored += min(count, self._counts.pop(key.shard, 0))
            self._count(key.shard.size)
            return
        for _, missing in self._waiting:
            missing.discard(key)
        first = not any(
            source.file.startswith(f"{self._order.target}/parts") for source in self._by_span.get(key.span, ())
        )
        self._counts[key.shard] += count if first else 0
        self._add(Source(f"{self._order.target}/parts/{score_file(key.span, key.axes)}", key.span, key.axes))

    def _finished(self, shard: Span) -> bool:
        there = (
            source for source in self._by_span.get(shard, ()) if self._ours(source) and "/parts/" not in source.file
        )
        return any(set(self._wanted) <= set(source.axes) for source in there)

    def _missing(self, shard: Span) -> list[_Piece]:
        """The scores to compute; axes that are missing in the same places are computed together."""
        size = _GRAINS * grain(self._all)
        places: dict[tuple[Span, ...], list[str]] = {}
        sources = self._of(shard)
        for axis in self._wanted:
            there = {source.span for source in sources if axis in source.axes}
            places.setdefault(tuple(gaps(shard, there, size)), []).append(axis)
        return [_Piece(span, shard, tuple(axes)) for spans, axes in places.items() for span in spans]

    def _ready(self) -> Iterator[Job[int]]:
        while self._waiting and not self._waiting[0][1]:
            shard, _ = self._waiting.popleft()
            sources = self._of(shard)
            ours = [source for source in sources if self._ours(source)]
            whole = {axis for source in ours if source.span == shard for axis in source.axes}
            axes = tuple(axis for axis in AXES if axis in whole or axis in self._wanted)
            target = f"{self._order.target}/{score_file(shard, axes)}"
            old = tuple(source.file for source in ours if source.file != target)
            arguments = (shard.stop, self._order, axes, tuple(sources), old)
            yield Job(_Joining(shard), shard.start, join_scores, arguments)
            for span in {source.span for source in sources}:
                self._by_span.pop(span, None)

    def _of(self, shard: Span) -> list[Source]:
        return [source for span in dict.fromkeys(self._known.of(shard)) for source in self._by_span.get(span, ())]

    def _ours(self, source: Source) -> bool:
        return source.file.startswith(f"{self._order.target}/")

    def _add(self, source: Source) -> None:
        self._known.add(source.span)
        self._by_span.setdefault(source.span, []).append(source)

    def _count(self, seeds: int) -> None:
        self._done += seeds
        self._bar(self._done, self._all)


def _sources(pool: Pool, tier: str) -> list[Source]:
    """All files of scores at a tier that have axes of the present version."""
    found: list[Source] = []
    today = {axis: axis_version_of(tier, axis) for axis in AXES}
    for version, axes in versions_of(pool, tier).items():
        same = {axis for axis, own in today.items() if axes.get(axis) == own}
        for folder in (f"scores/{tier}/{version}", f"scores/{tier}/{version}/parts"):
            for name in pool.folder.names(folder):
                known = parse(name)
                if known is None:
                    continue
                has = known[1].split("+") if known[1] else list(AXES)
                usable = tuple(axis for axis in AXES if axis in same and axis in has)
                if usable:
                    found.append(Source(f"{folder}/{name}", known[0], usable))
    return found
