"""`pool build --accept N`: a pool that stops at its N-th accepted game, as the paper's stopped at 2,000 (G45).

The pool grows in steps until it has enough, then loses the seeds after the last wanted game. The result is the pool of
exactly these seeds, for any steps. The same command continues a killed one. The description names the limit, so a pool
that was built without it is never cut.
"""

from __future__ import annotations

import os
from typing import Any

from antemill.engine.errors import UsageError
from antemill.engine.storage.places import Place, place
from antemill.tournament.pool.build import Built, build_pool
from antemill.tournament.pool.layout import NAME, Pool, open_pool, save_pool
from antemill.tournament.pool.lock import working
from antemill.tournament.pool.shard_reading import candidates
from antemill.tournament.pool.spans import GRAINS

_FIRST = 4  # candidates drawn for every game wanted before it is known how many are accepted


def build_accepting(
    folder: str | os.PathLike[str] | Place, seeds: tuple[int, int], accept: int, **options: Any
) -> Built:
    """Build the pool of the first of these seeds that give `accept` accepted games, or of all if they give fewer.

    options: of `build_pool`. Raises UsageError for a limit below 1, and the errors of `build_pool`.
    """
    if accept < 1:
        raise UsageError(f"cannot stop at {accept} accepted games: the number must be at least 1.")
    there, (first, last) = place(folder), seeds
    there.make()
    with working(there):
        stop = _reached(there, accept) or _edge(first + _FIRST * accept, last)
        while True:
            built = build_pool(there, (first, stop), accept=accept, **options)
            if built.accepted >= accept:
                break
            if stop >= last:
                return built
            wanted = (accept - built.accepted) * (stop - first) // max(built.accepted, 1)
            stop = _edge(stop + max(wanted, 1), last)
        pool = open_pool(there)
        end = _last(pool, accept) + 1
        if end == stop:
            return built
        save_pool(pool, seeds=(first, end), complete=False)
        return build_pool(there, (first, end), accept=accept, **options)


def _reached(folder: Place, accept: int) -> int | None:
    """How far an earlier run with this limit has come."""
    if not folder.exists(NAME):
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
