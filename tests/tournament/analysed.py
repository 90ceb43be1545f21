"""What was found in a run's folder, whatever its kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from antemill.tournament.pages import run as pages
from antemill.tournament.runs import analyze as analyses
from antemill.tournament.runs.browse import kind_of
from antemill.tournament.statistics.sheets import Sheet


def analyze(folder: Path) -> tuple[Any, list[Sheet]]:
    """As `antemill analyze`."""
    return analyses.analyze(kind_of(folder).kind, [folder], folder)


def rows(folder: Path) -> pa.Table:
    """What was played."""
    found: pa.Table = kind_of(folder).kind.rows([folder])
    return found


def report(folder: Path) -> str:
    """Its page."""
    return pages.report(kind_of(folder).kind, [folder])


def overview_of(folder: Path) -> pages.RunOverview:
    """Its page without the items."""
    return pages.overview_of(kind_of(folder).kind, [folder])
