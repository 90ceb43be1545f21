"""The leaderboard over several tournaments: all their matches as one table.

A player is its name, wherever it plays. Pairs of matches with the same cards stay clusters of their tournament. A game
is its program: two tournaments that call different games alike keep them apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct

from antemill.tournament.cards.analyze import references
from antemill.tournament.cards.kind import GAMES, TOURNAMENT
from antemill.tournament.cards.pinned_games import PinnedGame
from antemill.tournament.cards.results import slots_table
from antemill.tournament.runs import reading
from antemill.tournament.statistics.board import Board, Together, rated_together
from antemill.tournament.statistics.few import TOO_FEW_CLUSTERS
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.leaderboards import leaderboard, rank_columns
from antemill.tournament.statistics.matches import SlotTable, slot_table
from antemill.tournament.statistics.sheets import CHIPS, Cell, Column, Sheet, estimate
from antemill.tournament.statistics.strength import game_average, strengths

REPLICATES = 1000
_POOLED = (
    " of all runs as if they were of one tournament, in which strengths sum to zero, so that those of one run alone "
    "have another zero. Players with the same name count as one player"
)
_APART = "matches do not connect all players"


class _Played(Struct, frozen=True):
    """What a tournament came to. rows: its finished matches."""

    rows: pa.Table
    references: list[str]
    uneven: bool


def pooled(runs: Mapping[str, Path], replicates: int = REPLICATES) -> Board | None:
    """Strengths of all players over all tournaments, and in each alone; see `rated_together`."""
    return rated_together(runs, _read, lambda found: _rated(found, replicates))


def _rated(found: Mapping[str, _Played], replicates: int) -> Together[_Played]:
    fit = game_average if any(one.uneven for one in found.values()) else strengths
    left_out = {name for one in found.values() for name in one.references}
    table = _without(slot_table(pa.concat_tables([one.rows for one in found.values()])), left_out)
    board = leaderboard(table, replicates, fit=fit)
    ranks = rank_columns(board.ranks, board.order)
    columns = [
        Column("player", "Player", "text"),
        Column("strength", "Strength", signed=True),
        Column("low", "low", signed=True),
        Column("high", "high", signed=True),
        *(column for column, _ in ranks),
        Column("matches", "Matches", "count"),
    ]
    rows: list[list[Cell]] = []
    for place, m in enumerate(board.order.tolist()):
        name, few = board.models[m], board.models[m] in board.apart
        bounds = [estimate(part[m], TOO_FEW_CLUSTERS) for part in (board.interval.low, board.interval.high)]
        strength = estimate(board.strengths[m], TOO_FEW_CLUSTERS if few else _APART)
        rows.append([name, strength, *bounds, *(cells[place] for _, cells in ranks), int(board.slots[m])])
    note = _note(table, board.apart, fit, len(found))
    return Together(
        Board(Sheet("pooled", "Leaderboard of card tournaments", columns, rows, note)),
        lambda one: _alone(_without(slot_table(one.rows), left_out), fit),
        Column("alone", "", signed=True, group="In one run alone"),
    )


def _note(table: SlotTable, apart: tuple[str, ...], fit: object, runs: int) -> str:
    once = "" if fit is strengths else " Every game counts once, however often it was played."
    few = f" Set apart, for they have {TOO_FEW_CLUSTERS}: {', '.join(apart)}." if apart else ""
    return (
        f"Strength in {CHIPS}, fitted to {len(table.margin):,} matches{_POOLED if runs > 1 else ''}; 95% intervals by "
        "the paired-cluster bootstrap. Rank: one more than the number of players that the matches show to be better. "
        "Worst rank: the last that they do not rule out, for all at once at 95%. P(best): the probability of being "
        f"the best.{once}{few}"
    )


def _alone(table: SlotTable, fit: object) -> dict[str, Cell]:
    values: Floats = (strengths if fit is strengths else game_average)(table)
    return {name: estimate(value, _APART) for name, value in zip(table.models, values.tolist(), strict=True)}


def _without(table: SlotTable, names: set[str]) -> SlotTable:
    """The matches among others; all if none would be left."""
    gone = [name for name in table.models if name in names]
    codes = np.array([table.models.index(name) for name in gone], np.int64)
    among = ~(np.isin(table.alice, codes) | np.isin(table.bob, codes))
    return table.rows(among) if among.any() else table


def _read(name: str, path: Path) -> _Played | None:
    with reading(TOURNAMENT, path) as run:
        records = run.store.records(finished_only=True)
        config, pinned = run.config, msgspec.json.decode(run.store.materials()[GAMES], type=list[PinnedGame])
    done = [record for record in records if record.status == "done"]
    rows = slots_table(done)
    rows = rows.filter(pc.is_null(rows["ablation"]))
    if not rows.num_rows:
        return None
    digests = {game.label: game.digest for game in pinned}
    columns = {
        "game": [f"{label} {digests[label]}" for label in rows["game"].to_pylist()],
        "run": [f"{name} {number}" for number in rows["run"].to_pylist()],
        **{column: rows[column] for column in ("alice", "bob", "margin")},
    }
    types = pa.schema([(column, pa.string()) for column in ("game", "run", "alice", "bob")] + [("margin", pa.int64())])
    return _Played(pa.table(columns, schema=types), references(config, done), config.tournament.schedule == "adaptive")
