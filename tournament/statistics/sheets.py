"""Tables of results, and how they are written: Parquet, CSV, Markdown.

A cell that cannot be estimated is a `Missing` with its reason. Markdown and CSV show the reason in the cell. Parquet
keeps columns typed: null there, and a column `note` names the column and the reason. Numbers are written in full in
Parquet, to 12 significant digits in CSV, and with the column's decimals in Markdown, where significant ones are bold.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from html import escape
from itertools import repeat
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
from msgspec import Struct

from antemill.engine.storage.files import write_bytes, write_text
from antemill.engine.storage.parquet import parquet_bytes
from antemill.tournament.statistics.intervals import Interval

FORMATS = ("parquet", "csv", "md", "tex")
CHIPS = "chips a game"
MARGIN = "A margin is what one player wins less what the other wins: twice the *Chips won* of a match."
TOO_FEW = "too few replicates give it"
NOISE_UNKNOWN = "no pair met twice on a game: the noise is unknown"
ONE_CLUSTER = "a pair's runs on a game are all of one cluster: the noise is unknown"
ONE_GAME = "the games are too few to say"
COLLAPSED = (
    "Flag: noise puts all replicates above the estimate, so the bias-corrected interval does not contain it and means "
    "nothing."
)
WHAT_INTERVALS_SAY = (
    "Three 95% intervals. *These games*: how far the figure would move if the same games were played again, which says "
    "who did better here. *Games like these*: how far it would move if other games were drawn as these were, which "
    "says what a model can do in general. *Low*, *high*: the paper's paired-cluster bootstrap"
)  # the number of replicates follows


class Missing(Struct, frozen=True):
    """A figure that cannot be estimated."""

    reason: str


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


class Sheet(Struct, frozen=True):
    """A table. bold: (row, column) of the cells that Markdown prints bold. rows: cells in order of the columns."""

    name: str  # of the files
    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    note: str = ""  # what the figures are, below the title
    bold: frozenset[tuple[int, int]] = frozenset()

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
            return "–"
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


def estimate(value: float, reason: str = "") -> Cell:
    """The value, or the reason why it is not finite."""
    value = float(value)
    return value if value - value == 0.0 else Missing(reason or "cannot be estimated")


def estimates(values: Iterable[float], reasons: str | Iterable[str] = "") -> list[Cell]:
    """Cells of estimates. reasons: why they are not finite, one for each or one for all."""
    return [estimate(*pair) for pair in zip(values, repeat(reasons) if isinstance(reasons, str) else reasons)]


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


def bounds(interval: Interval, where: int | tuple[int, ...], reason: str = "") -> list[Cell]:
    """The two bounds as cells."""
    return [estimate(float(side[where]), reason or TOO_FEW) for side in (interval.low, interval.high)]


def interval_columns(signed: bool = True, digits: int = 2) -> list[Column]:
    """The columns `low` and `high`."""
    return [number("low", "low", digits, signed), number("high", "high", digits, signed)]


def limit(value: float, reason: str = "") -> Cell:
    """A bound that may be infinite; the reason if there is none."""
    if np.isnan(value):
        return Missing(reason or TOO_FEW)
    return float(value) if np.isfinite(value) else Placed("∞" if value > 0.0 else "\N{MINUS SIGN}∞")


def collapse(flag: bool | np.bool_) -> Cell:
    """The cell of a flag for an interval beside its own estimate; empty without one."""
    return "collapsed" if flag else None


def two_intervals() -> list[Column]:
    """The columns of the interval on these games and of that for games like these."""
    parts = (("these", "these games"), ("like", "games like these"))
    return [number(f"{side}_{key}", f"{label}, {side}") for key, label in parts for side in ("low", "high")]


def write_sheet(folder: Path, sheet: Sheet) -> list[Path]:
    """Write a table in all formats; returns the paths. Raises StorageError."""
    paths = [folder / f"{sheet.name}.{suffix}" for suffix in FORMATS]
    write_bytes(paths[0], to_parquet(sheet))
    write_text(paths[1], to_csv(sheet))
    write_text(paths[2], to_markdown(sheet))
    write_text(paths[3], to_latex(sheet))
    return paths


def write_tables(folder: Path, sheets: Sequence[Sheet], heading: str = "") -> list[Path]:
    """Write tables into a folder's `tables`, and together its `tables.md`; returns the paths. Raises StorageError."""
    (folder / "tables").mkdir(exist_ok=True)
    paths = [path for sheet in sheets for path in write_sheet(folder / "tables", sheet)]
    write_text(folder / "tables.md", heading + "\n".join(to_markdown(sheet) for sheet in sheets))
    return [*paths, folder / "tables.md"]


