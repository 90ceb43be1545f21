"""Pools of any size without the work, for tests of what reads pools.

The games of a small real pool are repeated under other seeds and digests, with scores near theirs. What such a pool
says about games means nothing; its size and its files are those of a real one.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from antemill.axes.scores import axis_version
from antemill.axes.scores import version as axes_version
from antemill.axes.table import AXES
from antemill.engine.execute import progress_bar
from antemill.engine.storage.store import CANDIDATES, GAMES, encode
from antemill.tournament.pool import layout, shard_reading
from antemill.tournament.pool.build import build_pool
from antemill.tournament.pool.layout import Pool, complete_pool, create_pool, save_pool
from antemill.tournament.pool.schemas import SCORES
from antemill.tournament.pool.score import score_pool
from antemill.tournament.pool.spans import Span

BASE = 2_000  # seeds of the real pool


def synthetic_pool(folder: Path, seeds: int, base: int = BASE) -> Pool:
    """A finished pool of the seeds 0..seeds-1 with fast scores, made of a real one of the seeds 0..base-1."""
    with tempfile.TemporaryDirectory() as built:
        build_pool(built, (0, base), workers=1, quiet=True)
        score_pool(built, workers=1, quiet=True)
        real = complete_pool(built)
        (whole,) = real.shards
        candidates, games = shard_reading.candidates(real, whole), shard_reading.games(real, whole)
        scores = shard_reading.scores(real, whole, "fast", axes_version())
        pool = create_pool(folder, msgspec.structs.replace(real.settings, seeds=(0, seeds), complete=False))
    target = f"scores/fast/{axes_version()}"
    pool.folder.write(f"{target}/axes.json", msgspec.json.encode({axis: axis_version(axis) for axis in AXES}))
    shards = list(pool.shards)
    with progress_bar("shards", len(shards)) as bar:
        for number, shard in enumerate(shards, 1):
            found = _jittered(_again(scores, shard, base), shard.start)
            contents = {
                layout.CANDIDATES: (CANDIDATES, _again(candidates, shard, base)),
                layout.GAMES: (GAMES, _again(games, shard, base)),
                target: (SCORES, found),
            }
            for name, (kind, rows) in contents.items():
                data = encode(kind, rows, pool.settings.builder, pool.settings.gate)
                pool.folder.write(f"{name}/{shard.file}", data)
            bar(number, None)
    return save_pool(pool, complete=True)


def _again(rows: pa.Table, shard: Span, base: int) -> pa.Table:
    """The rows, in the order of seeds, for the seeds of a shard that are theirs modulo `base`."""
    seeds = rows["seed"].to_numpy()
    rounds = np.arange(shard.start // base, -(-shard.stop // base))
    wanted = (rounds[:, None] * base + seeds).ravel()
    inside = (shard.start <= wanted) & (wanted < shard.stop)
    taken = rows.take(pa.array(np.tile(np.arange(len(seeds)), len(rounds))[inside]))
    taken = _with(taken, "seed", pa.array(wanted[inside]))
    if "canonical_digest" in rows.schema.names:
        digests = taken["canonical_digest"]
        new = pa.array(_digests(wanted[inside]))
        taken = _with(taken, "canonical_digest", pc.if_else(digests.is_valid(), new, None))
    return taken


def _with(rows: pa.Table, name: str, column: pa.Array) -> pa.Table:
    return rows.set_column(rows.schema.get_field_index(name), rows.schema.field(name), column)


def _digests(seeds: npt.NDArray[np.int64]) -> list[str]:
    """A digest of 32 hexadecimal digits for every seed, no two alike."""
    mixed = seeds.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return [f"{word:016x}{seed:016x}" for word, seed in zip(mixed.tolist(), seeds.tolist(), strict=True)]


def _jittered(scores: pa.Table, seed: int) -> pa.Table:
    """The scores with a tenth of each axis's spread added as noise."""
    rng = np.random.default_rng(seed)
    for axis in AXES:
        values = scores[axis].to_numpy()
        noise = rng.normal(0.0, values.std() / 10.0 if len(values) else 0.0, len(values))
        scores = _with(scores, axis, pa.array(values + noise))
    return scores
