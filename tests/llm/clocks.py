"""Clocks for tests: one whose waits take no time, and one on which nothing else does."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import time
from collections.abc import Coroutine
from typing import Any, TypeVar

from antemill.llm import Clock

T = TypeVar("T")


class QuickClock(Clock):
    """The machine's time, but waits return at once and are added to it; for tests with real connections."""

    def __init__(self) -> None:
        self.slept: list[float] = []
        self.jump = 0.0  # of the time of day

    def monotonic(self) -> float:
        """Seconds, with those that were slept."""
        return time.monotonic() + sum(self.slept)

    def time(self) -> float:
        """Unix seconds."""
        return time.time() + self.jump

    async def sleep(self, seconds: float) -> None:
        """Let others run once."""
        self.slept.append(seconds)
        await asyncio.sleep(0)


class SteppedClock(Clock):
    """Time that passes only by waiting, and a little with each reading: the same on every machine."""

    def __init__(self) -> None:
        self.now = 1e9

    def monotonic(self) -> float:
        """Seconds."""
        return self.now

    def time(self) -> float:
        """As `monotonic`, and never the same twice."""
        self.now += 1e-6
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Let others run once."""
        self.now += seconds
        await asyncio.sleep(0)


class VirtualClock(Clock):
    """Time that stands still until every task waits, and then goes on to the first one that wakes."""

    def __init__(self) -> None:
        self.now = 0.0
        self._order = itertools.count()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []

    def monotonic(self) -> float:
        """Seconds since the begin."""
        return self.now

    def time(self) -> float:
        """As `monotonic`."""
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Wait in virtual time."""
        wake = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self.now + seconds, next(self._order), wake))
        await wake

    def run(self, main: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine that waits for nothing but this clock and other tasks of its own."""
        return asyncio.run(self._run(main))

    async def _run(self, main: Coroutine[Any, Any, T]) -> T:
        task = asyncio.ensure_future(main)
        while not task.done():
            for _ in range(20):  # as many steps as tasks need to hand each other something
                await asyncio.sleep(0)
            if not task.done():
                assert self._sleepers, "every task waits, and none would ever wake"
                self.now, _, wake = heapq.heappop(self._sleepers)
                if not wake.done():
                    wake.set_result(None)
        return task.result()
