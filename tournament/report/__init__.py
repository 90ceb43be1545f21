"""Reports: one self-contained page of whatever is in a folder.

    kind, page = page_of(Path("cup"))          # HTML, without external scripts, styles or fonts

folder  the page of a folder; kinds of runs have their own
pool    the report of a pool and its benchmark   (solved: the section about its solved games; run: of the pipeline)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tournament.report.folder import page_of
    from tournament.report.pool import pool_report

__all__ = ["page_of", "pool_report"]

_MODULES = {"page_of": "folder", "pool_report": "pool"}


def __getattr__(name: str) -> Any:
    """Import a name of the facade on its first use."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
