"""Checks whether models can be reached: by the server's list of models, or by one question.

`list_models` sends one GET /models to each entry's server, at no cost. `check_models`, before a run, asks a question of
eight tokens where that list does not name the model; one server's entries come after each other, and each has its own
`timeout`, because a local server may have to load a model first. `ask_models` sends one question with all options.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping

import httpx2
import msgspec
from msgspec import Struct

from antemill.llm import errors
from antemill.llm.budget import Budget
from antemill.llm.client import Client
from antemill.llm.clock import SystemClock
from antemill.llm.connections import Connections
from antemill.llm.model import Model
from antemill.llm.prices import dollar_text
from antemill.llm.protocols import http_protocol
from antemill.llm.protocols.failures import failure
from antemill.llm.protocols.wire import decode, excerpt, objects, text_of
from antemill.llm.redact import KeyRedactor
from antemill.llm.retry import Backoff
from antemill.llm.store import CallStore
from antemill.llm.types import Message, Reply, Request

LISTING_SECONDS = 8.0
SLOW = 20.0  # seconds of an answer of eight tokens that are worth a warning
_TOKENS = 8  # of the answer to the question before a run
_QUESTION = "Answer with the word OK."


class Reach(Struct, frozen=True, kw_only=True):
    """The result for one model.

    reason: the problem, or the evidence that the model can be used. advice: an imperative that says what to do; "" for
    a reachable model. warning: a sentence about a model that can be used; "" for none. seconds: of the check.
    """

    name: str
    reachable: bool
    reason: str
    advice: str = ""
    warning: str = ""
    seconds: float


class _Once(Backoff, frozen=True):
    """A backoff that allows no second attempt."""

    def wait(self, _failed: int, _error: errors.CallError, _rng: random.Random) -> float:
        """Infinite seconds."""
        return float("inf")


class _UnusableError(Exception):
    """A model answers, but cannot be used. advice: what to do."""

    def __init__(self, reason: str, advice: str) -> None:
        super().__init__(reason)
        self.advice = advice


async def list_models(models: Iterable[Model], *, transport: httpx2.AsyncBaseTransport | None = None) -> list[Reach]:
    """Ask each model's server for its list of models."""

    async def found(model: Model) -> str:
        if await _lists(model, transport):
            return f"{model.gateway} lists it"
        return f"{model.gateway} answers, and does not list it (--ask shows whether it takes it)"

    return await _all(models, found)


async def check_models(
    models: Iterable[Model],
    store: CallStore,
    *,
    budget: Budget | None = None,
    transport: httpx2.AsyncBaseTransport | None = None,
) -> list[Reach]:
    """Check all models before a run. store, budget: for the questions that are paid for. Raises StoreError."""

    async def found(model: Model) -> str:
        if await _lists(model, transport):
            return f"{model.gateway} lists it"
        least = max(_TOKENS, http_protocol(model.protocol).least) + (model.thinking_budget or 0)
        request = Request(messages=(Message("user", _QUESTION),), max_output=min(least, model.max_output))
        reply = await _asked(model, request, store, budget, transport)
        return f"it has answered in {reply.seconds:.1f} s"

    return await _all(models, found)


async def ask_models(
    models: Iterable[Model],
    requests: Mapping[str, Request],
    store: CallStore,
    *,
    budget: Budget | None = None,
    transport: httpx2.AsyncBaseTransport | None = None,
) -> list[Reach]:
    """Ask each model one real question, with all options of its entry. requests: by the entries' names.

    An answer shows more than a list of models: options that the server refuses, a schema that it ignores, a window that
    is too small, an output limit that thinking uses up. Raises StoreError if the calls cannot be recorded.
    """

    async def found(model: Model) -> str:
        request = requests[model.name]
        reply = await _asked(model, request, store, budget, transport)
        size = sum(len(message.text.encode()) for message in request.messages)
        if reply.cut:
            raise _UnusableError(
                f"it seems to read only a part of its prompts: {reply.cut}", "give its server a larger window"
            )
        if reply.finish == "length" and not reply.text.strip():
            raise _UnusableError(
                f"it has used all of max_output = {model.max_output:,} tokens before the first word of its answer",
                "raise its max_output",
            )
        if reply.schema and reply.finish == "stop" and not _is_json(reply.text):
            raise _UnusableError(
                f"schema ignored: its reply is no JSON, although a schema was sent: {excerpt(reply.text, 60)!r}",
                "set structured = false in its entry",
            )
        tokens = f"{reply.usage.input:,} tokens of {size:,} bytes" if reply.usage.counted else f"{size:,} bytes"
        cost = f" for {dollar_text(reply.usage.cost)}" if reply.usage.cost else ""
        schema = "" if request.schema is None else f", {'with' if reply.schema else 'without'} a schema"
        return f"it has read {tokens}, and answered ({reply.finish}{schema}){cost}"

    return await _all(models, found)


