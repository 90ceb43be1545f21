"""Tables of results as others write them: Arena's, those of chess, and our own. One row a match.

    a, b, score_a, score_b      the higher score wins
    model_a, model_b, winner    model_a, model_b, tie, or tie (bothbad)
    white, black, result        1-0, 0-1 or 1/2-1/2, in any case of letters; a and b will do for the names

Each may have `game`, `cluster`, `weight` and `date`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antemill.engine.errors import UsageError
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.matches import COLUMNS, SlotTable, coded, optional, slot_table
from antemill.tournament.statistics.result_files import Rows, both_labels, labels, numbers, rows_of

RESULTS = ("a", "b", "score_a", "score_b")
_ARENA = ("model_a", "model_b", "winner")
_WINNERS = {"model_a": 1.0, "model_b": -1.0, "tie": 0.0, "tie (bothbad)": 0.0, "tie (both bad)": 0.0, "both_bad": 0.0}
_SCORES = {"1-0": 1.0, "0-1": -1.0, "1/2-1/2": 0.0, "½-½": 0.0, "0.5-0.5": 0.0}
_DATE = r"^\d{4}[-./]\d\d[-./]\d\d"  # such dates are in order as they are written


def results_table(rows: Rows, ordered: bool = False) -> SlotTable:
    """The slot table of a table of results; a row is its own cluster unless the table says otherwise.

    ordered: sort the rows by `date`, if there is one. Raises UsageError: no row, a missing column or value, a score or
    weight that is not a finite number, a negative weight, a player against itself, a result of another kind.
    """
    found = rows_of(rows)
    if ordered and "date" in found.column_names:
        found = by_date(found)
    names = found.column_names
    if not set(RESULTS) & set(names) and set(COLUMNS) <= set(names):
        return slot_table(found)
    first, second, margin = _margins(found)
    count = found.num_rows
    if not count:
        raise UsageError("there are no results: give a file with at least one match.")
    row = pa.chunked_array([pa.array(np.arange(count)).cast(pa.string())])
    one = pa.chunked_array([pa.array(["all"] * count, pa.string())])
    players = both_labels(found, first, second)
    return coded(labels(found, "game") if "game" in names else one, row, *players, margin, *optional(found))


def by_date(rows: pa.Table) -> pa.Table:
    """The rows in order of their column `date`; those of a date stay in theirs. Raises UsageError for other dates."""
    dates = rows["date"]
    if pa.types.is_string(dates.type) or pa.types.is_large_string(dates.type):
        written = pc.fill_null(pc.match_substring_regex(dates, _DATE), False)
        if pc.all(written).as_py():
            key = dates
        elif pc.any(written).as_py():
            row = pc.index(written, False).as_py()
            raise UsageError(f"row {row + 1} has the date '{dates[row]}'; write dates as 2026-01-31.")
        else:
            key = pa.chunked_array([pa.array(numbers(rows, "date"))])
    else:
        key = dates
    if key.null_count:
        raise UsageError(f"row {pc.index(pc.is_null(key), True).as_py() + 1} has no 'date'; fill it in.")
    placed = pa.table({"date": key, "row": np.arange(len(key))})
    return rows.take(pc.sort_indices(placed, [("date", "ascending"), ("row", "ascending")]))


def _margins(rows: pa.Table) -> tuple[str, str, Floats]:
    """The columns of the players, and who won by how much."""
    names = rows.column_names
    if set(_ARENA) <= set(names):
        return "model_a", "model_b", _read(rows, "winner", _WINNERS)
    plain = {name.lower(): name for name in names}
    pair = ("white", "black") if {"white", "black"} <= set(plain) else ("a", "b")
    if "result" in plain and set(pair) <= set(plain) and not {"score_a", "score_b"} & set(names):
        return plain[pair[0]], plain[pair[1]], _read(rows, plain["result"], _SCORES)
    missing = [name for name in RESULTS if name not in names]
    if missing:
        raise UsageError(
            f"the results have no column {', '.join(map(repr, missing))}; they need {', '.join(RESULTS)}, or "
            f"{', '.join(_ARENA)}, or white, black, result, and have {', '.join(names) or 'none'}."
        )
    if not rows.num_rows:
        return "a", "b", np.zeros(0)
    return "a", "b", numbers(rows, "score_a") - numbers(rows, "score_b")


def _read(rows: pa.Table, name: str, values: Mapping[str, float]) -> Floats:
    """The margins that the texts of a column stand for."""
    if not rows.num_rows:
        return np.zeros(0)
    column = labels(rows, name)
    place = pc.index_in(column, pa.array(list(values)))
    unknown = pc.is_null(place)
    if pc.any(unknown).as_py():
        row, others = pc.index(unknown, True).as_py(), pc.sum(unknown).as_py() - 1
        more = f" (and {others:,} more rows are of that kind)" if others else ""
        raise UsageError(
            f"row {row + 1} has '{column[row]}' in '{name}'{more}; it is one of {', '.join(values)}; leave out matches "
            "without a result."
        )
    return np.array(list(values.values()), np.float64).take(np.asarray(place))
