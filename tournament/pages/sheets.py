"""Tables of results and figures as parts of a page."""

from __future__ import annotations

import base64
from html import escape

from tournament.pages.page import Cell, Column, number, section, table
from tournament.statistics import sheets
from tournament.statistics.sheets import Missing, Placed, Sheet

_LONG = 60  # characters; a longer text is cut in a table


def sheet_section(sheet: Sheet, leave_out: frozenset[str] = frozenset()) -> str:
    """A table as a section; columns whose keys are in `leave_out` are not shown. What was not estimated is a dash,
    with the reason where one points at it."""
    places = [i for i, column in enumerate(sheet.columns) if column.key not in leave_out]
    shown = [sheet.columns[i] for i in places]
    columns = [Column(column.heading, "", column.kind == "text") for column in shown]
    rows = [[_cell(row[i], sheet.columns[i]) for i in places] for row in sheet.rows]
    return section(sheet.title, table(columns, rows, sortable=True), note=sheet.note)


def _cell(cell: sheets.Cell, column: sheets.Column) -> Cell:
    if isinstance(cell, Placed):
        return Cell(cell.reason, "-Infinity" if {"below", "\N{MINUS SIGN}∞"} & set(cell.reason.split()) else "Infinity")
    if isinstance(cell, Missing):
        return number(None)._replace(reason=cell.reason)
    if cell is None:
        return number(None)
    if isinstance(cell, bool):
        return Cell("yes" if cell else "no")
    if isinstance(cell, int):
        return Cell(f"{cell:,}", str(cell))
    if isinstance(cell, float):
        return number(cell, column.decimals(cell))
    text = " ".join(cell.split())
    return Cell(text if len(text) <= _LONG else f"{text[: _LONG - 1]}…", cell[:200])


def picture(svg: bytes, label: str) -> str:
    """An SVG file as a picture of the page."""
    data = base64.b64encode(svg).decode()
    return f'<figure><img alt="{escape(label)}" src="data:image/svg+xml;base64,{data}"></figure>'
