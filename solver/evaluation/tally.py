"""How far a best response is: nodes visited by all threads, and how many there will be."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock
from typing import NamedTuple


class Streamed(NamedTuple):
    """How far a response is."""

    nodes: int  # visited
    earlier: int  # those of them that an earlier run has visited
    total: float  # nodes, by the estimate and, once parts are finished, by them
    seconds: float  # of this run


Told = Callable[[Streamed], None]


class Tally:
    """Counts the nodes that all threads visit, and tells somebody. sizes: of both responders' walks, by an estimate."""

    def __init__(self, told: Told | None, sizes: tuple[float, float]) -> None:
        self._told, self._sizes, self._seat = told, sizes, 0
        self._nodes, self._share = [0, 0], 0.0  # of each responder's walk; how much of this one's histories are done
        self._lock, self._begun, self._earlier = Lock(), time.monotonic(), 0

    def begin(self, seat: int) -> None:
        """What follows belongs to this responder."""
        self._seat, self._share = seat, 0.0

    def add(self, nodes: int, earlier: bool = False) -> None:
        """So many nodes were visited, now or by an earlier run."""
        with self._lock:
            self._nodes[self._seat] += nodes
            self._earlier += nodes if earlier else 0
            self._tell()

    def finish(self, share: float) -> None:
        """So much of the responder's histories is done."""
        with self._lock:
            self._share = share
            self._tell()

    def _tell(self) -> None:
        if self._told is None:
            return
        size, mine = self._sizes[self._seat], self._nodes[self._seat]
        scale = mine / self._share / max(1.0, size) if self._share > 0.05 else max(1.0, mine / max(1.0, size))
        total = scale * (sum(self._sizes) if self._seat == 0 else size) + (self._nodes[0] if self._seat else 0)
        self._told(Streamed(sum(self._nodes), self._earlier, total, time.monotonic() - self._begun))
