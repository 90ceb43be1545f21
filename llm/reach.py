"""Checks before a run whether its models can be reached.

If possible the server is asked about the model or its key at no cost. A server that has no such listing, refuses it, or
does not list the model gets one short question, which is recorded and paid for like any other. Each protocol defines
the listings, and the content that suffices (`listings`, `lists`).
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Iterable, Mapping

import httpx2
import msgspec
from msgspec import Struct

from antemill.llm import errors
from antemill.llm.budget import Budget
from antemill.llm.client import Client
from antemill.llm.connections import read_key
from antemill.llm.headers import sent_headers
from antemill.llm.model import Model
from antemill.llm.prices import dollar_text
from antemill.llm.protocols import http_protocol
from antemill.llm.protocols.wire import count, excerpt, objects, part
from antemill.llm.redact import KeyRedactor
from antemill.llm.retry import Backoff
from antemill.llm.store import CallStore
from antemill.llm.surroundings import new_client, proxy_named
from antemill.llm.types import Message, Request

LISTING_SECONDS, CALL_SECONDS = 8.0, 20.0
_LONGEST = 8 << 20  # the most bytes of a listing
_QUESTION = "Answer with the word OK."


class Reach(Struct, frozen=True, kw_only=True):
    """The result for one model.

    reason: the problem, or the evidence that the model can be used. advice: an imperative that says what to do; "" for
    a reachable model. seconds: of the check. context: the model's context in tokens, if the server lists it; else None.
    """

    name: str
    reachable: bool
    reason: str
    advice: str = ""
    seconds: float
    context: int | None = None


class _UnreachableError(Exception):
    """The server cannot be reached. advice: what to do."""

    def __init__(self, reason: str, advice: str) -> None:
        super().__init__(reason)
        self.advice = advice


class _Once(Backoff, frozen=True):
    """A backoff that allows no second attempt."""

    def wait(self, _failed: int, _error: errors.CallError, _rng: random.Random) -> float:
        """Infinite seconds."""
        return float("inf")


async def check_models(
    models: Iterable[Model],
    store: CallStore,
    *,
    budget: Budget | None = None,
    transport: httpx2.AsyncBaseTransport | None = None,
) -> list[Reach]:
    """Check all models concurrently. store, budget: for the questions that are paid for.

    Raises StoreError if they cannot be recorded.
    """
    asked = (_check(model, store, budget, transport) for model in models)
    found = await asyncio.gather(*asked, return_exceptions=True)
    for one in found:
        if isinstance(one, BaseException):
            raise one
    return [one for one in found if isinstance(one, Reach)]


async def _check(
    model: Model, store: CallStore, budget: Budget | None, transport: httpx2.AsyncBaseTransport | None
) -> Reach:
    began = time.monotonic()
    advice, context = "", None
    try:
        reachable, reason, context = await _found(model, store, budget, transport)
    except errors.StoreError:
        raise
    except _UnreachableError as error:
        reachable, reason, advice = False, str(error), error.advice
    except errors.LLMError as error:
        reachable, reason, advice = False, _reason(model, error), advice_on(error)
    seconds = time.monotonic() - began
    return Reach(name=model.name, reachable=reachable, reason=reason, advice=advice, seconds=seconds, context=context)


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
    if isinstance(error, errors.CallError) and error.status == 407:
        return "correct the name and the password of the proxy"
    if isinstance(error, errors.DisconnectedError) and not error.billed:
        return "start its server, or correct its base_url or the proxy"
    advice: dict[type[errors.LLMError], str] = {
        errors.AuthenticationError: "correct its key",
        errors.SetupError: "correct the environment",
        errors.SpendLimitError: "add credit to its account, or raise the account's limit",
        errors.ContextLengthError: "give its server a larger window, or leave it out",
        errors.BudgetExceededError: "raise the budget",
        errors.MalformedReplyError: "correct its base_url",
        errors.TransientError: "wait until its server works again",
    }
    return next((text for kind, text in advice.items() if isinstance(error, kind)), "correct its entry in models.toml")


async def _found(
    model: Model, store: CallStore, budget: Budget | None, transport: httpx2.AsyncBaseTransport | None
) -> tuple[bool, str, int | None]:
    """The result for one model that answers or is listed. Raises LLMError or _UnreachableError."""
    if model.scripted:
        return True, "it is a script", None
    try:
        key = read_key(model)
    except errors.AuthenticationError as error:
        raise _UnreachableError(str(error), "correct its key_env, or set it") from None
    if (page := await _listed(model, key, transport)) is not None:
        window = window_in(page, model.remote)
        note = "" if window is None else f", with a context of {window:,} tokens"
        return True, f"{model.gateway} lists it{note}", window
    return *await _answers(model, store, budget, transport), None


async def _listed(model: Model, key: str | None, transport: httpx2.AsyncBaseTransport | None) -> bytes | None:
    """The content of the server's listing if it names the model and the key is valid. Raises _UnreachableError."""
    protocol = http_protocol(model.protocol)
    async with new_client(model.url, transport, timeout=None) as client:
        pages = [await _get(client, model, path, key) for path in protocol.listings(model)]
    page = pages[-1] or b""
    return page if None not in pages and protocol.lists(model, page) else None


_WINDOWS = (
    *("context_length", "context_window", "max_model_len", "loaded_context_length", "max_context_length"),
    *("inputTokenLimit", "max_input_tokens", "max_context_window_tokens", "n_ctx", "n_ctx_train"),
)


