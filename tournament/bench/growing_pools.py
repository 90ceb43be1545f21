"""Pools of any number of seeds, for measuring commands on them: some seeds are drawn, and the others are copies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from antemill.axes.exact.scores import version_of
from antemill.engine.storage import store
from antemill.tournament.pool.build import build_pool
from antemill.tournament.pool.layout import CANDIDATES, GAMES, Pool, complete_pool, save_pool
from antemill.tournament.pool.schemas import SCORES
from antemill.tournament.pool.score import score_pool
from antemill.tournament.pool.spans import Span, shards

DRAWN: Final = 2_048  # seeds at most, of which a shard's number is a multiple; the others are copies
_TIER: Final = "fast"


def grown_pool(seeds: int, folder: Path, scored: bool) -> Path:
    """A complete pool of the seeds 0..seeds-1 in a new folder, which is returned. scored: at the fast tier."""
    drawn, kinds = Span(0, min(seeds, DRAWN)), {CANDIDATES: store.CANDIDATES, GAMES: store.GAMES}
    build_pool(folder, (drawn.start, drawn.stop), workers=1, quiet=True)
    if scored:
        score_pool(folder, _TIER, workers=1, quiet=True)
        kinds[f"scores/{_TIER}/{version_of(_TIER)}"] = SCORES
    if seeds > DRAWN:
        pool = complete_pool(folder)
        for name, kind in kinds.items():
            _copy(pool, folder / name, kind, drawn, seeds)
        save_pool(pool, seeds=(0, seeds))
    return folder


def _copy(pool: Pool, folder: Path, kind: store.FileKind, drawn: Span, seeds: int) -> None:
    """Put shards of so many seeds in the place of the file of the drawn ones."""
    rows = store.read(folder / drawn.file, kind)
    for shard in shards(0, seeds):
        with (folder / shard.file).open("wb") as file:
            store.fill(file, kind, _copies(rows, shard), pool.settings.builder, pool.settings.gate)
    (folder / drawn.file).unlink()


def _copies(rows: pa.Table, shard: Span) -> Iterator[pa.Table]:
    """The rows again and again, with the seeds of a shard."""
    place = rows.column_names.index("seed")
    for start in range(shard.start, shard.stop, DRAWN):
        copy = rows.set_column(place, "seed", pc.add(rows["seed"], start))
        yield copy.filter(pc.less(copy["seed"], shard.stop))
