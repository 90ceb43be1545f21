"""What a pool is (`pool.json`), how its seeds fall into blocks, and where the files of a block are.

A block is 128 consecutive seeds from a multiple of 128 on, cut to the pool's range. So the same seeds give the same
part in every pool of the same settings, and a pool can grow at both ends.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from engine.errors import StorageError, UsageError
from engine.storage.files import write_bytes

BLOCK = 128
MAX_SEED = 1 << 63
MAX_CANDIDATES = 100_000_000  # of one pool: its list of blocks is kept in memory
NAME = "pool.json"
BENCHMARK = "benchmark.parquet"  # the games that `antemill run` selected from the pool in its folder


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """What determines a pool's content."""

    seeds: tuple[int, int]  # first, and one after the last
    complexity: tuple[float, float] | None  # range that the seeds' own complexity is scaled to; None: 0 to 1
    builder: str  # engine.builder.generate.builder_hash
    machine: str  # engine.storage.store.machine
    gate: dict[str, float | str]  # the gate's constants, and its reading of what a phase is
    schema: int  # engine.storage.store.VERSION
    digests: str  # engine.rules.canonical.digests.form_hash, by which repeats are told
    accept: int | None = None  # the pool stops at the seed that gives so many accepted games; None: at its last seed
    block: int = BLOCK
    format: Literal["antemill pool 1"] = "antemill pool 1"


class Block(Struct, frozen=True):
    """Seeds start..stop-1, and the name of their part."""

    start: int
    stop: int

    @property
    def part(self) -> str:
        """The file name, in the games' folder and in those of the scores."""
        return f"part-{self.start // BLOCK * BLOCK:012d}.parquet"

    def __str__(self) -> str:
        return f"seeds {self.start}:{self.stop}"


class Pool(Struct, frozen=True):
    """A folder and its settings."""

    folder: Path
    settings: Settings

    @property
    def blocks(self) -> list[Block]:
        """All blocks in ascending order."""
        return blocks(*self.settings.seeds)

    def games(self, block: Block) -> Path:
        """The block's part of games."""
        return self.folder / "games" / block.part

    def scores(self, tier: str, block: Block) -> Path:
        """The block's part of scores."""
        return self.folder / "scores" / tier / block.part


def blocks(start: int, stop: int) -> list[Block]:
    """The blocks that cover the seeds start..stop-1."""
    edges = range(start // BLOCK * BLOCK, stop, BLOCK)
    return [Block(max(edge, start), min(edge + BLOCK, stop)) for edge in edges]


def parse_seeds(text: str) -> tuple[int, int]:
    """Read "A:B", the seeds A to B-1. Raises UsageError unless 0 <= A < B <= 2^63, and B - A is feasible."""
    first, colon, last = text.partition(":")
    if not (colon and first.isascii() and first.isdigit() and last.isascii() and last.isdigit()):
        raise UsageError(f"'{text}' is no range of seeds: write A:B with whole numbers, such as 0:400 for 0 to 399.")
    start, stop = int(first), int(last)
    if start >= stop:
        raise UsageError(f"the range of seeds {text} is empty: its second number must be larger than its first.")
    if stop > MAX_SEED:
        raise UsageError(f"the range of seeds {text} is too high: seeds are below 2^63.")
    if stop - start > MAX_CANDIDATES:
        raise UsageError(f"the range of seeds {text} is too long: use several pools of up to {MAX_CANDIDATES:,} seeds.")
    return start, stop


def parse_complexity(text: str | None) -> tuple[float, float] | None:
    """Read "C" or "LO:HI" with 0 <= LO <= HI <= 1; None stays None. Raises UsageError otherwise."""
    if text is None:
        return None
    low, _, high = text.partition(":")
    try:
        bounds = float(low), float(high or low)
    except ValueError:
        bounds = 1.0, 0.0
    if not 0.0 <= bounds[0] <= bounds[1] <= 1.0:
        raise UsageError(f"'{text}' is no complexity: write a number from 0 to 1, or a range such as 0.2:0.6.")
    return bounds


def open_pool(folder: Path) -> Pool:
    """The pool in a folder. Raises StorageError if there is none or its pool.json can not be used."""
    path = folder / NAME
    try:
        settings = msgspec.json.decode(path.read_bytes(), type=Settings)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise StorageError(f"there is no pool in {folder}: make one with `antemill pool build`.") from error
    except OSError as error:
        raise StorageError(f"can not read {path}: {(error.strerror or str(error)).lower()}.") from error
    except msgspec.MsgspecError as error:
        raise StorageError(f"{path} is damaged or from another version ({error}): build the pool anew.") from error
    if settings.block != BLOCK:
        raise StorageError(f"{path} has blocks of {settings.block} seeds, not of {BLOCK}: build the pool anew.")
    return Pool(folder, settings)


def create_pool(folder: Path, wanted: Settings) -> Pool:
    """The pool in a folder with these settings: a new one, the one that is there, or that one extended.

    Raises StorageError if the folder holds a pool of other settings, or files that are not a pool's.
    """
    _make_folder(folder)
    if not (folder / NAME).exists():
        if (folder / "games").exists():
            raise StorageError(f"{folder} has games but no {NAME}: use another folder.")
        return _save(Pool(folder, wanted))
    there = open_pool(folder)
    _refuse_other(there, wanted)
    return there if there.settings == wanted else _save(Pool(folder, wanted))


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise StorageError(f"{folder} is not a folder: name a new or an existing one.") from error


def _save(pool: Pool) -> Pool:
    data = msgspec.json.format(msgspec.json.encode(pool.settings), indent=2)
    write_bytes(pool.folder / NAME, data + b"\n")
    return pool


def shorten_pool(pool: Pool, stop: int) -> Pool:
    """The pool without the seeds from `stop` on, whose parts are gone already."""
    seeds = (pool.settings.seeds[0], stop)
    return _save(Pool(pool.folder, msgspec.structs.replace(pool.settings, seeds=seeds)))


def _refuse_other(pool: Pool, wanted: Settings) -> None:
    """Raise StorageError, saying what differs, unless the pool can be continued with the wanted settings."""
    there = pool.settings
    for name, what in _DIFFERENCES.items():
        old, new = getattr(there, name), getattr(wanted, name)
        if old != new:
            raise StorageError(
                f"the pool in {pool.folder} has {what} {_show(old)}, not {_show(new)}: use another folder."
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
    "gate": "a gate with",
}


def _limit(settings: Settings) -> str:
    return "its last seed" if settings.accept is None else f"{settings.accept:,} accepted games"


def _show(value: object) -> str:
    match value:
        case None:
            return "of the seeds' own"
        case (low, high):
            return f"{low}:{high}"
        case dict():
            return ", ".join(
                f"{name} {item:g}" if isinstance(item, float | int) else f"{name} {item}"
                for name, item in value.items()
            )
    return str(value)
