"""The clock of the client: waits and durations by a clock that never jumps, and the time of day for the record only."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """The time, and waiting: a client's own, so that tests can replace both."""

    def monotonic(self) -> float:
        """Seconds from an arbitrary moment on; never jumps."""

    def time(self) -> float:
        """Unix seconds; may jump, and is only recorded."""

    async def sleep(self, seconds: float) -> None:
        """Wait."""


class SystemClock:
    """The clock of the machine."""

    def monotonic(self) -> float:
        """Seconds from an arbitrary moment on."""
        return time.monotonic()

    def time(self) -> float:
        """The time in Unix seconds."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)
