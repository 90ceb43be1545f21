"""One process at a time works on a run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from antemill.engine.storage.lock import holding, is_held

NAME = "run.lock"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the run's lock. Raises StorageError if another process holds it."""

    def refusal(who: str) -> str:
        return f"another process ({who}) is working on the run in {folder}: wait for it, or stop it."

    with holding(folder / NAME, refusal):
        yield


def is_locked(folder: Path) -> bool:
    """Whether a process is working on the run."""
    return is_held(folder / NAME)
