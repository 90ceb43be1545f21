"""Plans of `run`, `pool build` and `pool score`: counted from the existing files, and timed on a small sample.

Times are estimates: this process works on a few candidates and games, and multiplies the time of one by the number that
is left, divided by the workers. Nothing is written.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence

import pyarrow as pa
from msgspec import Struct

from antemill.axes.exact.scores import version_of
from antemill.engine.builder.caps import BENCHMARK_CAPS, Caps
from antemill.engine.execute import default_workers
from antemill.engine.machine.program import Program, from_columns
from antemill.engine.storage import store
from antemill.engine.storage.places import Place, place
from antemill.engine.storage.store import encode, programs
from antemill.tournament.pool import layout
from antemill.tournament.pool.build import settings_of
from antemill.tournament.pool.candidates import judged, table_of
from antemill.tournament.pool.jobs import require_workers
from antemill.tournament.pool.layout import Pool, Settings
from antemill.tournament.pool.score import left_to_score, wanted_axes
from antemill.tournament.pool.scoring import score_game
from antemill.tournament.pool.select import require_tier
from antemill.tournament.pool.shard_reading import count_games, games
from antemill.tournament.pool.spans import Known, gaps, parts, shards
from antemill.tournament.pool.work import complexity_of

_FEW, _SAMPLE = 16, 64  # candidates that are drawn to see how long one takes, and how large: the first ones warm up
_GAMES, _SECONDS = 12, 2.0  # games that are scored for the same, at most
_ROW = 100  # bytes of a game's scores, compressed


class Step(Struct, frozen=True):
    """One step of the work. what: in words. left: how many of `total` are still to be done. seconds: an estimate."""

    what: str
    total: int
    left: int
    seconds: float | None


class Plan(Struct, frozen=True):
    """What a command would do. files: that it would write, with their bytes by an estimate; note: what else matters."""

    steps: list[Step]
    workers: int
    files: dict[str, int]
    note: str = ""
    basis: str = "an estimate from a short sample, without the time to start"  # of the seconds

    @property
    def seconds(self) -> float | None:
        """Of all steps; None if that of one is not known."""
        known = [step.seconds for step in self.steps if step.seconds is not None]
        return sum(known) if len(known) == len(self.steps) else None


class _Sample(Struct, frozen=True):
    """Some candidates: seconds and bytes of one, the share that is accepted, and these."""

    seconds: float
    share: float
    candidates: Callable[[int], int]  # bytes of the file of so many
    games: Callable[[int], int]
    programs: list[Program]


def plan_build(
    folder: str | os.PathLike[str] | Place,
    seeds: tuple[int, int],
    complexity: tuple[float, float] | None = None,
    accept: int | None = None,
    workers: int | None = None,
    executor: str = "local",
    caps: Caps = BENCHMARK_CAPS,
) -> Plan:
    """What `build_pool`, or `build_accepting`, would do. Raises the errors that they raise before they begin."""
    return _build(folder, seeds, complexity, accept, workers, executor, caps)[0]


def plan_score(
    folder: str | os.PathLike[str] | Place,
    tier: str = "fast",
    only: Sequence[str] = (),
    workers: int | None = None,
    executor: str = "local",
) -> Plan:
    """What `score_pool` would do. Raises the errors that it raises before it begins."""
    require_workers(workers, executor)
    wanted = wanted_axes(tier, only)
    pool, number = layout.complete_pool(folder), workers or default_workers()
    left, total = _to_score(pool, tier, wanted)
    seconds = _timed(_programs(pool), tier, wanted) if left else 0.0
    step = Step(f"games to score at the {tier} tier", total, left, seconds * left / number)
    files = {pool.folder.path(f"scores/{tier}/{version_of(tier)}/"): left * _ROW} if left else {}
    return Plan([step], number, files)


def plan_run(
    folder: str | os.PathLike[str],
    seeds: tuple[int, int],
    count: int,
    workers: int | None,
    executor: str = "local",
    tier: str = "fast",
    complexity: tuple[float, float] | None = None,
    caps: Caps = BENCHMARK_CAPS,
) -> Plan:
    """What `run_pipeline` would do, but for the page. Raises UsageError for an unknown tier, as it does."""
    require_tier(tier)
    plan, sample = _build(folder, seeds, complexity, None, workers, executor, caps)
    there = place(folder)
    pool = layout.open_pool(there) if there.exists(layout.NAME) else None
    if pool is not None and pool.settings.complete and not plan.steps[0].left:
        left, total = _to_score(pool, tier, wanted_axes(tier, ()))
        programs_there = list(_programs(pool))
    else:
        total = left = round(sample.share * plan.steps[0].total)
        programs_there = sample.programs
    selected = 0 if there.exists("benchmark.parquet") and not left else min(count, total)
    steps = [
        *plan.steps,
        Step(f"games to score at the {tier} tier", total, left, _each(programs_there, tier, left) / plan.workers),
        Step(
            "selected games to score at the precise tier",
            min(count, total),
            selected,
            _each(programs_there, "precise", selected) / plan.workers,
        ),
    ]
    files = plan.files | ({there.path("scores/"): left * _ROW} if left else {})
    files |= {there.path("benchmark.parquet"): sample.games(min(count, total)), there.path("report.html"): 0}
    return Plan(steps, plan.workers, files, "The page is rewritten every time; its size is not known beforehand.")


def _build(
    folder: str | os.PathLike[str] | Place,
    seeds: tuple[int, int],
    complexity: tuple[float, float] | None,
    accept: int | None,
    workers: int | None,
    executor: str,
    caps: Caps,
) -> tuple[Plan, _Sample]:
    require_workers(workers, executor)
    there, number = place(folder), workers or default_workers()
    settings = settings_of(seeds, complexity, accept, caps)
    sample, note = _sample(seeds, settings.complexity, caps), ""
    if accept is not None:
        first, stop = seeds
        wanted = min(stop - first, round(accept / max(sample.share, 1 / _SAMPLE)))
        settings = Settings(
            **{name: getattr(settings, name) for name in settings.__struct_fields__}
            | {"seeds": (first, first + wanted)}
        )
        note = f"It stops at {accept:,} accepted games, for which about {wanted:,} candidates are needed."
    pool = Pool(there, settings)
    done = Known()
    if there.exists(layout.NAME):
        old = layout.open_pool(there)
        if accept is None:
            layout.refuse_other(old, settings)
        done = layout.whole_shards(old)
    begun = Known(parts(there.names(layout.PARTS)))
    total = settings.seeds[1] - settings.seeds[0]
    left = sum(
        gap.size
        for shard in shards(*settings.seeds)
        for gap in gaps(shard, [*done.of(shard), *begun.of(shard)], shard.size)
    )
    accepted = round(sample.share * total)
    files = {
        pool.folder.path("candidates/"): sample.candidates(total),
        pool.folder.path("games/"): sample.games(accepted),
    }
    step = Step("candidates to draw and gate", total, left, sample.seconds * left / number)
    share = f"About {100 * sample.share:.0f}% of them are accepted, by a sample of {_SAMPLE}."
    return Plan([step], number, files if left else {}, " ".join(filter(None, (note, share)))), sample


def _sample(seeds: tuple[int, int], complexity: tuple[float, float] | None, caps: Caps) -> _Sample:
    """Candidates from all over the range."""
    first, stop = seeds
    number = min(_SAMPLE, stop - first)
    drawn = [first + (stop - first) * i // number for i in range(number)]
    given = [(seed, complexity_of(seed, complexity)) for seed in drawn]
    few = table_of(judged(given[:_FEW], caps))
    begun = time.perf_counter()
    rows = table_of(judged(given, caps))
    seconds = (time.perf_counter() - begun) / number
    accepted, few_accepted = (part.filter(part["accepted"]) for part in (rows, few))
    made = [from_columns(row) for row in accepted.select(store.PROGRAM_COLUMNS).to_pylist()]
    return _Sample(
        seconds,
        accepted.num_rows / number,
        _line(store.CANDIDATES, few, rows),
        _line(store.GAMES, few_accepted, accepted),
        made,
    )


def _line(kind: store.FileKind, few: pa.Table, many: pa.Table) -> Callable[[int], int]:
    """Bytes of a file of this kind with so many rows: a straight line through two files."""
    sizes = [len(encode(kind, rows, "")) for rows in (few, many)]
    more = many.num_rows - few.num_rows
    each = (sizes[1] - sizes[0]) / more if more > 0 else sizes[1] / max(many.num_rows, 1)
    return lambda rows: round(max(sizes[1] + each * (rows - many.num_rows), sizes[0])) if rows else 0


def _to_score(pool: Pool, tier: str, wanted: tuple[str, ...]) -> tuple[int, int]:
    """How many games are still to be scored, and how many there are."""
    total = sum(count_games(pool, shard) for shard in pool.shards)
    left = 0
    for shard, spans in left_to_score(pool, tier, wanted):
        there = games(pool, shard, ["seed"])["seed"].to_pylist()
        left += sum(any(span.start <= seed < span.stop for span in spans) for seed in there)
    return left, total


def _programs(pool: Pool) -> Iterable[Program]:
    """Some games of the pool's first shard, from all over it."""
    shard = next(iter(pool.shards))
    there = games(pool, shard, ["seed", *store.PROGRAM_COLUMNS])
    number = min(_GAMES, there.num_rows)
    chosen = there.take([there.num_rows * i // number for i in range(number)])
    return programs(chosen, str(pool.folder))


def _each(some: Iterable[Program], tier: str, left: int) -> float:
    """Seconds of a processor for so many games."""
    return _timed(some, tier, wanted_axes(tier, ())) * left if left else 0.0


def _timed(some: Iterable[Program], tier: str, wanted: tuple[str, ...]) -> float:
    """Seconds to score one of these games; the first is scored twice, to be timed when all is compiled."""
    taken, begun, number = list(some)[:_GAMES], 0.0, 0
    if taken:
        score_game(taken[0], "fast", wanted)
    begun = time.perf_counter()
    for program in taken:
        score_game(program, tier, wanted)
        number += 1
        if time.perf_counter() - begun > _SECONDS:
            break
    return (time.perf_counter() - begun) / max(number, 1)


def size_of(count: int) -> str:
    """A number of bytes in words."""
    for unit, name in ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "kB")):
        if count >= unit:
            return f"{count / unit:.2g} {name}" if count < 100 * unit else f"{count / unit:,.0f} {name}"
    return f"{count} bytes"
