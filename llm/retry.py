"""When to try again: after what the server asks for, else after exponential backoff with full jitter.

The n-th wait is uniform between 0 and base * 2^n, at most `cap` (full jitter spreads callers that failed together).
What the server asks for is never shortened; a wait that would pass the deadline is not begun.
"""

from __future__ import annotations

import random

from msgspec import Struct

from antemill.llm.errors import CallError


class Backoff(Struct, frozen=True):
    """How long a call waits before it is tried again."""

    base: float = 1.0
    cap: float = 30.0

    def wait(self, failed: int, error: CallError, rng: random.Random) -> float:
        """Seconds before the next attempt when `failed` (from 1) attempts have failed."""
        if error.retry_after is not None:
            return error.retry_after + rng.uniform(0, self.base)
        return rng.uniform(0, min(self.cap, self.base * 2.0 ** min(failed, 30)))
