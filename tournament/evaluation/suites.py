"""The suites of games that players are compared on, and their digest."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from antemill.engine.builder.starters import KNOWN, STARTERS
from antemill.engine.errors import StorageError, UsageError
from antemill.engine.storage.files import read_bytes
from antemill.tournament.pool.standard import DIGESTS, STANDARD

STARTER = "starter"
SUITES = {STARTER: tuple(KNOWN), STANDARD: tuple(map(str, DIGESTS))}
_CANONICAL = {name: one.canonical for name, one in STARTERS.items()} | {str(seed): one for seed, one in DIGESTS.items()}


def suite_digest(canonical: Iterable[str]) -> str:
    """32 hex digits that name a suite: of the canonical digests of its games, in any order."""
    return hashlib.blake2b("\n".join(sorted(canonical)).encode(), digest_size=16).hexdigest()


def require_canonical(label: str, canonical: str) -> None:
    """Raise StorageError if a game of a suite, by its label, has not the canonical digest that is on record."""
    if _CANONICAL.get(label, canonical) != canonical:
        raise StorageError(
            f"this antemill draws another game {label} than the suite has ({canonical}, not {_CANONICAL[label]}): "
            "scores would not be comparable with others of the suite."
        )


def listed(path: Path) -> tuple[str, ...]:
    """The games of a text file that has one GAME a line; empty lines and what follows a # do not count.

    Raises UsageError for a file without a game, StorageError for one that can not be read.
    """
    lines = [line.partition("#")[0].strip() for line in read_bytes(path).decode(errors="replace").splitlines()]
    if not any(lines):
        raise UsageError(f"{path} lists no game: write one GAME a line, such as kuhn or 7@0.1.")
    return tuple(filter(None, lines))
