"""The page of runs of one kind: what was found, and the items one by one.

The first screen is one sentence of who leads and how sure that is, one figure and one table; the list is beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from msgspec import Struct

from antemill.engine.storage.files import write_text
from antemill.tournament.charts.text import LONGEST, fitted, plain
from antemill.tournament.pages.arrange import arranged
from antemill.tournament.pages.evidence import Evidence
from antemill.tournament.pages.overview import overview
from antemill.tournament.pages.pack import packed
from antemill.tournament.pages.page import day, page, tiles
from antemill.tournament.pages.site import DATA, write_items
from antemill.tournament.runs import Kind
from antemill.tournament.runs.analyze import COSTS, results
from antemill.tournament.runs.browse import opened
from antemill.tournament.runs.config import read_toml
from antemill.tournament.runs.folder import RunFolder, read_config_text
from antemill.tournament.runs.once import one_report
from antemill.tournament.runs.store import BEGUN, MADE_BY
from antemill.tournament.statistics.statistic import on_page

_NAMED = 4  # players that the lead names


class RunOverview(Struct, frozen=True):
    """The results of runs as a whole. title: the folder's name; lead: what it is, from when, and who takes part; body:
    figures and tables as HTML.
    """

    title: str
    lead: str
    body: list[str]


def report(kind: Kind[Any, Any], folders: Sequence[Path]) -> str:
    """The page of some runs, with the items of the first one; the folders are only read.

    Raises UsageError if nothing is finished.
    """
    with one_report():
        found = overview_of(kind, folders)
        with opened(folders[0]) as run:
            pack = packed(run, "".join(found.body))
        return page(found.title, found.lead, found.body, pack.elements)


def write_site(kind: Kind[Any, Any], folder: Path, site: Path) -> None:
    """Write a run's overview as `index.html` into a folder, and all its items beside it as files, which any web server
    can serve. Raises StorageError.
    """
    with one_report():
        found = overview_of(kind, [folder])
        with opened(folder) as run:
            write_items(run, site)
        write_text(site / "index.html", page(found.title, found.lead, found.body, data=DATA))


def overview_of(kind: Kind[Any, Any], folders: Sequence[Path]) -> RunOverview:
    """The page without the items. Raises UsageError if nothing is finished."""
    made = results(kind, folders)
    first, names = made.headline, list(made.headline.players)
    groups = {title: list(patterns) for title, patterns in on_page(kind.tables).items()}
    title = next((title for title, patterns in groups.items() if first.table in patterns), next(iter(groups)))
    rest = [name for name in groups[title] if name != first.table]
    groups[title] = [first.table, f"{first.table}_clean", *rest]
    if not any(COSTS in patterns for patterns in groups.values()):
        groups[[*groups][-1]].append(COSTS)
    sections = arranged(
        {title: groups.pop(title), **groups},
        made.sheets,
        made.charts,
        kind.beside,
        made.left_out,
        kind.terms,
        kind.hidden,
        kind.tables.printed,
        Evidence(names, kind.games(made.found), kind.roles, kind.cells(made.found)),
    )
    head = [
        *warned(made.standing.sentences),
        _said(first.sentence, first.measured),
        tiles(_tiles(first.tiles, made.standing)),
    ]
    body = overview("".join(head), sections)
    title = ", ".join(folder.resolve().name for folder in folders)
    return RunOverview(title, _lead(kind, folders, names), body)


def _tiles(own: Iterable[tuple[str, str, str]], now: Any) -> list[tuple[str, str, str]]:
    lost = f", {now.discarded:,} discarded" if now.discarded else ""
    return [("Finished", f"{now.finished:,}", f"of {now.planned:,}{lost}"), *own]


def _said(sentence: str, measured: str) -> str:
    """The result in a sentence, and what its figures are, in smaller letters."""
    notes = "".join(f'<p class="note">{plain(one)}</p>' for one in measured.splitlines() if one)
    return f'<p class="finding">{plain(sentence)}</p>{notes}'


def _lead(kind: Kind[Any, Any], folders: Sequence[Path], players: Sequence[str]) -> str:
    """What it is, from when, and who takes part."""
    with opened(folders[0]) as run:
        meta = run.store.meta()
    text = read_config_text(RunFolder(folders[0]).config)
    paper = ", as in the paper" if read_toml(text.text, text.source).get("paper") is True else ""
    begun = f"begun on {_date(meta[BEGUN])}" if BEGUN in meta else ""
    made = f"with Antemill {meta[MADE_BY]}" if MADE_BY in meta else ""
    about = ", ".join(filter(None, (f"{kind.title}{paper}", f"{begun} {made}".strip())))
    names = ", ".join(fitted(name, LONGEST) for name in players[:_NAMED]) + (
        f" and {len(players) - _NAMED} more" if len(players) > _NAMED else ""
    )
    who = "Players, the best first" if len(players) > 1 else "Player"
    return f"{about}. {who}: {names}."


def _date(when: str) -> str:
    """A time of a run's metadata as words; the text itself if it is no time."""
    try:
        return day(datetime.fromisoformat(when))
    except ValueError:
        return when


def warned(warnings: Iterable[str]) -> list[str]:
    """What is said of a run above its results."""
    return [f'<p class="problem trouble" role="alert">{plain(one)}</p>' for one in warnings]
