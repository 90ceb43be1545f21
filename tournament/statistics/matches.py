"""The slot table: one row a match, as integer codes (GENSTRAT section 5).

Rows come from Parquet, CSV or Arrow, with the columns `game, play_seed, run, alice, bob, margin, ...`. A cluster is the
four-tuple (game, lower player, higher player, run), everywhere (N6): the two seat assignments of one run, which
share their cards. Bootstraps resample units: the clusters, or what a column `cluster` gives (questions, days), each
with all of its rows, of all games and pairs.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy.sparse import csr_array

from antemill.engine.errors import UsageError
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.result_files import Rows, both_labels, labels, numbers, read_rows, rows_of

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

COLUMNS = ("game", "run", "alice", "bob", "margin")


@dataclass(frozen=True, eq=False, repr=False)
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
    unit: Integers  # int64[rows]: 0..units-1, what is resampled together; all rows of a cluster are of one unit

    def __repr__(self) -> str:
        return f"<SlotTable: {len(self.margin):,} matches of {len(self.models)} players, {len(self.games):,} games>"

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

    @property
    def units(self) -> int:
        """How many units there are to resample."""
        return int(self.unit.max()) + 1 if len(self.unit) else 0

    @property
    def clustered(self) -> bool:
        """Whether the table came with units of its own, that are not the clusters."""
        return not np.array_equal(self.unit, self.cluster)

    def rows(self, mask: Flags) -> SlotTable:
        """The rows where `mask` is true. Models and games without a row are dropped from the names."""
        models, (alice, bob) = _recode(self.models, self.alice[mask], self.bob[mask])
        games, (game,) = _recode(self.games, self.game[mask])
        cluster, unit = (_ranks(values[mask]) for values in (self.cluster, self.unit))
        return SlotTable(models, games, game, alice, bob, self.margin[mask], cluster, self.weight[mask], unit)

    def recoded(self) -> SlotTable:
        """The same with clusters in ascending order of the players' codes."""
        cluster = _clusters(self.game, self.low, self.high, self.cluster)
        return replace(self, cluster=cluster, unit=self.unit if self.clustered else cluster)

    def without_models(self, names: Iterable[str]) -> SlotTable:
        """The matches in which none of these models plays. Raises UsageError for a name that is not in the table."""
        gone = codes(self.models, names, "model")
        return self.rows(~(np.isin(self.alice, gone) | np.isin(self.bob, gone)))

    def only_games(self, names: Iterable[str]) -> SlotTable:
        """The matches of these games. Raises UsageError for a name that is not in the table."""
        return self.rows(np.isin(self.game, codes(self.games, names, "game")))


Matches: TypeAlias = SlotTable | Rows


def slots_of(given: Matches, name: str = "table") -> SlotTable:
    """A slot table as it is; one of a data frame, an Arrow table or a file (`slot_table`). Raises UsageError."""
    return given if isinstance(given, SlotTable) else slot_table(rows_of(given, name))


def read_slots(path: str | os.PathLike[str]) -> SlotTable:
    """The slot table of a .parquet or .csv file. Raises StorageError or UsageError, with one sentence."""
    return slot_table(read_rows(path))


def slot_table(rows: Rows) -> SlotTable:
    """Check and code an Arrow table, a data frame or a file.

    It has the columns `game, run, alice, bob, margin`, perhaps `weight` and `cluster`. Rows of weight 0 are left out.
    Raises UsageError: no row, a missing column, a missing value, a margin or weight that is not a finite number, a
    negative weight, a model that plays against itself.
    """
    found = rows_of(rows)
    missing = [name for name in COLUMNS if name not in found.column_names]
    if missing:
        raise UsageError(
            f"the results have no column {', '.join(map(repr, missing))}; they need {', '.join(COLUMNS)}, "
            f"and have {', '.join(found.column_names) or 'none'}."
        )
    return coded(
        labels(found, "game"),
        labels(found, "run"),
        *both_labels(found, "alice", "bob"),
        numbers(found, "margin"),
        *optional(found),
    )


