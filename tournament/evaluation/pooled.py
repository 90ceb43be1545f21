"""The players of several evaluations in one list. Each score is absolute, so nothing is fitted: a player that several
runs have counts by its mean over their matches, if they are of one suite."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from antemill.engine.errors import UsageError
from antemill.tournament.evaluation.findings import examine
from antemill.tournament.evaluation.scorecard import PlayerCard, Scorecard, scorecard
from antemill.tournament.statistics.board import Board, Together, rated_together
from antemill.tournament.statistics.sheets import Cell, Column, Sheet, count, number, text


def pooled(runs: Mapping[str, Path]) -> Board | None:
    """All players of all evaluations, and each run alone; None if nothing is finished in any."""
    return rated_together(runs, _read, _rated)


def _read(_name: str, path: Path) -> Scorecard | None:
    try:
        return scorecard(examine(path))
    except UsageError:  # no match is finished
        return None


def _rated(found: Mapping[str, Scorecard]) -> Together[Scorecard]:
    met: dict[str, list[PlayerCard]] = {}
    for card in found.values():
        for player in card.players:
            met.setdefault(player.name, []).append(player)
    columns = [text("player", "Player"), number("loss", "Loss", 3), count("matches", "Matches")]
    rows: list[list[Cell]] = []
    for name, cards in met.items():
        matches = sum(card.matches for card in cards)
        rows.append([name, sum(card.loss.mean * card.matches for card in cards) / matches, matches])
    rows.sort(key=lambda row: float(str(row[1])))
    several = len({card.suite.digest for card in found.values()}) > 1
    note = "Chips a match lost to perfect play; the mean over the matches of all runs."
    note += " The runs have different suites, so that the means of two players may be over different games." * several
    return Together(
        Board(Sheet("pooled", "Loss to perfect play", columns, rows, note)),
        lambda card: {player.name: player.loss.mean for player in card.players},
        Column("alone", "", digits=3, signed=True, group="In one run alone"),
    )
