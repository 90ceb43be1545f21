"""What commands print: one JSON document for scripts, tables for people."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from antemill.tournament.plain import plain

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from antemill.tournament.statistics.sheets import Sheet

ROUNDING, _EXACT = 5e-7, 1e-12  # chips: what six decimals do not show, and what no float64 computed here means
_GAP = 3  # columns of the terminal between two columns of a table
_LONGEST = 40  # letters of a word that is never broken
_WIDTH = 120  # where stdout is no terminal


def print_json(document: object) -> None:
    """One JSON document on stdout; numbers that are not finite become null."""
    text = msgspec.json.format(msgspec.json.encode(document), indent=2)
    sys.stdout.write(text.decode() + "\n")


def remark(sentence: str) -> None:
    """Print a sentence on stderr; an empty one prints nothing."""
    if sentence:
        print(f"antemill: {' '.join(plain(sentence).split())}", file=sys.stderr, flush=True)


def console() -> Console:
    """A console on stdout."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else _WIDTH)


def print_table(
    title: str, header: Sequence[str], rows: Iterable[Sequence[object]], texts: int | Collection[int] = 1
) -> None:
    """Print a table. texts: how many columns at the left are text, or the places of the text columns; the others are
    numbers, aligned to the right. Numbers are never broken, and words only where one is longer than `_LONGEST`:
    columns that do not fit follow in further tables, each with the first column, and with the texts behind it as far as
    half of the width holds them: they say which row it is.
    """
    left = range(texts) if isinstance(texts, int) else texts
    columns = [[name, *cells] for name, cells in zip(header, _transposed(rows, len(header)), strict=True)]
    target = console()
    sizes = [_widths(column, i > 0 and i in left) for i, column in enumerate(columns)]
    sizes = [(min(least, _LONGEST) if i in left else least, full) for i, (least, full) in enumerate(sizes)]
    least = [least for least, _ in sizes]
    for part, shown in enumerate(_parts(least, target.width, _keys(least, left, target.width))):
        table = frame(title if part == 0 else "", any(header))
        for i, width in zip(shown, _spread([sizes[i] for i in shown], target.width), strict=True):
            table.add_column(header[i], justify="left" if i in left else "right", overflow="fold", width=width)
        for row in zip(*(columns[i][1:] for i in shown), strict=True):
            table.add_row(*row)
        target.print(table)


def _transposed(rows: Iterable[Sequence[object]], width: int) -> list[list[str]]:
    cells = [[plain(str(cell)) for cell in row] for row in rows]
    return [[row[i] for row in cells] for i in range(width)]


def _widths(column: Sequence[str], breaks: bool) -> tuple[int, int]:
    """The least and the full width of a column. A heading may be broken at spaces; cells only if `breaks`."""
    from rich.cells import cell_len

    heading, *cells = column
    words = [*heading.split(), *(word for cell in cells for word in (cell.split() if breaks else [cell]))]
    return max(map(cell_len, words), default=0), max(map(cell_len, column))


def _keys(least: Sequence[int], texts: Collection[int], width: int) -> list[int]:
    """The first column, and those behind it that are text, up to half of the width."""
    keys = [0]
    for column in range(1, len(least)):
        if column not in texts or 2 * sum(least[i] + _GAP for i in (*keys, column)) > width:
            break
        keys.append(column)
    return keys


def _parts(least: Sequence[int], width: int, keys: list[int]) -> list[list[int]]:
    """The columns of each table: the keys in all of them, the others as they fit."""
    parts = [keys]
    for column in range(len(keys), len(least)):
        wider = [*parts[-1], column]
        if sum(least[i] + _GAP for i in wider) + 1 <= width or len(parts[-1]) == len(keys):
            parts[-1] = wider
        else:
            parts.append([*keys, column])
    return parts


def _spread(sizes: Sequence[tuple[int, int]], width: int) -> list[int]:
    """The width of each column: at least its least, and more from the left as long as they fit."""
    spare = width - 1 - sum(least + _GAP for least, _ in sizes)
    widths = []
    for least, full in sizes:
        more = max(min(full - least, spare), 0)
        spare -= more
        widths.append(least + more)
    if spare < 0:  # one word is wider than the terminal: it has to be broken
        widths[-1] = max(widths[-1] + spare, 1)
    return widths


def frame(title: str | Text, headed: bool = True) -> Table:
    """An empty table with the frame that all tables have."""
    from rich import box
    from rich.table import Table

    return Table(title=title or None, box=box.SIMPLE_HEAD, show_header=headed, title_justify="left", title_style="bold")


def print_next(*command: str | Path) -> None:
    """Print the command that usually comes next, ready to be pasted into a shell."""
    console().print(f"Next: {shlex.join(map(str, command))}", soft_wrap=True)


def number(value: float | None) -> str:
    """A figure with three significant decimals at most; a dash for None."""
    return "–" if value is None else f"{value:z.3f}".rstrip("0").rstrip(".")


def chips(value: float | None) -> str:
    """A figure in chips with six decimals, or with three digits if it is smaller; rounding errors count as 0."""
    if value is None:
        return "–"
    return f"{value:.3g}" if _EXACT < abs(value) < ROUNDING else f"{value:z.6f}"


def digits(value: float | None) -> str:
    """A figure that is never negative, with six decimals, or with three digits if it is smaller; "–" for None."""
    if value is None:
        return "–"
    return f"{value:.3g}" if value < 1e-3 else f"{value:.6f}"


def small(value: float | None) -> str:
    """A figure in chips with three significant digits; the rounding error of an exact solution counts as 0."""
    return "–" if value is None else f"{0.0 if abs(value) < ROUNDING else value:.3g}"


def about(count: float) -> str:
    """An estimated number of things, with two significant digits."""
    return f"about {float(f'{count:.2g}'):,.0f}"


def percent(value: float | None) -> str:
    """A share as a percentage."""
    return "–" if value is None else f"{100 * value:.1f}%"


def print_sheet(sheet: Sheet) -> None:
    """Print a table of results. A figure that could not be estimated is a dash; an infinite one says against which
    player it is."""
    from antemill.tournament.statistics.sheets import shown

    texts = {i for i, column in enumerate(sheet.columns) if column.kind == "text"}
    rows = [[shown(cell, column) for cell, column in zip(row, sheet.columns, strict=True)] for row in sheet.rows]
    begun, header = "", []
    for column in sheet.columns:
        header.append(f"{column.group}: {column.heading}" if column.group not in ("", begun) else column.heading)
        begun = column.group
    print_table(sheet.title, header, rows, texts)


def print_analysis(
    summary: object, sheets: Iterable[Sheet], names: Collection[str], lines: Iterable[str], json: bool
) -> None:
    """Print the result of an analysis: its summary as JSON, or the tables with these names and further lines."""
    if json:
        print_json(summary)
        return
    for sheet in sheets:
        if sheet.name in names:
            print_sheet(sheet)
    for sentence in lines:
        console().print(sentence, soft_wrap=True)
