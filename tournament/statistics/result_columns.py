"""Tables of results as others write them: Arena's, those of chess, and our own. One row a match.

    a, b, score_a, score_b      the higher score wins
    a, b, winner                a name of either player, `a`, `b`, or tie; model_a and model_b will do for a and b
    white, black, result        1-0, 0-1 or 1/2-1/2; * is left out and counted; a and b will do for the names

Each may have `game`, `cluster`, `weight`, `count` (of matches that a row stands for) and `date`. Other names of columns
are given as {"a": "home", "b": "guest"}.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antemill.engine.errors import UsageError
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.matches import COLUMNS, Integers, SlotTable, coded, optional, slot_table
from antemill.tournament.statistics.result_files import Rows, both_labels, labels, numbers, rows_of

RESULTS = ("a", "b", "score_a", "score_b")
NAMES = (*RESULTS, "winner", "result", "game", "cluster", "weight", "count", "date")
_OTHERS = {"a": ("model_a", "white"), "b": ("model_b", "black")}
_TIES = ("tie", "draw", "tie (bothbad)", "tie (both bad)", "both_bad")
UNFINISHED = "*"
_SCORES = {"1-0": 1.0, "0-1": -1.0, "1/2-1/2": 0.0, "½-½": 0.0, "0.5-0.5": 0.0, UNFINISHED: np.nan}
_MOST = 10_000_000  # matches that rows with counts may stand for
_DATE = r"^\d{4}[-./]\d\d[-./]\d\d"  # such dates are in order as they are written


def results_table(rows: Rows, ordered: bool = False, columns: Mapping[str, str] | None = None) -> SlotTable:
    """The slot table of a table of results; a row is its own cluster unless the table says otherwise.

    ordered: sort the rows by `date`, if there is one. columns: what columns are called that have other names. Raises
    UsageError, which names the row: no row, a missing column or value, a score or weight that is not a finite number, a
    negative weight, a player against itself, a result of another kind.
    """
    found = named(rows_of(rows), columns or {})
    names = found.column_names
    if ordered and "date" in names:
        found = by_date(found)
    if not set(RESULTS) & set(names) and set(COLUMNS) <= set(names):
        return slot_table(found)
    if not found.num_rows:
        raise UsageError("there are no results: give a file with at least one match.")
    margin = _margins(found)  # all rows are read before any is left out, so that errors have the right numbers
    players, size = both_labels(found, "a", "b"), found.num_rows
    game = labels(found, "game") if "game" in names else pa.chunked_array([pa.array(["all"] * size, pa.string())])
    weight, cluster = optional(found)
    kept = np.repeat(np.arange(size), _counts(found) * np.isfinite(margin))
    if not len(kept):
        raise UsageError("no match has a result: give a file with at least one that is finished.")
    taken = [None if column is None else column.take(pa.array(kept)) for column in (game, *players, cluster)]
    row = pa.chunked_array([pa.array(np.arange(len(kept))).cast(pa.string())])
    return coded(taken[0], row, taken[1], taken[2], margin[kept], weight[kept], taken[3])


def named(rows: pa.Table, columns: Mapping[str, str]) -> pa.Table:
    """The rows with our names of columns. Raises UsageError for a name that is not ours, or not there."""
    names = rows.column_names
    if wrong := [ours for ours in columns if ours not in NAMES]:
        raise UsageError(f"--columns has '{wrong[0]}', and the columns are {', '.join(NAMES)}.")
    if absent := [theirs for theirs in columns.values() if theirs not in names]:
        raise UsageError(f"the results have no column '{absent[0]}'; they have {', '.join(names) or 'none'}.")
    plain = {name.lower(): name for name in names}
    given = {theirs: ours for ours, theirs in columns.items()}
    for ours, others in _OTHERS.items():
        there = [plain[other] for other in others if other in plain]
        if ours not in names and ours not in columns and there:
            given[there[0]] = ours
    if "result" not in names and "result" in plain and "result" not in columns:
        given[plain["result"]] = "result"
    return rows.rename_columns([given.get(name, name) for name in names])


def unfinished(rows: pa.Table) -> int:
    """How many rows have the result `*`."""
    if "result" not in rows.column_names or not rows.num_rows:
        return 0
    return int(pc.sum(pc.equal(labels(rows, "result"), UNFINISHED)).as_py() or 0)


def _counts(rows: pa.Table) -> Integers:
    """int64[rows]: how many matches each row stands for."""
    if "count" not in rows.column_names:
        return np.ones(rows.num_rows, np.int64)
    count = numbers(rows, "count")
    wrong = np.flatnonzero((count < 0) | (count != np.floor(count)))
    if len(wrong):
        raise UsageError(f"row {wrong[0] + 1} has the count {count[wrong[0]]:g}; it is a whole number of matches.")
    if count.sum() > _MOST:
        raise UsageError(f"the column 'count' adds up to {count.sum():,.0f} matches, and {_MOST:,} are the most.")
    return count.astype(np.int64)


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


def _margins(rows: pa.Table) -> Floats:
    """Who won by how much."""
    names = rows.column_names
    scored = {"score_a", "score_b"} <= set(names)
    missing = [name for name in ("a", "b") if name not in names]
    if missing or not (scored or "winner" in names or "result" in names):
        need = f"{', '.join(RESULTS)}, or a, b, winner, or white, black, result"
        raise UsageError(
            f"the results have no column {', '.join(map(repr, missing or ['score_a', 'score_b']))}; they need {need}, "
            f"and have {', '.join(names) or 'none'}: `--columns a=...,b=...` says which is which."
        )
    if scored:
        return numbers(rows, "score_a") - numbers(rows, "score_b")
    return _won(rows) if "winner" in names else _result(rows)


def _won(rows: pa.Table) -> Floats:
    """Margins of the column `winner`."""
    column, (a, b) = labels(rows, "winner"), both_labels(rows, "a", "b")
    named_here = [np.asarray(pc.equal(column, player)) for player in (a, b)]
    plain = ~(named_here[0] | named_here[1])  # a player may be called "tie" or "b"
    first, second = (
        own | plain & np.asarray(pc.is_in(column, pa.array(keys)))
        for own, keys in zip(named_here, (["a", "model_a"], ["b", "model_b"]), strict=True)
    )
    tie = plain & np.asarray(pc.is_in(column, pa.array(_TIES)))
    wrong = np.flatnonzero(~(first | second | tie))
    if len(wrong):
        row = int(wrong[0])
        more = f" (and {len(wrong) - 1:,} more rows are of that kind)" if len(wrong) > 1 else ""
        raise UsageError(
            f"row {row + 1} has '{column[row]}' in 'winner'{more}; it is {a[row]}, {b[row]}, model_a, model_b or tie; "
            "leave out matches without a result."
        )
    return np.asarray(first.astype(np.float64) - second, np.float64)


def _result(rows: pa.Table) -> Floats:
    """Margins of the column `result`."""
    column = labels(rows, "result")
    place = pc.index_in(column, pa.array(list(_SCORES)))
    unknown = pc.is_null(place)
    if pc.any(unknown).as_py():
        row, others = pc.index(unknown, True).as_py(), pc.sum(unknown).as_py() - 1
        more = f" (and {others:,} more rows are of that kind)" if others else ""
        raise UsageError(f"row {row + 1} has '{column[row]}' in 'result'{more}; it is one of {', '.join(_SCORES)}.")
    return np.array(list(_SCORES.values()), np.float64).take(np.asarray(place))
