"""Asking models: returns the stored reply if there is one; otherwise makes attempts within the deadline and the cost.

    ask ── key ── stored? ── no ──▶ budget ─▶ limiter ─▶ attempt ──answered──▶ store ─▶ Reply
                    │ yes              ▲                    │ failed: recorded
                    ▼                  └─────── wait ◀──────┴── in the end: stored as failed, and raised
               Reply(stored=True)

Calls with the same key wait for each other, so that only one of them is paid for. Whether a server takes a schema
(`structured = "auto"`) is found out by the first call that has one, for which all others with a schema wait: if it is
refused, and the same prompt is answered without it, the model gets no schema in this run (the store keeps that).
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Self
from weakref import WeakValueDictionary

import httpx2
import msgspec

from antemill.llm.activity import ModelState, Watch
from antemill.llm.calls import CallResources, CallRun, Question, stored_key
from antemill.llm.connections import Connections, read_key
from antemill.llm.errors import CallError, ItemError, ModelFileError, StopError, timed_out
from antemill.llm.estimate import Cutting, worst_cost
from antemill.llm.limits import Backoff, Budget, Clock, Limiter
from antemill.llm.model import Model
from antemill.llm.protocols import PROTOCOLS, scripted
from antemill.llm.protocols.wire import merged
from antemill.llm.redact import KeyRedactor
from antemill.llm.store import CallStore
from antemill.llm.types import Answer, Reply, Request, Script


class Client:
    """Asks the models of a list. An async context manager, for one event loop.

    models     entries by name (antemill.llm.models.read_models)
    store      records calls and finds them again; the caller closes it
    budget     hard cap over all models, or None
    transport  replaces the network
    scripts    functions that answer for models with `protocol = "scripted"`, by name
    clock      replaces the time
    backoff    the waits between attempts
    """

    def __init__(
        self,
        models: Mapping[str, Model],
        store: CallStore,
        *,
        budget: Budget | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
        scripts: Mapping[str, Script] | None = None,
        clock: Clock | None = None,
        backoff: Backoff | None = None,
    ) -> None:
        self.models = dict(models)
        self.store = store
        self.budget = budget
        self._scripts = dict(scripts or {})
        self._clock = clock or Clock()
        self._backoff = backoff or Backoff()
        self._rng = random.Random()  # for the lengths of waits only
        self._redactor = KeyRedactor()
        self._resources: dict[str, CallResources] = {}
        self._closed = False
        self._connections = Connections(self._redactor, self._clock, transport)
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()  # while a call has or awaits one
        self._tried: set[str] = set()  # models whose server has refused a prompt with a schema and without

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._connections.close()

    async def ask(self, model: str, request: Request) -> Reply:
        """The answer to a request, stored or new. A truncated, refused or empty answer is a Reply too.

        Raises ItemError or StopError after the first attempt, AgainError when the deadline has passed or three attempts
        may have been charged without an answer, BudgetExceededError if the call was not sent, CallDroppedError after
        `drop`, ModelFileError, StoreError.
        """
        entry = self._model(model)
        async with self._resources_of(entry).watch.call() as ongoing:

            async def asked(takes: bool) -> Reply:
                """A reply to the request, with its schema if the server `takes` one."""
                question = self._question(entry, request, takes)
                async with self._turn(question.key):
                    stored = self.store.find(question.key)
                    if stored is not None:
                        return msgspec.structs.replace(stored, schema=question.schema)
                    return await CallRun(question, self._resources_of(entry), ongoing).run()

            if entry.schema_of(request) is None or not entry.auto:
                return await asked(True)
            if (takes := self.store.takes_schema(model)) is None:
                async with self._turn(f"schema of {model}"):  # one call finds it out; others wait for it
                    if (takes := self.store.takes_schema(model)) is None:
                        return await self._first(model, asked)
            return await asked(takes)

    def _turn(self, key: str) -> asyncio.Lock:
        """The lock for which calls with the same key wait."""
        lock = self._turns.get(key)
        if lock is None:
            lock = self._turns[key] = asyncio.Lock()
        return lock

    async def _first(self, model: str, asked: Callable[[bool], Awaitable[Reply]]) -> Reply:
        """The reply to the first request with a schema, which shows whether the server takes one."""
        try:
            reply, takes = await asked(True), True
        except ItemError:
            if model in self._tried:
                raise
            self._tried.add(model)
            reply, takes = await asked(False), False
        self.store.keep_schema(model, takes)
        return reply

    def drop(self) -> None:
        """Send no more requests. Calls that queue or wait between attempts end immediately; sent calls are finished."""
        self._closed = True
        for resources in self._resources.values():
            resources.watch.close()

    def watch(self) -> list[ModelState]:
        """The state of each model's calls, in the order of the list."""
        return [self._resources_of(model).watch.state() for model in self.models.values()]

    def check(self, names: Iterable[str]) -> None:
        """Raise the error that the first call to one of these models would raise, before anything is paid.

        ModelFileError for a missing entry, or for missing prices under a budget; StopError for a key that is not set or
        a missing script.
        """
        for name in names:
            model = self._model(name)
            try:
                read_key(model)
                if model.scripted:
                    self._script(model)
            except StopError as error:
                raise _named(model, error) from None

    def limiter(self, model: str) -> Limiter:
        """The limiter of one model."""
        return self._resources_of(self._model(model)).limiter

    def _model(self, name: str) -> Model:
        model = self.models.get(name)
        if model is None:
            known = ", ".join(self.models) or "none"
            raise ModelFileError(f'There is no model "{name}" in the model list (it has: {known}).')
        if self.budget is not None and not model.scripted and model.prices is None:
            raise ModelFileError(
                f'The model "{name}" has no prices, so that no budget can bound what it costs; add prices to its '
                'entry, or prices = "free" if it costs nothing.'
            )
        return model

    def _resources_of(self, model: Model) -> CallResources:
        if model.name not in self._resources:
            limiter = Limiter(model, self._clock)
            self._resources[model.name] = CallResources(
                store=self.store,
                budget=self.budget if self.budget is not None else Budget(float("inf")),
                limiter=limiter,
                clock=self._clock,
                backoff=self._backoff,
                rng=self._rng,
                send=self._run_script if model.scripted else self._send,
                hide=self._redactor.hide,
                watch=Watch(model.name, limiter, self._clock, self._closed),
                cutting=Cutting(),
            )
        return self._resources[model.name]

    def _question(self, model: Model, request: Request, takes: bool) -> Question:
        try:
            body = body_of(model, request, takes)
        except (UnicodeEncodeError, TypeError) as error:
            raise _named(model, ItemError(f"the request cannot be written as JSON: {error}")) from None
        return Question(
            model=model,
            request=request,
            body=body,
            key=stored_key(model, body, request.sample),
            worst=worst_cost(model, len(body), request.max_output or model.max_output),
            schema=model.schema_of(request, takes) is not None,
        )

    async def _send(self, question: Question, timeout: float) -> tuple[str, Answer]:
        return await self._connections.send(question.model, question.body, timeout)

    async def _run_script(self, question: Question, timeout: float) -> tuple[str, Answer]:
        script = self._script(question.model)
        limit = asyncio.timeout(timeout)
        try:
            async with limit:
                return await scripted.run(script, question.request)
        except TimeoutError:
            if not limit.expired():
                raise
            raise timed_out(f"no answer from the script within {timeout:g} s") from None

    def _script(self, model: Model) -> Script:
        if model.name not in self._scripts:
            raise StopError("its protocol is scripted, but there is no script for it")
        return self._scripts[model.name]


def body_of(model: Model, request: Request, takes: bool | None = None) -> bytes:
    """The body that is sent. Raises UnicodeEncodeError or TypeError if it cannot be written as JSON.

    takes: whether the server takes a schema, None if unknown.
    """
    body = PROTOCOLS[model.protocol].body(model, request, model.schema_of(request, takes))
    return msgspec.json.encode(merged(body, model.extra_body))


def _named(model: Model, error: CallError) -> CallError:
    error.model = model.name
    error.args = (f'The model "{model.name}" cannot be asked: {error}.',)
    return error