def to_parquet(sheet: Sheet) -> bytes:
    """The bytes of a Parquet file."""
    return parquet_bytes(to_arrow(sheet))


def to_arrow(sheet: Sheet) -> pa.Table:
    """The table as Parquet has it: a column for each, and `note` with the reasons of missing figures."""
    names = [column.key for column in sheet.columns]
    values = {
        column.key: pa.array([_plain(row[i]) for row in sheet.rows], _TYPES[column.kind])
        for i, column in enumerate(sheet.columns)
    }
    notes = pa.array([_row_note(names, row) for row in sheet.rows], pa.string())
    return pa.table(values | {"note": notes})


def to_csv(sheet: Sheet) -> str:
    """Comma-separated values with a heading of column keys."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([_no_formula(column.key) for column in sheet.columns])
    writer.writerows([_csv_cell(cell) for cell in row] for row in sheet.rows)
    return text.getvalue()


def to_markdown(sheet: Sheet) -> str:
    """A titled Markdown table with its note."""
    head = _line(map(_literal, _headings(sheet.columns)))
    rule = _line(":--" if column.kind == "text" else "--:" for column in sheet.columns)
    body = [_line(_marked(sheet, i, j) for j in range(len(sheet.columns))) for i in range(len(sheet.rows))]
    note = f"{sheet.note}\n\n" if sheet.note else ""
    return f"## {sheet.title}\n\n{note}" + "\n".join([head, rule, *body]) + "\n"


def _headings(columns: Sequence[Column]) -> list[str]:
    """Headings that differ, so that two intervals can be told apart: with their groups, and those that come up twice
    with the one to their left that does not. The script of pages writes the same ones (`take.js`)."""
    texts = [": ".join(filter(None, (column.group, column.heading))) for column in columns]
    left, found = "", []
    for text in texts:
        once = texts.count(text) == 1
        found.append(text if once or not left else f"{left}: {text}")
        left = text if once else left
    return found


def to_latex(sheet: Sheet) -> str:
    """A LaTeX table with booktabs' rules, its title as the caption, and its note as a comment."""
    places = range(len(sheet.columns))
    kinds = "".join("l" if column.kind == "text" else "r" for column in sheet.columns)
    head = " & ".join(map(tex, _headings(sheet.columns)))
    body = [f"{' & '.join(_latex_cell(sheet, i, j) for j in places)} \\\\" for i in range(len(sheet.rows))]
    note = [f"% {line}" for line in sheet.note.splitlines()]
    lines = [
        "% needs \\usepackage{booktabs}, and \\usepackage[T1]{fontenc} for names with other than English letters",
        *note,
        "\\begin{table}",
        *_without_letters("".join([sheet.title, head, *body])),
        "\\centering",
        f"\\caption{{{tex(sheet.title)}}}",
    ]
    lines += [f"\\begin{{tabular}}{{{kinds}}}", "\\toprule", f"{head} \\\\", "\\midrule", *body, "\\bottomrule"]
    return "\n".join([*lines, "\\end{tabular}", "\\end{table}", ""])


def _latex_cell(sheet: Sheet, i: int, j: int) -> str:
    cell = sheet.rows[i][j]
    text = "" if cell is None else tex(shown(cell, sheet.columns[j]))
    return f"\\textbf{{{text}}}" if (i, j) in sheet.bold and not isinstance(cell, Missing) else text


