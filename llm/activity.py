"""The state of a client, for display during a run: calls sent, failures by kind, rates, and the next attempt's time.

A call is idle while it queues (for its turn, for the budget, for an equal call) or waits between two attempts. It is
sent from the moment its request leaves until its reply or its failure is recorded. `Door.close` ends idle calls
immediately and waits for the replies of sent calls, because they are paid for. Calls that fail after it are not
retried.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from msgspec import Struct

from antemill.llm.clock import Clock
from antemill.llm.cutting import Cutting
from antemill.llm.errors import CallDroppedError, CallError
from antemill.llm.limits import Limiter
from antemill.llm.model import Model
from antemill.llm.types import Usage

_MINUTE = 60.0


class ModelState(Struct, frozen=True, kw_only=True):
    """The calls of one model at this moment, and their totals since the client was made. Times in seconds."""

    name: str
    in_flight: int = 0  # sent attempts without an answer
    queued: int = 0  # calls that wait for their turn
    retrying: int = 0  # calls that wait between two attempts
    retry_in: float | None = None  # until the next attempt, or until the end of the pause that the server asked for
    oldest: float | None = None  # the age of the oldest attempt in flight
    time_out_in: float | None = None  # the longest time until all attempts in flight have ended
    locked: float | None = None  # the longest time until calls give up waiting for a store that another program locks
    requests_per_minute: int = 0  # sent within the last minute
    requests_limit: float | None = None
    tokens_per_minute: int = 0  # of the replies that arrived within the last minute, read and written
    tokens_limit: float | None = None
    answered: int = 0
    cost: float = 0.0  # dollars
    assumed: int = 0  # answers without usable token counts, charged at their largest possible cost
    assumed_cost: float = 0.0  # dollars of those, a part of `cost`
    possible: float = 0.0  # the most dollars of attempts without an answer that may have been charged
    possible_attempts: int = 0
    under_way: float = 0.0  # the most dollars of the attempts in flight; not part of `possible`
    errors: dict[str, int] = {}  # failed attempts by kind
    last_error: str = ""
    failing: int = 0  # attempts that failed after the last answer

    @property
    def busy(self) -> bool:
        """Whether any call of the model is in progress."""
        return bool(self.in_flight or self.queued or self.retrying)


class Door:
    """The switch that stops a client from sending requests; all of its calls share it."""

    def __init__(self) -> None:
        self.closed = False
        self._calls: set[Ongoing] = set()

    def close(self) -> None:
        """Send no more requests: idle calls end immediately with CallDroppedError."""
        self.closed = True
        for call in list(self._calls):
            call.drop_if_idle()

    @asynccontextmanager
    async def call(self, watch: Watch) -> AsyncIterator[Ongoing]:
        """A block for one call. Raises CallDroppedError if the call was dropped."""
        call = Ongoing(watch, self)
        self._calls.add(call)
        watch.calls.add(call)
        try:
            async with call.scope:
                call.require_open()
                yield call
        except TimeoutError:
            if not call.scope.expired():
                raise
            raise CallDroppedError from None
        finally:
            self._calls.discard(call)
            watch.calls.discard(call)


class Ongoing:
    """One call in progress."""

    def __init__(self, watch: Watch, door: Door) -> None:
        self.scope = asyncio.timeout(None)  # expires when the call is dropped
        self.sent_at: float | None = None
        self.limit = 0.0  # seconds for the attempt
        self.worst = 0.0  # the most dollars that the attempt can cost
        self.retry_at: float | None = None
        self.locked_until: float | None = None  # the time at which it stops waiting for a locked store
        self._watch = watch
        self._door = door

    def require_open(self) -> None:
        """Raise CallDroppedError if the client sends no more requests."""
        if self._door.closed:
            raise CallDroppedError

    def drop_if_idle(self) -> None:
        """End the call if none of its attempts is in flight. A call that is already ending is left alone."""
        if self.sent_at is None and not self.scope.expired():
            self.scope.reschedule(0.0)

    def sent(self, limit: float, worst: float) -> None:
        """Record that the request is sent; or raise CallDroppedError if the door is closed.

        limit: seconds for the attempt. worst: the most dollars that it can cost.
        """
        self.require_open()
        self.sent_at, self.limit, self.worst = self._watch.clock.monotonic(), limit, worst
        self.retry_at = None
        self._watch.sent(self.sent_at)

    def answered(self, usage: Usage) -> None:
        """Record the arrival of a reply. The call counts as sent until the reply is stored."""
        self.worst = 0.0
        self._watch.answered(usage)

    def failed(self, error: CallError, risk: float) -> None:
        """Record a failed attempt, which is not stored yet. risk: dollars that it may have cost."""
        self.worst = 0.0
        self._watch.failed(error, risk)

    def waits(self, seconds: float) -> None:
        """Become idle until the next attempt. Raises CallDroppedError if the door is closed."""
        self.sent_at, self.retry_at = None, self._watch.clock.monotonic() + seconds
        self.require_open()


class Watch:
    """One model's calls and their results."""

    def __init__(self, model: Model, limiter: Limiter, clock: Clock) -> None:
        self.clock = clock
        self.calls: set[Ongoing] = set()
        self.cutting = Cutting()
        self._model = model
        self._limiter = limiter
        self._requests: deque[tuple[float, int]] = deque()
        self._tokens: deque[tuple[float, int]] = deque()
        self._errors: Counter[str] = Counter()
        self._last_error = ""
        self._answered = self._failing = 0
        self._cost = self._assumed_cost = self._possible = 0.0
        self._assumed = self._possible_attempts = 0

    def sent(self, now: float) -> None:
        """Count a request at the moment it is sent."""
        _count(self._requests, now, 1)

    def answered(self, usage: Usage) -> None:
        """Count a reply."""
        _count(self._tokens, self.clock.monotonic(), usage.input + usage.output)
        self._answered += 1
        self._failing = 0
        self._cost += usage.cost
        if usage.assumed:
            self._assumed += 1
            self._assumed_cost += usage.cost

    def failed(self, error: CallError, risk: float) -> None:
        """Count a failed attempt. risk: dollars that it may have cost."""
        self._possible += risk
        self._possible_attempts += risk != 0
        self._errors[error.kind] += 1
        self._last_error = str(error)
        self._failing += 1

    def state(self) -> ModelState:
        """The state at this moment."""
        now = self.clock.monotonic()
        sent = [(now - call.sent_at, call.limit) for call in self.calls if call.sent_at is not None]
        retries = [call.retry_at - now for call in self.calls if call.retry_at is not None]
        idle = len(self.calls) - len(sent)
        locked = [call.locked_until - now for call in self.calls if call.locked_until is not None]
        waits = [self._limiter.paused] if idle and self._limiter.paused > 0 else []
        if retries:
            waits.append(max(0.0, min(retries)))
        return ModelState(
            name=self._model.name,
            in_flight=len(sent),
            queued=idle - len(retries),
            retrying=len(retries),
            retry_in=max(waits) if waits else None,
            oldest=max((age for age, _ in sent), default=None),
            time_out_in=max((max(0.0, limit - age) for age, limit in sent), default=None),
            locked=max(0.0, max(locked)) if locked else None,
            requests_per_minute=_sum(self._requests, now),
            requests_limit=self._model.requests_per_minute,
            tokens_per_minute=_sum(self._tokens, now),
            tokens_limit=self._model.tokens_per_minute,
            answered=self._answered,
            cost=self._cost,
            assumed=self._assumed,
            assumed_cost=self._assumed_cost,
            possible=self._possible,
            possible_attempts=self._possible_attempts,
            under_way=sum(call.worst for call in self.calls if call.sent_at is not None),
            errors=dict(self._errors),
            last_error=self._last_error,
            failing=self._failing,
        )


def _count(counts: deque[tuple[float, int]], now: float, amount: int) -> None:
    """Add to a minute's count; amounts within the same tenth of a second become one entry."""
    if counts and now - counts[-1][0] < 0.1:
        counts[-1] = counts[-1][0], counts[-1][1] + amount
    else:
        counts.append((now, amount))
    _forget(counts, now)


def _sum(counts: deque[tuple[float, int]], now: float) -> int:
    _forget(counts, now)
    return sum(amount for _, amount in counts)


def _forget(counts: deque[tuple[float, int]], now: float) -> None:
    while counts and now - counts[0][0] >= _MINUTE:
        counts.popleft()
