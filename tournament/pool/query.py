"""`pool query`: SQL over pools, through DuckDB (the extra `duckdb`).

DuckDB sees only the tables below. Arrow reads the files of the pools from folders and stores, and passes the columns
and rows that a query needs to DuckDB. DuckDB itself may not open files or addresses, load extensions or change
settings. A query is one statement that reads. `docs/queries.md` has the columns of the tables.
"""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.dataset as ds

from antemill.axes.exact.tier import TIERS
from antemill.engine.errors import StorageError, UsageError
from antemill.engine.storage.parquet import DAMAGED
from antemill.engine.storage.places import Place, place
from antemill.engine.storage.store import CANDIDATES, GAMES, HAS, VERSION
from antemill.tournament.pool import layout
from antemill.tournament.pool.layout import Pool, complete_pool
from antemill.tournament.pool.schemas import SCORES
from antemill.tournament.pool.shard_reading import scored_by
from antemill.tournament.pool.spans import Span, parse

if TYPE_CHECKING:
    import duckdb

Folders = Sequence[str | os.PathLike[str] | Place]
TABLES = ("pools", "candidates", "accepted", "scores", "all_scores")
_JSON = ("spec", "names")  # bytes in the files, text in the tables
_READING = ("SELECT", "EXPLAIN", "MULTI")  # PIVOT is a statement of several parts


def query_pools(sql: str, folders: Folders) -> pa.Table:
    """The answer to a query over some pools, all of it in memory.

    sql: one statement that reads the `TABLES`. Raises UsageError for a query that cannot be answered or if there is
    no DuckDB, StorageError for a folder without a pool or a pool that cannot be read.
    """
    with answering(sql, folders) as answer:
        return answer.whole()


class Answer:
    """The batches of an answer, as they come; errors on the way become our own.

    schema: its columns, no two of one name: the second `seed` of a join is `seed_1`.
    """

    def __init__(self, reader: pa.RecordBatchReader) -> None:
        self._reader = reader
        names = _distinct(reader.schema.names)
        self.schema = pa.schema([field.with_name(name) for field, name in zip(reader.schema, names, strict=True)])

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        with _errors():
            for batch in self._reader:
                yield batch.rename_columns(self.schema.names)

    def whole(self) -> pa.Table:
        """All batches as a table."""
        return pa.Table.from_batches(list(self), self.schema)


def _distinct(names: Sequence[str]) -> list[str]:
    """The names, with a number appended to each repeated one."""
    found: list[str] = []
    for name in names:
        free = (new for i in count() if (new := f"{name}_{i}" if i else name) not in found)
        found.append(next(free))
    return found


@contextmanager
def answering(sql: str, folders: Folders) -> Iterator[Answer]:
    """The answer to a query in batches, of which only the present one is in memory; raises as `query_pools`."""
    pools = {name: _open(folder) for name, folder in _named(folders).items()}
    with tempfile.TemporaryDirectory(prefix="antemill-query-") as scratch, _connected(scratch) as connection:
        _create_tables(connection, pools)
        _require_reading(connection, sql)
        with _errors():
            reader = connection.sql(sql).to_arrow_reader()
        yield Answer(reader)


def _named(folders: Folders) -> dict[str, Place]:
    """The folders by the names that the column `pool` has: the last part of the path where that is enough."""
    places = [place(folder) for folder in folders]
    last = [os.path.basename(each.name.rstrip("/")) or each.name for each in places]
    return {short if last.count(short) == 1 else each.name: each for short, each in zip(last, places, strict=True)}


def _open(folder: Place) -> Pool:
    pool = complete_pool(folder)
    if pool.settings.schema != VERSION:
        raise StorageError(
            f"the pool in {folder} has schema version {pool.settings.schema}, this antemill reads version {VERSION}: "
            "build it again, or use the antemill that wrote it."
        )
    return pool


