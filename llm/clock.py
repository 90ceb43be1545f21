"""The clock of the client: a monotonic clock for waits and durations, and the time of day for records only."""

from __future__ import annotations

import asyncio
import time


class Clock:
    """The clock of the machine. Tests put others in its place."""

    def monotonic(self) -> float:
        """Seconds from an arbitrary moment on; never jumps."""
        return time.monotonic()

    def time(self) -> float:
        """Unix seconds. They may jump, so they are only recorded."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)
