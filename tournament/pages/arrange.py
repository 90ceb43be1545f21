"""The tables and figures of an analysis, arranged for an overview: in groups, each table below its figures.

Tables and groups without content are left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from msgspec.structs import replace

from antemill.tournament.charts.chart import Chart
from antemill.tournament.pages.evidence import NO_EVIDENCE, Evidence
from antemill.tournament.pages.overview import Group, Section, chart_section, glossary, section, sheet_section
from antemill.tournament.statistics.sheets import Missing, Placed, Sheet

FIGURES, NOTES = "Figures", "Notes"
INFINITE = (
    "∞ above, ∞ below",
    "A player who has not lost to the others, or not won, has no finite rating by wins alone: the table says "
    "which player they stand above or below, the best on top.",
)


def arranged(
    groups: Mapping[str, Sequence[str]],
    sheets: Sequence[Sheet],
    charts: Mapping[str, Chart],
    beside: Mapping[str, str],
    left_out: Mapping[str, str],
    terms: Sequence[tuple[str, str]],
    hidden: frozenset[str] = frozenset(),
    first: Collection[str] = (),
    evidence: Evidence = NO_EVIDENCE,
) -> list[Group]:
    """Groups of sections, ready for an overview.

    groups: the names of the tables in each, as patterns. beside: the table of each figure; a figure without one is a
    section of its own, and one of a table that says nothing is left out. left_out: figures that were not drawn, and
    why. terms: what the intervals mean; infinite ratings are explained too, where there are some. hidden: keys of
    columns that are not shown. first: names of tables that stand open. The first table of a group and those with
    figures do, too; a click on its title opens any other. evidence: what cells and marks lead to. Raises ValueError for
    a table that no group has.
    """
    full = _once([sheet for sheet in sheets if says_something(sheet)])
    names = {sheet.name for sheet in full}
    drawn = {name: [chart for key, chart in charts.items() if beside.get(key) == name] for name in names}

    def made(sheet: Sheet) -> Section:
        heated = any(column.heat for column in sheet.columns)  # the shaded table is the figure
        shown, blank = _without_blank(sheet)
        return sheet_section(shown, hidden | blank, () if heated else drawn[sheet.name], evidence=evidence)

    found, open_ = [], list(full)
    for title, patterns in groups.items():
        mine = list(_matching(patterns, open_))
        folded = [i > 0 and one.name not in first and not drawn[one.name] for i, one in enumerate(mine)]
        found.append(Group(title, [replace(made(one), folded=shut) for one, shut in zip(mine, folded)]))
        open_ = [sheet for sheet in open_ if sheet not in mine]
    given = {sheet.name for sheet in sheets}
    alone = [chart_section(chart, name, evidence) for name, chart in charts.items() if beside.get(name) not in given]
    if open_:
        raise ValueError(f"no group of the page has the table '{open_[0].name}'")
    found.append(Group(FIGURES, alone))
    said = [*terms, *([INFINITE] if any(map(_beyond, full)) else [])]
    return [*found, Group(NOTES, [*_intervals(said), *_missing(sheets, left_out)])]


def says_something(sheet: Sheet) -> bool:
    """Whether a table has an estimate, or, if it is a table of counts and words, one beside the names of its rows."""
    measured = [i for i, column in enumerate(sheet.columns) if column.kind in ("number", "share", "dollars")]
    places = measured or range(1, len(sheet.columns))
    known = (isinstance(row[i], Placed) or not isinstance(row[i], Missing) for row in sheet.rows for i in places)
    blank = (row[i] is None or row[i] == "" for row in sheet.rows for i in places)
    return any(there and not empty for there, empty in zip(known, blank, strict=True))


def _without_blank(sheet: Sheet) -> tuple[Sheet, frozenset[str]]:
    """The table with a note on the columns in which no figure is known, and their keys."""
    reasons: dict[str, list[str]] = {}
    blank = set()
    for i, column in enumerate(sheet.columns[1:], 1):
        cells = [row[i] for row in sheet.rows]
        if not column.heat and all(isinstance(cell, Missing) and not isinstance(cell, Placed) for cell in cells):
            blank.add(column.key)
            reason = next((cell.reason for cell in cells if isinstance(cell, Missing)), "")
            name = " ".join(filter(None, (column.group, column.heading)))
            reasons.setdefault(reason, []).append(f"*{name}*")
    if not blank or len(blank) == len(sheet.columns) - 1:
        return sheet, frozenset()
    told = "; ".join(f"{', '.join(dict.fromkeys(names))} ({reason})" for reason, names in reasons.items())
    return replace(sheet, note=f"{sheet.note} Not known here: {told}.".strip()), frozenset(blank)


def _once(sheets: Sequence[Sheet]) -> list[Sheet]:
    """The tables without those whose rows an earlier one has; its note names them."""
    found: dict[str, Sheet] = {}
    for sheet in sheets:
        content = repr(([column.key for column in sheet.columns], sheet.rows))
        if content in found:
            first = found[content]
            found[content] = replace(first, note=f"{first.note} *{sheet.title}* has the same rows.".strip())
        else:
            found[content] = sheet
    return list(found.values())


def _beyond(sheet: Sheet) -> bool:
    """Whether a player stands infinitely far above or below others in a table."""
    placed = (cell.reason for row in sheet.rows for cell in row if isinstance(cell, Placed))
    return any(reason.startswith(("∞ above ", "∞ below ")) for reason in placed)


def _matching(patterns: Sequence[str], sheets: Sequence[Sheet]) -> Iterator[Sheet]:
    """The tables of a group, in the order of its patterns."""
    for pattern in patterns:
        yield from (sheet for sheet in sheets if fnmatchcase(sheet.name, pattern))


def _intervals(terms: Sequence[tuple[str, str]]) -> list[Section]:
    return [section("How to read the intervals", glossary(terms))] if terms else []


def _missing(sheets: Sequence[Sheet], left_out: Mapping[str, str]) -> list[Section]:
    """The figures and tables that have nothing to show, with the reason."""
    why = [(f"Figure: {name.replace('_', ' ')}", _sentence(reason)) for name, reason in left_out.items()]
    for sheet in sheets:
        if sheet.rows and not says_something(sheet):
            reasons = dict.fromkeys(cell.reason for row in sheet.rows for cell in row if isinstance(cell, Missing))
            why.append((sheet.title, _sentence("; ".join(reasons) or "there is nothing to say")))
    return [section("What could not be estimated", glossary(why))] if why else []


def _sentence(reason: str) -> str:
    return f"{reason[:1].upper()}{reason[1:].rstrip('.')}."
