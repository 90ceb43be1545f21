"""`pool build --accept N`: a pool that stops at its N-th accepted game, as the paper's stopped at 2,000 (G45).

The pool grows by whole blocks until it has enough, then loses the seeds after the one that gave the last game wanted.
What comes of it is the pool of exactly these seeds, whatever the steps were. A killed command is finished by the same
one: the description names the limit, so that no pool is ever cut that was not built to be.
"""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path

from engine.errors import UsageError
from engine.storage.files import write_bytes
from engine.storage.store import GAMES, encode, table
from tournament.pool.build import Built, build_pool
from tournament.pool.layout import BLOCK, Block, Pool, open_pool, shorten_pool
from tournament.pool.score import games_part
from tournament.pool.stats import acceptance

_FIRST = 4  # candidates drawn for every game wanted before it is known how many are accepted


def build_accepting(
    folder: Path,
    seeds: tuple[int, int],
    accept: int,
    complexity: tuple[float, float] | None = None,
    workers: int | None = None,
    executor: str = "local",
    quiet: bool = False,
) -> Built:
    """Build the pool of the first of these seeds that give `accept` accepted games, or of all if they give fewer.

    Raises UsageError for a limit below 1, and whatever `build_pool` raises.
    """
    if accept < 1:
        raise UsageError(f"can not stop at {accept} accepted games: the number must be at least 1.")
    first, last = seeds
    stop = _there(folder, accept) or _edge(first + _FIRST * accept, last)
    while True:
        built = build_pool(folder, (first, stop), complexity, workers, executor, quiet, accept)
        if built.accepted >= accept:
            return _cut(open_pool(folder), accept)
        if stop >= last:
            return built
        wanted = (accept - built.accepted) * (stop - first) // max(built.accepted, 1)
        stop = _edge(stop + max(wanted, 1), last)


def _there(folder: Path, accept: int) -> int | None:
    """Where an earlier run with this limit has got to."""
    if not (folder / "pool.json").exists():
        return None
    settings = open_pool(folder).settings
    return settings.seeds[1] if settings.accept == accept else None


def _edge(stop: int, last: int) -> int:
    """The end of the block with the seed before `stop`, or the last seed that is allowed."""
    return min(-(-stop // BLOCK) * BLOCK, last)


def _cut(pool: Pool, accept: int) -> Built:
    """Leave away the seeds after the one that gives the last game wanted."""
    block, size = _last(pool, accept)
    for later in pool.blocks:
        if later.start > block.start:
            pool.games(later).unlink(missing_ok=True)
    if size < block.stop - block.start:
        rows = games_part(pool, block).slice(0, size).to_pylist()
        write_bytes(pool.games(block), encode(GAMES, table(GAMES, rows), pool.settings.builder))
    return acceptance(shorten_pool(pool, block.start + size))


def _last(pool: Pool, accept: int) -> tuple[Block, int]:
    """The block with the last game wanted, and how many of its candidates there are up to that game."""
    wanted = accept
    for block in pool.blocks:
        flags = games_part(pool, block, ["seed", "accepted"])["accepted"].to_pylist()
        if sum(flags) >= wanted:
            return block, list(accumulate(map(int, flags))).index(wanted) + 1
        wanted -= sum(flags)
    raise AssertionError("the pool has fewer accepted games than its summary says")
