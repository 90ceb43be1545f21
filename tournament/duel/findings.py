"""What the tables of a set of duels are made of, and the list of these tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from msgspec import Struct

from antemill.tournament.duel.analysis.external import Scores
from antemill.tournament.duel.results import Results
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.sheets import Cell, Missing, Sheet
from antemill.tournament.statistics.statistic import Statistics

TOTAL = "total"  # the name of a table's last row, which sums the others


class DuelFindings(Struct, frozen=True):
    """The data for the tables. rated, costs: their tables; scores: of other benchmarks; replicates: for intervals."""

    results: Results
    rated: Sheet
    scores: Scores
    costs: Sheet
    replicates: int


STATISTICS = Statistics[DuelFindings]("Players", "Puzzles", "Play")


def rate_cell(value: float | None, reason: str) -> Cell:
    """A rate, or why there is none."""
    return Missing(reason) if value is None else value


def best_first(rated: Sheet, names: Iterable[str]) -> list[str]:
    """Names in the order of the players' ratings, then those of others, and the total last."""
    players = [str(name) for name in rated.column("player")]
    place = {name: i for i, name in enumerate(players)} | {TOTAL: len(players) + 1}
    return sorted(names, key=lambda name: (place.get(name, len(players)), name))


def finite(players: Sequence[str], values: Floats) -> dict[str, float]:
    """The finite values by player."""
    return {player: float(value) for player, value in zip(players, values, strict=True) if np.isfinite(value)}


def numbers(sheet: Sheet, key: str) -> dict[str, float]:
    """The numbers of a column by player; others are left out."""
    pairs = zip(sheet.column("player"), sheet.column(key), strict=True)
    return {str(player): cell for player, cell in pairs if isinstance(cell, float)}
