"""What commands print: one JSON document for scripts, tables for people."""

from __future__ import annotations

import shlex
import sys
import textwrap
from collections.abc import Collection, Iterable, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from antemill.tournament.plain import plain

if TYPE_CHECKING:
    from rich.console import Console

    from antemill.tournament.statistics.sheets import Sheet

_SMALL, _EXACT = 1e-3, 1e-12  # chips: what gets three digits, and what no float64 computed here means
_WIDTH = 120  # where stdout is no terminal


def print_json(document: object) -> None:
    """One JSON document on stdout; numbers that are not finite become null."""
    text = msgspec.json.format(msgspec.json.encode(document), indent=2)
    sys.stdout.write(text.decode() + "\n")


def remark(sentence: str) -> None:
    """Print a sentence on stderr; an empty one prints nothing."""
    if sentence:
        print(f"antemill: {' '.join(plain(sentence).split())}", file=sys.stderr, flush=True)


def say(*sentences: str) -> None:
    """Print sentences on stdout, each in a line of its own."""
    for sentence in sentences:
        print(plain(sentence))


def console() -> Console:
    """A console on stdout."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else _WIDTH)


def print_table(
    title: str, header: Sequence[str], rows: Iterable[Sequence[object]], texts: int | Collection[int] = 1
) -> None:
    """Print a table, see `table_text`."""
    say(table_text(title, header, rows, texts))


def table_text(
    title: str, header: Sequence[str], rows: Iterable[Sequence[object]], texts: int | Collection[int] = 1
) -> str:
    """A table. texts: how many columns at the left are text, or the places of the text columns; the others are numbers,
    aligned to the right. Headings are broken at their spaces; no cell is broken.
    """
    from rich.cells import cell_len

    left = range(texts) if isinstance(texts, int) else texts
    cells = [[plain(str(cell)).replace("\n", " ") for cell in row] for row in rows]
    widths = [
        max([cell_len(row[i]) for row in cells] + [cell_len(word) for word in name.split()], default=0)
        for i, name in enumerate(header)
    ]
    heads = zip_longest(*(textwrap.wrap(name, max(widths[i], 1)) for i, name in enumerate(header)), fillvalue="")

    def line(row: Sequence[str]) -> str:
        spaces = [" " * max(width - cell_len(cell), 0) for cell, width in zip(row, widths, strict=True)]
        return "   ".join(row[i] + space if i in left else space + row[i] for i, space in enumerate(spaces)).rstrip()

    rule = ["─" * (sum(widths) + 3 * len(widths) - 3)] if any(header) else []
    lines = ["", *([title, ""] if title else []), *map(line, heads), *rule, *map(line, cells), ""]
    return "\n".join(f"  {one}".rstrip() for one in lines)


def print_next(*command: str | Path) -> None:
    """Print the command that usually comes next, ready to be pasted into a shell."""
    say(f"Next: {shlex.join(map(str, command))}")


def number(value: float | None) -> str:
    """A figure with three significant decimals at most; a dash for None."""
    return "–" if value is None else f"{value:z.3f}".rstrip("0").rstrip(".")


def chips(value: float | None) -> str:
    """A figure in chips with six decimals, or with three digits if it is small; rounding errors count as 0."""
    if value is None:
        return "–"
    return f"{value:.3g}" if _EXACT < abs(value) < _SMALL else f"{value:z.6f}"


def about(count: float) -> str:
    """An estimated number of things, with two significant digits."""
    return f"about {float(f'{count:.2g}'):,.0f}"


def percent(value: float | None) -> str:
    """A share as a percentage."""
    return "–" if value is None else f"{100 * value:.1f}%"


def print_sheet(sheet: Sheet) -> None:
    """Print a table of results, as its Markdown shows it."""
    from antemill.tournament.statistics.sheets import blank_of, headings, shown

    texts = {i for i, column in enumerate(sheet.columns) if column.kind == "text"}
    rows = [[shown(cell, column) for cell, column in zip(row, sheet.columns, strict=True)] for row in sheet.rows]
    print_table(sheet.title, headings(sheet.columns), rows, texts)
    if said := blank_of(sheet):
        say(f"  {said}")


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
    say(*lines)
