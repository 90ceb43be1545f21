"""Scoring the games of a benchmark at the precise tier, twice; a resumed run takes over what its file has."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pyarrow as pa
from msgspec import Struct

from antemill.axes.budgets import PRECISE
from antemill.axes.exact.scores import score_at
from antemill.axes.scores import default_seed
from antemill.axes.scores import version as axes_version
from antemill.engine.execute import Job, progress_bar
from antemill.engine.machine.program import Program, from_columns
from antemill.engine.storage.store import PROGRAM_COLUMNS, read, table
from antemill.tournament.pool.jobs import perform
from antemill.tournament.pool.schemas import AGAIN, BENCHMARK, SCORE_COLUMNS
from antemill.tournament.pool.select import read_benchmark, write_benchmark
from antemill.tournament.pool.work import score_game

_PAUSE = 1.0  # seconds between two writes of the file: what a killed command loses
_OWN = [*(f"precise_{name}" for name in SCORE_COLUMNS), *AGAIN]


class GameKey(Struct, frozen=True):
    """Names a job."""

    seed: int

    def __str__(self) -> str:
        return f"game {self.seed}"


def score_benchmark(
    path: Path,
    benchmark: pa.Table,
    workers: int | None = None,
    quiet: bool = False,
) -> pa.Table:
    """Fill in the benchmark's precise scores and write it to `path`, every second; returns it.

    Scores of the same games by the same axes in an earlier file at `path` are taken over. Raises StorageError if that
    file is damaged or no benchmark.
    """
    rows = benchmark.to_pylist()
    earlier = _earlier(path) if path.exists() else None
    if earlier is not None:
        _take_over(rows, earlier.to_pylist())
    waiting = {GameKey(row["seed"]): row for row in rows if not _finished(row)}
    jobs = [
        Job(key, key.seed, score_row, ({name: row[name] for name in PROGRAM_COLUMNS},)) for key, row in waiting.items()
    ]
    if waiting:
        done = len(rows) - len(waiting)
        with progress_bar("precise scores", len(rows), quiet) as bar:
            written = time.monotonic()
            for key, scores in perform(jobs, workers):
                waiting[key].update(scores)
                bar(done := done + 1, len(rows))
                if time.monotonic() - written > _PAUSE:
                    write_benchmark(path, table(BENCHMARK, rows))
                    written = time.monotonic()
    result = table(BENCHMARK, rows)
    if earlier is None or not result.equals(earlier):
        write_benchmark(path, result)
    return result


def score_row(_seed: int, columns: dict[str, Any]) -> dict[str, Any]:
    """The columns of the precise scores of a stored program by two plays; runs in a worker."""
    program: Program = from_columns(columns)
    scores = score_game(program, PRECISE.name)
    again = score_at(program, PRECISE, default_seed(program) ^ 1).point()
    return {f"precise_{name}": scores[name] for name in SCORE_COLUMNS} | dict(zip(AGAIN, again, strict=True))


def _finished(row: dict[str, Any]) -> bool:
    """Whether a row of a benchmark has both plays' scores by these axes."""
    return row["precise_axes_version"] == axes_version() and all(row[name] is not None for name in AGAIN)


def _earlier(path: Path) -> pa.Table | None:
    """The benchmark at `path` if there are scores by these axes in it. Another version may have other columns."""
    versions = read(path, BENCHMARK, columns=["precise_axes_version"])
    return read_benchmark(path) if axes_version() in versions["precise_axes_version"].to_pylist() else None


def _take_over(rows: list[dict[str, Any]], earlier: list[dict[str, Any]]) -> None:
    known = {row["digest"]: row for row in earlier if _finished(row)}
    for row in rows:
        if row["digest"] in known:
            row.update({name: known[row["digest"]][name] for name in _OWN})
