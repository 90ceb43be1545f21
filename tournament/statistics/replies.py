"""How often a player's replies took a second try or could not be used: two columns of each kind's first table."""

from __future__ import annotations

from collections.abc import Mapping

from antemill.tournament.statistics.sheets import Cell, Column

Counts = tuple[int, int, int]  # questions, those that took a second try, those without a usable reply

COLUMNS = (
    Column("second_tries", "second tries, %", digits=1),
    Column("unusable", "fallbacks, %", digits=1),
)


def cells(counts: Mapping[str, Counts], player: str) -> list[Cell]:
    """The two shares of a player."""
    asked, second, unusable = counts.get(player, (0, 0, 0))
    if not asked:
        return [None] * 2
    return [100.0 * second / asked, 100.0 * unusable / asked]
