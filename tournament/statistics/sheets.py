"""Tables of results, and how they are written: one CSV each, and all together in Markdown.

A cell that cannot be estimated is None: a dash, which one sentence below the table explains. In CSV it is empty, and
numbers have 12 significant digits. Markdown, the terminal, notebooks and pages show `shown(cell, column)`, with the
column's decimals.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
import pyarrow as pa
from msgspec import Struct

from antemill.engine.storage.files import write_text
from antemill.tournament.statistics.intervals import Interval

MARGIN = "margin"  # Alice's chips less Bob's, the unit of strengths
CHIPS = "chips won"  # half of it, the unit of everything else
BLANK = "–: the matches do not determine it."
QUESTIONS = (
    "*These games*: how far a strength would move if the same pairs played the same games again, which says who did "
    "better here. *Games like these*: how far it would move if other games were drawn as these were, which says what a "
    "player can do in general. Intervals are 95%. Rank: one more than the number of players that the matches show to "
    "be better; worst rank: the last that they do not rule out, for all players at once. P(best): the probability of "
    "being the best."
)


class Missing(Struct, frozen=True):
    """A figure that cannot be estimated: a dash. reason: what the sentence below the table may say."""

    reason: str = ""


class Placed(Missing, frozen=True):
    """A figure that is not finite. `reason` is its place ("∞ above b"), which is shown as its text."""


_ROUNDING = 1e-12  # what is smaller is the rounding error of a float64
Cell = str | int | float | Missing | None
ColumnKind = Literal["text", "count", "number", "share", "flag", "dollars"]


class Column(Struct, frozen=True):
    """A column: its key in files, its heading, what it holds, decimals that are shown, whether + is shown, and the
    heading above it, which neighbours share.

    heat: of a heat map's columns, the size of a figure that has the full colour, else 0. Pages shade their cells, and
    `figures.heat_map` draws them. tiny: whether figures that would be shown as 0 have three significant digits.
    """

    key: str
    heading: str
    kind: ColumnKind = "number"
    digits: int = 2
    signed: bool = False
    group: str = ""
    heat: float = 0.0
    tiny: bool = False

    def decimals(self, value: float) -> int:
        """Decimals of a figure: `digits`, but more of small dollars, which are never shown as 0."""
        if self.kind != "dollars":
            return self.digits
        from antemill.llm import dollar_digits  # here, for few tables have dollars

        return dollar_digits(value, self.digits)


Parts: TypeAlias = list[tuple[Column, Iterable[Cell]]]  # of a table: its columns with their cells


class Sheet(Struct, frozen=True):
    """A table. bold: (row, column) of the cells that Markdown prints bold. rows: cells in order of the columns.

    note: what the figures are, above the table; blank: why some are missing, below it.
    """

    name: str  # of the files
    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    note: str = ""
    bold: frozenset[tuple[int, int]] = frozenset()
    blank: str = ""

    def __repr__(self) -> str:
        return f"<Sheet {self.title!r}: {len(self.rows)} rows, {len(self.columns)} columns>"

    def _repr_html_(self) -> str:
        return to_html(self)

    def column(self, key: str) -> list[Cell]:
        """The cells of one column. Raises KeyError if there is none."""
        place = {column.key: i for i, column in enumerate(self.columns)}[key]
        return [row[place] for row in self.rows]

    def __str__(self) -> str:
        """The table in Markdown."""
        return to_markdown(self)


def shown(cell: Cell, column: Column) -> str:
    """The text of a cell, in every form of a table; a dash for a missing figure."""
    match cell:
        case Placed():
            return cell.reason
        case None | Missing():
            return "" if column.kind == "text" else "–"
        case bool():
            return "yes" if cell else "no"
        case float() if column.kind == "share":
            return f"{100 * cell:.1f}%"
        case float() if column.tiny and _ROUNDING < abs(cell) < 10.0**-column.digits:
            return f"{cell:.3g}".replace("-", "\N{MINUS SIGN}")
        case float():
            digits = column.decimals(cell)
            return signed(cell, digits) if column.signed else f"{cell:z,.{digits}f}".replace("-", "\N{MINUS SIGN}")
        case int():
            return f"{cell:,}"
    return cell.replace("\n", " ")


def signed(value: float, digits: int = 2) -> str:
    """A figure with its sign; zero has none."""
    figure = f"{value:+z,.{digits}f}"
    return (figure if figure.strip("+0.") else figure[1:]).replace("-", "\N{MINUS SIGN}")


def shade(value: float, full: float) -> float:
    """The share of the full colour of a heat map's cell, from -1 to 1. full: `Column.heat`."""
    return max(-1.0, min(1.0, value / full))


def estimate(value: float, _reason: str = "") -> Cell:
    """The value; None if it is not finite."""
    value = float(value)
    return value if value - value == 0.0 else None


def estimates(values: Iterable[float]) -> list[Cell]:
    """Cells of estimates."""
    return [estimate(value) for value in values]


def by_columns(
    name: str,
    title: str,
    parts: Iterable[tuple[Column, Iterable[Cell]]],
    note: str = "",
    bold: frozenset[tuple[int, int]] = frozenset(),
) -> Sheet:
    """A table from its columns, each with its cells."""
    columns, cells = zip(*parts, strict=True)
    return Sheet(name, title, columns, list(zip(*cells, strict=True)), note, bold)


def number(key: str, heading: str, digits: int = 2, signed: bool = True) -> Column:
    """A column of estimates."""
    return Column(key, heading, "number", digits, signed)


def text(key: str, heading: str) -> Column:
    """A column of names."""
    return Column(key, heading, "text")


