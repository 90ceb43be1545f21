"""The frame of an HTML page, and the pieces that every report is made of. All text is escaped here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from typing import NamedTuple


class Cell(NamedTuple):
    """A table cell: what is shown, what it is sorted by (empty: by what is shown), and why there is no figure."""

    text: str
    key: str = ""
    reason: str = ""


class Column(NamedTuple):
    """A table column: its heading, the heading above it (shared by neighbours), whether it holds text."""

    name: str
    group: str = ""
    is_text: bool = False


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


def table(columns: Sequence[Column], rows: Iterable[Sequence[Cell | str]], sortable: bool = False) -> str:
    """A table in a box that scrolls sideways. The first column heads its row."""
    head = _groups(columns) + "<tr>" + "".join(_heading(column, sortable) for column in columns) + "</tr>"
    body = "\n".join(f"<tr>{_cells(columns, row)}</tr>" for row in rows)
    kind = ' class="sortable"' if sortable else ""
    inside = f"<thead>{head}</thead>\n<tbody>\n{body}\n</tbody>"
    return f'<div class="scroll" tabindex="0"><table{kind}>\n{inside}\n</table></div>'


def _groups(columns: Sequence[Column]) -> str:
    if not any(column.group for column in columns):
        return ""
    spans: list[tuple[str, int]] = []
    for column in columns:
        if spans and spans[-1][0] == column.group:
            spans[-1] = (column.group, spans[-1][1] + 1)
        else:
            spans.append((column.group, 1))
    cells = (
        f'<th colspan="{n}" scope="colgroup">{escape(group)}</th>' if group else f'<td colspan="{n}"></td>'
        for group, n in spans
    )
    return f'<tr class="groups">{"".join(cells)}</tr>'


def _heading(column: Column, sortable: bool) -> str:
    kind = ' class="text"' if column.is_text else ""
    label = escape(column.name)
    return f'<th scope="col"{kind}>{f"<button>{label}</button>" if sortable else label}</th>'


def _cells(columns: Sequence[Column], row: Sequence[Cell | str]) -> str:
    parts = []
    for i, (column, item) in enumerate(zip(columns, row, strict=True)):
        cell = Cell(item) if isinstance(item, str) else item
        tag, scope = ("th", ' scope="row"') if i == 0 else ("td", "")
        key = f' data-key="{escape(cell.key)}"' if cell.key else ""
        kind = ' class="text"' if column.is_text else ""
        kind += f' title="{escape(cell.reason)}"' if cell.reason else ""
        parts.append(f"<{tag}{scope}{kind}{key}>{escape(cell.text)}</{tag}>")
    return "".join(parts)


def number(value: float | None, digits: int = 2) -> Cell:
    """A figure with a fixed number of decimals, sorted by its full value; a dash for none."""
    if value is None or value != value:
        return Cell("–", "-Infinity")
    if value in (float("inf"), float("-inf")):
        return Cell("∞" if value > 0 else "-∞", "Infinity" if value > 0 else "-Infinity")
    text = f"{value:z.{digits}f}"
    return Cell(text.replace("-", "\N{MINUS SIGN}"), repr(float(value)))


def percent(share: float) -> str:
    """A share as a percentage."""
    return f"{100 * share:.1f}%"
