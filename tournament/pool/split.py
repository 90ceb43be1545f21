"""`pool split`: divides the accepted games of a pool into three sides, by their canonical digests alone.

A game's side is a function of its canonical digest: with the same shares, the same game is on the same side in every
pool, under any name and seed. The digest gives a number from 0 to 1. Below the share of train the game is in train,
above 1 minus the share of hold-out in the hold-out, else in test. So a larger train at the cost of test leaves the
hold-out as it is. Games of a benchmark and of the standard suite are always held out.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Sequence, Set
from pathlib import Path

import pyarrow as pa
from msgspec import Struct

from antemill.engine.errors import StorageError, UsageError
from antemill.engine.storage.files import write_bytes
from antemill.engine.storage.places import Place
from antemill.engine.storage.store import GAMES, encode
from antemill.tournament.pool.damage import explained
from antemill.tournament.pool.layout import complete_pool
from antemill.tournament.pool.select import read_benchmark
from antemill.tournament.pool.standard import HELD

SIDES = ("train", "test", "holdout")
SHARES = (0.8, 0.1, 0.1)  # of train, test and hold-out, unless others are asked for
_SALT = b"antemill split 1"  # a word of its own, so that sides are independent of other uses of the digests
_BITS = 53


class Split(Struct, frozen=True, eq=False):
    """How many games each side has, and their files (in the order of seeds).

    benchmark: how many of the games are held out as a benchmark's or the standard suite's.
    """

    games: dict[str, int]
    files: dict[str, Path]
    benchmark: int


def split_pool(
    folder: str | os.PathLike[str] | Place, out: Path, shares: Sequence[float], benchmarks: Sequence[Path] = ()
) -> Split:
    """Write the three sides of a pool's accepted games as files of games in the folder `out`.

    shares: of train, test and hold-out, in all 1. benchmarks: files of `pool select`, whose games are held out.
    Raises UsageError for other shares, StorageError for an unfinished pool or a file that cannot be read or written.
    """
    require_shares(shares)
    held = benchmark_digests(benchmarks)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise StorageError(f"{out} is not a folder: name a new or an existing one.") from error
    files = {name: out / f"{name}.parquet" for name in SIDES}
    counts, found = dict.fromkeys(SIDES, 0), set[str]()
    with explained(folder):
        pool = complete_pool(folder)
        for name, path in files.items():
            chosen = [GAMES.schema.empty_table()]
            for cell in pool.cells:
                games = pool.games(cell)
                digests = games["canonical_digest"].to_pylist()
                sides = [side_of(digest, shares, held) for digest in digests]
                counts[name] += sides.count(name)
                found.update(held.intersection(digests))
                chosen.append(games.filter(pa.array([each == name for each in sides], pa.bool_())))
            write_bytes(path, encode(GAMES, pa.concat_tables(chosen), pool.settings.builder))
    return Split(counts, files, len(found))


def side(digest: str, shares: Sequence[float]) -> str:
    """The side of a game by its canonical digest, if it is in no benchmark. shares: of train, test and hold-out."""
    word = hashlib.blake2b(_SALT + digest.encode(), digest_size=8).digest()
    place = (int.from_bytes(word) >> (64 - _BITS)) / (1 << _BITS)
    if place < shares[0]:
        return "train"
    return "holdout" if place >= 1.0 - shares[2] else "test"


def side_of(digest: str, shares: Sequence[float], held: Set[str]) -> str:
    """The side of a game by its canonical digest. held: digests of a benchmark's games, which are held out."""
    return "holdout" if digest in held else side(digest, shares)


def benchmark_digests(benchmarks: Sequence[Path]) -> frozenset[str]:
    """The canonical digests of the games of files of `pool select`, and of the standard suite.

    Raises StorageError if a file cannot be read.
    """
    return HELD.union(*(read_benchmark(path)["canonical_digest"].to_pylist() for path in benchmarks))


def require_shares(shares: Sequence[float]) -> None:
    """Raise UsageError unless these are three shares that sum to 1."""
    if sum(shares[:2]) > 1.0 + 1e-9 and max(shares) <= 1.0:
        raise UsageError(
            f"the shares of train and test come to {sum(shares[:2]):g}: they may come to 1 at most, "
            "for example --train 0.8 --test 0.1."
        )
    if not all(math.isfinite(share) and 0.0 <= share <= 1.0 for share in shares):
        raise UsageError("a share is a number from 0 to 1: write for example --train 0.8 --test 0.1.")
    if abs(sum(shares) - 1.0) > 1e-9:
        raise UsageError(
            f"the shares of train, test and hold-out come to {sum(shares):g}: they must come to 1, "
            "for example --train 0.8 --test 0.1."
        )
