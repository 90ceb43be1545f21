"""Games to learn on: those of a pool on one side of its split. Games of a benchmark and of the standard suite are
refused by default."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import compress
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from antemill.axes.scores import version as axes_version
from antemill.axes.table import AXES
from antemill.engine.arguments import ArgumentValueError, described, wrong_type
from antemill.engine.arguments import path as file_path
from antemill.engine.builder.generate import builder_hash
from antemill.engine.errors import StorageError, UsageError
from antemill.engine.rules.same import canonical_digest
from antemill.engine.rules.spec import GameSpec, from_json
from antemill.engine.storage.store import GAMES, read
from antemill.tournament.adapters.given import Table, games_of, several
from antemill.tournament.pool.damage import explained
from antemill.tournament.pool.layout import BENCHMARK as OWN_BENCHMARK
from antemill.tournament.pool.layout import Pool, complete_pool
from antemill.tournament.pool.split import SIDES, benchmark_digests, require_shares, side_of
from antemill.tournament.pool.standard import HELD

COMPLEXITY = "complexity"
MEASURES = (COMPLEXITY, *AXES)  # what games can be chosen by
_KEPT = 10_000  # games whose rules are cached
_COLUMNS = ["seed", COMPLEXITY, "canonical_digest", "digest", "spec"]


class Source(NamedTuple):
    """Games as columns, in the order of their seeds."""

    seeds: list[int]
    digests: list[str]  # canonical
    measures: dict[str, npt.NDArray[np.float64]]  # by name of `MEASURES`: float64[games]; axes only where scored
    specs: Callable[[int], GameSpec]  # game number i

    def __len__(self) -> int:
        return len(self.seeds)


def read_source(
    path: Path, side: str | None, shares: Sequence[float], benchmarks: Sequence[Path], benchmark_games: bool
) -> Source:
    """The accepted games of a pool's folder on one side, all for None; or all games of a file of `pool split`.

    A folder has axes if the pool has fast scores; a file has none. benchmarks: files of `pool select`; a folder's own
    benchmark.parquet and the standard suite are always added. As in `pool split`, their games are held out.
    benchmark_games: whether these games are taken like any others.
    Raises UsageError for an unknown side, impossible shares, or games of a benchmark; StorageError for a source that
    cannot be read, is unfinished, or is of another builder.
    """
    if side is not None and not (isinstance(side, str) and side in SIDES):
        raise ArgumentValueError(f"there is no side {described(side)}: use {', '.join(SIDES)}, or None for all.")
    require_shares(shares)
    folder = path.is_dir()
    games, measures = _of_folder(path) if folder else (_of_file(path), {})
    own = [path / OWN_BENCHMARK] if (path / OWN_BENCHMARK).exists() else []
    held = frozenset() if benchmark_games else benchmark_digests([*benchmarks, *own])
    digests = games["canonical_digest"].to_pylist()
    if folder and side is not None:
        wanted = np.array([side_of(digest, shares, held) == side for digest in digests], np.bool_)
        games, digests = games.filter(pa.array(wanted)), list(compress(digests, wanted))
        measures = {name: column[wanted] for name, column in measures.items()}
    if not (folder and side == "holdout"):
        _refuse(digests, held, str(path), "leave them out, or allow them with benchmark_games=True")
    texts = games["spec"]

    @lru_cache(_KEPT)
    def spec(number: int) -> GameSpec:
        return from_json(texts[number].as_py())

    return Source(
        games["seed"].to_pylist(),
        digests,
        {COMPLEXITY: games[COMPLEXITY].to_numpy(), **measures},
        spec,
    )


def paths_of(given: Sequence[str | os.PathLike[str]], name: str) -> list[Path]:
    """Several paths. Raises ArgumentTypeError for anything else."""
    if isinstance(given, str | os.PathLike) or not several(given):
        wrong_type(name, given, "a sequence of paths", "give a list, also for a single path")
    return [file_path(path, f"{name}[{place}]") for place, path in enumerate(given)]


def refuse_benchmark(games: Table | Iterable[Table], benchmarks: Sequence[str | os.PathLike[str]] = ()) -> None:
    """Raise UsageError if one of the games is a benchmark's or the standard suite's, under any name: a game that was
    trained on tests nothing.

    benchmarks: files of `pool select`. Raises StorageError if one cannot be read.
    """
    held = benchmark_digests(paths_of(benchmarks, "benchmarks"))
    games = games_of(games)
    _refuse(map(canonical_digest, games), held, "this list", "leave them out")


def _refuse(digests: Iterable[str], held: frozenset[str], what: str, advice: str) -> None:
    found = [digest for digest in digests if digest in held]
    if found:
        owner = "the standard suite's" if set(found) <= HELD else "a benchmark's"
        raise UsageError(
            f"{len(found)} of the games of {what} are {owner} (the first has the digest {found[0]}), on which players "
            f"are tested: {advice}."
        )


def _of_file(path: Path) -> pa.Table:
    games = read(path, GAMES, builder_hash(), _COLUMNS)
    return games.filter(games["spec"].is_valid())


def _of_folder(folder: Path) -> tuple[pa.Table, dict[str, npt.NDArray[np.float64]]]:
    """All accepted games of a pool, and their axes if it has scores."""
    with explained(folder):
        return _of_pool(complete_pool(folder))


def _of_pool(pool: Pool) -> tuple[pa.Table, dict[str, npt.NDArray[np.float64]]]:
    folder = pool.folder
    if pool.settings.builder != builder_hash():
        raise StorageError(
            f"{folder} was drawn by builder {pool.settings.builder}, not by builder {builder_hash()}: "
            "use another folder, or the antemill that wrote it."
        )
    return pa.concat_tables([pool.games(cell, _COLUMNS) for cell in pool.cells]), _axes(pool)


def _axes(pool: Pool) -> dict[str, npt.NDArray[np.float64]]:
    """The axes of all accepted games; empty if a part of the pool is not scored."""
    version = axes_version()
    if not all(pool.folder.exists(f"scores/fast/{version}/{cell.file}") for cell in pool.cells):
        return {}
    found = pa.concat_tables([pool.scores(cell, "fast", [*AXES]) for cell in pool.cells])
    return {axis: found[axis].to_numpy() for axis in AXES}
