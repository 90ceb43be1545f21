"""Reading a finished pool, shard by shard."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from antemill.axes.exact.scores import version_of
from antemill.engine.errors import StorageError
from antemill.engine.storage import store
from antemill.engine.storage.store import fetch
from antemill.tournament.pool.layout import CANDIDATES, GAMES, Pool
from antemill.tournament.pool.schemas import SCORES
from antemill.tournament.pool.spans import Span


def candidates(pool: Pool, shard: Span, columns: Sequence[str] | None = None) -> pa.Table:
    """A shard's candidates, or some columns, with "seed" among them.

    Raises StorageError if they are missing, damaged, or incomplete.
    """
    found = fetch(pool.folder, f"{CANDIDATES}/{shard.file}", store.CANDIDATES, pool.settings.builder, columns)
    if found.num_rows != shard.size or pc.min_max(found["seed"]).as_py() != {"min": shard.start, "max": shard.stop - 1}:
        raise StorageError(
            f"{pool.folder.path(f'{CANDIDATES}/{shard.file}')} does not hold the {shard}: delete it and run the same "
            "`antemill pool build` again."
        )
    return found


def games(pool: Pool, shard: Span, columns: Sequence[str] | None = None) -> pa.Table:
    """A shard's accepted games, or some columns. Raises StorageError if they are missing or damaged."""
    return fetch(pool.folder, f"{GAMES}/{shard.file}", store.GAMES, pool.settings.builder, columns)


def games_of(pool: Pool, shard: Span, seeds: pa.Array) -> pa.Table:
    """A shard's accepted games of some seeds; the others are in memory some hundred at a time. Raises as `games`."""
    file = f"{GAMES}/{shard.file}"
    found = store.chunks(pool.folder.read(file), store.GAMES, pool.folder.path(file), pool.settings.builder)
    return pa.concat_tables(rows.filter(pc.is_in(rows["seed"], seeds)) for rows in found)


def count_games(pool: Pool, shard: Span) -> int:
    """How many accepted games a shard has. Raises StorageError if they are missing or damaged."""
    return int(games(pool, shard, ["seed"]).num_rows)


def scores(pool: Pool, shard: Span, tier: str, version: str) -> pa.Table:
    """The scores of a shard's games. Raises StorageError unless all axes of all its games are there."""
    file = f"scores/{tier}/{version}/{shard.file}"
    hint = f"run `antemill pool score {pool.folder} --tier {tier}` first."
    if not pool.folder.exists(file):
        partly = [name for name in pool.folder.names(f"scores/{tier}/{version}") if name.startswith(shard.file[:-8])]
        if partly:
            raise StorageError(f"{pool.folder.path(file)} is missing, and {partly[0]} does not have all axes: {hint}")
        raise StorageError(f"the games of {pool.folder} have no {tier} scores ({shard.file} is missing): {hint}")
    found = fetch(pool.folder, file, SCORES)
    if not found["digest"].equals(games(pool, shard, ["seed", "digest"])["digest"]):
        raise StorageError(f"{pool.folder.path(file)} does not belong to the games of the pool: {hint}")
    return found


def scored_by(pool: Pool, tier: str) -> str | None:
    """The version of the axes whose scores at a tier are to be read: the present one, or the only one that is there.

    None without any. Raises StorageError if there are several, and not the present one.
    """
    there = pool.folder.folders(f"scores/{tier}")
    version = version_of(tier)
    if version in there or len(there) < 2:
        return version if version in there else (there[0] if there else None)
    raise StorageError(
        f"the {tier} scores of {pool.folder} are of other versions of the axes ({', '.join(there)}): "
        f"run `antemill pool score {pool.folder} --tier {tier}` first."
    )
