"""What some sets of duels came to, as of one set: the data of all tables and figures, and the headline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from msgspec import Struct

from antemill.engine.errors import UsageError
from antemill.tournament.duel.analysis.external import Scores, paper_scores
from antemill.tournament.duel.analysis.resolve import TOTAL
from antemill.tournament.duel.config import DuelConfig
from antemill.tournament.duel.ratings import ratings
from antemill.tournament.duel.results import Results, read_results
from antemill.tournament.duel.rounds import UNREADABLE, ended
from antemill.tournament.runs import Kind, RunFolder, read_config
from antemill.tournament.runs.base import rows_of
from antemill.tournament.runs.costs import headline as cost
from antemill.tournament.runs.honest import standing
from antemill.tournament.runs.kind import Headline
from antemill.tournament.runs.status import spending
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.sheets import Cell, Column, Missing, Sheet, to_arrow
from antemill.tournament.statistics.statistic import Statistics

REPLICATES = 2000
OURS = ("elo", "solv", "prop")  # columns of the paper's table 1 that are its own results
POINTS = "Rating: 400 points are odds of ten to one in a duel, or in a round"
BEYOND = (
    "; \N{INFINITY} above a player: no duel lost to that player or one below; "
    "\N{INFINITY} below: none won against that player or one above"
)
BRACKETS = ". In brackets: the 95% interval over duels."


class DuelFindings(Struct, frozen=True):
    """The data for the tables. rated: the ratings; scores: of other benchmarks; replicates: for intervals; unranked:
    players who did not play their own moves.
    """

    results: Results
    rated: Sheet
    scores: Scores
    replicates: int = REPLICATES
    unranked: Sequence[str] = ()
    folders: Sequence[Path] = ()


STATISTICS = Statistics[DuelFindings]("Players", "Puzzles", "Play")


def results_of(kind: Kind[DuelConfig, Any], folders: Sequence[Path], clean: bool = False) -> Results:
    """The finished duels of some folders and of those that they took over, each once.

    clean: without the duels in which a reply could not be read.
    """
    rows = {key: row for part in rows_of(kind, folders) for key, row in part.items() if not (clean and _unread(row))}
    configured = (read_config(RunFolder(folder).config, kind.config).duel.references for folder in folders)
    again = (row["player"] for row in rows.values() if row["what"] == "solve" and row["reference"])
    return read_results(rows, [*again, *(name for names in configured for name in names)])


def _unread(row: Mapping[str, Any]) -> bool:
    return any(turn["proposer_unread"] or turn["solver_unread"] for turn in row.get("turns", ()))


def findings(
    kind: Kind[DuelConfig, Any], folders: Sequence[Path], clean: bool = False, replicates: int = REPLICATES
) -> DuelFindings:
    """Raises UsageError if no duel is finished."""
    results = results_of(kind, folders, clean)
    if not results.duels:
        raise UsageError(f"no duel in {folders[0]} is finished: there is nothing to analyse yet.")
    theirs = {name: scores for name, scores in paper_scores().items() if name not in OURS}
    unranked = [name for name in standing(folders).unranked if name in results.players]
    return DuelFindings(results, ratings(results), theirs, replicates, unranked, folders)


def rows(kind: Kind[DuelConfig, Any], folders: Sequence[Path]) -> pa.Table:
    """The turns of all finished duels, one row each."""
    texts = ("proposer", "solver", "outcome", "puzzle", "code", "solution", "attempt")
    verdicts = (f"{side}_{what}" for side in ("sample", "attempt") for what in ("verdict", "detail", "backend"))
    columns = [Column("duel", "Duel", "text"), Column("number", "Turn", "count")]
    columns += [Column(name, name, "text") for name in (*texts, *verdicts, "proposer_unread", "solver_unread")]
    columns += [Column(name, name, "count") for name in ("proposer_tries", "solver_tries")]
    keys = [column.key for column in columns[1:]]
    duels = results_of(kind, folders).duels
    played = [[duel.key, *(turn[key] for key in keys)] for duel in duels for turn in duel.turns]
    return to_arrow(Sheet("turns", "Turns", columns, played))


# ------------------------------------------------------------------------------------------ the headline


def headline(a: DuelFindings) -> Headline:
    """The first screen."""
    said = sentence(a.rated, a.unranked)
    outcomes = [ended(turn) for duel in a.results.duels for turn in duel.turns]
    solved, unsolved, penalties, unread = (
        outcomes.count(name) for name in ("solved", "unsolved", "penalty", UNREADABLE)
    )
    players = [str(name) for name in a.rated.column("player")]
    beside = f"; {a.results.beside:,} attempts and tags beside them" if a.results.beside else ""
    return Headline(
        sentence=said,
        players=sorted(players, key=lambda name: name in a.unranked),
        table="ratings",
        figure="ratings",
        measured=POINTS + (BEYOND if "\N{INFINITY}" in said else "") + (BRACKETS if " [" in said else "."),
        tiles=(
            ("Duels", f"{len(a.results.duels):,}", f"of {len(players)} players{beside}"),
            ("Solved", f"{solved:,}", f"of {len(outcomes):,} turns"),
            ("Unsolved", f"{unsolved:,}", "a point for the proposer"),
            ("Penalties", f"{penalties + unread:,}", f"a point for the solver; {unread:,} for an unreadable puzzle"),
            cost([total for folder in a.folders for total in spending(folder)]),
        ),
    )


def sentence(rated: Sheet, unranked: Sequence[str] = ()) -> str:
    """Who is first by the rating of duels, and whether its interval reaches that of the next player.

    rated: the table of ratings, the best first. unranked: players who are not named.
    """
    keys = [column.key for column in rated.columns]
    every = [dict(zip(keys, row, strict=True)) for row in rated.rows]
    lines = [line for line in every if line["player"] not in unranked][:2]
    said = [f"{line['player']} ({_rating(line)})" for line in lines]
    if len(lines) < 2:
        alone = "is the only player" if len(every) < 2 else "is the only player that played its own moves"
        return f"{said[0]} {alone}." if said else "There is no ranking: no player played its own moves."
    low, high = lines[0]["duel_low"], lines[1]["duel_high"]
    rounds, told = [_rating(line, "round") for line in lines], "; too few duels say how sure that is"
    if isinstance(low, float) and isinstance(high, float):
        told = f"; their intervals {'overlap' if low <= high else 'do not overlap'}"
    elif all("[" in one for one in rounds):  # infinite by duels, the two may have intervals by rounds
        low, high = (f(float(str(line[f"round_{end}"])) for line in lines) for f, end in ((max, "low"), (min, "high")))
        told = f". By rounds the two have {' and '.join(rounds)}; these intervals "
        told += "overlap" if low <= high else "do not overlap"
    return f"{said[0]} is first by its duels, {said[1]} is second{told}."


def _rating(line: Mapping[str, Cell], unit: str = "duel") -> str:
    value, low, high = (line[f"{unit}_{name}"] for name in ("rating", "low", "high"))
    if isinstance(value, Missing):
        return value.reason
    around = f" [{low:.0f}, {high:.0f}]" if isinstance(low, float) and isinstance(high, float) else ""
    return f"{value:.0f}{around}"


# ------------------------------------------------------------------------------------------ cells and orders


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