async def _all(models: Iterable[Model], found: Callable[[Model], Awaitable[str]]) -> list[Reach]:
    """One result for each model, in their order; the models of one server come after each other."""
    servers: defaultdict[str, list[tuple[int, Model]]] = defaultdict(list)
    for place, model in enumerate(models):
        servers[model.url or model.name].append((place, model))

    async def one_server(those: list[tuple[int, Model]]) -> list[tuple[int, Reach]]:
        return [(place, await _reach(model, found)) for place, model in those]

    results = await asyncio.gather(*map(one_server, servers.values()), return_exceptions=True)
    if wrong := next((result for result in results if isinstance(result, BaseException)), None):
        raise wrong
    both = [one for result in results if not isinstance(result, BaseException) for one in result]
    return [reach for _, reach in sorted(both, key=lambda one: one[0])]


async def _reach(model: Model, found: Callable[[Model], Awaitable[str]]) -> Reach:
    began = time.monotonic()
    reason, advice = "it is a script", ""
    try:
        if not model.scripted:
            reason = await found(model)
    except errors.StoreError:
        raise
    except _UnusableError as error:
        reason, advice = str(error), error.advice
    except errors.LLMError as error:
        reason, advice = _reason(model, error), advice_on(error)
    seconds = time.monotonic() - began
    warning = "" if advice or seconds < SLOW else f'"{model.name}" took {seconds:.0f} s to answer; it may be loading'
    return Reach(name=model.name, reachable=not advice, reason=reason, advice=advice, warning=warning, seconds=seconds)


def _reason(model: Model, error: errors.LLMError) -> str:
    """An error's message without the model's name, which is shown beside it."""
    return str(error).removeprefix(f'The model "{model.name}" gave no answer: ').rstrip(".")


def advice_text(found: Iterable[Reach]) -> str:
    """The advice on the models that cannot be reached, each once: "a, b: correct its key; c: ..."."""
    names: dict[str, list[str]] = {}
    for one in found:
        if not one.reachable:
            names.setdefault(one.advice, []).append(one.name)
    return "; ".join(f"{', '.join(those)}: {advice}" for advice, those in names.items())


def advice_on(error: errors.LLMError) -> str:
    """The advice on an error, as an imperative."""
    advice: dict[type[errors.LLMError], str] = {
        errors.StopError: "correct its key or the proxy, or add credit to its account",
        errors.BudgetExceededError: "raise the budget",
        errors.AgainError: "start its server, or wait until it works, or correct its base_url",
    }
    return next((text for kind, text in advice.items() if isinstance(error, kind)), "correct its entry in models.toml")


async def _lists(model: Model, transport: httpx2.AsyncBaseTransport | None) -> bool:
    """Whether the server's list names the model. Raises CallError if no server answers, or if it refuses the key."""
    protocol = http_protocol(model.protocol)
    connections = Connections(KeyRedactor(), SystemClock(), transport)
    try:
        response, content = await connections.ask(model, "GET", protocol.listing, b"", LISTING_SECONDS)
    except errors.AgainError as error:
        if error.kind == "no connection":
            raise
        return False  # the server exists, and a question shows the rest
    finally:
        await connections.close()
    text = content.decode(errors="replace")
    if response.status_code in (401, 402, 403, 407):
        raise failure(response.status_code, text, response.headers, time.time())
    try:
        page = decode(text)
    except errors.CallError:
        return False
    names = {
        text_of(one, key) for table in ("data", "models") for one in objects(page, table) for key in ("id", "name")
    }
    return bool(names & {model.remote, f"models/{model.remote}", f"{model.remote}:latest"})


async def _asked(
    model: Model, request: Request, store: CallStore, budget: Budget | None, transport: httpx2.AsyncBaseTransport | None
) -> Reply:
    """The reply to one question, without a second attempt."""
    request = msgspec.structs.replace(request, sample=f"check/{time.time_ns()}", purpose="check")
    hasty = {model.name: msgspec.structs.replace(model, deadline=model.timeout)}
    async with Client(hasty, store, budget=budget, transport=transport, backoff=_Once()) as client:
        return await client.ask(model.name, request)


def _is_json(text: str) -> bool:
    try:
        msgspec.json.decode(text)
    except msgspec.DecodeError:
        return False
    return True
