"""The page of a run: the results of its analysis, and its items one by one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from antemill.engine.storage.files import write_text
from antemill.tournament.charts.text import LONGEST, fitted, plain
from antemill.tournament.pages.pack import packed
from antemill.tournament.pages.page import day, page
from antemill.tournament.pages.site import DATA, write_items
from antemill.tournament.runs.browse import opened
from antemill.tournament.runs.store import BEGUN, MADE_BY

_NAMED = 4  # players that the lead names


class RunOverview(Struct, frozen=True):
    """The results of a run as a whole. title: its folder's name; lead: what it is, from when, and who takes part; body:
    figures and tables as HTML.
    """

    title: str
    lead: str
    body: list[str]


def overview_with(folder: Path, what: str, players: Sequence[str], body: list[str]) -> RunOverview:
    """The overview of the run in a folder. what: its kind in words; players: the best first; body: of it."""
    with opened(folder) as run:
        meta = run.store.meta()
    begun = f"begun on {_date(meta[BEGUN])}" if BEGUN in meta else ""
    made = f"with Antemill {meta[MADE_BY]}" if MADE_BY in meta else ""
    about = ", ".join(filter(None, (what, f"{begun} {made}".strip())))
    names = ", ".join(fitted(name, LONGEST) for name in players[:_NAMED]) + (
        f" and {len(players) - _NAMED} more" if len(players) > _NAMED else ""
    )
    who = "Players, the best first" if len(players) > 1 else "Player"
    return RunOverview(folder.resolve().name, f"{about}. {who}: {names}.", body)


def _date(when: str) -> str:
    """A time of a run's metadata as words; the text itself if it is no time."""
    try:
        return day(datetime.fromisoformat(when))
    except ValueError:
        return when


class Example(Struct, frozen=True):
    """An item that shows what the result is made of. address: where it is; label: the words that lead there; said: what
    follows them.
    """

    address: str
    label: str
    said: str


def verdict(sentence: str, measured: str = "", further: str = "", example: Example | None = None) -> str:
    """The result in a sentence, above all figures. further: a second paragraph; measured: what the figures are, in
    smaller letters below, a paragraph a line; example: between them.
    """
    found = [f'<p class="finding">{plain(one)}</p>' for one in (sentence, further) if one]
    if example is not None:
        link = f'<a href="{plain(example.address)}">{plain(example.label)}</a>'
        found.append(f'<p class="finding">{link}{plain(example.said)}</p>')
    return "".join(found + [f'<p class="note">{plain(one)}</p>' for one in measured.splitlines() if one])


def page_with_items(found: RunOverview, folder: Path) -> str:
    """A self-contained page of a run's overview and, packed, the items in its folder."""
    with opened(folder) as run:
        body = [*warned(run.store.warnings().values()), *found.body]
        pack = packed(run, "".join(body))
    return page(found.title, found.lead, body, pack.elements)


def write_site(found: RunOverview, folder: Path, site: Path) -> None:
    """Write a run's overview as `index.html` into a folder, and all its items beside it as files, which any web server
    can serve. Raises StorageError.
    """
    with opened(folder) as run:
        write_items(run, site)
        body = [*warned(run.store.warnings().values()), *found.body]
    write_text(site / "index.html", page(found.title, found.lead, body, data=DATA))


def warned(warnings: Iterable[str]) -> list[str]:
    """A run's warnings, above its results."""
    return [f'<p class="problem trouble" role="alert">{plain(one)}</p>' for one in warnings]
