"""The overview of a page: a table of contents beside sections with tables and figures. All text is escaped here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import count

from msgspec import Struct
from msgspec.structs import replace

from antemill.tournament.charts.chart import Chart, inline
from antemill.tournament.charts.text import plain
from antemill.tournament.pages.evidence import NO_EVIDENCE, Evidence
from antemill.tournament.pages.page import NO_LINKS, Links, table
from antemill.tournament.statistics.sheets import Sheet

MOST = 1_000  # rows of a table: a page stays small enough to be opened
_LETTERS = re.compile(r"[^a-z0-9]+")


class Section(Struct, frozen=True):
    """A part of an overview. name: of its link; html: all of it but the frame; folded: whether a click opens it."""

    title: str
    name: str
    html: str
    folded: bool = False


class Group(Struct, frozen=True):
    """Sections that the contents list under one heading, and that the script shows together: a tab."""

    title: str
    sections: Sequence[Section]


def section(title: str, *parts: str, note: str = "", name: str = "") -> Section:
    """A section with a heading, an explanation and its parts (HTML). name: of its link, by default the title."""
    said = f'<p class="note">{words(note)}</p>\n' if note else ""
    return Section(title, _linked(name or title), said + "\n".join(parts))


def sheet_section(
    sheet: Sheet,
    leave_out: frozenset[str] = frozenset(),
    charts: Iterable[Chart] = (),
    links: Links = NO_LINKS,
    evidence: Evidence = NO_EVIDENCE,
) -> Section:
    """A table as a section, below its note and its figures; columns whose keys are in `leave_out` are not shown."""
    drawn, note = [figure(chart, evidence=evidence) for chart in charts], sheet.note
    if len(sheet.rows) > MOST:
        note += f" The first {MOST:,} of {len(sheet.rows):,} rows: `analyze` writes all to `tables/{sheet.name}.csv`."
        sheet = replace(sheet, rows=sheet.rows[:MOST])
    many = [f'<div class="figures">{"".join(drawn)}</div>'] if len(drawn) > 1 else drawn
    said = f'<p class="note">{words(note.strip())}</p>' if note.strip() else ""
    return section(sheet.title, *many, said, table(sheet, leave_out, links, evidence), name=sheet.name)


def chart_section(chart: Chart, name: str = "", evidence: Evidence = NO_EVIDENCE) -> Section:
    """A figure that is a section of its own."""
    return section(chart.title, figure(chart, titled=False, evidence=evidence), name=name)


def figure(chart: Chart, titled: bool = True, evidence: Evidence = NO_EVIDENCE) -> str:
    """A figure with its title and what its marks are; panels stand beside each other where they fit."""
    many = " multiples" if len(chart.panels) > 1 and chart.columns > 1 else ""
    scrolls = f'class="scroll" tabindex="0" role="group" aria-label="Figure: {plain(chart.title)}"'
    scrolls = "" if many else scrolls.replace("scroll", "scroll wide", 1) if chart.narrow else scrolls
    drawn = "\n".join(f"<div {scrolls}>{evidence.drawn(inline(panel))}</div>" for panel in chart.panels)
    drawn += "".join(f'\n<div class="phone">{evidence.drawn(inline(panel))}</div>' for panel in chart.narrow)
    stop = "" if chart.title.endswith("?") else "."
    title = f"<strong>{plain(chart.title)}{stop}</strong> " if titled else ""
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
    """The overview as HTML: the contents, and the sections by group; the head stands above those of the first group.

    Without a script all groups stand below each other; the script makes tabs of them. Groups without sections are left
    out; a link's name that comes up twice gets a number.
    """
    found = [group for group in groups if group.sections]
    if not found:
        return [head]
    taken: set[str] = set()
    lists, bodies = [], []
    for group in found:
        names = [_unused(f"at-{one.name}", taken) for one in group.sections]
        tab = _unused(f"tab-{_linked(group.title)}", taken)
        links = (f'<li><a href="#{name}">{plain(one.title)}</a></li>' for name, one in zip(names, group.sections))
        lists.append(f'<li data-tab="{tab}"><span>{plain(group.title)}</span>\n<ol>{"".join(links)}</ol></li>')
        bodies.append(f'<div class="group" data-tab="{tab}" data-title="{plain(group.title)}">')
        bodies += [head] if group is found[0] else []
        bodies += [*map(_framed, group.sections, names), "</div>"]
    contents = (
        '<nav class="contents" aria-label="Contents"><details open><summary>Contents</summary>\n<ol>'
        + "\n".join(lists)
        + "</ol></details></nav>"
    )
    return ['<div class="beside">', contents, '<div class="sections">', *bodies, "</div>\n</div>"]


def _framed(one: Section, name: str) -> str:
    heading = f'<h2 id="{name}" tabindex="-1">{plain(one.title)}</h2>'
    if one.folded:
        inside = f"<details><summary>{heading}</summary>\n{one.html}\n</details>"
    else:
        inside = f"{heading}\n{one.html}\n"
    return f'<section aria-labelledby="{name}">\n{inside}</section>'


def _linked(title: str) -> str:
    return _LETTERS.sub("-", title.lower()).strip("-")


def _unused(name: str, taken: set[str]) -> str:
    found = next(one for i in count(1) if (one := name if i == 1 else f"{name}-{i}") not in taken)
    taken.add(found)
    return found
