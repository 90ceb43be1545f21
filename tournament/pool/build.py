"""`pool build`: makes the cells of candidates and games that are missing; existing cells are never made again.

When all cells are there, the pool's repeats are listed. This process holds counts and the names of files.

`--accept N` stops at the N-th accepted game, as the paper's pool stopped at 2,000 (G45): the pool grows in steps until
it has enough, then its last cell is cut after the last wanted game. The result is the pool of exactly these seeds, for
any steps. The settings name the limit, so a pool that was built without it is never cut.
"""

from __future__ import annotations

import os
from collections import Counter

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct

from antemill.engine.builder.caps import BENCHMARK_CAPS, Caps
from antemill.engine.errors import UsageError
from antemill.engine.execute import Job, progress_bar
from antemill.engine.machine import gate as gates
from antemill.engine.storage import store
from antemill.engine.storage.places import Place, place
from antemill.tournament.pool import layout
from antemill.tournament.pool.candidates import TOO_LARGE
from antemill.tournament.pool.damage import explained
from antemill.tournament.pool.given_caps import changes_of, dial_of
from antemill.tournament.pool.grid import Span, cell_size, named
from antemill.tournament.pool.jobs import perform, require_workers
from antemill.tournament.pool.layout import CANDIDATES, GAMES, REPEAT, REPEATS, Pool, Settings
from antemill.tournament.pool.lock import swept, working
from antemill.tournament.pool.repeats import find_repeats
from antemill.tournament.pool.versions import packages
from antemill.tournament.pool.work import Order, draw_cell, settings_here

_FIRST = 4  # candidates drawn for every game wanted before it is known how many are accepted
VERDICT_COLUMNS = ["seed", "reason", *(rule.figure for rule in gates.RULES)]


class Built(Struct, frozen=True):
    """A finished pool: how many candidates, accepted ones, and rejected ones by reason."""

    candidates: int
    accepted: int
    rejected: dict[str, int]  # each under the first rule that it breaks
    broken: dict[str, int]  # each under every rule that it breaks


def build_pool(
    folder: str | os.PathLike[str] | Place,
    seeds: tuple[int, int],
    complexity: tuple[float, float] | None = None,
    workers: int | None = None,
    executor: str = "local",
    quiet: bool = False,
    accept: int | None = None,
    caps: Caps = BENCHMARK_CAPS,
) -> Built:
    """Build the pool of these seeds in a folder, or what is missing of it. The result never depends on `workers`.

    accept: the number of accepted games at which the pool stops, within these seeds. caps: of the generator; where they
    allow a dial above 1, the seeds' complexities are scaled to all of it by default.
    Raises UsageError for a limit below 1 and a complexity beyond the caps, StorageError if the folder holds another
    pool or a damaged file, or if another process works there, ExecutionError if a worker died; finished cells stay.
    """
    require_workers(workers, executor)
    if accept is not None and accept < 1:
        raise UsageError(f"cannot stop at {accept} accepted games: the number must be at least 1.")
    wanted = Settings(seeds, dial_of(complexity, caps), changes_of(caps), "", "", {}, "", accept, cell_size(seeds))
    where = place(folder)
    where.make()
    with working(where), explained(where):
        work = _Building(where, settings_here(wanted), workers, executor, quiet)
        return work.to_the_end() if accept is None else work.until(accept)


