"""The frame of an HTML page, and the pieces that every report is made of. All text is escaped here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from html import escape
from itertools import groupby
from typing import TypeAlias

from msgspec.structs import replace

from antemill.axes.table import AXES
from antemill.tournament.charts.text import plain
from antemill.tournament.pages import assets
from antemill.tournament.pages.evidence import NO_EVIDENCE, Evidence
from antemill.tournament.statistics.sheets import Cell, Column, Missing, Placed, Sheet, shade, shown

Links: TypeAlias = Mapping[str, Mapping[str, str]]
NO_LINKS: Links = {}
_LONG = 60  # characters; a longer text is cut in a table
_WIDE = 24  # characters; a longer text may take several lines
_MANY = 40  # rows; a longer table scrolls within its section
_NARROW = 8  # columns; a long table of at most so many is printed in several parts beside each other
_SLIM = 4  # columns; of at most so many in three parts
_CROWDED = 16  # columns; a table of more has upright headings on the screen, and is printed in smaller letters
_PACKED = 24  # columns; a table of more has smaller letters on the screen, too


def page(
    title: str, lead: str, sections: Iterable[str], pack: str = "", live: str | None = None, data: str = ""
) -> str:
    """A whole HTML document, with its style and its script.

    pack: elements with the data of the items (`antemill.tournament.pages.pack`). live: the run whose items the page
    requests from its server, "" for all runs; None for a page without a server. data: the folder beside the page that
    has its items as files, "" if there is none.
    """
    marked = "" if live is None else f'<meta name="antemill-live" content="{escape(live)}">\n'
    marked += f'<meta name="antemill-data" content="{escape(data)}">\n' if data else ""
    policies = [assets.policy(live is not None or bool(data), bool(data)), *([assets.asked_policy()] if data else [])]
    admitted = "".join(f'<meta http-equiv="Content-Security-Policy" content="{one}">\n' for one in policies)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
        f"{admitted}{marked}<title>{plain(title)}</title>\n<style>\n{assets.style()}</style>\n</head>\n<body>\n<header>\n"
        f'<h1>{plain(title)}</h1>\n<p class="lead">{plain(lead)}</p>\n'
        '<nav id="views" class="views" aria-label="Views" hidden></nav>\n</header>\n<main>\n<div id="overview">\n'
        + "\n".join(sections)
        + f'\n</div>\n<div id="explorer" hidden></div>\n</main>\n{pack}<script>{assets.script_text()}</script>\n'
        "</body>\n</html>\n"
    )


def day(when: datetime) -> str:
    """A date in words."""
    return f"{when.day} {when:%B %Y}"


def tiles(figures: Iterable[tuple[str, str, str]]) -> str:
    """Headline figures: (label, figure, remark)."""
    items = "".join(
        f"<div><dt>{plain(label)}</dt><dd>{plain(figure)}<small>{plain(remark)}</small></dd></div>"
        for label, figure, remark in figures
    )
    return f'<dl class="tiles">{items}</dl>'


def table(
    sheet: Sheet,
    leave_out: frozenset[str] = frozenset(),
    links: Links = NO_LINKS,
    evidence: Evidence = NO_EVIDENCE,
) -> str:
    """A table in a box that scrolls sideways; a click on a heading sorts it. The first column heads its row.

    A figure that was not estimated is a dash, with the reason as its tooltip. Figures of a wide table are shorter, with
    all digits as their tooltips. links: of cells, by column and text; evidence: what the others lead to.
    """
    places = [i for i, column in enumerate(sheet.columns) if column.key not in leave_out]
    narrow = _shorter(sheet) if len(places) > _PACKED else sheet
    columns = [sheet.columns[i] for i in places]
    head = _groups(columns) + "<tr>" + "".join(map(_heading, columns)) + "</tr>"
    rows = (
        "".join(
            _cell(sheet, narrow.columns[i], n, i, "td" if i else "th", links.get(sheet.columns[i].key, {}), evidence)
            for i in places
        )
        for n in range(len(sheet.rows))
    )
    body = "\n".join(f"<tr>{row}</tr>" for row in rows)
    inside = f"<thead>{head}</thead>\n<tbody>\n{body}\n</tbody>"
    long = " long" if len(sheet.rows) > _MANY else ""
    long += " narrow" if long and len(columns) <= _NARROW else ""
    long += " slim" if long and len(columns) <= _SLIM else ""
    frame = f'class="scroll{long}" tabindex="0" role="group" aria-label="{plain(sheet.title)}"'
    crowded = " crowded" if len(columns) > _CROWDED else ""
    crowded += " packed" if len(columns) > _PACKED else ""
    return f'<div {frame}><table class="sortable{crowded}">\n{inside}\n</table></div>'


def _shorter(sheet: Sheet) -> Sheet:
    """With one decimal where there are two."""
    return replace(sheet, columns=[replace(one, digits=1) if one.digits == 2 else one for one in sheet.columns])


def _groups(columns: Sequence[Column]) -> str:
    if not any(column.group for column in columns):
        return ""
    parts = [(group, len(list(part))) for group, part in groupby(columns, lambda column: column.group)]
    cells = (
        f'<th colspan="{n}" scope="colgroup">{plain(group)}</th>' if group else f'<td colspan="{n}"></td>'
        for group, n in parts
    )
    return f'<tr class="groups">{"".join(cells)}</tr>'


def _heading(column: Column) -> str:
    kind = ' class="text"' if column.kind == "text" else ' class="upright"'
    text = _cut(column.heading)
    whole = f' title="{plain(column.heading)}"' if text != column.heading else ""
    name = plain(text) if text.strip() else '<span class="unseen">what</span>'
    return f'<th scope="col"{kind}{whole}><button type="button">{name}</button></th>'


def _cut(text: str) -> str:
    return text if len(text) <= _LONG else f"{text[: _LONG - 1]}…"


def _cell(sheet: Sheet, column: Column, n: int, i: int, tag: str, links: Mapping[str, str], evidence: Evidence) -> str:
    """column: how the figure is written, which may have fewer digits than that of the sheet."""
    cell = sheet.rows[n][i]
    text = shown(cell, column)
    if column.key == "axis":  # files call the axes by their keys
        text = AXES[text].label if text in AXES else text
    whole, text = text, text if isinstance(cell, Placed) else _cut(text)
    kinds = ["text"] if column.kind == "text" else []
    kinds += [*(["bold"] if (n, i) in sheet.bold else []), *(["wide"] if len(text) > _WIDE else [])]
    more = ' scope="row"' if tag == "th" else ""
    if isinstance(cell, Missing) and cell.reason != text:
        more += f' title="{plain(cell.reason)}"'
    elif (whole := shown(cell, sheet.columns[i]) if isinstance(cell, float) else whole) != text:
        more += f' title="{plain(whole)}"'
    if column.heat and isinstance(cell, float):
        share = shade(cell, column.heat)
        kinds += ["heat", "plus" if share >= 0 else "minus"]
        more += f' style="--share: {100 * abs(share):.0f}%"'
    kind = f' class="{" ".join(kinds)}"' if kinds else ""
    place = links.get(text) or evidence.cell(sheet, n, i)
    inside = f'<a href="{plain(place)}">{plain(text)}</a>' if place else plain(text)
    return f'<{tag}{more}{kind} data-key="{plain(_key(cell))}">{inside}</{tag}>'


def _key(cell: Cell) -> str:
    """What a cell is sorted by."""
    if isinstance(cell, Placed):
        beyond = cell.reason.startswith("∞") and not cell.reason.startswith("∞ below ")
        return "Infinity" if beyond else "-Infinity"
    if cell is None or isinstance(cell, Missing):
        return "-Infinity"
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)[:200]
