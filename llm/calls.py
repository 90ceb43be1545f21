"""One call: attempts until one is answered, an error is permanent, or the deadline or the cost ends the call.

The deadline runs from the start of the first attempt, so that queueing behind the limits does not use it up. No attempt
starts after the deadline. A started attempt has its full time-out, because its answer is paid for. The budget's
reservation and the limiter's slot are held only during an attempt, never during a wait between attempts. A call is
given up when `UNANSWERED` of its attempts may have been charged without an answer (malformed, broken off, timed out),
so that the client does not go on paying without result.

An attempt is recorded before it is sent, with the most that it can cost, and its row is updated before the reservation
is returned. So every payment is on record, however the process ends.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

import msgspec
from msgspec import Struct

from antemill.llm.activity import Ongoing, Watch
from antemill.llm.budget import Budget, Reservation
from antemill.llm.clock import Clock
from antemill.llm.errors import AgainError, CallError, StoreLockedError, timed_out
from antemill.llm.estimate import believed, charged
from antemill.llm.limits import Limiter, Slot
from antemill.llm.model import Model
from antemill.llm.records import SENT, Attempt, Call
from antemill.llm.retry import Backoff
from antemill.llm.store import CallStore
from antemill.llm.types import Answer, Reply, Request

UNANSWERED = 3  # the most attempts of a call that may have been charged without an answer
BODY_KEPT = 1 << 16  # the most characters that are kept of a failed attempt's response
LOCK_PATIENCE = 60.0  # seconds to wait for a locked store
LOCK_PAUSE = 0.1

_log = logging.getLogger("antemill.llm")
T = TypeVar("T")


class Question(Struct, frozen=True):
    """A request to one model, ready to be sent."""

    model: Model
    request: Request
    body: bytes
    key: str  # of the stored reply
    tokens: int  # of the prompt, estimated
    worst: float  # the most dollars that an attempt can cost
    schema: bool  # whether the request's schema is in the body


class CallResources(Struct, frozen=True):
    """The objects that all calls of a model use."""

    store: CallStore
    budget: Budget
    limiter: Limiter
    clock: Clock
    backoff: Backoff
    rng: random.Random
    send: Callable[[Question, float], Awaitable[tuple[str, Answer]]]  # with the time-out in seconds; raises CallError
    hide: Callable[[str], str]  # removes keys from a text
    watch: Watch


def stored_key(model: Model, body: bytes, sample: str) -> str:
    """The key of a stored reply: a hash of protocol, base URL, model, the whole body and the sample."""
    parts = (model.protocol, model.url, model.remote, body.decode(), sample)
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


async def retried_while_locked(action: Callable[[], T], clock: Clock, ongoing: Ongoing) -> T:
    """Use the store. While another process locks it, wait without blocking the event loop. Raises StoreError."""
    end = clock.monotonic() + LOCK_PATIENCE
    try:
        while True:
            try:
                return action()
            except StoreLockedError:
                if clock.monotonic() >= end:
                    raise
            ongoing.locked_until = end
            await clock.sleep(LOCK_PAUSE)
    finally:
        ongoing.locked_until = None


class CallRun:
    """One call, from its first attempt to a reply or an error."""

    def __init__(self, question: Question, resources: CallResources, ongoing: Ongoing) -> None:
        self._question = question
        self._resources = resources
        self._ongoing = ongoing
        self._time = resources.clock.time()
        self._began = resources.clock.monotonic()
        self._started = self._began  # of the current attempt
        self._deadline = float("inf")
        self._sent: int | None = None  # row of the current attempt
        self._failed: list[int] = []  # rows of failed attempts
        self._unanswered = 0  # failed attempts that may have been charged
        self._error: CallError | None = None  # of the last attempt

    async def run(self) -> Reply:
        """The reply, stored. Raises CallError, BudgetExceededError, CallDroppedError, StoreError."""
        while True:
            try:
                return await self._attempt()
            except CallError as error:
                wait = await self._after(error)
            self._ongoing.waits(wait)
            await self._resources.clock.sleep(wait)

    async def _attempt(self) -> Reply:
        async with self._resources.budget.reserve(self._question.worst) as reservation:
            try:
                raw, answer = await self._exchanged(reservation)
            except CallError as error:
                await self._record(error)
                raise
            return await self._answered(raw, answer)

    async def _exchanged(self, reservation: Reservation) -> tuple[str, Answer]:
        """Make one attempt within the limits. If it is interrupted and may be billed, the reservation is charged."""
        question, resources = self._question, self._resources
        model = question.model
        async with resources.limiter.slot(question.tokens, again=bool(self._failed)) as slot:
            self._started = slot.started
            self._deadline = min(self._deadline, slot.started + model.deadline)
            if slot.started >= self._deadline:
                raise self._error or timed_out("its deadline has passed", billed=False)
            limit = min(model.timeout, model.deadline)
            await self._begin(reservation)
            self._ongoing.sent(limit, question.worst)
            reservation.pay(question.worst, answered=False)
            try:
                raw, answer = await resources.send(question, limit)
            except CallError as error:
                reservation.pay(self._risk(error), answered=False)
                self._slow_down(slot, error)
                raise
            most = question.request.max_output or model.max_output
            usage = believed(answer.usage, len(question.body), most, question.worst)
            usage = charged(model, usage, question.worst)
            reservation.pay(usage.cost)
            resources.limiter.used(slot, usage.input + usage.output)
            resources.limiter.answered()
            self._ongoing.answered(usage)
            return raw, msgspec.structs.replace(answer, usage=usage)

    async def _begin(self, reservation: Reservation) -> None:
        """Record the attempt. Until it is recorded the call is idle and can be dropped."""
        resources, question = self._resources, self._question
        attempt = self._row(SENT, "sent; no answer has been read", question.worst)
        admit = functools.partial(resources.budget.admit, reservation)

        def begin() -> int:
            self._ongoing.require_open()
            return resources.store.begin(attempt, admit)

        self._sent = await retried_while_locked(begin, resources.clock, self._ongoing)

    def _slow_down(self, slot: Slot, error: CallError) -> None:
        self._resources.limiter.used(slot, 0)
        if error.congested:
            self._resources.limiter.congested(slot, error.retry_after)

    async def _after(self, error: CallError) -> float:
        """The seconds to wait before another attempt. Raises the error if there is none."""
        resources, now = self._resources, self._resources.clock.monotonic()
        self._deadline = min(self._deadline, now + self._question.model.deadline)  # infinite if nothing was sent
        wait = resources.backoff.wait(len(self._failed), error, resources.rng)
        again = isinstance(error, AgainError) and self._unanswered < UNANSWERED
        if again and now + wait < self._deadline:
            _log.info(
                "%s: attempt %d failed, next in %.1f s: %s", self._question.model.name, len(self._failed), wait, error
            )
            return wait
        raise await self._given_up(error)

    async def _record(self, error: CallError) -> None:
        resources = self._resources
        if error is self._error:  # the deadline passed while the call queued for another attempt
            return
        self._error = error
        self._unanswered += error.billed
        error.args = (resources.hide(str(error)),)
        error.body = resources.hide(error.body)[:BODY_KEPT]
        self._ongoing.failed(error, self._risk(error))
        attempt = msgspec.structs.replace(
            self._row(error.kind, str(error), self._risk(error)),
            seconds=resources.clock.monotonic() - self._started,
            status=error.status,
            body=error.body,
            retry_after=error.retry_after,
        )
        sent, self._sent = self._sent, None
        self._failed.append(
            await retried_while_locked(
                lambda: resources.store.add_attempt(attempt) if sent is None else resources.store.fail(sent, attempt),
                resources.clock,
                self._ongoing,
            )
        )

    def _risk(self, error: CallError) -> float:
        """Dollars that may have been charged for the failed attempt."""
        return self._question.worst if error.billed else 0.0

    def _row(self, error: str, message: str, risk: float) -> Attempt:
        return Attempt(
            key=self._question.key,
            model=self._question.model.name,
            number=len(self._failed) + 1,
            time=self._resources.clock.time(),
            seconds=0.0,
            status=None,
            error=error,
            message=message,
            body="",
            retry_after=None,
            risk=risk,
        )

    async def _given_up(self, error: CallError) -> CallError:
        """Store the failed call. Returns the error with the model's name."""
        error.attempts, error.model = len(self._failed), self._question.model.name
        call = msgspec.structs.replace(
            self._call(), status="failed", error=f"{error.kind}: {error}", attempts=error.attempts
        )
        error.call = await self._stored(call)
        tries = f" after {error.attempts} attempts" if error.attempts > 1 else ""
        error.args = (f'The model "{call.model}" gave no answer{tries}: {error}.',)
        return error

    async def _answered(self, raw: str, answer: Answer) -> Reply:
        resources = self._resources
        call = msgspec.structs.replace(
            self._call(),
            served=resources.hide(answer.model),
            finish=answer.finish,
            text=resources.hide(answer.text),
            reply=resources.hide(raw),
            usage=answer.usage,
            seconds=resources.clock.monotonic() - self._started,
            attempts=len(self._failed) + 1,
        )
        if answer.provider:
            call = msgspec.structs.replace(call, gateway=f"{call.gateway}/{resources.hide(answer.provider)}")
        cut = ""
        if answer.usage.counted and answer.usage.input and not self._question.model.scripted:
            size = sum(len(message.text.encode(errors="replace")) for message in self._question.request.messages)
            cut = resources.watch.cutting.noticed(size, answer.usage.input)
        row = await self._stored(call)
        return Reply(
            text=call.text,
            finish=answer.finish,
            usage=call.usage,
            seconds=call.seconds,
            attempts=call.attempts,
            stored=False,
            call=row,
            model=call.model,
            gateway=call.gateway,
            schema=self._question.schema,
            cut=cut,
        )

    def _call(self) -> Call:
        """The row of a call without an answer."""
        question, resources = self._question, self._resources
        model, request = question.model, question.request
        return Call(
            key=question.key,
            model=model.name,
            protocol=model.protocol,
            gateway=model.gateway,
            remote=model.remote,
            sample=request.sample,
            purpose=request.purpose,
            status="ok",
            request=resources.hide(question.body.decode()),
            prompt_hash=hashlib.sha256(msgspec.json.encode(request.messages)).hexdigest(),
            time=self._time,
            total_seconds=resources.clock.monotonic() - self._began,
            attempts=0,
        )

    async def _stored(self, call: Call) -> int:
        sent, self._sent = self._sent, None
        return await retried_while_locked(
            lambda: self._resources.store.add(call, self._failed, sent), self._resources.clock, self._ongoing
        )
