"""`antemill analyze`: slots.parquet, all tables, and the scorecard."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pyarrow as pa

from antemill.engine.storage.files import sweep, write_bytes
from antemill.engine.storage.parquet import parquet_bytes
from antemill.tournament.cards.results import NAME as SLOTS
from antemill.tournament.cards.results import slots_table
from antemill.tournament.evaluation.ask import is_question
from antemill.tournament.evaluation.findings import examine
from antemill.tournament.evaluation.kind import EVALUATION
from antemill.tournament.evaluation.scorecard import NAME, Scorecard, scorecard
from antemill.tournament.evaluation.tables import STATISTICS
from antemill.tournament.runs import reading
from antemill.tournament.statistics.sheets import Sheet, write_tables


def rows(folder: Path) -> pa.Table:
    """The finished matches of a run, one row each: what `analyze` writes as slots.parquet."""
    with reading(EVALUATION, folder) as run:
        return slots_table([one for one in run.store.records(finished_only=True) if not is_question(one.item.data)])


def analyze(folder: Path) -> tuple[Scorecard, list[Sheet]]:
    """Write everything that follows from the finished matches into the run's folder. Raises UsageError without any."""
    sweep(folder)
    found = examine(folder)
    card, sheets = scorecard(found), STATISTICS.tables(found)
    write_bytes(folder / SLOTS, parquet_bytes(rows(folder)))
    write_tables(folder, sheets, "# Results\n\n")
    write_bytes(folder / NAME, msgspec.json.format(msgspec.json.encode(card), indent=2) + b"\n")
    return card, sheets
