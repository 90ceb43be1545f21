"""The page: a frame without data, which its script fills by asking the server."""

from __future__ import annotations

from collections.abc import Sequence

from tournament.pages.page import page
from tournament.runs.explore import Row


def home(runs: Sequence[Row]) -> str:
    """The whole document."""
    titles = ", ".join(str(run["title"]) for run in runs)
    return page("Antemill", titles, ['<div id="live"></div>'], live=True)
