"""The wait before another attempt: the longer of the server's hint and exponential backoff with full jitter.

The n-th wait is uniform between 0 and base * 2^n, at most `cap` (full jitter spreads callers that failed together). The
server's hint is never shortened, and a hint of 0 does not turn the backoff off. A wait that would end after the
deadline does not begin.
"""

from __future__ import annotations

import random

from msgspec import Struct

from antemill.llm.errors import CallError


class Backoff(Struct, frozen=True):
    """The lengths of waits between attempts, in seconds."""

    base: float = 1.0
    cap: float = 30.0

    def wait(self, failed: int, error: CallError, rng: random.Random) -> float:
        """Seconds before the next attempt when `failed` (from 1) attempts have failed."""
        own = rng.uniform(0, min(self.cap, self.base * 2.0 ** min(failed, 30)))
        asked = 0.0 if error.retry_after is None else error.retry_after + rng.uniform(0, self.base)
        return max(own, asked)
