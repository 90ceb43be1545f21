"""Repeats: of several accepted candidates that are the same game, a pool keeps the one with the lowest seed.

The gate judges each game by itself, in the worker that has its cell. This rule needs all lower seeds, so the list of
repeats is made when all cells are there, and the cells stay as they are. The content of a pool is a function of its
seeds alone. A repeat keeps its canonical digest, by which its first appearance can be found.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from antemill.engine.errors import StorageError
from antemill.engine.storage import store
from antemill.tournament.pool.layout import CANDIDATES, Pool

_COLUMNS = ["seed", "accepted", "canonical_digest"]
_REPEATS = """
SELECT seed FROM (SELECT seed, row_number() OVER (PARTITION BY canonical_digest ORDER BY seed) AS place FROM accepted)
WHERE place > 1 ORDER BY seed
"""


def find_repeats(pool: Pool) -> pa.Array:
    """The seeds, ascending, of accepted candidates whose game also has a lower seed. All cells must be there."""
    import duckdb  # here, since it takes memory and a tenth of a second; it sorts on the disk what is too large

    failed: list[Exception] = []  # which the database would word in its own way
    schema = pa.schema([store.CANDIDATES.schema.field(name) for name in _COLUMNS])

    def batches() -> Iterator[pa.RecordBatch]:
        try:
            for cell in pool.cells:
                rows = pool.read(CANDIDATES, cell, store.CANDIDATES, _COLUMNS)
                yield from rows.filter(rows["accepted"]).to_batches()
        except Exception as error:
            failed.append(error)
            raise

    with duckdb.connect() as database:
        database.register("accepted", pa.RecordBatchReader.from_batches(schema, batches()))
        try:
            found = database.execute(_REPEATS).fetchnumpy()["seed"]
        except duckdb.Error:
            raise failed[0] if failed else StorageError("a temporary file cannot be written.") from None
    return pa.array(found, pa.int64())
