"""The slot table: one row a match, as integer codes (GENSTRAT section 5).

Rows come from Parquet, CSV or Arrow, with the columns `game, play_seed, run, alice, bob, margin, ...`. A cluster is the
four-tuple (game, lower player, higher player, run), everywhere (N6): the two seat assignments of one run, which
share their cards.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from engine.errors import StorageError, UsageError
from tournament.statistics.intervals import Floats

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

COLUMNS = ("game", "run", "alice", "bob", "margin")


@dataclass(frozen=True, eq=False)
class SlotTable:
    """Matches. Names ascend, a code is a position among them, and no row pits a model against itself."""

    models: tuple[str, ...]
    games: tuple[str, ...]
    game: Integers  # int64[rows]: code of the game
    alice: Integers  # int64[rows]: code of the model in Alice's seat
    bob: Integers  # int64[rows]
    margin: Floats  # float64[rows]: Alice's chips minus Bob's at the end
    cluster: Integers  # int64[rows]: 0..clusters-1, ascending by (game, lower code, higher code, run)
    weight: Floats  # float64[rows]: positive, normally 1

    @property
    def low(self) -> Integers:
        """int64[rows]: the lower of the two models' codes."""
        return np.minimum(self.alice, self.bob)

    @property
    def high(self) -> Integers:
        """int64[rows]: the higher of the two models' codes."""
        return np.maximum(self.alice, self.bob)

    @property
    def clusters(self) -> int:
        """How many clusters there are."""
        return int(self.cluster.max()) + 1 if len(self.cluster) else 0

    def rows(self, mask: Flags) -> SlotTable:
        """The rows where `mask` is true. Models and games that have no row any more are dropped from the names."""
        models, (alice, bob) = _recode(self.models, self.alice[mask], self.bob[mask])
        games, (game,) = _recode(self.games, self.game[mask])
        cluster = np.unique(self.cluster[mask], return_inverse=True)[1].astype(np.int64)
        return SlotTable(models, games, game, alice, bob, self.margin[mask], cluster, self.weight[mask])

    def without_models(self, names: Iterable[str]) -> SlotTable:
        """The matches in which none of these models plays. Raises UsageError for a name that is not in the table."""
        gone = codes(self.models, names, "model")
        return self.rows(~(np.isin(self.alice, gone) | np.isin(self.bob, gone)))

    def only_games(self, names: Iterable[str]) -> SlotTable:
        """The matches of these games. Raises UsageError for a name that is not in the table."""
        return self.rows(np.isin(self.game, codes(self.games, names, "game")))


def read_slots(path: str | Path) -> SlotTable:
    """The slot table of a .parquet or .csv file. Raises StorageError or UsageError, with one sentence."""
    return slot_table(read_rows(path))


def read_rows(path: str | Path) -> pa.Table:
    """All columns of a .parquet or .csv file. Raises StorageError (no such file) or UsageError (not such a file)."""
    import pyarrow.csv
    import pyarrow.parquet

    path = Path(path)
    if not path.is_file():
        raise StorageError(f"there is no file {path}; give a .parquet or .csv file of results.")
    readers = {".parquet": pyarrow.parquet.read_table, ".csv": pyarrow.csv.read_csv}
    if path.suffix.lower() not in readers:
        raise UsageError(f"can not tell what {path} is by its name; give a .parquet or .csv file.")
    try:
        return readers[path.suffix.lower()](path)
    except pa.ArrowInvalid as error:
        what = path.suffix.lower().removeprefix(".")
        raise UsageError(f"{path} is not a {what} file that can be read: {str(error).splitlines()[0]}") from error


def slot_table(rows: pa.Table) -> SlotTable:
    """Check and code an Arrow table with the columns `game, run, alice, bob, margin` and perhaps `weight`.

    Rows of weight 0 are left out. Raises UsageError: no row, a missing column, a missing value, a margin or weight that
    is not a finite number, a negative weight, a model that plays against itself.
    """
    missing = [name for name in COLUMNS if name not in rows.column_names]
    if missing:
        raise UsageError(
            f"the results have no column {', '.join(map(repr, missing))}; they need {', '.join(COLUMNS)}, "
            f"and have {', '.join(rows.column_names) or 'none'}."
        )
    weight = numbers(rows, "weight") if "weight" in rows.column_names else np.ones(rows.num_rows)
    return coded(
        labels(rows, "game"),
        labels(rows, "run"),
        labels(rows, "alice"),
        labels(rows, "bob"),
        numbers(rows, "margin"),
        weight,
    )


