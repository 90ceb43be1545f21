"""The overview of a page: a table of contents beside sections with tables and figures. All text is escaped here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import count

from msgspec import Struct
from msgspec.structs import replace

from antemill.tournament.charts.chart import Chart, inline
from antemill.tournament.charts.text import plain
from antemill.tournament.pages.page import NO_LINKS, Links, table
from antemill.tournament.statistics.sheets import Sheet

MOST = 1_000  # rows of a table: a page stays small enough to be opened
_LETTERS = re.compile(r"[^a-z0-9]+")


class Section(Struct, frozen=True):
    """A part of an overview. name: of its link; html: all of it but the frame."""

    title: str
    name: str
    html: str


class Group(Struct, frozen=True):
    """Sections that the contents list under one heading."""

    title: str
    sections: Sequence[Section]


def section(title: str, *parts: str, note: str = "", name: str = "") -> Section:
    """A section with a heading, an explanation and its parts (HTML). name: of its link, by default the title."""
    said = f'<p class="note">{words(note)}</p>\n' if note else ""
    return Section(title, _LETTERS.sub("-", (name or title).lower()).strip("-"), said + "\n".join(parts))


def sheet_section(
    sheet: Sheet, leave_out: frozenset[str] = frozenset(), charts: Iterable[Chart] = (), links: Links = NO_LINKS
) -> Section:
    """A table as a section, below its figures; columns whose keys are in `leave_out` are not shown."""
    drawn, note = [figure(chart) for chart in charts], sheet.note
    if len(sheet.rows) > MOST:
        note += f" The first {MOST:,} of {len(sheet.rows):,} rows: `analyze` writes all to `tables/{sheet.name}.csv`."
        sheet = replace(sheet, rows=sheet.rows[:MOST])
    return section(sheet.title, *drawn, table(sheet, leave_out, links), note=note.strip(), name=sheet.name)


def chart_section(chart: Chart, name: str = "") -> Section:
    """A figure that is a section of its own."""
    return section(chart.title, figure(chart, titled=False), name=name)


def figure(chart: Chart, titled: bool = True) -> str:
    """A figure with its title and what its marks are; panels stand beside each other where they fit."""
    many = " multiples" if len(chart.panels) > 1 and chart.columns > 1 else ""
    scrolls = f'class="scroll" tabindex="0" role="group" aria-label="Figure: {plain(chart.title)}"'
    drawn = "\n".join(f"<div {'' if many else scrolls}>{inline(panel)}</div>" for panel in chart.panels)
    title = f"<strong>{plain(chart.title)}.</strong> " if titled else ""
    said = f"<figcaption>{title}{words(chart.note)}</figcaption>" if title or chart.note else ""
    return f'<figure class="drawn"><div class="panels{many}">{drawn}</div>{said}</figure>'


def glossary(terms: Iterable[tuple[str, str]]) -> str:
    """Terms with what they mean, a sentence each."""
    pairs = "".join(f"<div><dt>{plain(term)}</dt><dd>{words(what)}</dd></div>" for term, what in terms)
    return f'<dl class="glossary">{pairs}</dl>'


def words(text: str) -> str:
    """A note, with what stands between asterisks emphasised and names of files between backticks, as in Markdown."""
    found = re.sub(r"\*\*(\S(?:[^*]*\S)?)\*\*", r"<strong>\1</strong>", plain(text))
    found = re.sub(r"(?<![\w*])\*(\S(?:[^*]*\S)?)\*(?![\w*])", r"<em>\1</em>", found)
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", found)


def overview(head: str, groups: Iterable[Group]) -> list[str]:
    """The overview as HTML: the headline figures, the contents, and the sections, in that order.

    Groups without sections are left out; a link's name that comes up twice gets a number.
    """
    found = [group for group in groups if group.sections]
    if not found:
        return [head]
    taken: set[str] = set()
    lists, bodies = [], []
    for group in found:
        links = []
        for one in group.sections:
            name = _unused(one.name, taken)
            links.append(f'<li><a href="#{name}">{plain(one.title)}</a></li>')
            heading = f'<h2 id="{name}" tabindex="-1">{plain(one.title)}</h2>'
            bodies.append(f'<section aria-labelledby="{name}">\n{heading}\n{one.html}\n</section>')
        lists.append(f"<li><span>{plain(group.title)}</span>\n<ol>{''.join(links)}</ol></li>")
    contents = (
        '<nav class="contents" aria-label="Contents"><details open><summary>Contents</summary>\n<ol>'
        + "\n".join(lists)
        + "</ol></details></nav>"
    )
    return [head, '<div class="beside">', contents, '<div class="sections">', *bodies, "</div>\n</div>"]


def _unused(name: str, taken: set[str]) -> str:
    found = next(one for i in count(1) if (one := f"at-{name}" if i == 1 else f"at-{name}-{i}") not in taken)
    taken.add(found)
    return found
