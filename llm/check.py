"""Checks whether models can be reached: by the server's list of models, or by one question.

`list_models` sends one GET /models to each entry's server, at no cost. `check_models`, before a run, asks a question of
eight tokens where that list does not name the model; one server's entries come after each other, and each has its own
`timeout`, because a local server may have to load a model first. `ask_models` sends one question with all options.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress

import httpx2
import msgspec
from msgspec import Struct

from antemill.llm import errors
from antemill.llm.client import Client
from antemill.llm.connections import Connections, failure
from antemill.llm.limits import Backoff, Budget, Clock
from antemill.llm.model import Model
from antemill.llm.prices import dollar_text
from antemill.llm.protocols import http_protocol
from antemill.llm.protocols.wire import decode, excerpt, objects, text_of
from antemill.llm.redact import KeyRedactor
from antemill.llm.store import CallStore
from antemill.llm.types import Message, Reply, Request

LISTING_SECONDS = 8.0
SLOW = 20.0  # seconds of an answer of eight tokens that are worth a warning
_TOKENS = 8  # of the answer to the question before a run
_ONCE = Backoff(math.inf, math.inf)  # no second attempt
Transport = httpx2.AsyncBaseTransport
Found = tuple[str, str]  # the reason, and the advice: "" for a model that can be used


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


async def list_models(models: Iterable[Model], *, transport: Transport | None = None) -> list[Reach]:
    """Ask each model's server for its list of models."""

    async def found(model: Model) -> Found:
        other = "answers, and does not list it (--ask shows whether it takes it)"
        return f"{model.gateway} {'lists it' if await _lists(model, transport) else other}", ""

    return await _all(models, found)


async def check_models(
    models: Iterable[Model], store: CallStore, *, budget: Budget | None = None, transport: Transport | None = None
) -> list[Reach]:
    """Check all models before a run. store, budget: for the questions that are paid for. Raises StoreError."""

    async def found(model: Model) -> Found:
        if await _lists(model, transport):
            return f"{model.gateway} lists it", ""
        least = max(_TOKENS, http_protocol(model.protocol).least) + (model.thinking_budget or 0)
        request = Request(
            messages=(Message("user", "Answer with the word OK."),), max_output=min(least, model.max_output)
        )
        reply = await _asked(model, request, store, budget, transport)
        return f"it has answered in {reply.seconds:.1f} s", ""

    return await _all(models, found)


async def ask_models(
    models: Iterable[Model],
    requests: Mapping[str, Request],
    store: CallStore,
    *,
    budget: Budget | None = None,
    transport: Transport | None = None,
) -> list[Reach]:
    """Ask each model one real question, with all options of its entry. requests: by the entries' names.

    An answer shows more than a list of models: options that the server refuses, a schema that it ignores, a window that
    is too small, an output limit that thinking uses up. Raises StoreError if the calls cannot be recorded.
    """

    async def found(model: Model) -> Found:
        request = requests[model.name]
        reply = await _asked(model, request, store, budget, transport)
        size = sum(len(message.text.encode()) for message in request.messages)
        if reply.cut:
            return f"it seems to read only a part of its prompts: {reply.cut}", "give its server a larger window"
        if reply.finish == "length" and not reply.text.strip():
            used = f"it has used all of max_output = {model.max_output:,} tokens before the first word of its answer"
            return used, "raise its max_output"
        if reply.schema and reply.finish == "stop" and not reply.text.lstrip().startswith("{"):
            ignored = "schema ignored: its reply is no JSON, although a schema was sent"
            return f"{ignored}: {excerpt(reply.text, 60)!r}", "set structured = false in its entry"
        tokens = f"{reply.usage.input:,} tokens of {size:,} bytes" if reply.usage.counted else f"{size:,} bytes"
        cost = f" for {dollar_text(reply.usage.cost)}" if reply.usage.cost else ""
        schema = "" if request.schema is None else f", {'with' if reply.schema else 'without'} a schema"
        return f"it has read {tokens}, and answered ({reply.finish}{schema}){cost}", ""

    return await _all(models, found)


async def _all(models: Iterable[Model], found: Callable[[Model], Awaitable[Found]]) -> list[Reach]:
    """One result for each model, in their order; the models of one server come after each other."""
    turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def reach(model: Model) -> Reach:
        async with turns[model.url or model.name]:
            return await _reach(model, found)

    results = await asyncio.gather(*map(reach, models), return_exceptions=True)
    if wrong := next((result for result in results if isinstance(result, BaseException)), None):
        raise wrong
    return [result for result in results if isinstance(result, Reach)]


async def _reach(model: Model, found: Callable[[Model], Awaitable[Found]]) -> Reach:
    began = time.monotonic()
    try:
        reason, advice = ("it is a script", "") if model.scripted else await found(model)
    except errors.StoreError:
        raise
    except errors.LLMError as error:  # its message has the model's name, which is shown beside it
        said = str(error).removeprefix(f'The model "{model.name}" gave no answer: ')
        reason, advice = said.rstrip("."), advice_on(error)
    seconds = time.monotonic() - began
    warning = "" if advice or seconds < SLOW else f'"{model.name}" took {seconds:.0f} s to answer; it may be loading'
    return Reach(name=model.name, reachable=not advice, reason=reason, advice=advice, warning=warning, seconds=seconds)


def advice_text(found: Iterable[Reach]) -> str:
    """The advice on the models that cannot be reached, each once: "a, b: correct its key; c: ..."."""
    names: dict[str, list[str]] = {}
    for one in found:
        if not one.reachable:
            names.setdefault(one.advice, []).append(one.name)
    return "; ".join(f"{', '.join(those)}: {advice}" for advice, those in names.items())


def advice_on(error: errors.LLMError) -> str:
    """The advice on an error, as an imperative."""
    advice = {
        errors.StopError: "correct its key or the proxy, or add credit to its account",
        errors.BudgetExceededError: "raise the budget",
        errors.AgainError: "start its server, or wait until it works, or correct its base_url",
    }
    return advice.get(type(error), "correct its entry in models.toml")


async def _lists(model: Model, transport: Transport | None) -> bool:
    """Whether the server's list names the model. Raises CallError if no server answers, or if it refuses the key."""
    protocol = http_protocol(model.protocol)
    connections = Connections(KeyRedactor(), Clock(), transport)
    try:
        response, content = await connections.ask(model, "GET", protocol.listing, b"", LISTING_SECONDS)
    except errors.AgainError as error:
        if error.kind == "no connection":
            raise
        return False  # the server exists, and a question shows the rest
    finally:
        await connections.close()
    text = content.decode(errors="replace")
    if response.status_code in (401, 402, 407):
        raise failure(response.status_code, text, response.headers, time.time())
    with suppress(errors.CallError):
        page = decode(text)
        names = {text_of(one, key) for one in objects(page, "data") + objects(page, "models") for key in ("id", "name")}
        return bool(names & {model.remote, f"models/{model.remote}"})
    return False


async def _asked(
    model: Model, request: Request, store: CallStore, budget: Budget | None, transport: Transport | None
) -> Reply:
    """The reply to one question, without a second attempt."""
    request = msgspec.structs.replace(request, sample=f"check/{time.time_ns()}", purpose="check")
    hasty = {model.name: msgspec.structs.replace(model, deadline=model.timeout)}
    async with Client(hasty, store, budget=budget, transport=transport, backoff=_ONCE) as client:
        return await client.ask(model.name, request)
