"""The clock of the client: waits and durations by a clock that never jumps, and the time of day for the record only."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """What tests replace."""

    def monotonic(self) -> float:
        """Seconds from an arbitrary moment on; never jumps."""

    def time(self) -> float:
        """Unix seconds; may jump, and is only recorded."""

    async def sleep(self, seconds: float) -> None:
        """Wait."""


class SystemClock:
    """The machine's."""

    def monotonic(self) -> float:
        """Seconds from an arbitrary moment on."""
        return time.monotonic()

    def time(self) -> float:
        """Unix seconds."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)
