"""`pool build --accept N`: a pool that stops at its N-th accepted game, as the paper's stopped at 2,000 (G45).

The pool grows in steps until it has enough, then loses the seeds after the last wanted game. The result is the pool of
exactly these seeds, for any steps. The same command continues a killed one. The description names the limit, so a pool
that was built without it is never cut.
"""

from __future__ import annotations

import os

from antemill.engine.builder.caps import BENCHMARK_CAPS, Caps
from antemill.engine.errors import UsageError
from antemill.engine.execute import Setup
from antemill.engine.storage.places import Place, place
from antemill.tournament.pool.build import Built, build_pool
from antemill.tournament.pool.jobs import SETUP
from antemill.tournament.pool.layout import NAME, Pool, open_pool, save_pool
from antemill.tournament.pool.lock import working
from antemill.tournament.pool.shard_reading import candidates
from antemill.tournament.pool.spans import GRAINS

_FIRST = 4  # candidates drawn for every game wanted before it is known how many are accepted


def build_accepting(
    folder: str | os.PathLike[str] | Place,
    seeds: tuple[int, int],
    accept: int,
    complexity: tuple[float, float] | None = None,
    workers: int | None = None,
    executor: str = "local",
    quiet: bool = False,
    setup: Setup = SETUP,
    caps: Caps = BENCHMARK_CAPS,
) -> Built:
    """Build the pool of the first of these seeds that give `accept` accepted games, or of all if they give fewer.

    Raises UsageError for a limit below 1, and the errors of `build_pool`.
    """
    if accept < 1:
        raise UsageError(f"cannot stop at {accept} accepted games: the number must be at least 1.")
    there = place(folder)
    there.make()
    with working(there):
        return _accepting(there, seeds, accept, complexity, workers, executor, quiet, setup, caps)


def _accepting(
    folder: Place,
    seeds: tuple[int, int],
    accept: int,
    complexity: tuple[float, float] | None,
    workers: int | None,
    executor: str,
    quiet: bool,
    setup: Setup,
    caps: Caps,
) -> Built:
    """Grow the pool in steps until it has enough, and cut it."""
    first, last = seeds
    stop = _there(folder, accept) or _edge(first + _FIRST * accept, last)
    while True:
        built = build_pool(folder, (first, stop), complexity, workers, executor, quiet, accept, setup, caps=caps)
        if built.accepted >= accept:
            pool = open_pool(folder)
            if (last_seed := _last(pool, accept)) == stop - 1:
                return built
            save_pool(pool, seeds=(first, last_seed + 1), complete=False)
            return build_pool(
                folder, (first, last_seed + 1), complexity, workers, executor, quiet, accept, setup, caps=caps
            )
        if stop >= last:
            return built
        wanted = (accept - built.accepted) * (stop - first) // max(built.accepted, 1)
        stop = _edge(stop + max(wanted, 1), last)


def _there(folder: str | os.PathLike[str] | Place, accept: int) -> int | None:
    """How far an earlier run with this limit has come."""
    if not place(folder).exists(NAME):
        return None
    settings = open_pool(folder).settings
    return settings.seeds[1] if settings.accept == accept else None


def _edge(stop: int, last: int) -> int:
    """The seed after `stop` at which a worker's piece of work ends, or the last seed that is allowed."""
    return min(-(-stop // GRAINS[0]) * GRAINS[0], last)


def _last(pool: Pool, accept: int) -> int:
    """The seed of the last game wanted."""
    wanted = accept
    for shard in pool.shards:
        found = candidates(pool, shard, ["seed", "accepted"])
        accepted = found.filter(found["accepted"])["seed"]
        if len(accepted) >= wanted:
            return int(accepted[wanted - 1].as_py())
        wanted -= len(accepted)
    raise AssertionError("the pool has fewer accepted games than its summary says")
