"""Reads all readable rows of a SQLite file that may be damaged."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

_PATIENCE = 1000  # missing rowids in a row after which the search ends
Row = tuple[Any, ...]


def salvaged(connection: sqlite3.Connection, table: str, columns: int) -> tuple[list[Row], bool]:
    """The rows of a table, each once, in the order of their keys; and whether these are certainly all.

    They are read from the beginning up to the damage, from the end down to it, and one by one between (not in a table
    without rowids). columns: the number of columns that a row must have; the first is the key.
    """
    found: dict[Row, None] = {}
    whole = _scan(connection, f"SELECT * FROM {table} ORDER BY 1", found)
    up = len(found)
    if not whole:
        _scan(connection, f"SELECT * FROM {table} ORDER BY 1 DESC", found)
    rows = [row for row in found if len(row) == columns]
    if whole or not all(isinstance(row[0], int) for row in rows):
        return rows, whole and len(rows) == len(found)
    low, high = max((row[0] for row in rows[:up]), default=-1) + 1, min((row[0] for row in rows[up:]), default=None)
    _one_by_one(connection, f"SELECT * FROM {table} WHERE rowid = ?", low, high, found)
    keyed = (row for row in found if len(row) == columns and isinstance(row[0], int))  # damage can mix tables
    return sorted(keyed, key=lambda row: int(row[0])), False


def _scan(connection: sqlite3.Connection, query: str, found: dict[Row, None]) -> bool:
    """Add rows up to the end (True) or to the damage (False)."""
    try:
        for row in connection.execute(query):
            found[tuple(row)] = None
    except (sqlite3.Error, UnicodeError):
        return False
    return True


def _one_by_one(connection: sqlite3.Connection, query: str, low: int, high: int | None, found: dict[Row, None]) -> None:
    misses = 0
    while misses < _PATIENCE and (high is None or low < high):
        before = len(found)
        with suppress(sqlite3.Error, UnicodeError):
            found.update(dict.fromkeys(tuple(row) for row in connection.execute(query, (low,))))
        misses = misses + 1 if len(found) == before else 0
        low += 1


def columns_of(connection: sqlite3.Connection, table: str) -> list[str]:
    """The names of a table's columns; none if the table does not exist or cannot be read."""
    try:
        return [name for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))]
    except (sqlite3.Error, UnicodeError):
        return []


def problems(connection: sqlite3.Connection, most: int = 3) -> Iterator[str]:
    """The first findings of SQLite's own check."""
    try:
        for (text,) in connection.execute(f"PRAGMA integrity_check({most})"):
            if text != "ok":
                yield " ".join(text.split())
    except (sqlite3.Error, UnicodeError) as error:
        yield str(error)
