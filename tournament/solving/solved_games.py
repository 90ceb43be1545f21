"""The figures of a benchmark's solved games: a Parquet file beside the benchmark, one row per game."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from antemill.engine.errors import StorageError
from antemill.engine.storage.files import write_bytes
from antemill.engine.storage.parquet import parquet_bytes

if TYPE_CHECKING:
    from antemill.solver.policies.solution import Solution

SOLVED = ".solved.parquet"  # instead of the benchmark's suffix
_METADATA = {b"antemill solved": b"1"}

SCHEMA = pa.schema(
    [
        pa.field("rank", pa.int32(), nullable=False),
        pa.field("seed", pa.int64(), nullable=False),
        pa.field("digest", pa.string(), nullable=False),
        pa.field("nodes", pa.int64()),  # null: the tree was too large to be built
        pa.field("information_sets", pa.int64()),
        pa.field("abstraction", pa.string()),
        pa.field("abstract_sets", pa.int64()),
        pa.field("algorithm", pa.string()),
        pa.field("value", pa.float64()),  # Alice's, chips per game
        pa.field("value_error", pa.float64()),  # standard error; null: the value is exact
        pa.field(
            "measured", pa.string()
        ),  # the kind of the number that follows: `antemill.solver.policies.solution.MEASURED`
        pa.field("exploitability", pa.float64()),  # null: see the lower bound
        pa.field("reached", pa.bool_()),  # whether it is known and at most the target
        pa.field("lower_bound", pa.float64()),
        pa.field("lower_bound_low", pa.float64()),  # ends of the 95% confidence interval
        pa.field("lower_bound_high", pa.float64()),
        pa.field("abstract_regret", pa.float64()),
        pa.field("iterations", pa.int64()),
        pa.field("seconds", pa.float64()),
        pa.field("stopped", pa.string()),
        pa.field("problem", pa.string()),  # why there is no policy, or no newer one; else null
    ]
)


def solved_path(benchmark: Path) -> Path:
    """Where the figures of a benchmark are."""
    return benchmark.with_name(benchmark.name.removesuffix(".parquet") + SOLVED)


def solved_row(game: dict[str, Any], solution: Solution | None, problem: str | None = None) -> dict[str, Any]:
    """The row of a benchmark's game."""
    row = {name: game[name] for name in ("rank", "seed", "digest")} | {"problem": problem}
    if solution is None:
        return row
    row |= {name: getattr(solution, name) for name in SCHEMA.names if hasattr(solution, name)}
    bound = solution.lower_bound
    ends = (None, None, None) if bound is None else (bound.mean, bound.low, bound.high)
    return row | dict(zip(("lower_bound", "lower_bound_low", "lower_bound_high"), ends, strict=True))


def write_solved(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write the figures atomically."""
    columns = {name: [row.get(name) for row in rows] for name in SCHEMA.names}
    write_bytes(path, parquet_bytes(pa.table(columns, schema=SCHEMA).replace_schema_metadata(_METADATA)))


def read_solved(path: Path) -> list[dict[str, Any]]:
    """The figures as rows, in order of rank. Raises StorageError if the file is missing, damaged or foreign."""
    try:
        content = pq.read_table(pa.BufferReader(path.read_bytes()))
    except FileNotFoundError as error:
        raise StorageError(f"there is no file {path}: solve the benchmark with `antemill solve`.") from error
    except (pa.ArrowException, OSError, ValueError) as error:
        raise StorageError(f"{path} is damaged: delete it and solve the benchmark again.") from error
    content = content.replace_schema_metadata(None)
    if not content.schema.equals(SCHEMA):
        raise StorageError(f"{path} does not hold the figures of solved games: delete it and solve again.")
    rows: list[dict[str, Any]] = content.to_pylist()
    return sorted(rows, key=lambda row: int(row["rank"]))


def solved_beside(benchmark: Path) -> list[dict[str, Any]] | None:
    """The figures beside a benchmark; None if it was not solved."""
    path = solved_path(benchmark)
    return read_solved(path) if path.exists() else None