def coded(
    game: pa.ChunkedArray,
    run: pa.ChunkedArray,
    alice: pa.ChunkedArray,
    bob: pa.ChunkedArray,
    margin: Floats,
    weight: Floats,
) -> SlotTable:
    """A slot table from columns of equal length; see `slot_table` for the errors."""
    _check_weights(weight)
    kept = weight > 0.0
    if not kept.any():
        raise UsageError("there are no results: give a file with at least one match.")
    chosen = pa.array(kept)
    games, game_code = encode(game.filter(chosen))
    _, run_code = encode(run.filter(chosen))
    models, both = encode(pa.chunked_array([*alice.filter(chosen).chunks, *bob.filter(chosen).chunks], pa.string()))
    a, b = both[: int(kept.sum())], both[int(kept.sum()) :]
    if (a == b).any():
        row = int(np.flatnonzero(kept)[int(np.argmax(a == b))])
        name = models[a[int(np.argmax(a == b))]]
        raise UsageError(f"row {row + 1} pits '{name}' against itself; leave such rows out.")
    return from_codes(models, games, game_code, run_code, a, b, margin[kept], weight[kept])


def from_codes(
    models: tuple[str, ...],
    games: tuple[str, ...],
    game: Integers,
    run: Integers,
    alice: Integers,
    bob: Integers,
    margin: Floats,
    weight: Floats | None = None,
) -> SlotTable:
    """A slot table from codes that are right already: at least one row, names ascending and all used, alice != bob."""
    cluster = _clusters(game, np.minimum(alice, bob), np.maximum(alice, bob), run)
    weight = np.ones(len(margin)) if weight is None else weight
    return SlotTable(models, games, game, alice, bob, margin, cluster, weight)


def codes(names: Sequence[str], wanted: Iterable[str], what: str) -> Integers:
    """The positions of `wanted` among `names`. Raises UsageError for one that is not there."""
    found = []
    for name in wanted:
        if name not in names:
            raise UsageError(f"there is no {what} '{name}' in the results; there are {', '.join(names)}.")
        found.append(names.index(name))
    return np.array(found, np.int64)


def labels(rows: pa.Table, name: str) -> pa.ChunkedArray:
    """A column as text. Raises UsageError for a missing value."""
    column = rows[name]
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    column = column.cast(pa.string())
    if column.null_count:
        row = pc.index(column.is_null(), True).as_py()
        raise UsageError(f"row {row + 1} has no '{name}'; fill it in or leave the row out.")
    return column


def numbers(rows: pa.Table, name: str) -> Floats:
    """A column as float64. Raises UsageError for what is not a finite number."""
    column = rows[name]
    try:
        if pa.types.is_boolean(column.type) or pa.types.is_temporal(column.type):
            raise pa.ArrowInvalid("not a number")
        values = np.asarray(column.cast(pa.float64()).to_numpy(), np.float64)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise UsageError(f"the column '{name}' has text in it; it needs a number in every row.") from error
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise UsageError(f"row {bad[0] + 1} has no finite number in '{name}'; fill it in or leave the row out.")
    return values


def encode(column: pa.ChunkedArray) -> tuple[tuple[str, ...], Integers]:
    """The distinct values in ascending order, and the position of every row's value among them."""
    dictionary = column.combine_chunks().dictionary_encode()
    if isinstance(dictionary, pa.ChunkedArray):
        dictionary = dictionary.combine_chunks()
    names: list[str] = dictionary.dictionary.to_pylist()
    order = sorted(range(len(names)), key=names.__getitem__)
    rank = np.empty(len(names), np.int64)
    rank[order] = np.arange(len(names))
    return tuple(names[i] for i in order), rank[np.asarray(dictionary.indices, np.int64)]


def _check_weights(weight: Floats) -> None:
    if (weight < 0.0).any():
        raise UsageError(f"row {int(np.argmax(weight < 0.0)) + 1} has a negative weight; a weight is 0 or more.")


def _clusters(*keys: Integers) -> Integers:
    """int64[rows]: the rank of every row's key among the distinct keys, first key first."""
    code = np.zeros(len(keys[0]), np.int64)
    for key in keys:
        code = np.unique(code * (int(key.max()) + 1) + key, return_inverse=True)[1].astype(np.int64)
    return code


def _recode(names: tuple[str, ...], *columns: Integers) -> tuple[tuple[str, ...], list[Integers]]:
    """The names that are used, and the columns in terms of them."""
    used, inverse = np.unique(np.concatenate(columns), return_inverse=True)
    return tuple(names[i] for i in used), np.split(inverse.astype(np.int64), len(columns))