def optional(rows: pa.Table) -> tuple[Floats, pa.ChunkedArray | None]:
    """The columns `weight`, ones if there is none, and `cluster`, None if there is none."""
    names = rows.column_names
    weight = numbers(rows, "weight") if "weight" in names else np.ones(rows.num_rows)
    return weight, labels(rows, "cluster") if "cluster" in names else None


def coded(
    game: pa.ChunkedArray,
    run: pa.ChunkedArray,
    alice: pa.ChunkedArray,
    bob: pa.ChunkedArray,
    margin: Floats,
    weight: Floats,
    cluster: pa.ChunkedArray | None = None,
) -> SlotTable:
    """A slot table from columns of equal length; cluster: the units. See `slot_table` for the errors."""
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
    unit = None if cluster is None else encode(cluster.filter(chosen))[1]
    return from_codes(models, games, game_code, run_code, a, b, margin[kept], weight[kept], unit)


def from_codes(
    models: tuple[str, ...],
    games: tuple[str, ...],
    game: Integers,
    run: Integers,
    alice: Integers,
    bob: Integers,
    margin: Floats,
    weight: Floats | None = None,
    unit: Integers | None = None,
) -> SlotTable:
    """A slot table from codes that are right already: at least one row, names ascending and all used, alice != bob.

    unit: codes of the units, all used; the clusters if not given. A run of which a unit has one part is two clusters.
    """
    keys = (game, np.minimum(alice, bob), np.maximum(alice, bob), run)
    cluster = _clusters(*keys) if unit is None else _clusters(*keys, unit)
    weight = np.ones(len(margin)) if weight is None else weight
    return SlotTable(models, games, game, alice, bob, margin, cluster, weight, cluster if unit is None else unit)


def largest_group(table: SlotTable) -> tuple[SlotTable, tuple[str, ...]]:
    """The matches of the largest group of players that matches connect, and the names of the players outside it.

    Of several of a size, the one with the most matches; then the one whose first name is the first.
    """
    from scipy.sparse.csgraph import connected_components  # takes a tenth of a second to import

    size = len(table.models)
    met = csr_array((np.ones(len(table.alice)), (table.alice, table.bob)), shape=(size, size))
    groups, label = connected_components(met, directed=False)
    if groups < 2:
        return table, ()
    players, matches = np.bincount(label), np.bincount(label[table.alice], minlength=groups)
    first = np.array([int(np.argmax(label == k)) for k in range(groups)])
    inside = label == np.lexsort((first, -matches, -players))[0]
    outside = tuple(name for name, there in zip(table.models, inside, strict=True) if not there)
    return table.rows(inside[table.alice]), outside


def codes(names: Sequence[str], wanted: Iterable[str], what: str) -> Integers:
    """The positions of `wanted` among `names`. Raises UsageError for one that is not there."""
    found, places = [], {name: place for place, name in enumerate(names)}
    for name in (unicodedata.normalize("NFC", name) for name in wanted):
        if name not in places:
            raise UsageError(f"there is no {what} '{name}' in the results; there are {_some(names)}.")
        found.append(places[name])
    return np.array(found, np.int64)


def _some(names: Sequence[str]) -> str:
    """The names, or the first of many."""
    most = 20
    return ", ".join(names) if len(names) <= most else f"{', '.join(names[:most])} and {len(names) - most:,} others"


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
        code = _ranks(code * (int(key.max()) + 1) + key)
    return code


def _ranks(values: Integers) -> Integers:
    """Every value's rank among the distinct ones."""
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def _recode(names: tuple[str, ...], *columns: Integers) -> tuple[tuple[str, ...], list[Integers]]:
    """The names that are used, and the columns in terms of them."""
    used, inverse = np.unique(np.concatenate(columns), return_inverse=True)
    return tuple(names[i] for i in used), np.split(inverse.astype(np.int64), len(columns))
