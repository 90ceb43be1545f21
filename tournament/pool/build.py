"""`pool build`: seeds in, parts of games out, block by block; finished blocks are never done again."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from msgspec import Struct

from engine.builder.generate import builder_hash
from engine.errors import StorageError
from engine.execute import Job, progress_bar
from engine.rules.canonical.digests import form_hash
from engine.storage.files import sweep, write_bytes
from engine.storage.store import GAMES, VERSION, decode, machine, read
from tournament.pool.jobs import perform, require_workers
from tournament.pool.layout import Block, Pool, Settings, create_pool
from tournament.pool.repeats import Repeats
from tournament.pool.work import VERDICT_COLUMNS, Verdicts, build_block, gate_constants, verdicts


class Built(Struct, frozen=True):
    """A finished pool: how many candidates, accepted ones, and rejected ones by reason."""

    candidates: int
    accepted: int
    rejected: dict[str, int]  # each under the first rule that it breaks
    broken: dict[str, int]  # each under every rule that it breaks


def build_pool(
    folder: Path,
    seeds: tuple[int, int],
    complexity: tuple[float, float] | None = None,
    workers: int | None = None,
    executor: str = "local",
    quiet: bool = False,
    accept: int | None = None,
) -> Built:
    """Build the pool of these seeds in a folder, or what is missing of it. The result never depends on `workers`.

    accept: what the pool's description says of where it stops; `tournament.pool.accept` stops it there.
    Raises StorageError if the folder holds another pool or a damaged part, ExecutionError if a worker died; whatever
    was finished stays.
    """
    require_workers(workers, executor)
    settings = Settings(seeds, complexity, builder_hash(), machine(), gate_constants(), VERSION, form_hash(), accept)
    pool = create_pool(folder, settings)
    (folder / "games").mkdir(exist_ok=True)
    sweep(folder)
    sweep(folder / "games")
    done = {block for block in pool.blocks if _finished(pool, block)}
    jobs = [Job(block, block.start, build_block, (block.stop, complexity)) for block in pool.blocks]
    total, repeats = Verdicts(), Repeats()
    with (
        progress_bar("candidates", len(jobs), quiet) as bar,
        closing(perform(jobs, workers, executor, done, bar)) as new,
    ):
        for block in pool.blocks:
            path = pool.games(block)
            there = path.read_bytes() if block in done else None
            part = next(new)[1].part if there is None else there
            kept = repeats.drop(part, str(path), settings.builder)
            if kept is not there:
                write_bytes(path, kept)
            total.add(verdicts(decode(kept, GAMES, str(path), settings.builder, VERDICT_COLUMNS), settings.gate))
        next(new, None)  # the bar is told of what was done before, too
    return summary(total)


def summary(found: Verdicts) -> Built:
    """Counts by reason as a summary; reasons in alphabetical order."""
    rejected = {reason: count for reason, count in sorted(found.first.items()) if reason}
    return Built(found.first.total(), found.first[""], rejected, dict(sorted(found.broken.items())))


def _finished(pool: Pool, block: Block) -> bool:
    """Whether a block's part is there, and whole. Raises StorageError if it is damaged."""
    path = pool.games(block)
    if not path.exists():
        return False
    seeds = read(path, GAMES, pool.settings.builder, ["seed"])["seed"].to_pylist()
    if seeds == list(range(block.start, block.stop)):
        return True
    if seeds and set(seeds) < set(range(block.start, block.stop)):
        return False  # the edge of a pool that is being extended
    raise StorageError(f"{path} does not hold the {block}: delete it and run the same command again.")
