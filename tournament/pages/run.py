"""The page of a run: the results of its analysis, and its items one by one."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from antemill.tournament.charts.text import plain
from antemill.tournament.pages.pack import packed
from antemill.tournament.pages.page import page
from antemill.tournament.runs.browse import opened


class RunOverview(Struct, frozen=True):
    """The results of a run as a whole. lead: who takes part, in a sentence; body: figures and tables as HTML."""

    title: str
    lead: str
    body: list[str]


def page_with_items(found: RunOverview, folder: Path) -> str:
    """A self-contained page of a run's overview and, packed, the items in its folder."""
    with opened(folder) as run:
        warnings = [
            f'<p class="problem trouble" role="alert">{plain(one)}</p>' for one in run.store.warnings().values()
        ]
        body = [*warnings, *found.body]
        pack = packed(run, "".join(body))
    return page(found.title, found.lead, body, pack.elements)
