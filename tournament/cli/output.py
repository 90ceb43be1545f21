"""What commands print: one JSON document for scripts, tables for people."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from rich.console import Console

    from tournament.statistics.sheets import Sheet

_WIDTH = 120  # where stdout is no terminal


def print_json(document: object) -> None:
    """One JSON document on stdout; numbers that are not finite become null."""
    text = msgspec.json.format(msgspec.json.encode(document), indent=2)
    sys.stdout.write(text.decode() + "\n")


def console() -> Console:
    """A console on stdout."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else _WIDTH)


def print_table(title: str, header: Sequence[str], rows: Iterable[Sequence[object]], texts: int = 1) -> None:
    """A table whose first columns, as many as `texts`, are text; the others are numbers, aligned to the right."""
    from rich import box
    from rich.table import Table

    table = Table(
        title=title or None, box=box.SIMPLE_HEAD, show_header=any(header), title_justify="left", title_style="bold"
    )
    for i, name in enumerate(header):
        table.add_column(name, justify="right" if i >= texts else "left", overflow="fold")
    for row in rows:
        table.add_row(*(str(cell) for cell in row))
    console().print(table)


def number(value: float | None) -> str:
    """A figure with three significant decimals at most; a dash for none."""
    return "–" if value is None else f"{value:.3f}".rstrip("0").rstrip(".")


def percent(value: float | None) -> str:
    """A share as a percentage."""
    return "–" if value is None else f"{100 * value:.1f}%"


def print_sheet(sheet: Sheet) -> None:
    """A table of results; what could not be estimated is a dash."""
    from tournament.statistics.sheets import Missing

    texts = sum(column.kind == "text" for column in sheet.columns[:2])

    def shown(cell: object, digits: int) -> str:
        if cell is None or isinstance(cell, Missing):
            return "–"
        return f"{cell:,.{digits}f}" if isinstance(cell, float) else str(cell)

    rows = [[shown(cell, column.digits) for cell, column in zip(row, sheet.columns, strict=True)] for row in sheet.rows]
    print_table(sheet.title, [column.heading for column in sheet.columns], rows, texts)
