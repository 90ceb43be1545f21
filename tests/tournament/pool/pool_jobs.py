"""A pool for the tests, and work on cells that goes wrong: a module for worker processes to import."""

import functools
import os
import tempfile
from pathlib import Path

import pyarrow as pa

from antemill.tournament.pool.build import build_pool
from antemill.tournament.pool.layout import Pool, open_pool
from antemill.tournament.pool.score import score_pool
from antemill.tournament.pool.work import Order, draw_cell

SEEDS = (0, 100)
TWO_CELLS = (100, 150)  # cut at 128


@functools.cache
def scored_pool() -> Path:
    """A finished pool of 100 candidates with fast scores, built once per process; not to be changed."""
    folder = Path(tempfile.mkdtemp(prefix="antemill-test-")) / "pool"
    build_pool(folder, SEEDS, workers=1)
    score_pool(folder, "fast", workers=1)
    return folder


def files_of(folder: Path) -> dict[str, bytes]:
    """All files below a folder by relative path."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def games_of(folder: Path) -> pa.Table:
    """All accepted games of a pool."""
    pool = open_pool(folder)
    return pa.concat_tables(pool.games(cell) for cell in pool.cells)


def content_of(folder: Path) -> dict[str, pa.Table]:
    """What a scored pool holds, whatever the size of its cells."""
    pool = open_pool(folder)
    return {
        "candidates": pa.concat_tables(pool.candidates(cell) for cell in pool.cells),
        "games": games_of(folder),
        "scores": pa.concat_tables(pool.scores(cell, "fast") for cell in pool.cells),
    }


def cells_of(pool: Pool) -> list[tuple[int, int]]:
    """The cells of a pool."""
    return [(cell.start, cell.stop) for cell in pool.cells]


def die_at_the_second_cell(start: int, stop: int, order: Order) -> int:
    """As `draw_cell`, but only for the first cell."""
    if start >= 128:
        os._exit(3)
    return draw_cell(start, stop, order)
