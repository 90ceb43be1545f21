"""The finished matches of tournaments as rows, and what each player's moves and replies came to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa
from msgspec import Struct

from antemill.tournament.cards.play import COUNTS, SIDES
from antemill.tournament.replies import CAUSES
from antemill.tournament.runs import Record

SCHEMA = pa.schema(
    [
        pa.field("item", pa.string(), nullable=False),
        pa.field("game", pa.string(), nullable=False),
        pa.field("play_seed", pa.int64(), nullable=False),
        pa.field("run", pa.int64(), nullable=False),
        pa.field("alice", pa.string(), nullable=False),
        pa.field("bob", pa.string(), nullable=False),
        pa.field("ablation", pa.string()),  # "low high anchor", null in the main schedule
        pa.field("disguise", pa.int64()),  # number of the game's disguise, null where it was played as itself
        pa.field("disguise_seed", pa.int64()),
        pa.field("margin", pa.int64(), nullable=False),  # chips, Alice minus Bob
        pa.field("payoff", pa.int64(), nullable=False),  # chips that Alice won
        *(pa.field(f"{name}_{side}", pa.int64(), nullable=False) for name in COUNTS for side in SIDES),
        *(pa.field(f"cost_{side}", pa.float64(), nullable=False) for side in SIDES),  # dollars
        pa.field("timeouts", pa.int64(), nullable=False),  # attempts at the match that ended by a time-out
    ]
)


def slots_table(records: Sequence[Record]) -> pa.Table:
    """slots.parquet: the finished matches, one row each, in the order of the plan."""
    rows = [_row(record) for record in records if record.status == "done"]
    return pa.table({name: [row.get(name) for row in rows] for name in SCHEMA.names}, schema=SCHEMA)


def _row(record: Record) -> dict[str, Any]:
    data, form = record.item.data, record.item.data.get("disguise")
    hidden = {} if form is None else {"game": form["of"], "disguise": form["number"], "disguise_seed": form["seed"]}
    return {"item": record.item.key, "timeouts": record.timeouts} | data | hidden | record.row


def unusable(record: Record) -> int:
    """The moves of a match for which no reply could be used."""
    return sum(record.row.get(f"fallbacks_{side}", 0) for side in SIDES)


class Tally(Struct, frozen=True):
    """What a player's moves came to. slots: its matches; hit: those with a fallback; causes: fallbacks by cause."""

    player: str
    slots: int
    hit: int
    moves: int
    fallbacks: int
    second: int
    causes: dict[str, int]
    cost: float


def tallies(records: Iterable[Record], players: Iterable[str]) -> list[Tally]:
    """Those of all players, over both seats and all finished matches."""
    sums: dict[str, Counter[str]] = {player: Counter() for player in players}
    costs = dict.fromkeys(sums, 0.0)
    for record in (record for record in records if record.status == "done"):
        for side in SIDES:
            own = sums[record.item.data[side]]
            own.update(slots=1, hit=record.row.get(f"fallbacks_{side}", 0) > 0)
            own.update({name: found for name in COUNTS if (found := record.row.get(f"{name}_{side}"))})
            costs[record.item.data[side]] += record.row[f"cost_{side}"]
    return [
        Tally(
            player=player,
            **{name: own[name] for name in ("slots", "hit", "moves", "fallbacks", "second")},
            causes={cause: own[cause] for cause in CAUSES},
            cost=costs[player],
        )
        for player, own in sums.items()
    ]
