"""The state of a client's calls, for display during a run: calls in flight, failures by kind, the next attempt's time.

A call is idle while it queues (for its turn, for the budget, for an equal call) or waits between two attempts, and sent
until its reply or its failure is recorded. `Watch.close` ends idle calls at once; sent ones are paid for, and finished.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from msgspec import Struct
from msgspec.structs import replace

from antemill.llm.errors import CallDroppedError, CallError
from antemill.llm.limits import Clock, Limiter


class ModelState(Struct, kw_only=True):
    """The calls of one model at this moment, and what has become of them since the client was made. Times in seconds.

    `assumed`, `assumed_cost` and `under_way` are known to the store alone, see `antemill.llm.records.Totals`.
    """

    name: str
    in_flight: int = 0  # sent attempts without an answer
    queued: int = 0  # calls that wait for their turn
    retrying: int = 0  # calls that wait between two attempts
    retry_in: float | None = None  # until the next attempt, or until the end of the pause that the server asked for
    oldest: float | None = None  # the age of the oldest attempt in flight
    time_out_in: float | None = None  # the longest time until all attempts in flight have ended
    answered: int = 0
    cost: float = 0.0  # dollars
    assumed: int = 0
    assumed_cost: float = 0.0
    possible: float = 0.0  # the most dollars of attempts without an answer that may have been charged
    possible_attempts: int = 0
    under_way: float = 0.0
    errors: dict[str, int] = {}  # failed attempts by kind
    last_error: str = ""
    failing: int = 0  # attempts that failed after the last answer

    @property
    def busy(self) -> bool:
        """Whether any call of the model is in progress."""
        return bool(self.in_flight or self.queued or self.retrying)


class Ongoing:
    """One call in progress."""

    def __init__(self) -> None:
        self.scope = asyncio.timeout(None)  # expires when the call is dropped
        self.sent_at: float | None = None
        self.limit = 0.0  # seconds for the attempt
        self.retry_at: float | None = None


class Watch:
    """One model's calls and their results. closed: whether the client sends no more requests."""

    def __init__(self, name: str, limiter: Limiter, clock: Clock, closed: bool) -> None:
        self.clock = clock
        self.closed = closed
        self._limiter = limiter
        self._calls: set[Ongoing] = set()
        self._counts = ModelState(name=name)  # its totals

    def close(self) -> None:
        """Send no more requests: idle calls end immediately with CallDroppedError."""
        self.closed = True
        for call in self._calls:
            if call.sent_at is None and not call.scope.expired():
                call.scope.reschedule(0.0)

    def require_open(self) -> None:
        """Raise CallDroppedError if the client sends no more requests."""
        if self.closed:
            raise CallDroppedError

    @asynccontextmanager
    async def call(self) -> AsyncIterator[Ongoing]:
        """A block for one call. Raises CallDroppedError if the call was dropped."""
        call = Ongoing()
        self._calls.add(call)
        try:
            async with call.scope:
                self.require_open()
                yield call
        except TimeoutError:
            if not call.scope.expired():
                raise
            raise CallDroppedError from None
        finally:
            self._calls.discard(call)

    def answered(self, cost: float) -> None:
        """Count a reply."""
        self._counts.answered += 1
        self._counts.failing = 0
        self._counts.cost += cost

    def failed(self, error: CallError, risk: float) -> None:
        """Count a failed attempt. risk: dollars that it may have cost."""
        now = self._counts
        now.possible += risk
        now.possible_attempts += risk != 0
        now.errors[error.kind] = now.errors.get(error.kind, 0) + 1
        now.last_error = str(error)
        now.failing += 1

    def state(self) -> ModelState:
        """The state at this moment."""
        now = self.clock.monotonic()
        sent = [(now - call.sent_at, call.limit) for call in self._calls if call.sent_at is not None]
        retries = [call.retry_at - now for call in self._calls if call.retry_at is not None]
        idle = len(self._calls) - len(sent)
        waits = [self._limiter.paused] if idle and self._limiter.paused > 0 else []
        if retries:
            waits.append(max(0.0, min(retries)))
        return replace(
            self._counts,
            in_flight=len(sent),
            queued=idle - len(retries),
            retrying=len(retries),
            retry_in=max(waits, default=None),
            oldest=max((age for age, _ in sent), default=None),
            time_out_in=max((max(0.0, limit - age) for age, limit in sent), default=None),
            errors=dict(self._counts.errors),
        )
