"""A pool for the tests, and work on blocks that goes wrong: a module for worker processes to import."""

import functools
import os
import tempfile
from pathlib import Path

from antemill.tournament.pool.build import build_pool
from antemill.tournament.pool.score import score_pool
from antemill.tournament.pool.work import Order, build_part

SEEDS = (0, 100)


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


def die_at_the_second_part(start: int, stop: int, order: Order) -> int:
    """As `build_part`, but only for the first part."""
    if start >= 128:
        os._exit(3)
    return build_part(start, stop, order)
