"""The figures of an evaluation's page."""

from __future__ import annotations

import math

from antemill.tournament.charts.chart import Chart
from antemill.tournament.charts.ranks import Rank, ranked
from antemill.tournament.evaluation.findings import Findings, PlayerFindings

BESIDE = {"losses": "losses"}  # the table of each figure
_WRITTEN = 0.001  # chips, to which a figure is written: less than half of it has no sign


def figures_of(a: Findings) -> dict[str, Chart]:
    """The figures by name."""
    rows = [_rank(one, number) for number, one in enumerate(a.players)]
    note = "Whiskers: 95%, the same games with other cards and replies."
    return {"losses": ranked("Loss to perfect play", rows, "chips a match", note, bars=True)}


def _rank(one: PlayerFindings, number: int) -> Rank:
    loss = one.suite.chips
    low, high = (math.nan if bound is None else bound for bound in (loss.low, loss.high))
    return Rank(one.name, 0.0 if abs(loss.mean) < _WRITTEN / 2 else loss.mean, low, high, series=number)
