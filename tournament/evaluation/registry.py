"""The list of an evaluation's tables, in which every module of tables registers its own."""

from __future__ import annotations

from antemill.tournament.evaluation.findings import Findings
from antemill.tournament.statistics.statistic import Statistics

GROUPS = ("Scores", "Policies", "Decisions", "Disguises", "Play")
STATISTICS = statistic = Statistics[Findings](*GROUPS)