class _Building:
    """Building a pool; no other process works in its folder."""

    def __init__(self, folder: Place, wanted: Settings, workers: int | None, executor: str, quiet: bool) -> None:
        self._folder, self._wanted = folder, wanted
        self._workers, self._executor, self._quiet = workers, executor, quiet

    def to_the_end(self) -> Built:
        """Build the whole range."""
        return acceptance(self._filled(layout.create_pool(self._folder, self._wanted)))

    def until(self, accept: int) -> Built:
        """Build the first of the seeds that give so many accepted games, or all if they give fewer."""
        (first, last), size = self._wanted.seeds, self._wanted.cell
        stop = _edge(first + _FIRST * accept, size, last)
        if self._folder.exists(layout.NAME) or self._folder.names(CANDIDATES):
            there = layout.open_pool(self._folder).settings
            size, stop = there.cell, there.seeds[1] if there.accept == accept else stop
        while True:
            wanted = msgspec.structs.replace(self._wanted, seeds=(first, stop))
            pool = self._filled(layout.create_pool(self._folder, wanted))
            accepted = acceptance(pool).accepted
            if accepted >= accept:
                break
            if stop >= last:
                return acceptance(pool)
            more = (accept - accepted) * (stop - first) // max(accepted, 1)
            stop = _edge(stop + max(more, 1), size, last)
        cut = Pool(self._folder, pool.settings.of(Span(first, _last(pool, accept) + 1)))
        return acceptance(self._filled(cut.save()))

    def _filled(self, pool: Pool) -> Pool:
        """The pool with what was missing."""
        with swept(pool.folder, "", CANDIDATES, GAMES, REPEATS):
            return self._made(pool)

    def _made(self, pool: Pool) -> Pool:
        missing, order = pool.missing(), Order(pool, packages())
        if missing:
            jobs = [Job(cell, cell.start, draw_cell, (cell.stop, order)) for cell in missing]
            total = pool.settings.seeds[1] - pool.settings.seeds[0]
            with progress_bar("candidates", total, self._quiet) as bar:
                done = total - sum(cell.size for cell in missing)
                for cell, _ in perform(jobs, self._workers, self._executor):
                    bar(done := done + cell.size, total)
        if layout.unfinished(pool):
            repeats = find_repeats(pool)
            pool.write(REPEATS, pool.span, store.REPEATS, pa.table({"seed": repeats}))
        _tidy(pool)
        return pool


def acceptance(pool: Pool) -> Built:
    """Counts of the pool's candidates, under the gate's constants when it was made."""
    first: Counter[str] = Counter()  # by the first rule that they break; "": accepted
    broken: Counter[str] = Counter()  # by every rule that they break
    for cell in pool.cells:
        rows = pool.candidates(cell, VERDICT_COLUMNS)
        reasons = Counter(rows["reason"].to_pylist())
        first.update(reasons)
        broken.update({reason: reasons[reason] for reason in (TOO_LARGE, REPEAT)})
        for rule in gates.RULES:
            above = pc.greater(rows[rule.figure], pool.settings.gate[f"most_{rule.figure}"])
            broken[rule.reason] += pc.sum(above, min_count=0).as_py()
    rejected = {reason: count for reason, count in sorted(first.items()) if reason}
    return Built(first.total(), first[""], rejected, {reason: n for reason, n in sorted(broken.items()) if n})


def _edge(stop: int, size: int, last: int) -> int:
    """The end of the cell that has the seed before `stop`, or the last seed that is allowed."""
    return min(-(-stop // size) * size, last)


def _last(pool: Pool, accept: int) -> int:
    """The seed of the last game wanted."""
    wanted = accept
    for cell in pool.cells:
        found = pool.candidates(cell, ["seed", "accepted"])
        accepted = found.filter(found["accepted"])["seed"]
        if len(accepted) >= wanted:
            return int(accepted[wanted - 1].as_py())
        wanted -= len(accepted)
    raise AssertionError("the pool has fewer accepted games than its summary says")


def _tidy(pool: Pool) -> None:
    """Remove cells of a smaller pool that this one grew from, or of a larger one that was cut, with their scores."""
    folders = [CANDIDATES, GAMES]
    for tier in pool.folder.folders("scores"):
        folders += [f"scores/{tier}/{version}" for version in pool.folder.folders(f"scores/{tier}")]
    wanted = {*pool.cells}
    for folder in folders:
        for span in {*named(pool.folder.names(folder))} - wanted:
            pool.folder.remove(f"{folder}/{span.file}")
    for folder in [REPEATS, *(f"{folder}/{layout.AGAIN}" for folder in folders[2:])]:
        for span in {*named(pool.folder.names(folder))} - {pool.span}:
            pool.folder.remove(f"{folder}/{span.file}")
