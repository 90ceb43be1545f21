"""Scoring the games of a benchmark at the precise tier, in its own file; a resumed run takes over what is there."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pyarrow as pa
from msgspec import Struct

from antemill.axes.scores import version as axes_version
from antemill.engine.execute import Job, progress_bar
from antemill.engine.machine.program import Program, from_columns
from antemill.engine.storage.store import PROGRAM_COLUMNS, read, table
from antemill.tournament.pool.jobs import Crew, perform, team
from antemill.tournament.pool.schemas import BENCHMARK, SCORE_COLUMNS
from antemill.tournament.pool.scoring import score_game
from antemill.tournament.pool.select import read_benchmark, write_benchmark

_PAUSE = 1.0  # seconds between two writes of the file: what a killed command loses
_OWN = [f"precise_{name}" for name in SCORE_COLUMNS]


class GameKey(Struct, frozen=True):
    """Names a job."""

    seed: int

    def __str__(self) -> str:
        return f"game {self.seed}"


def score_benchmark(
    path: Path,
    benchmark: pa.Table,
    workers: int | None = None,
    executor: str = "local",
    quiet: bool = False,
    crew: Crew | None = None,
) -> pa.Table:
    """Fill in the benchmark's precise scores and write it to `path`, every second; returns it.

    crew: takes the place of workers and executor, and keeps its workers.
    Scores of the same games by the same axes in an earlier file at `path` are taken over. Raises StorageError if that
    file is damaged or no benchmark.
    """
    rows = benchmark.to_pylist()
    earlier = _earlier(path) if path.exists() else None
    if earlier is not None:
        _take_over(rows, earlier.to_pylist())
    waiting = {GameKey(row["seed"]) for row in rows if row["precise_axes_version"] != axes_version()}
    by_key = {GameKey(row["seed"]): row for row in rows}
    jobs = [
        Job(key, key.seed, score_row, ({name: row[name] for name in PROGRAM_COLUMNS},)) for key, row in by_key.items()
    ]
    done = by_key.keys() - waiting
    if waiting:
        with progress_bar("precise scores", len(rows), quiet) as bar, team(workers, executor, crew=crew) as found:
            written = time.monotonic()
            for key, scores in perform(jobs, found, done, bar):
                by_key[key].update({f"precise_{name}": scores[name] for name in SCORE_COLUMNS})
                if time.monotonic() - written > _PAUSE:
                    write_benchmark(path, table(BENCHMARK, rows))
                    written = time.monotonic()
    result = table(BENCHMARK, rows)
    if earlier is None or not result.equals(earlier):
        write_benchmark(path, result)
    return result


def score_row(_seed: int, columns: dict[str, Any]) -> dict[str, Any]:
    """The precise scores of a stored program; runs in a worker."""
    program: Program = from_columns(columns)
    return score_game(program, "precise")


def _earlier(path: Path) -> pa.Table | None:
    """The benchmark at `path` if there are scores by these axes in it. Another version may have other columns."""
    versions = read(path, BENCHMARK, columns=["precise_axes_version"])
    return read_benchmark(path) if axes_version() in versions["precise_axes_version"].to_pylist() else None


def _take_over(rows: list[dict[str, Any]], earlier: list[dict[str, Any]]) -> None:
    known = {row["digest"]: row for row in earlier if row["precise_axes_version"] == axes_version()}
    for row in rows:
        if row["digest"] in known:
            row.update({name: known[row["digest"]][name] for name in _OWN})
