"""A leaderboard over several runs of a kind: all of them rated together, and each alone beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Generic, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from antemill.tournament.charts.chart import Chart
from antemill.tournament.statistics.sheets import Cell, Column, Sheet

F = TypeVar("F")


class Board(Struct, frozen=True):
    """A leaderboard. charts: figures by name, which show the runs beside each other."""

    sheet: Sheet
    charts: Mapping[str, Chart] = field(default_factory=dict)


class Together(Struct, Generic[F], frozen=True):
    """Several runs, rated as one.

    board: with the players in the first column. alone: the players' figures in one run; column: of these figures, where
    the name of the run is the heading.
    """

    board: Board
    alone: Callable[[F], Mapping[str, Cell]]
    column: Column


def rated_together(
    runs: Mapping[str, Path], read: Callable[[str, Path], F | None], rate: Callable[[Mapping[str, F]], Together[F]]
) -> Board | None:
    """The leaderboard over several runs; None if nothing is finished in any.

    runs: folders by name. read: what a run came to; None if nothing is finished in it. Raises UsageError or
    StorageError.
    """
    found = {name: one for name, path in runs.items() if (one := read(name, path)) is not None}
    if not found:
        return None
    rated = rate(found)
    sheet = rated.board.sheet
    alone = [rated.alone(one) for one in found.values()] if len(found) > 1 else []
    columns = [replace(rated.column, key=f"alone_{i}", heading=name) for i, name in enumerate(found)][: len(alone)]
    rows = [[*row, *(one.get(str(row[0])) for one in alone)] for row in sheet.rows]
    return Board(replace(sheet, columns=[*sheet.columns, *columns], rows=rows), rated.board.charts)
