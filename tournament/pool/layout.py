"""The description of a pool (`pool.json`), and the places of the files of a shard."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Literal

import msgspec
from msgspec import Struct

from antemill.engine.errors import StorageError
from antemill.engine.storage.places import Place, place
from antemill.tournament.pool.spans import SHARD, Known, Span, named, shards

NAME = "pool.json"
BENCHMARK = "benchmark.parquet"  # the games that `antemill run` selected from the pool in its folder
CANDIDATES, GAMES, PARTS = "candidates", "games", "parts"  # folders
VERSIONS = "axes.json"  # beside scores: the version of each axis


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """The settings that determine a pool's content, and whether it is complete."""

    seeds: tuple[int, int]  # first, and one after the last
    complexity: tuple[float, float] | None  # range that the seeds' own complexity is scaled to; None: 0 to 1
    builder: str  # antemill.engine.builder.generate.builder_hash
    machine: str  # antemill.engine.storage.store.machine
    gate: dict[str, int | float | str]  # the gate's constants, and its reading of what a phase is
    schema: int  # antemill.engine.storage.store.VERSION
    digests: str  # antemill.engine.rules.canonical.digests.form_hash, by which repeats are found
    accept: int | None = None  # the pool stops at the seed that gives this many accepted games; None: at its last seed
    caps: dict[str, int | float] | None = None  # of the generator, where they are not the benchmark's
    shard: int = SHARD
    complete: bool = False  # all shards are there, and repeats are rejected
    format: Literal["antemill pool 2"] = "antemill pool 2"


class Pool(Struct, frozen=True):
    """A folder, which may lie in a store, and its settings."""

    folder: Place
    settings: Settings

    @property
    def shards(self) -> Iterator[Span]:
        """All shards in ascending order."""
        return shards(*self.settings.seeds)


def open_pool(folder: str | os.PathLike[str] | Place) -> Pool:
    """The pool in a folder. Raises StorageError if there is none or its pool.json cannot be used."""
    there = place(folder)
    if not there.exists(NAME):
        raise StorageError(f"there is no pool in {there}: make one with `antemill pool build`.")
    try:
        settings = msgspec.json.decode(there.read(NAME), type=Settings)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise StorageError(
            f"{there.path(NAME)} is damaged or from another version ({error}): build the pool again."
        ) from error
    if settings.shard != SHARD:
        raise StorageError(
            f"{there.path(NAME)} has shards of {settings.shard} seeds, not of {SHARD}: build the pool again."
        )
    return Pool(there, settings)


def complete_pool(folder: str | os.PathLike[str] | Place) -> Pool:
    """As `open_pool`, for a complete pool. Raises StorageError if it is not complete."""
    pool = open_pool(folder)
    gap = ""
    if pool.settings.complete:
        there = whole_shards(pool)
        gap = next((f" (there is no shard of {shard})" for shard in pool.shards if shard not in there), "")
    if gap or not pool.settings.complete:
        raise StorageError(
            f"the pool in {pool.folder} is not finished{gap}: run the same `antemill pool build` again, it continues."
        )
    return pool


def whole_shards(pool: Pool) -> Known:
    """The existing shards of this pool and of the smaller one that it grew from, by a listing."""
    games = set(named(pool.folder.names(GAMES)))
    return Known(span for span in named(pool.folder.names(CANDIDATES)) if span in games)


def create_pool(folder: str | os.PathLike[str] | Place, wanted: Settings) -> Pool:
    """The pool in a folder with these settings: a new one, the one that is there, or that one extended.

    Raises StorageError if the folder holds a pool of other settings, or files that are not a pool's.
    """
    there = place(folder)
    there.make()
    if not there.exists(NAME):
        if there.names(GAMES):
            raise StorageError(f"{there} has games but no {NAME}: use another folder.")
        return save_pool(Pool(there, wanted))
    pool = open_pool(there)
    refuse_other(pool, wanted)
    if pool.settings == msgspec.structs.replace(wanted, complete=pool.settings.complete):
        return pool
    return save_pool(Pool(there, wanted))


def save_pool(pool: Pool, **changes: object) -> Pool:
    """Write the pool's description, with these changes of its settings."""
    changed = Pool(pool.folder, msgspec.structs.replace(pool.settings, **changes))
    pool.folder.write(NAME, msgspec.json.format(msgspec.json.encode(changed.settings), indent=2) + b"\n")
    return changed


def refuse_other(pool: Pool, wanted: Settings) -> None:
    """Raise StorageError, saying what differs, unless the pool can be continued with the wanted settings."""
    there = pool.settings
    for name, what in _DIFFERENCES.items():
        old, new = getattr(there, name), getattr(wanted, name)
        if old != new:
            raise StorageError(
                f"the pool in {pool.folder} has {what} {_show(old, name)}, not {_show(new, name)}: use another folder."
            )
    if there.accept != wanted.accept:
        raise StorageError(
            f"the pool in {pool.folder} stops at {_limit(there)}, not at {_limit(wanted)}: use another folder."
        )
    if not (wanted.seeds[0] <= there.seeds[0] and there.seeds[1] <= wanted.seeds[1]):
        raise StorageError(
            f"the pool in {pool.folder} has the seeds {_show(there.seeds)}, which {_show(wanted.seeds)} does not "
            "contain: name a range that does, or use another folder."
        )


_DIFFERENCES = {
    "schema": "schema version",
    "builder": "games by builder",
    "machine": "programs for instruction set",
    "digests": "digests of the form",
    "complexity": "the complexity",
    "caps": "the caps",
    "gate": "a gate with",
}


def _limit(settings: Settings) -> str:
    return "its last seed" if settings.accept is None else f"{settings.accept:,} accepted games"


def _show(value: object, name: str = "") -> str:
    match value:
        case None:
            return "of the benchmark" if name == "caps" else "of the seeds' own"
        case (low, high):
            return f"{low}:{high}"
        case dict():
            return ", ".join(
                f"{name} {item:g}" if isinstance(item, float | int) else f"{name} {item}"
                for name, item in value.items()
            )
    return str(value)
