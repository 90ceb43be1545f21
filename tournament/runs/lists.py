"""Lists of a run's items in pages: filtering, sorting, and counting the values of a column.

The script of a page without a server does the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from antemill.tournament.runs.items import Row

MOST_VALUES = 200  # of a column by which a list can be filtered


def selected(rows: Sequence[Row], filters: Mapping[str, Sequence[str]], sort: str = "") -> list[Row]:
    """The rows that a list shows.

    filters: values by column, all of which a row must match: an element of a list, a key of a dictionary, a number at
    least as large, an equal text or truth value; under "search" words, anywhere in the names and the subject. sort: a
    column, with "-" before it the largest first; rows without a value come last.
    """
    found = [row for row in rows if all(_has(row, name, value) for name in filters for value in filters[name])]
    name = sort.removeprefix("-")
    if not name:
        return found
    known = [row for row in found if row.get(name) not in (None, "")]
    known.sort(key=lambda row: _key(row[name]), reverse=sort.startswith("-"))
    return known + [row for row in found if row.get(name) in (None, "")]


def facets(rows: Iterable[Row], names: Sequence[str]) -> dict[str, dict[str, int]]:
    """The number of rows for each value of some columns, the most frequent value first."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in names}
    for row in rows:
        for name, counter in counts.items():
            value = row.get(name)
            known = [] if value in (None, "") else [_text(value)]
            counter.update([*value] if isinstance(value, list | dict) else known)
    return {name: dict(counter.most_common(MOST_VALUES)) for name, counter in counts.items()}


def _has(row: Row, name: str, wanted: str) -> bool:
    if name == "search":
        text = " ".join((row["item"], row["about"], row["outcome"], *row["players"])).casefold()
        return all(word in text for word in wanted.casefold().split())
    value = row.get(name)
    if isinstance(value, list | dict):
        return wanted in value
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return value >= float(wanted)
        except ValueError:
            return False
    return value is not None and _text(value) == wanted


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _key(value: Any) -> tuple[float, str]:
    if isinstance(value, int | float):
        return float(value), ""
    return 0.0, ", ".join(value) if isinstance(value, list | dict) else str(value)
