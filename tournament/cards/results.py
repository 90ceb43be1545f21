"""slots.parquet: the finished matches of a tournament, one row each, in the order of the plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from antemill.tournament.cards.play import SIDES
from antemill.tournament.replies import CAUSES
from antemill.tournament.runs import Record

NAME = "slots.parquet"
_COUNTS = ("moves", "fallbacks", *CAUSES, "clamped", "second", "input_tokens", "output_tokens")
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
        *(pa.field(f"{name}_{side}", pa.int64(), nullable=False) for name in _COUNTS for side in SIDES),
        *(pa.field(f"cost_{side}", pa.float64(), nullable=False) for side in SIDES),  # dollars
        pa.field("timeouts", pa.int64(), nullable=False),  # attempts at the match that ended by a time-out
    ]
)
_NONE = {f"{cause}_{side}": 0 for cause in CAUSES for side in SIDES}  # of a run that knew fewer causes


def slots_table(records: Sequence[Record]) -> pa.Table:
    """The finished matches as a table."""
    rows = [_row(record) for record in records if record.status == "done"]
    return pa.table({name: [row.get(name) for row in rows] for name in SCHEMA.names}, schema=SCHEMA)


def _row(record: Record) -> dict[str, Any]:
    data, form = record.item.data, record.item.data.get("disguise")
    hidden = {} if form is None else {"game": form["of"], "disguise": form["number"], "disguise_seed": form["seed"]}
    return _NONE | {"item": record.item.key, "timeouts": record.timeouts} | data | hidden | record.row
