"""The limits for calls: concurrent calls, requests per minute, waits between attempts, dollars.

The number of concurrent calls follows congestion as in TCP: it is halved when the server reports overload, at most once
for all calls in flight at that moment, rises with every answer up to the model's `concurrency`, and never falls below
one. After congestion all calls of the model pause: twice as long each time until one is answered, and at least as long
as the server asks. If a pause is longer than a call's deadline, the call fails at once. Retried calls go before new
ones, whose deadlines have not started. Requests per minute are spaced evenly.

The wait before another attempt of a call is the longer of the server's hint and exponential backoff with full jitter,
which spreads callers that failed together. A hint of 0 does not turn the backoff off.

A budget is a hard cap in dollars. A call reserves the most that it can cost before it is sent. One that fits the cap,
but not together with the reservations of calls in flight, waits for those to end, so that the cap is used in full. A
folder's lock leaves its calls to one process, whose budget begins with what is on record.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from msgspec import Struct

from antemill.llm.errors import AgainError, BudgetExceededError, CallError
from antemill.llm.model import Model
from antemill.llm.prices import dollar_text

_MINUTE = 60.0001  # seconds: rounding errors do not make a minute shorter
_RECOVERY = 16  # the most rounds of answers from a limit of one to the full limit
_LOOK = 30.0  # seconds after which a waiting call checks whether the pause has become too long
_PAUSE = 0.5  # seconds of the first pause, doubled each time
_LONGEST_PAUSE = 30.0
_DUST = 1e-12  # dollars, of rounding


class Clock:
    """The clock of the machine: monotonic for waits and durations, the time of day for records only."""

    def monotonic(self) -> float:
        """Seconds from an arbitrary moment on; never jumps."""
        return time.monotonic()

    def time(self) -> float:
        """Unix seconds. They may jump, so they are only recorded."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


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


class Reservation:
    """The dollars reserved for one call. Without `pay` all of it is returned to the budget."""

    def __init__(self, amount: float) -> None:
        self.amount = amount
        self.cost = 0.0
        self.answered = True  # False if `cost` may have been charged without an answer

    def pay(self, dollars: float, answered: bool = True) -> None:
        """Set the cost of the call, or without an answer the cost that it may have."""
        self.cost, self.answered = dollars, answered


class Budget:
    """The dollars that all clients of one event loop share.

    spent: by earlier sessions. possible: the part of `spent` for attempts without an answer that may have been charged.
    """

    def __init__(self, dollars: float, spent: float = 0.0, possible: float = 0.0) -> None:
        if not dollars >= 0 or not spent >= possible >= 0:
            raise ValueError("dollars and spent must not be negative, nor less than what is possible of it")
        self.dollars = dollars
        self.spent = spent
        self.possible = possible
        self.reserved = 0.0
        self._released: asyncio.Event | None = None

    @property
    def left(self) -> float:
        """Dollars neither spent nor reserved."""
        return self.dollars - self.spent - self.reserved

    @asynccontextmanager
    async def reserve(self, amount: float) -> AsyncIterator[Reservation]:
        """Reserve `amount` for a block. Raises BudgetExceededError if it exceeds the dollars that are not spent.

        The caller enters it before it takes a slot of a Limiter, and leaves it before it waits for another attempt.
        """
        while amount > self.left and amount > 0:
            if amount > self.dollars - self.spent or self.reserved <= 0:
                raise self._used_up(amount)
            self._released = self._released or asyncio.Event()
            await self._released.wait()
        reservation = Reservation(amount)
        self.reserved += amount
        try:
            yield reservation
        finally:
            self.spent += reservation.cost
            self.possible += 0.0 if reservation.answered else reservation.cost
            self._release(amount)

    def _used_up(self, amount: float) -> BudgetExceededError:
        """The error for a call that may not be sent: the parts of the budget, and the dollars that the call needs."""
        possible = (
            f" ({dollar_text(self.possible)} of it possibly, for attempts without an answer)"
            if self.possible > _DUST
            else ""
        )
        reserved = f", {dollar_text(self.reserved)} is reserved for calls in progress" if self.reserved else ""
        return BudgetExceededError(
            f"The budget of {dollar_text(self.dollars, 2)} cannot cover the next call, "
            f"which may cost up to {dollar_text(amount)}: {dollar_text(self.spent)} is spent{possible}{reserved}"
        )

    def _release(self, amount: float) -> None:
        self.reserved = max(0.0, self.reserved - amount)
        if self.reserved < _DUST:
            self.reserved = 0.0  # no other call would wait for it
        if self._released is not None:
            self._released.set()
            self._released = None
