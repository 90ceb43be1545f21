"""One call: attempts until one is answered, an error is permanent, or the deadline or the cost ends the call.

The deadline runs from the start of the first attempt, so that queueing does not use it up. No attempt starts after it;
one that has started has its full time-out, because its answer is paid for. Reservation and slot are held only during an
attempt. A call is given up when `UNANSWERED` of its attempts may have been charged without an answer.

An attempt is recorded before it is sent, with the most that it can cost, and its row is updated before the reservation
is returned. So every payment is on record, however the process ends.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Awaitable, Callable

import msgspec
from msgspec import Struct

from antemill.llm.activity import Ongoing, Watch
from antemill.llm.errors import AgainError, CallError, timed_out
from antemill.llm.estimate import Cutting, charged
from antemill.llm.limits import Backoff, Budget, Clock, Limiter, Reservation
from antemill.llm.model import Model
from antemill.llm.records import SENT, Attempt, Call
from antemill.llm.store import CallStore
from antemill.llm.types import Answer, Reply, Request

UNANSWERED = 3  # the most attempts of a call that may have been charged without an answer
BODY_KEPT = 1 << 16  # the most characters that are kept of a failed attempt's response


class Question(Struct, frozen=True):
    """A request to one model, ready to be sent."""

    model: Model
    request: Request
    body: bytes
    key: str  # of the stored reply
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
    cutting: Cutting


def stored_key(model: Model, body: bytes, sample: str) -> str:
    """The key of a stored reply: a hash of protocol, base URL, model, the whole body and the sample."""
    parts = (model.protocol, model.url, model.remote, body.decode(), sample)
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


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
                wait = self._after(error)
            self._ongoing.sent_at, self._ongoing.retry_at = None, self._resources.clock.monotonic() + wait
            self._resources.watch.require_open()
            await self._resources.clock.sleep(wait)

    async def _attempt(self) -> Reply:
        async with self._resources.budget.reserve(self._question.worst) as reservation:
            try:
                raw, answer = await self._exchanged(reservation)
            except CallError as error:
                self._record(error)
                raise
            return self._answered(raw, answer)

    async def _exchanged(self, reservation: Reservation) -> tuple[str, Answer]:
        """Make one attempt within the limits. If it is interrupted and may be billed, the reservation is charged."""
        question, resources, model = self._question, self._resources, self._question.model
        async with resources.limiter.slot(again=bool(self._failed)) as started:
            self._started = started
            self._deadline = min(self._deadline, started + model.deadline)
            if started >= self._deadline:
                raise self._error or timed_out("its deadline has passed", billed=False)
            resources.watch.require_open()
            sent = self._row(SENT, "sent; no answer has been read", question.worst)
            self._sent = resources.store.add_attempt(sent)
            self._ongoing.sent_at, self._ongoing.limit, self._ongoing.retry_at = started, model.timeout, None
            reservation.pay(question.worst, answered=False)
            try:
                raw, answer = await resources.send(question, model.timeout)
            except CallError as error:
                reservation.pay(self._risk(error), answered=False)
                if error.congested:
                    resources.limiter.congested(started, error.retry_after)
                raise
            usage = charged(model, answer.usage, question.worst)
            reservation.pay(usage.cost)
            resources.limiter.answered()
            resources.watch.answered(usage.cost)
            return raw, msgspec.structs.replace(answer, usage=usage)

    def _after(self, error: CallError) -> float:
        """The seconds to wait before another attempt. Raises the error if there is none."""
        resources, now = self._resources, self._resources.clock.monotonic()
        self._deadline = min(self._deadline, now + self._question.model.deadline)  # infinite if nothing was sent
        wait = resources.backoff.wait(len(self._failed), error, resources.rng)
        if isinstance(error, AgainError) and self._unanswered < UNANSWERED and now + wait < self._deadline:
            return wait
        raise self._given_up(error)

    def _record(self, error: CallError) -> None:
        resources = self._resources
        if error is self._error:  # the deadline passed while the call queued for another attempt
            return
        self._error = error
        self._unanswered += error.billed
        error.args = (resources.hide(str(error)),)
        error.body = resources.hide(error.body)[:BODY_KEPT]
        resources.watch.failed(error, self._risk(error))
        attempt = msgspec.structs.replace(
            self._row(error.kind, str(error), self._risk(error)),
            seconds=resources.clock.monotonic() - self._started,
            status=error.status,
            body=error.body,
            retry_after=error.retry_after,
        )
        store, sent, self._sent = resources.store, self._sent, None
        self._failed.append(store.add_attempt(attempt) if sent is None else store.fail(sent, attempt))

    def _risk(self, error: CallError) -> float:
        """Dollars that may have been charged for the failed attempt."""
        return self._question.worst if error.billed else 0.0

    def _row(self, error: str, message: str, risk: float) -> Attempt:
        return Attempt(
            key=self._question.key,
            model=self._question.model.name,
            number=len(self._failed) + 1,
            time=self._resources.clock.time(),
            error=error,
            message=message,
            risk=risk,
        )

    def _given_up(self, error: CallError) -> CallError:
        """Store the failed call. Returns the error with the model's name."""
        error.attempts, error.model = len(self._failed), self._question.model.name
        error.call = self._stored(status="failed", error=f"{error.kind}: {error}", attempts=error.attempts)
        tries = f" after {error.attempts} attempts" if error.attempts > 1 else ""
        error.args = (f'The model "{error.model}" gave no answer{tries}: {error}.',)
        return error

    def _answered(self, raw: str, answer: Answer) -> Reply:
        resources, question = self._resources, self._question
        gateway = question.model.gateway
        row = self._stored(
            served=resources.hide(answer.model),
            finish=answer.finish,
            text=resources.hide(answer.text),
            reply=resources.hide(raw),
            usage=answer.usage,
            seconds=resources.clock.monotonic() - self._started,
            attempts=len(self._failed) + 1,
            gateway=f"{gateway}/{resources.hide(answer.provider)}" if answer.provider else gateway,
        )
        cut = ""
        if answer.usage.counted and answer.usage.input and not question.model.scripted:
            size = sum(len(message.text.encode(errors="replace")) for message in question.request.messages)
            cut = resources.cutting.noticed(size, answer.usage.input)
        reply = resources.store.find(question.key)
        assert reply is not None
        return msgspec.structs.replace(reply, call=row, stored=False, schema=question.schema, cut=cut)

    def _stored(self, **result: object) -> int:
        """Store the call with its result. Returns its row."""
        question, resources, model = self._question, self._resources, self._question.model
        call = Call(
            key=question.key,
            model=model.name,
            protocol=model.protocol,
            gateway=model.gateway,
            remote=model.remote,
            sample=question.request.sample,
            purpose=question.request.purpose,
            request=resources.hide(question.body.decode()),
            prompt_hash=hashlib.sha256(msgspec.json.encode(question.request.messages)).hexdigest(),
            time=self._time,
            total_seconds=resources.clock.monotonic() - self._began,
        )
        sent, self._sent = self._sent, None
        return resources.store.add(msgspec.structs.replace(call, **result), self._failed, sent)
