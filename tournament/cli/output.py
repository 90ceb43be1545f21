"""What commands print: one JSON document for scripts, tables for people."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from rich.console import Console

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
