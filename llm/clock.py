"""The clock of the client: a monotonic clock for waits and durations, and the time of day for records only."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """The time and the waits of a client, which tests can replace."""

    def monotonic(self) -> float:
        """Seconds from an arbitrary moment on; never jumps."""

    def time(self) -> float:
        """Unix seconds. They may jump, so they are only recorded."""

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
