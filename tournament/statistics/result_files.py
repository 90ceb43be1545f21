"""Tables of results from files, the same for every command: names are text, also those that look like numbers.

A CSV file is read as text throughout, so `4.10` is not `4.1`, and `001` not `1`. What the columns hold is decided when
they are used: `labels` for names, games, runs and clusters, `numbers` for figures. A value that could mean two things
is refused. Two spellings of one character, such as an é of one code point or of two, are one (Unicode's form NFC).
"""

from __future__ import annotations

import codecs
import os
import re
from pathlib import Path
from typing import Protocol, TypeAlias

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antemill.engine.arguments import ArgumentValueError, wrong_type
from antemill.engine.arguments import path as file_path
from antemill.engine.errors import StorageError, UsageError
from antemill.tournament.statistics.inspect_logs import read_log
from antemill.tournament.statistics.intervals import Floats


class ArrowStream(Protocol):
    """A table that gives its columns to Arrow: those of Arrow itself, pandas, Polars and others."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """A capsule, as the Arrow PyCapsule Interface has it."""
        ...


Rows: TypeAlias = ArrowStream | str | os.PathLike[str]
LARGEST = 2.0**53  # in size, exclusive: from here on neighbouring whole numbers are the same float

_WHOLE = (pa.types.is_integer, pa.types.is_date)
_TEXT = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
_FIGURES = (*_TEXT, pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_null)
_TAG = re.compile(r'\s*\[\s*(White|Black|Result|Date)\s+"((?:[^"\\]|\\.)*)"\s*\]\s*$', re.IGNORECASE)
_BYTE_ORDER = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read_rows(path: str | os.PathLike[str]) -> pa.Table:
    """All columns of a .parquet, .csv or .jsonl file, of games in PGN, or of a log of Inspect (.eval, .json).

    Raises StorageError (no such file) or UsageError (not such a file).
    A CSV file may have semicolons or tabs between its columns. White space around the
    names of columns is no part of them.
    """
    path = file_path(path, "path")
    if path.is_dir():
        raise StorageError(f"{path} is a folder; give a .parquet or .csv file of results.")
    if not path.is_file():
        raise StorageError(f"there is no file {path}; give a .parquet or .csv file of results.")
    readers = {".parquet": _read_parquet, ".csv": _read_csv, ".jsonl": _read_lines, ".pgn": _read_pgn}
    readers |= {".eval": read_log, ".json": read_log}
    kind = path.suffix.lower()
    if kind not in readers:
        raise UsageError(f"cannot tell what {path} is by its name; give a .parquet, .csv, .jsonl or .pgn file.")
    try:
        rows = readers[kind](path)
        names = rows.column_names
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text; save it as UTF-8.") from error
    except (pa.ArrowException, OSError) as error:
        why = _reason(error)
        raise UsageError(f"{path} is not a {kind[1:]} file that can be read: {why}") from error
    rows = rows.rename_columns([name.strip() for name in names])
    _check_names(rows.column_names, path)
    return rows


def rows_of(given: Rows, name: str = "rows") -> pa.Table:
    """All columns of a table: Arrow's, a data frame of pandas or Polars, or the path of a .parquet or .csv file.

    Raises UsageError for anything else, and what `read_rows` raises.
    """
    if isinstance(given, str | os.PathLike):
        return read_rows(given)
    if not hasattr(given, "__arrow_c_stream__") or isinstance(given, type):
        wrong_type(name, given, "a table", "give a data frame, an Arrow table, or the path of a .parquet or .csv file")
    try:
        rows = given if isinstance(given, pa.Table) else pa.table(given)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise ArgumentValueError(f"the argument `{name}` cannot be read as a table: {_reason(error)}") from None
    _check_names(rows.column_names, name)
    return rows


def labels(rows: pa.Table, name: str) -> pa.ChunkedArray:
    """A column as text in Unicode's form NFC, without white space around it. Whole numbers and dates are taken as they
    are written.

    Raises UsageError: a missing or blank value, text that is not UTF-8, any other type of column (in fractions 4.1 and
    4.10 are the same).
    """
    column = _plain(rows[name])
    if not _is(column, *_TEXT, *_WHOLE, pa.types.is_null):
        raise UsageError(f"the column '{name}' holds {column.type}, not names; store it as text.")
    try:
        column = column.cast(pa.string())
        column.validate(full=True)
    except pa.ArrowInvalid as error:
        raise UsageError(f"the column '{name}' has text that is not UTF-8; save it as UTF-8.") from error
    column = pc.utf8_trim_whitespace(pc.utf8_normalize(column, "NFC"))
    blank = pc.fill_null(pc.equal(column, ""), True)
    if pc.any(blank).as_py():
        row = pc.index(blank, True).as_py()
        raise UsageError(f"row {row + 1} has no '{name}'; fill it in or leave the row out.")
    return column


def both_labels(rows: pa.Table, first: str, second: str) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """Two columns of the same kind of names. Raises UsageError if one has numbers where the other has text, so that
    1 and 001 would be two names, else as `labels`.
    """
    found = labels(rows, first), labels(rows, second)
    one, other = (_is(_plain(rows[name]), *_TEXT) for name in (first, second))
    if one != other:
        numbered, written = (second, first) if one else (first, second)
        raise UsageError(f"the column '{numbered}' holds numbers and '{written}' text; store both as text.")
    return found


def numbers(rows: pa.Table, name: str, gaps: bool = False) -> Floats:
    """A column as float64; with `gaps`, NaN for a missing value or one that is not finite.

    Raises UsageError for what is not a number, is not finite (without `gaps`), or has a size of 2^53 or more.
    """
    column = _plain(rows[name])
    if not _is(column, *_FIGURES):
        raise UsageError(f"the column '{name}' holds {column.type}; it needs a number in every row.")
    try:
        if _is(column, *_TEXT):
            text = _points(pc.utf8_trim_whitespace(column.cast(pa.string())), name)
            column = pc.if_else(pc.equal(text, ""), pa.scalar(None, pa.string()), text)
        values = np.asarray(column.cast(pa.float64(), safe=False).to_numpy(), np.float64)
    except pa.ArrowInvalid as error:
        raise UsageError(f"the column '{name}' has text in it; it needs a number in every row.") from error
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad) and not gaps:
        raise UsageError(f"row {bad[0] + 1} has no finite number in '{name}'; fill it in or leave the row out.")
    large = np.flatnonzero(np.where(np.isfinite(values), np.abs(values), 0.0) >= LARGEST)
    if len(large):
        raise UsageError(
            f"row {large[0] + 1} has {values[large[0]]:g} in '{name}', too large to be exact (2^53 or more); "
            "divide the column by a constant."
        )
    return np.where(np.isfinite(values), values, np.nan)


def _points(text: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """Figures with decimal points in place of decimal commas. Raises UsageError where a comma may mark thousands."""
    comma = pc.fill_null(pc.match_substring_regex(text, r"^[+-]?\d+,\d+$"), False)
    if not pc.any(comma).as_py():
        return text
    thousands = pc.fill_null(pc.match_substring_regex(text, r"^[+-]?\d{1,3},\d{3}$"), False)
    pointed = pc.any(pc.fill_null(pc.match_substring(text, "."), False)).as_py()
    if pointed or pc.all(pc.or_(pc.invert(comma), thousands)).as_py():
        row = pc.index(comma, True).as_py()
        raise UsageError(
            f"row {row + 1} has {text[row]} in '{name}', whose comma may be decimal or mark thousands; write a decimal "
            "point, and nothing between thousands."
        )
    return pc.if_else(comma, pc.replace_substring(text, ",", "."), text)


def _read_parquet(path: Path) -> pa.Table:
    import pyarrow.parquet

    return pyarrow.parquet.ParquetFile(path).read()  # read_table would make columns of a folder called `run=3`


def _read_csv(path: Path) -> pa.Table:
    import pyarrow.csv

    with path.open("rb") as file:
        start = file.read(2)
        if start in _BYTE_ORDER:
            raise UsageError(f"{path} is not UTF-8 text; save it as UTF-8.")
        header = start + file.readline()
    between = max((b",", b";", b"\t"), key=header.count).decode()
    parse = pyarrow.csv.ParseOptions(delimiter=between, newlines_in_values=True)
    with pyarrow.csv.open_csv(path, parse_options=parse) as reader:
        types = dict.fromkeys(reader.schema.names, pa.string())
    convert = pyarrow.csv.ConvertOptions(column_types=types)
    return pyarrow.csv.read_csv(path, parse_options=parse, convert_options=convert)


def _read_lines(path: Path) -> pa.Table:
    """JSON Lines: one object a match; names are text, and figures as they are written."""
    rows: list[dict[str, str | None]] = []
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        if not line.strip():
            continue
        try:
            found = msgspec.json.decode(line, type=dict[str, msgspec.Raw])
            rows.append({key: _written(value) for key, value in found.items()})
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise UsageError(f"row {number} of {path} is no JSON object of texts and numbers.") from error
    names = dict.fromkeys(key for row in rows for key in row)
    return pa.table({name: pa.array([row.get(name) for row in rows], pa.string()) for name in names})


def _written(value: msgspec.Raw) -> str | None:
    """A text, or a figure as it is written. Raises ValidationError for a list or an object."""
    found = msgspec.json.decode(value, type=str | int | float | None)
    return found if found is None or isinstance(found, str) else bytes(value).decode()


def _read_pgn(path: Path) -> pa.Table:
    """The tags White, Black, Result and Date of games in Portable Game Notation."""
    rows: list[dict[str, str]] = [{}]
    for line in path.read_text("utf-8-sig").splitlines():
        if tag := _TAG.match(line):
            if tag[1].lower() in rows[-1]:
                rows.append({})
            rows[-1][tag[1].lower()] = tag[2].replace('\\"', '"').replace("\\\\", "\\")
    rows = rows if rows[0] else []
    for number, row in enumerate(rows, 1):
        if missing := [name for name in ("white", "black", "result") if name not in row]:
            raise UsageError(f"game {number} of {path} has no tag {missing[0].title()}; leave it out.")
    dated = rows and all(row.get("date", "?")[:1].isdigit() and "?" not in row["date"] for row in rows)
    names = ("white", "black", "result", *(("date",) if dated else ()))
    return pa.table({name: pa.array([row[name] for row in rows], pa.string()) for name in names})


def _check_names(names: list[str], path: Path | str) -> None:
    for name in filter(str.strip, names):  # a table's index often comes without a name
        if name != name.strip():
            raise UsageError(f"{path} has white space around the name of its column '{name.strip()}'; take it out.")
        if names.count(name) > 1:
            raise UsageError(f"{path} has more than one column '{name}'; keep one.")


def _reason(error: Exception) -> str:
    """The first line of Arrow's message, as the end of a sentence."""
    if "UTF8" in str(error):
        return "it is not UTF-8 text; save it as UTF-8."
    said = str(error).splitlines()[0].strip().rstrip(".:") if str(error).strip() else type(error).__name__
    return f"{said}."


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column without a dictionary."""
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def _is(column: pa.ChunkedArray, *tests: object) -> bool:
    return any(test(column.type) for test in tests)  # type: ignore[operator]
