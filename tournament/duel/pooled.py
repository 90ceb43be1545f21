"""The ratings over several sets of duels: all duels as one set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path

from antemill.engine.errors import UsageError
from antemill.tournament.duel.analyze import load
from antemill.tournament.duel.ratings import ratings
from antemill.tournament.duel.results import Results
from antemill.tournament.statistics.board import Board
from antemill.tournament.statistics.sheets import Cell, Column, Missing, Sheet

REPLICATES = 1000
_TITLE = "Leaderboard of duels"
_SHOWN = ("player", "duel_rating", "duel_low", "duel_high", "solver_rating", "proposer_rating")


def pooled(runs: Mapping[str, Path], replicates: int = REPLICATES) -> Board | None:
    """Ratings of all players over all sets, and in each alone; None if no duel is finished in any.

    runs: folders by name. Raises UsageError or StorageError.
    """
    found = {}
    for name, path in runs.items():
        try:
            found[name] = load(path)
        except UsageError:  # no duel is finished
            continue
    if not found:
        return None
    together = ratings(_together([*found.values()]), replicates, 0)
    alone = {name: _alone(results) for name, results in found.items()} if len(found) > 1 else {}
    places = [i for i, column in enumerate(together.columns) if column.key in _SHOWN]
    columns = [together.columns[i] for i in places]
    columns += [Column(f"alone_{i}", name, digits=0, group="Duels of one run alone") for i, name in enumerate(alone)]
    rows: list[list[Cell]] = []
    for row in together.rows:
        per_run = [one.get(str(row[0]), Missing("plays no part in it")) for one in alone.values()]
        rows.append([*(row[i] for i in places), *per_run])
    if len(found) == 1:
        return Board(Sheet("pooled", _TITLE, columns, rows, together.note))
    note = (
        f"All {sum(len(results.duels) for results in found.values()):,} duels rated as if they were of one set. A "
        "player is a name: the same name is taken for the same player. Ratings of one run alone have their own 1000. "
        f"{together.note}"
    )
    return Board(Sheet("pooled", _TITLE, columns, rows, note))


def _alone(results: Results) -> dict[str, Cell]:
    sheet = ratings(results, 2, 0)
    return dict(zip(map(str, sheet.column("player")), sheet.column("duel_rating"), strict=True))


def _together(parts: Sequence[Results]) -> Results:
    """What several sets came to, as one."""
    return Results(
        duels=[*chain.from_iterable(one.duels for one in parts)],
        turns=[*chain.from_iterable(one.turns for one in parts)],
        references=tuple(dict.fromkeys(chain.from_iterable(one.references for one in parts))),
        codes={name: code for one in parts for name, code in one.codes.items()},
        attempts=[*chain.from_iterable(one.attempts for one in parts)],
        own=[*chain.from_iterable(one.own for one in parts)],
        tagged=[*chain.from_iterable(one.tagged for one in parts)],
    )
