"""The progress of a best response: nodes visited by all threads, and an estimate of the total."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock
from typing import NamedTuple


class Streamed(NamedTuple):
    """The progress of a response."""

    nodes: int  # visited
    earlier: int  # those of them that an earlier run has visited
    total: float  # nodes, by the estimate; once parts are finished, extrapolated from them
    seconds: float  # of this run


OnProgress = Callable[[Streamed], None]


class Tally:
    """Counts the nodes that all threads visit, and reports them. sizes: estimated nodes of both responders' walks."""

    def __init__(self, on_progress: OnProgress | None, sizes: tuple[float, float]) -> None:
        self._on_progress, self._sizes, self._seat = on_progress, sizes, 0
        self._nodes, self._share = [0, 0], 0.0  # of each responder's walk; the finished share of this one's histories
        self._lock, self._begun, self._earlier = Lock(), time.monotonic(), 0

    def begin(self, seat: int) -> None:
        """Begin the walk of this responder."""
        self._seat, self._share = seat, 0.0

    def add(self, nodes: int, earlier: bool = False) -> None:
        """Count nodes that were visited, in this run or an earlier one."""
        with self._lock:
            self._nodes[self._seat] += nodes
            self._earlier += nodes if earlier else 0
            self._tell()

    def finish(self, share: float) -> None:
        """Note which share of the responder's histories is finished."""
        with self._lock:
            self._share = share
            self._tell()

    def _tell(self) -> None:
        if self._on_progress is None:
            return
        size, mine = self._sizes[self._seat], self._nodes[self._seat]
        scale = mine / self._share / max(1.0, size) if self._share > 0.05 else max(1.0, mine / max(1.0, size))
        total = scale * (sum(self._sizes) if self._seat == 0 else size) + (self._nodes[0] if self._seat else 0)
        self._on_progress(Streamed(sum(self._nodes), self._earlier, total, time.monotonic() - self._begun))