def count(key: str, heading: str) -> Column:
    """A column of counts."""
    return Column(key, heading, "count")


def bounds(interval: Interval, where: int | tuple[int, ...], point: float = np.nan) -> list[Cell]:
    """The two bounds as cells; a bound on the wrong side of its own estimate is none."""
    low, high = float(interval.low[where]), float(interval.high[where])
    return [None if low > point else estimate(low), None if high < point else estimate(high)]


def interval_columns(signed: bool = True, digits: int = 2, key: str = "", heading: str = "") -> list[Column]:
    """The columns of two bounds."""
    head = f"{heading}: " if heading else ""
    return [number(f"{side}{key}", f"{head}{side}", digits, signed) for side in ("low", "high")]


def limit(value: float, reason: str = "") -> Cell:
    """A bound that may be infinite."""
    if np.isnan(value):
        return Missing(reason)
    return float(value) if np.isfinite(value) else Placed("∞" if value > 0.0 else "\N{MINUS SIGN}∞")


def write_tables(folder: Path, sheets: Sequence[Sheet], heading: str = "") -> list[Path]:
    """Write tables that have rows into a folder's `tables` as CSV, and all as `tables.md`; the paths. StorageError."""
    (folder / "tables").mkdir(exist_ok=True)
    full = [sheet for sheet in sheets if sheet.rows]
    paths = [folder / "tables" / f"{sheet.name}.csv" for sheet in full]
    for path, sheet in zip(paths, full, strict=True):
        write_text(path, to_csv(sheet))
    write_text(folder / "tables.md", heading + "\n".join(to_markdown(sheet) for sheet in full))
    return [*paths, folder / "tables.md"]


def to_arrow(sheet: Sheet) -> pa.Table:
    """The table with a typed column for each of its own, null where a cell is blank."""
    return pa.table(
        {
            column.key: pa.array([_plain(row[i]) for row in sheet.rows], _TYPES[column.kind])
            for i, column in enumerate(sheet.columns)
        }
    )


def to_csv(sheet: Sheet) -> str:
    """Comma-separated values with a heading of column keys."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([_no_formula(column.key) for column in sheet.columns])
    writer.writerows([_csv_cell(cell) for cell in row] for row in sheet.rows)
    return text.getvalue()


def to_markdown(sheet: Sheet) -> str:
    """A titled Markdown table, with its note above and a sentence on dashes below."""
    head = _line(map(_literal, headings(sheet.columns)))
    rule = _line(":--" if column.kind == "text" else "--:" for column in sheet.columns)
    body = [_line(_marked(sheet, i, j) for j in range(len(sheet.columns))) for i in range(len(sheet.rows))]
    note, dashes = (f"{said}\n\n" if said else "" for said in (sheet.note, blank_of(sheet)))
    return f"## {sheet.title}\n\n{note}" + "\n".join([head, rule, *body]) + "\n" + (f"\n{dashes}" if dashes else "")


def blank_of(sheet: Sheet) -> str:
    """The sentence below a table that has dashes; "" for one without."""
    numbers = [i for i, column in enumerate(sheet.columns) if column.kind != "text"]
    dashes = any(shown(row[i], sheet.columns[i]) == "–" for row in sheet.rows for i in numbers)
    return (sheet.blank or BLANK) if dashes else ""


def headings(columns: Sequence[Column]) -> list[str]:
    """Headings that differ, so that two intervals can be told apart: with their groups, and those that come up twice
    with the one to their left that does not. The script of pages writes the same ones (`take.js`)."""
    texts = [": ".join(filter(None, (column.group, column.heading))) for column in columns]
    left, found = "", []
    for text in texts:
        once = texts.count(text) == 1
        found.append(text if once or not left else f"{left}: {text}")
        left = text if once else left
    return found


def to_html(sheet: Sheet) -> str:
    """A table for notebooks, in their own style."""
    head = "".join(f"<th>{escape(heading)}</th>" for heading in headings(sheet.columns))
    rows = ("".join(map(_html_cell, row, sheet.columns)) for row in sheet.rows)
    body = "".join(f"<tr>{row}</tr>\n" for row in rows)
    return f"<table>\n<caption>{escape(sheet.title)}</caption>\n<thead><tr>{head}</tr></thead>\n{body}</table>"


def _html_cell(cell: Cell, column: Column) -> str:
    right = "" if column.kind == "text" else ' style="text-align: right"'
    return f"<td{right}>{escape(shown(cell, column))}</td>"


_TYPES = dict.fromkeys(("number", "share", "dollars"), pa.float64())
_TYPES |= {"text": pa.string(), "count": pa.int64(), "flag": pa.bool_()}


def _plain(cell: Cell) -> str | int | float | None:
    return None if isinstance(cell, Missing) else cell


def _csv_cell(cell: Cell) -> str:
    match cell:
        case Placed():
            return cell.reason
        case None | Missing():
            return ""
        case bool():
            return str(cell).lower()
        case float():
            return f"{cell:.12g}"
    return _no_formula(str(cell))


def _no_formula(text: str) -> str:
    """A name that a spreadsheet would compute, with an apostrophe before it."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _marked(sheet: Sheet, i: int, j: int) -> str:
    """A cell in Markdown."""
    cell = sheet.rows[i][j]
    text = _literal(shown(cell, sheet.columns[j]))
    return f"**{text}**" if text and (i, j) in sheet.bold and cell is not None else text


_MARKUP = re.compile(r"[\\|`*<\[~]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)")


def _literal(text: str) -> str:
    """A text without markup in Markdown."""
    return _MARKUP.sub(r"\\\g<0>", text)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
