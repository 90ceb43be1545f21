"""The ratings over several sets of duels: all duels as one set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from antemill.engine.errors import UsageError
from antemill.tournament.duel.analyze import load, several
from antemill.tournament.duel.ratings import ratings
from antemill.tournament.duel.results import Results
from antemill.tournament.statistics.board import Board, Together, rated_together
from antemill.tournament.statistics.sheets import Cell, Column, Sheet

REPLICATES = 1000
_SHOWN = (
    *("player", "duel_rating", "duel_low", "duel_high", "round_rating", "round_low", "round_high"),
    *("solver_rating", "proposer_rating"),
)


def pooled(runs: Mapping[str, Path], replicates: int = REPLICATES) -> Board | None:
    """Ratings of all players over all sets, and in each alone; see `rated_together`."""
    return rated_together(runs, _read, lambda found: _rated([runs[name] for name in found], replicates))


def _read(_name: str, path: Path) -> Results | None:
    try:
        return load(path)
    except UsageError:  # no duel is finished
        return None


def _rated(folders: Sequence[Path], replicates: int) -> Together[Results]:
    found = several(folders)
    whole = ratings(found, replicates, 0)
    places = [i for i, column in enumerate(whole.columns) if column.key in _SHOWN]
    rows = [[row[i] for i in places] for row in whole.rows]
    note = (
        f"All {len(found.duels):,} duels rated as if they were of one set. Players with "
        f"the same name count as one player. Ratings of one run alone have their own 1000. {whole.note}"
    )
    said = note if len(folders) > 1 else whole.note
    sheet = Sheet("pooled", "Leaderboard of duels", [whole.columns[i] for i in places], rows, said)
    return Together(Board(sheet), _alone, Column("alone", "", digits=0, group="Duels of one run alone"))


def _alone(results: Results) -> dict[str, Cell]:
    sheet = ratings(results, 2, 0)
    return dict(zip(map(str, sheet.column("player")), sheet.column("duel_rating"), strict=True))
