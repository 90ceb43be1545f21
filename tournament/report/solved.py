"""The report's section about the solved games of a benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tournament.pages.page import Cell, Column, number, section, table

_NAMES = ("Rank", "Seed", "Nodes", "Information sets", "Value", "Exploitability", "Lower bound", "Lower", "Upper")
_COLUMNS = (
    *(Column(name) for name in _NAMES[:6]),
    *(Column(name, "Sampled, 95%") for name in _NAMES[6:]),
    Column("Seconds"),
    Column("Algorithm", is_text=True),
    Column("Abstraction", is_text=True),
    Column("Stopped by", is_text=True),
)


def solved_section(rows: Sequence[dict[str, Any]]) -> str:
    """The table of solved games. rows: as `tournament.solving.table` reads them."""
    found = [row for row in rows if row["algorithm"] is not None]
    note = (
        f"{len(found)} of the {len(rows)} games have a policy. Chips per game; the value is Alice's, the "
        "exploitability NashConv / 2 in the real game, exact where its tree was built. Without a tree there is a "
        "sampled lower bound of it instead, with its 95% confidence interval. A policy solved in an abstraction is no "
        "equilibrium of the real game."
    )
    return section("Solved games", table(_COLUMNS, [_row(row) for row in rows], sortable=True), note=note)


def _row(row: dict[str, Any]) -> list[Cell]:
    sizes = [_count(row[name]) for name in ("rank", "seed", "nodes", "information_sets")]
    bound = [number(row[name], 4) for name in ("lower_bound", "lower_bound_low", "lower_bound_high")]
    words = [row["algorithm"] or "–", row["abstraction"] or "–", row["stopped"] or row["problem"] or "–"]
    figures = [number(row["value"], 4), number(row["exploitability"], 6), *bound, number(row["seconds"], 1)]
    return [*sizes, *figures, *map(Cell, words)]


def _count(value: int | None) -> Cell:
    return number(None) if value is None else Cell(f"{value:,}", str(value))