_TEX = dict.fromkeys(map(chr, (*range(32), 127)), " ") | {
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
    "\\": "\\textbackslash{}",
    "^": "\\textasciicircum{}",
    "~": "\\textasciitilde{}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    "|": "\\textbar{}",
    "[": "{[}",
    "*": "{*}",
    "\N{MINUS SIGN}": "$-$",
    "\N{EN DASH}": "--",
    "\N{INFINITY}": "$\\infty$",
    "\N{PLUS-MINUS SIGN}": "$\\pm$",
    "\N{GREATER-THAN OR EQUAL TO}": "$\\geq$",
    "\N{LESS-THAN OR EQUAL TO}": "$\\leq$",
}


def tex(text: str) -> str:
    """A text in LaTeX's letters. The script of pages writes the same ones (`take.js`).

    `[` and `*` stand in braces, because they would belong to the end of the row above.
    """
    return "".join(_TEX.get(letter, letter) for letter in text)


def _without_letters(text: str) -> list[str]:
    """Lines that let pdfLaTeX print the numbers of letters that it does not know, such as Chinese ones."""
    names = ((f"u8:\\detokenize{{{letter}}}", ord(letter)) for letter in sorted(set(text)) if letter > "\xff")
    define = "\\ifcsname {0}\\endcsname\\else\\expandafter\\def\\csname {0}\\endcsname{{U+{1:04X}}}\\fi"
    return [define.format(name, code) for name, code in names]


def to_html(sheet: Sheet) -> str:
    """A table for notebooks, in their own style; a dash has the reason as its tooltip."""
    head = "".join(f"<th>{escape(heading)}</th>" for heading in _headings(sheet.columns))
    rows = ("".join(map(_html_cell, row, sheet.columns)) for row in sheet.rows)
    body = "".join(f"<tr>{row}</tr>\n" for row in rows)
    return f"<table>\n<caption>{escape(sheet.title)}</caption>\n<thead><tr>{head}</tr></thead>\n{body}</table>"


def _html_cell(cell: Cell, column: Column) -> str:
    why = f' title="{escape(cell.reason)}"' if isinstance(cell, Missing) else ""
    return f"<td{why}>{'' if cell is None else escape(shown(cell, column))}</td>"


_TYPES = dict.fromkeys(("number", "share", "dollars"), pa.float64())
_TYPES |= {"text": pa.string(), "count": pa.int64(), "flag": pa.bool_()}


def _plain(cell: Cell) -> str | int | float | None:
    return None if isinstance(cell, Missing) else cell


def _row_note(names: Sequence[str], row: Sequence[Cell]) -> str:
    return "; ".join(f"{name}: {cell.reason}" for name, cell in zip(names, row) if isinstance(cell, Missing))


def _csv_cell(cell: Cell) -> str:
    match cell:
        case None:
            return ""
        case Placed():
            return cell.reason
        case Missing():
            return f"not estimated: {cell.reason}"
        case bool():
            return str(cell).lower()
        case float():
            return f"{cell:.12g}"
    return _no_formula(str(cell))


def _no_formula(text: str) -> str:
    """A name that a spreadsheet would compute, with an apostrophe before it."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _marked(sheet: Sheet, i: int, j: int) -> str:
    """A cell in Markdown; the reason, in italics, for a missing figure."""
    cell = sheet.rows[i][j]
    text = "" if cell is None else shown(cell, sheet.columns[j])
    if isinstance(cell, Missing) and not isinstance(cell, Placed):
        return f"*{_literal(cell.reason)}*"
    text = _literal(text)
    return f"**{text}**" if text and (i, j) in sheet.bold and not isinstance(cell, Missing) else text


_MARKUP = re.compile(r"[\\|`*<\[~]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)")


def _literal(text: str) -> str:
    """A text without markup in Markdown."""
    return _MARKUP.sub(r"\\\g<0>", text)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
