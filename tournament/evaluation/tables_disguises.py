"""The tables of an evaluation whose games are played in disguise."""

from __future__ import annotations

from antemill.tournament.evaluation.findings import Findings
from antemill.tournament.evaluation.registry import statistic
from antemill.tournament.statistics import disguise_sheets as sheets
from antemill.tournament.statistics.sheets import Sheet


@statistic("disguises", "losses in each disguise, on the same cards", group="Disguises", after="dearest")
def disguises(a: Findings) -> Sheet | None:
    """A row for each player, game and form; None without disguises."""
    return sheets.by_disguise(_gains(a), a.seeds, sheets.LOSS, _units(a))


@statistic("recognised", "games played better as themselves than in disguise", group="Disguises", printed=True)
def recognised(a: Findings) -> Sheet | None:
    """A row for each player and game; None without disguises."""
    return sheets.recognised(_gains(a), sheets.LOSS, _units(a))


@statistic("disguise_variance", "variance between disguises and between cards", group="Disguises")
def disguise_variance(a: Findings) -> Sheet | None:
    """A row for each player; None without disguises."""
    return sheets.variances(_gains(a))


def _gains(a: Findings) -> sheets.Gains:
    return {one.name: one.forms for one in a.players}


def _units(a: Findings) -> sheets.Units:
    return {label: one.deviation for label, one in a.references.items()}
