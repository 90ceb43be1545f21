"""The frame of an HTML page, and the pieces that every report is made of. All text is escaped here."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from itertools import groupby

from tournament.statistics.sheets import STRONG, Cell, Column, Missing, Placed, Sheet, shade, shown

_LONG = 60  # characters; a longer text is cut in a table
_BELOW = ("below", "\N{MINUS SIGN}∞")  # words of a place that sorts before all figures


def page(title: str, lead: str, sections: Iterable[str]) -> str:
    """A whole HTML document, with its style and its script."""
    style, script = (files("tournament.pages").joinpath(name).read_text("utf-8") for name in ("page.css", "page.js"))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<header>\n"
        f'<h1>{escape(title)}</h1>\n<p class="lead">{escape(lead)}</p>\n</header>\n<main>\n'
        + "\n".join(sections)
        + f"\n</main>\n<script>\n{script}</script>\n</body>\n</html>\n"
    )


def section(title: str, *parts: str, note: str = "") -> str:
    """A section with a heading, an explanation and its parts (HTML)."""
    said = f'<p class="note">{escape(note)}</p>' if note else ""
    anchor = "".join(letter if letter.isalnum() else "-" for letter in title.lower())
    body = "\n".join(parts)
    return f'<section aria-labelledby="{anchor}">\n<h2 id="{anchor}">{escape(title)}</h2>\n{said}\n{body}\n</section>'


def tiles(figures: Iterable[tuple[str, str, str]]) -> str:
    """Headline figures: (label, figure, remark)."""
    items = "".join(
        f"<div><dt>{escape(label)}</dt><dd>{escape(figure)}<small>{escape(remark)}</small></dd></div>"
        for label, figure, remark in figures
    )
    return f'<dl class="tiles">{items}</dl>'


def sheet_section(sheet: Sheet, leave_out: frozenset[str] = frozenset()) -> str:
    """A table as a section; columns whose keys are in `leave_out` are not shown."""
    return section(sheet.title, table(sheet, leave_out), note=sheet.note)


def table(sheet: Sheet, leave_out: frozenset[str] = frozenset()) -> str:
    """A table in a box that scrolls sideways; a click on a heading sorts it. The first column heads its row.

    What was not estimated is a dash, with the reason where one points at it.
    """
    places = [i for i, column in enumerate(sheet.columns) if column.key not in leave_out]
    columns = [sheet.columns[i] for i in places]
    head = _groups(columns) + "<tr>" + "".join(map(_heading, columns)) + "</tr>"
    rows = ("".join(_cell(sheet, row, i, "td" if i else "th") for i in places) for row in sheet.rows)
    body = "\n".join(f"<tr>{row}</tr>" for row in rows)
    inside = f"<thead>{head}</thead>\n<tbody>\n{body}\n</tbody>"
    return f'<div class="scroll" tabindex="0"><table class="sortable">\n{inside}\n</table></div>'


def _groups(columns: Sequence[Column]) -> str:
    if not any(column.group for column in columns):
        return ""
    parts = [(group, len(list(part))) for group, part in groupby(columns, lambda column: column.group)]
    cells = (
        f'<th colspan="{n}" scope="colgroup">{escape(group)}</th>' if group else f'<td colspan="{n}"></td>'
        for group, n in parts
    )
    return f'<tr class="groups">{"".join(cells)}</tr>'


def _heading(column: Column) -> str:
    kind = ' class="text"' if column.kind == "text" else ""
    return f'<th scope="col"{kind}><button>{escape(column.heading)}</button></th>'


def _cell(sheet: Sheet, row: Sequence[Cell], i: int, tag: str) -> str:
    cell, column = row[i], sheet.columns[i]
    text = shown(cell, column)
    text = text if len(text) <= _LONG else f"{text[: _LONG - 1]}…"
    kinds = ["text"] if column.kind == "text" else []
    more = ' scope="row"' if tag == "th" else ""
    if isinstance(cell, Missing) and cell.reason != text:
        more += f' title="{escape(cell.reason)}"'
    if column.heat and isinstance(cell, float):
        share = shade(cell, column.heat)
        kinds += ["heat", "plus" if share >= 0 else "minus", *(["strong"] if abs(share) > STRONG else [])]
        more += f' style="--share: {100 * abs(share):.0f}%"'
    kind = f' class="{" ".join(kinds)}"' if kinds else ""
    return f'<{tag}{more}{kind} data-key="{escape(_key(cell))}">{escape(text)}</{tag}>'


def _key(cell: Cell) -> str:
    """What a cell is sorted by."""
    if isinstance(cell, Placed):
        return "-Infinity" if any(word in cell.reason.split() for word in _BELOW) else "Infinity"
    return "-Infinity" if cell is None or isinstance(cell, Missing) else str(cell)[:200]


def picture(svg: bytes, label: str) -> str:
    """An SVG file as a picture of the page."""
    data = base64.b64encode(svg).decode()
    return f'<figure><img alt="{escape(label)}" src="data:image/svg+xml;base64,{data}"></figure>'
