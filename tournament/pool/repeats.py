"""No game twice: of several accepted candidates that are the same game, a pool keeps that of the lowest seed.

The gate's other rules judge a game alone, in whatever worker has its block. This one needs all lower seeds, so it is
applied where parts come together, in the order of seeds: what a pool holds is a function of its seeds alone, however
it was built. When a pool grows downwards, games of higher seeds may become repeats; none ever ceases to be one.

A repeat is rejected for that reason. It keeps its digests, so that its first appearance can be found, and loses its
rules and its program.
"""

from __future__ import annotations

import pyarrow as pa

from engine.errors import StorageError
from engine.storage.store import GAME, GAMES, decode, encode, table

REPEAT = "repeat"  # why a candidate is rejected that no other rule rejects
COLUMNS = ["seed", "accepted", "canonical_digest"]  # what repeats are found by
_NO_GAME = {"accepted": False, "reason": REPEAT, **{field.name: None for field in GAME}}


class Repeats:
    """What was accepted so far, with ascending seeds."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def drop(self, part: bytes, source: str, builder: str) -> bytes:
        """The part with its repeats rejected, the same bytes if it has none. `source` names it in errors."""
        repeats = self._repeats(decode(part, GAMES, source, builder, COLUMNS))
        if not repeats:
            return part
        rows = decode(part, GAMES, source, builder).to_pylist()
        return encode(GAMES, table(GAMES, [row | _NO_GAME if row["seed"] in repeats else row for row in rows]), builder)

    def _repeats(self, games: pa.Table) -> set[int]:
        """The seeds of accepted games that are not new."""
        found = set()
        for row in games.filter(games["accepted"]).to_pylist():
            if row["canonical_digest"] in self._seen:
                found.add(row["seed"])
            self._seen.add(row["canonical_digest"])
        return found

    def require_none(self, games: pa.Table, source: str) -> None:
        """Raise StorageError if a part, or some of its columns, has a repeat: its pool is still to be finished."""
        if repeats := self._repeats(games):
            raise StorageError(
                f"the pool in {source} is not finished (seed {min(repeats)} repeats the game of a lower one): "
                "run the same `antemill pool build` again, it continues."
            )
