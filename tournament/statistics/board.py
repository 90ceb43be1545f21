"""A leaderboard over several runs of a kind."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from antemill.tournament.charts.chart import Chart
from antemill.tournament.statistics.sheets import Sheet


class Board(Struct, frozen=True):
    """A leaderboard. charts: figures by name, which show the runs beside each other."""

    sheet: Sheet
    charts: Mapping[str, Chart] = field(default_factory=dict)
