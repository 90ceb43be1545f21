"""Reports: one self-contained page of the run or the pool in a folder.

    kind, page = page_of(Path("cup"))          # HTML, without external scripts, styles or fonts

folder_page  the page of a folder; each kind of runs makes its own
pool         the report of a pool and its benchmark, and of what `antemill run` made
pool_tables  the tables of a pool, for its page and the terminal
game_texts   the rulebooks and first playouts of a benchmark's games
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from antemill.engine.facade import lazily

if TYPE_CHECKING:
    from antemill.tournament.report.folder_page import page_of
    from antemill.tournament.report.pool import pool_report

__all__ = ["page_of", "pool_report"]

__getattr__, __dir__ = lazily(__name__)
