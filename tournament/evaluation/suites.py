"""The suites of games that players are compared on, and their digest."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from antemill.engine.builder.resolve import resolve
from antemill.engine.builder.starters import KNOWN, STARTERS
from antemill.engine.errors import AntemillError, StorageError, UsageError
from antemill.engine.storage.files import read_bytes
from antemill.tournament.pool.standard import DIGESTS, STANDARD

STARTER = "starter"
SMALL = "small"  # games with 12 to 45 decisions (information sets), for whole policies
_SMALL = {
    "20@0": "f889e7272908df9c02de206b53cd1196",
    "32@0": "beda9ecd5463d85cefff85a21edd6437",
    "107@0": "55b042a43dd927e52c9995dbb617f2d6",
    "158@0": "11dfc4832eb5ced665aaf0f9fb534837",
    "286@0": "8274be38284ab440db7cebf0530c6f17",
}
SUITES = {
    STARTER: tuple(KNOWN),
    STANDARD: tuple(map(str, DIGESTS)),
    SMALL: ("kuhn", "starter-1", *_SMALL),
}
_CANONICAL = (
    {name: one.canonical for name, one in STARTERS.items()} | {str(seed): one for seed, one in DIGESTS.items()} | _SMALL
)


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

    Raises UsageError for a file without a game, and for a line that names none or one that an earlier line names;
    StorageError for a file that cannot be read.
    """
    found: dict[str, int] = {}
    for number, line in enumerate(read_bytes(path).decode(errors="replace").splitlines(), 1):
        if name := line.partition("#")[0].strip():
            _require_game(name, f"{path}, line {number}", found.get(name))
            found[name] = number
    if not found:
        raise UsageError(f"{path} lists no game: write one GAME a line, such as kuhn or 7@0.1.")
    return tuple(found)


def _require_game(name: str, where: str, earlier: int | None) -> None:
    """earlier: the line that has the same name, if there is one."""
    if earlier is not None:
        raise UsageError(f"{where}: line {earlier} has the game {name} already: name it once.")
    try:
        resolve(name)
    except AntemillError as error:
        raise UsageError(f"{where}: {error}") from error