@contextmanager
def _connected(scratch: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database in memory that can reach nothing but `scratch`, an empty folder where it may put what memory cannot
    hold."""
    try:
        import duckdb
    except ModuleNotFoundError as error:
        raise UsageError("queries need DuckDB: install antemill[duckdb].") from error
    closed: dict[str, str | bool | int | float | list[str]] = {
        "enable_external_access": False,
        "python_enable_replacements": False,
        "temp_directory": scratch,
    }
    with duckdb.connect(":memory:", config=closed) as connection:
        try:
            yield connection
        finally:
            connection.interrupt()  # a query that is still at work would keep the process from ending


def _create_tables(connection: duckdb.DuckDBPyConnection, pools: dict[str, Pool]) -> None:
    """Register the files of every pool, and make of them one view each of `TABLES`; then close the settings."""
    connection.register("pools", _pools(pools))
    selects: dict[str, list[str]] = {name: [] for name in TABLES[1:]}
    for number, (name, pool) in enumerate(pools.items()):
        quoted = name.replace("'", "''")
        for source, (dataset, queries) in _sources(pool).items():
            connection.register(f"_{source}_{number}", dataset)
            for table, columns in queries.items():
                selects[table].append(f"SELECT '{quoted}' AS pool, {columns} FROM _{source}_{number}")
    for table, parts in selects.items():
        connection.execute(f"CREATE VIEW {table} AS {' UNION ALL BY NAME '.join(parts)}")
    connection.execute("SET lock_configuration = true")


def _sources(pool: Pool) -> dict[str, tuple[ds.Dataset, dict[str, str]]]:
    """The files of a pool as data sets by name, each with the expressions of the tables' columns."""
    quoted = [(name.replace("'", "''"), column) for name, column in HAS.items()]
    parts = ", ".join(f"""CASE WHEN "{column}" THEN '{name}' END""" for name, column in quoted)
    constructs = f"list_filter([{parts}], lambda name: name IS NOT NULL) AS constructs"
    narrow = [name for name in CANDIDATES.schema.names if name not in HAS.values()]
    game = [f"decode({name}) AS {name}" if name in _JSON else name for name in GAMES.schema.names]
    score = ", ".join(SCORES.schema.names)
    shards = [shard.file for shard in pool.shards]
    versions = [(tier, version) for tier in TIERS for version in pool.folder.folders(f"scores/{tier}")]
    scores = {one: _widest(pool, f"scores/{'/'.join(one)}") for one in versions}
    read = [files for (tier, version), files in scores.items() if version == scored_by(pool, tier)]
    return {
        "candidates": (
            _dataset(pool, [f"{layout.CANDIDATES}/{file}" for file in shards], CANDIDATES.schema),
            {"candidates": ", ".join([*narrow, constructs])},
        ),
        "games": (
            _dataset(pool, [f"{layout.GAMES}/{file}" for file in shards], GAMES.schema),
            {"accepted": ", ".join(game)},
        ),
        "scores": (_dataset(pool, [file for files in read for file in files], SCORES.schema), {"scores": score}),
        "all_scores": (
            _dataset(pool, [file for files in scores.values() for file in files], SCORES.schema),
            {"all_scores": score},
        ),
    }


def _widest(pool: Pool, folder: str) -> list[str]:
    """The files of scores in a folder: for every shard the one with the most axes."""
    found: dict[Span, tuple[float, str]] = {}
    for name in pool.folder.names(folder):
        known = parse(name)
        if known is not None:
            axes = float(known[1].count("+")) if known[1] else math.inf
            found[known[0]] = max(found.get(known[0], (-1.0, "")), (axes, f"{folder}/{name}"))
    return [found[shard][1] for shard in pool.shards if shard in found]


def _dataset(pool: Pool, files: Sequence[str], schema: pa.Schema) -> ds.Dataset:
    """The files of a pool, which are opened when they are asked for."""
    if not files:
        return ds.dataset(schema.empty_table())
    system, root = pool.folder.at()
    return ds.dataset([f"{root}/{file}" for file in files], schema=schema, format="parquet", filesystem=system)


def _pools(pools: dict[str, Pool]) -> pa.Table:
    """What the pools say about themselves, a row each."""
    rows = [
        {
            "pool": name,
            "folder": str(pool.folder),
            "first_seed": pool.settings.seeds[0],
            "last_seed": pool.settings.seeds[1] - 1,
            "lowest_complexity": (pool.settings.complexity or (0.0, 1.0))[0],
            "highest_complexity": (pool.settings.complexity or (0.0, 1.0))[1],
            "builder": pool.settings.builder,
            "machine": pool.settings.machine,
            "reading": str(pool.settings.gate.get("reading", "")),
        }
        for name, pool in pools.items()
    ]
    return pa.Table.from_pylist(rows)


def _require_reading(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Raise UsageError unless the text is one statement that only reads."""
    with _errors():
        kinds = [statement.type.name for statement in connection.extract_statements(sql)]
    if len(kinds) != 1:
        raise UsageError(f"a query is one statement, and there are {len(kinds) or 'none'} in it.")
    if kinds[0] not in _READING:
        raise UsageError(f"a query only reads: begin it with SELECT, not with {kinds[0].replace('_', ' ')}.")


@contextmanager
def _errors() -> Iterator[None]:
    """What DuckDB and Arrow raise, as a sentence."""
    import duckdb

    try:
        yield
    except (duckdb.InterruptException, RuntimeError) as error:  # DuckDB's answer to a signal
        if "interrupted" not in str(error).lower():
            raise
        cause = error.__cause__ or error.__context__
        raise cause if isinstance(cause, KeyboardInterrupt) else KeyboardInterrupt from None
    except (duckdb.Error, *DAMAGED) as error:
        said = " ".join(str(error).partition("\n\nLINE ")[0].split()).rstrip(".!")
        hint = f"; the tables are {', '.join(TABLES)}" if isinstance(error, duckdb.CatalogException) else ""
        raise UsageError(f"the query cannot be answered ({said}){hint}.") from error