def window_in(page: bytes, name: str) -> int | None:
    """The model's context in tokens, from the list of models or the listing of this model; else None."""
    try:
        found = msgspec.json.decode(page)
    except (msgspec.DecodeError, RecursionError):
        return None
    listed = [one for key in ("data", "models") for one in objects(part({"": found}, ""), key)]
    named = (one for one in listed if name in (one.get("id"), str(one.get("id")).removesuffix(":latest")))
    model = next(named, part({"": found}, ""))
    for one in (model, part(model, "meta"), part(model, "top_provider")):
        for key in _WINDOWS:
            if count(one, key):
                return count(one, key)
    return None


async def _get(client: httpx2.AsyncClient, model: Model, path: str, key: str | None) -> bytes | None:
    """The content of a success; None for other responses. Raises _UnreachableError if no server answers."""
    redactor = KeyRedactor()
    redactor.add(key or "")
    extra = sent_headers(model, redactor)
    headers = {**http_protocol(model.protocol).headers(key), **extra, "accept-encoding": "identity"}
    content, advice = bytearray(), "start its server, or correct its base_url"
    try:
        async with (
            asyncio.timeout(LISTING_SECONDS),
            client.stream("GET", model.url + path, headers=headers) as response,
        ):
            if not response.is_success or "content-encoding" in response.headers:
                return None
            async for chunk in response.aiter_bytes():
                content += chunk
                if len(content) > _LONGEST:
                    return None
    except (TimeoutError, httpx2.TimeoutException):
        problem = f"no answer from {model.gateway} within {LISTING_SECONDS:g} s"
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, OSError) as error:
        detail = excerpt(redactor.hide(str(error))) or type(error).__name__
        if not isinstance(error, httpx2.ConnectError):
            return None  # the server exists, and the question shows the rest
        way = proxy_named(model.url)
        problem = f"no connection to {model.gateway}{f' (by way of the proxy in {way})' if way else ''}: {detail}"
        advice = f"correct or unset {way}, or correct its base_url" if way else advice
    else:
        return bytes(content)
    raise _UnreachableError(problem, advice)  # outside of the handler: the library's exceptions hold the headers


async def ask_models(
    models: Iterable[Model],
    requests: Mapping[str, Request],
    store: CallStore,
    *,
    budget: Budget | None = None,
    transport: httpx2.AsyncBaseTransport | None = None,
) -> list[Reach]:
    """Ask each model one real question, with all options of its entry. requests: by the entries' names.

    An answer shows more than a list of models: options that the server refuses, a window that is too small, an output
    limit that thinking uses up. Raises StoreError if the calls cannot be recorded.
    """
    asked = (_asked(model, requests[model.name], store, budget, transport) for model in models)
    return list(await asyncio.gather(*asked))


async def _asked(
    model: Model, request: Request, store: CallStore, budget: Budget | None, transport: httpx2.AsyncBaseTransport | None
) -> Reach:
    began = time.monotonic()
    if model.scripted:
        return Reach(name=model.name, reachable=True, reason="it is a script", seconds=0.0)
    hasty = msgspec.structs.replace(model, deadline=model.timeout)
    request = msgspec.structs.replace(request, sample=f"check/{time.time_ns()}", purpose="check")
    size = sum(len(message.text.encode()) for message in request.messages)
    reachable, advice = False, "correct its entry in models.toml"
    try:
        async with Client({model.name: hasty}, store, budget=budget, transport=transport, backoff=_Once()) as client:
            reply = await client.ask(model.name, request)
    except errors.StoreError:
        raise
    except errors.LLMError as error:
        reason, advice = f"to a prompt of {size:,} bytes: {_reason(model, error)}", advice_on(error)
    else:
        tokens = f"{reply.usage.input:,} tokens of {size:,} bytes" if reply.usage.counted else f"{size:,} bytes"
        cost = f" for {dollar_text(reply.usage.cost)}" if reply.usage.cost else ""
        if reply.cut:
            reason, advice = (
                f"it seems to read only a part of its prompts: {reply.cut}",
                "give its server a larger window",
            )
        elif reply.finish == "length" and not reply.text.strip():
            reason = f"it has used all of max_output = {model.max_output:,} tokens before the first word of its answer"
        elif model.schema_sent(request) is not None and reply.finish == "stop" and not _is_json(reply.text):
            reason = f"its reply is not JSON, although a schema was sent: {excerpt(reply.text, 60) or 'it is empty'}"
        else:
            reachable, reason = True, f"it has read {tokens}, and answered ({reply.finish}){cost}"
    seconds = time.monotonic() - began
    return Reach(
        name=model.name, reachable=reachable, reason=reason, advice="" if reachable else advice, seconds=seconds
    )


def _is_json(text: str) -> bool:
    try:
        msgspec.json.decode(text)
    except msgspec.DecodeError:
        return False
    return True


async def _answers(
    model: Model, store: CallStore, budget: Budget | None, transport: httpx2.AsyncBaseTransport | None
) -> tuple[bool, str]:
    """Ask one short question."""
    seconds = min(CALL_SECONDS, model.timeout)
    hasty = msgspec.structs.replace(model, timeout=seconds, deadline=seconds)
    request = Request(messages=(Message("user", _QUESTION),), sample=f"check/{time.time_ns()}", purpose="check")
    async with Client({model.name: hasty}, store, budget=budget, transport=transport, backoff=_Once()) as client:
        try:
            reply = await client.ask(model.name, request)
        except errors.RateLimitedError as error:
            return True, f"it exists, but limits the rate at the moment ({_reason(model, error)})"
        except errors.TransientError as error:
            if error.status is None or error.status >= 500:
                raise
            return True, f"it exists, but cannot answer at the moment ({_reason(model, error)})"
    return True, f"it has answered in {reply.seconds:.1f} s"
