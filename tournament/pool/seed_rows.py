"""Rows of tables that are in the order of seeds."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from antemill.tournament.pool.spans import Span


def within(rows: pa.Table, span: Span) -> pa.Table:
    """The rows whose seeds lie in the span, of a table that is in the order of seeds."""
    seeds = rows["seed"].to_numpy()
    first, last = np.searchsorted(seeds, span.start), np.searchsorted(seeds, span.stop - 1, "right")
    return rows.slice(first, last - first)
