"""The tables of a tournament whose games were played in disguise."""

from __future__ import annotations

import math

import pyarrow as pa
import pyarrow.compute as pc

from antemill.tournament.statistics import disguise_sheets as sheets
from antemill.tournament.statistics.analysis import Analysis
from antemill.tournament.statistics.sheets import Sheet

_READ = ("game", "run", "alice", "bob", "margin", "disguise", "disguise_seed")


def disguises(a: Analysis) -> Sheet | None:
    """A row for each player, game and form; None without disguises."""
    return sheets.by_disguise(_gains(a.rows), _seeds(a.rows), sheets.MARGIN)


def recognised(a: Analysis) -> Sheet | None:
    """A row for each player and game; None without disguises."""
    return sheets.recognised(_gains(a.rows), sheets.MARGIN)


def _gains(rows: pa.Table) -> sheets.Gains:
    """Each player's margins over both seats, of all opponents, numbered by opponent and run."""
    if not _disguised(rows):
        return {}
    met: dict[str, dict[str, dict[int, dict[tuple[str, str], list[float]]]]] = {}
    for row in _main(rows).select(_READ).to_pylist():
        for own, other, sign in (("alice", "bob", 1), ("bob", "alice", -1)):
            forms = met.setdefault(row[own], {}).setdefault(str(row["game"]), {})
            forms.setdefault(row["disguise"] or 0, {}).setdefault((row[other], str(row["run"])), []).append(
                sign * row["margin"]
            )
    return {player: {game: _numbered(forms) for game, forms in games.items()} for player, games in sorted(met.items())}


def _numbered(forms: dict[int, dict[tuple[str, str], list[float]]]) -> dict[int, dict[int, float]]:
    """Means over both seats; pairs of matches that are the same in all forms get one number."""
    numbers: dict[tuple[str, str], int] = {}
    return {
        form: {
            numbers.setdefault(pair, len(numbers)): math.fsum(both) / 2
            for pair, both in sorted(runs.items())
            if len(both) == 2
        }
        for form, runs in sorted(forms.items())
    }


def _seeds(rows: pa.Table) -> dict[str, dict[int, int]]:
    found: dict[str, dict[int, int]] = {}
    if _disguised(rows):
        for row in rows.select(["game", "disguise", "disguise_seed"]).to_pylist():
            if row["disguise"] is not None:
                found.setdefault(str(row["game"]), {})[row["disguise"]] = row["disguise_seed"]
    return found


def _disguised(rows: pa.Table) -> bool:
    """Whether the rows tell of disguises; files from elsewhere need not."""
    return set(_READ) <= set(rows.column_names) and bool(pc.any(pc.is_valid(rows["disguise"])).as_py())


def _main(rows: pa.Table) -> pa.Table:
    """The matches of the main schedule, whose runs have numbers of their own."""
    return rows.filter(pc.is_null(rows["ablation"])) if "ablation" in rows.column_names else rows
