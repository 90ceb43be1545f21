"""The limits for calls of a model: concurrent calls, requests per minute, and the waits between attempts.

The number of concurrent calls follows congestion as in TCP: it is halved when the server reports overload, at most once
for all calls in flight at that moment, rises with every answer up to the model's `concurrency`, and never falls below
one. After congestion all calls of the model pause: twice as long each time until one is answered, and at least as long
as the server asks. If a pause is longer than a call's deadline, the call fails at once. Retried calls go before new
ones, whose deadlines have not started. Requests per minute are spaced evenly.

The wait before another attempt of a call is the longer of the server's hint and exponential backoff with full jitter,
which spreads callers that failed together. A hint of 0 does not turn the backoff off.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from msgspec import Struct

from antemill.llm.clock import Clock
from antemill.llm.errors import AgainError, CallError
from antemill.llm.model import Model

_MINUTE = 60.0001  # seconds: rounding errors do not make a minute shorter
_RECOVERY = 16  # the most rounds of answers from a limit of one to the full limit
_LOOK = 30.0  # seconds after which a waiting call checks whether the pause has become too long
_PAUSE = 0.5  # seconds of the first pause, doubled each time
_LONGEST_PAUSE = 30.0


class Backoff(Struct, frozen=True):
    """The lengths of waits between attempts, in seconds."""

    base: float = 1.0
    cap: float = 30.0

    def wait(self, failed: int, error: CallError, rng: random.Random) -> float:
        """Seconds before the next attempt when `failed` (from 1) attempts have failed."""
        own = rng.uniform(0, min(self.cap, self.base * 2.0 ** min(failed, 30)))
        asked = 0.0 if error.retry_after is None else error.retry_after + rng.uniform(0, self.base)
        return max(own, asked)


class Limiter:
    """The limits of one model."""

    def __init__(self, model: Model, clock: Clock) -> None:
        now = clock.monotonic()
        self.limit = float(model.concurrency)  # concurrent calls at this moment
        self.active = 0
        self._ceiling = float(model.concurrency)
        self._clock = clock
        self._gateway = model.gateway
        self._patience = model.deadline
        self._retries: deque[asyncio.Future[None]] = deque()
        self._fresh: deque[asyncio.Future[None]] = deque()
        self._strikes = 0  # how often the limit has fallen after the last answer
        self._fell = float("-inf")  # when the limit last fell
        self._resume = now  # monotonic seconds: the end of the pause
        self._spacing = _MINUTE / model.requests_per_minute if model.requests_per_minute else 0.0  # seconds
        self._next = now  # monotonic seconds: the turn of the next request

    @property
    def paused(self) -> float:
        """Seconds until the end of the pause after congestion; 0 without one."""
        return max(0.0, self._resume - self._clock.monotonic())

    @asynccontextmanager
    async def slot(self, *, again: bool = False) -> AsyncIterator[float]:
        """A block for one attempt, which waits for the call's turn; when it began. again: whether it is a retry."""
        await self._enter(self._retries if again else self._fresh)
        try:
            await self._pace()
            yield self._clock.monotonic()
        finally:
            self.active -= 1
            self._wake()

    async def _enter(self, queue: deque[asyncio.Future[None]]) -> None:
        if self.active < int(self.limit) and not (self._retries or self._fresh):
            self.active += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # the call got its turn at the same moment
                self.active -= 1
                self._wake()
            raise

    def _wake(self) -> None:
        while (self._retries or self._fresh) and self.active < int(self.limit):
            turn = (self._retries or self._fresh).popleft()
            if not turn.done():
                self.active += 1
                turn.set_result(None)

    async def _pace(self) -> None:
        start = max(self._next, self._clock.monotonic())
        self._next = start + self._spacing
        while (rest := max(start, self._resume) - self._clock.monotonic()) > 0:
            if self.paused > self._patience:
                raise AgainError(
                    f"calls to {self._gateway} pause for {self.paused:.0f} s, which is longer than the deadline of "
                    f"{self._patience:g} s",
                    kind="paused",
                    retry_after=self.paused,
                )
            await self._clock.sleep(min(rest, _LOOK))

    def answered(self) -> None:
        """Raise the limit, since a call was answered."""
        self._strikes = 0
        step = max(1.0, self._ceiling / _RECOVERY)
        self.limit = min(self._ceiling, self.limit + step / self.limit)
        self._wake()

    def congested(self, started: float, retry_after: float | None) -> None:
        """Lower the limit, since the server is overloaded, and send no call until a pause is over. started: when the
        call that found it out began."""
        now = self._clock.monotonic()
        if started > self._fell:
            self._fell = now
            self.limit = max(1.0, self.limit / 2)
            self._strikes += 1
        pause = max(min(_LONGEST_PAUSE, _PAUSE * 2.0 ** min(self._strikes, 30)), retry_after or 0.0)
        self._resume = max(self._resume, now + pause)
