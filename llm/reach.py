"""Whether models can be reached, before a run depends on it.

What is asked costs nothing where that says enough: what the server knows about the model or its key. A server that
offers no such thing, that refuses it, or that does not list the model gets one short question, which is recorded and
paid for like any other. What is asked first, and what of it is enough, each protocol says (`listings`, `lists`).
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Iterable

import httpx
import msgspec
from msgspec import Struct

from antemill.llm.budget import Budget
from antemill.llm.client import Client
from antemill.llm.connections import read_key
from antemill.llm.errors import (
    AuthenticationError,
    BudgetExceededError,
    CallError,
    LLMError,
    MalformedReplyError,
    RateLimitedError,
    SetupError,
    SpendLimitError,
    StoreError,
    TransientError,
)
from antemill.llm.headers import sent_headers
from antemill.llm.model import Model
from antemill.llm.protocols import http_protocol
from antemill.llm.protocols.wire import excerpt
from antemill.llm.redact import KeyRedactor
from antemill.llm.retry import Backoff
from antemill.llm.store import CallStore
from antemill.llm.surroundings import new_client
from antemill.llm.types import Message, Request

LISTING_SECONDS, CALL_SECONDS = 8.0, 20.0
_LONGEST = 8 << 20  # bytes of a listing
_QUESTION = "Answer with the word OK."


class Reach(Struct, frozen=True, kw_only=True):
    """What came of one model. reason: why not, or how that is known, in one sentence. advice: what to do, if not."""

    name: str
    reachable: bool
    reason: str
    advice: str = ""
    seconds: float


class _UnreachableError(Exception):
    """The server can not be reached, and why. advice: what to do."""

    def __init__(self, reason: str, advice: str) -> None:
        super().__init__(reason)
        self.advice = advice


class _Once(Backoff, frozen=True):
    """A backoff that never lets a call be tried again."""

    def wait(self, _failed: int, _error: CallError, _rng: random.Random) -> float:
        """Infinite seconds."""
        return float("inf")


async def check_models(
    models: Iterable[Model],
    store: CallStore,
    *,
    budget: Budget | None = None,
    transport: httpx.AsyncBaseTransport | None = None,
) -> list[Reach]:
    """Check all of them at once. store, budget: of the questions that have to be paid.

    Raises StoreError if they can not be recorded.
    """
    asked = (_check(model, store, budget, transport) for model in models)
    found = await asyncio.gather(*asked, return_exceptions=True)
    for one in found:
        if isinstance(one, BaseException):
            raise one
    return [one for one in found if isinstance(one, Reach)]


async def _check(
    model: Model, store: CallStore, budget: Budget | None, transport: httpx.AsyncBaseTransport | None
) -> Reach:
    began = time.monotonic()
    advice = ""
    try:
        reachable, reason = await _found(model, store, budget, transport)
    except StoreError:
        raise
    except _UnreachableError as error:
        reachable, reason, advice = False, str(error), error.advice
    except LLMError as error:
        reachable, reason, advice = False, _reason(model, error), advice_on(error)
    return Reach(name=model.name, reachable=reachable, reason=reason, advice=advice, seconds=time.monotonic() - began)


def _reason(model: Model, error: LLMError) -> str:
    """What an error says, without the model's name, which stands beside it."""
    return str(error).removeprefix(f'The model "{model.name}" gave no answer: ').rstrip(".")


def advice_text(found: Iterable[Reach]) -> str:
    """What to do about those that can not be reached, each advice once: "a, b: correct its key; c: ..."."""
    names: dict[str, list[str]] = {}
    for one in found:
        if not one.reachable:
            names.setdefault(one.advice, []).append(one.name)
    return "; ".join(f"{', '.join(those)}: {advice}" for advice, those in names.items())


def advice_on(error: LLMError) -> str:
    """What to do about an error."""
    advice: dict[type[LLMError], str] = {
        AuthenticationError: "correct its key",
        SetupError: "correct that",
        SpendLimitError: "add credit to its account, or raise the account's limit",
        BudgetExceededError: "raise the budget",
        MalformedReplyError: "correct its base_url",
        TransientError: "wait until its server works again",
    }
    return next((text for kind, text in advice.items() if isinstance(error, kind)), "correct its entry in models.toml")


async def _found(
    model: Model, store: CallStore, budget: Budget | None, transport: httpx.AsyncBaseTransport | None
) -> tuple[bool, str]:
    if model.scripted:
        return True, "it is a script"
    try:
        key = read_key(model)
    except AuthenticationError as error:
        raise _UnreachableError(str(error), "correct its key_env, or set it") from None
    if await _listed(model, key, transport):
        return True, f"{model.gateway} lists it"
    return await _answers(model, store, budget, transport)


async def _listed(model: Model, key: str | None, transport: httpx.AsyncBaseTransport | None) -> bool:
    """Whether the server says that the model is there and the key is good. Raises _UnreachableError."""
    protocol = http_protocol(model.protocol)
    async with new_client(model.url, transport, timeout=None) as client:
        pages = [await _get(client, model, path, key) for path in protocol.listings(model)]
    return None not in pages and protocol.lists(model, pages[-1] or b"")


async def _get(client: httpx.AsyncClient, model: Model, path: str, key: str | None) -> bytes | None:
    """The content of a success; None if there is none. Raises _UnreachableError if no server answers."""
    redactor = KeyRedactor()
    redactor.add(key or "")
    extra = sent_headers(model, redactor)
    headers = {**http_protocol(model.protocol).headers(key), **extra, "accept-encoding": "identity"}
    content = bytearray()
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
    except (TimeoutError, httpx.TimeoutException):
        problem = f"no answer from {model.gateway} within {LISTING_SECONDS:g} s"
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, OSError) as error:
        detail = excerpt(redactor.hide(str(error))) or type(error).__name__
        if not isinstance(error, httpx.ConnectError):
            return None  # a server is there; what it makes of a question is another matter
        problem = f"no connection to {model.gateway}: {detail}"
    else:
        return bytes(content)
    raise _UnreachableError(
        problem, "start its server, or correct its base_url"
    )  # outside of the handler: the library's exceptions hold the headers


async def _answers(
    model: Model, store: CallStore, budget: Budget | None, transport: httpx.AsyncBaseTransport | None
) -> tuple[bool, str]:
    """Ask one short question."""
    seconds = min(CALL_SECONDS, model.timeout)
    hasty = msgspec.structs.replace(model, timeout=seconds, deadline=seconds)
    request = Request(messages=(Message("user", _QUESTION),), sample=f"check/{time.time_ns()}", purpose="check")
    async with Client({model.name: hasty}, store, budget=budget, transport=transport, backoff=_Once()) as client:
        try:
            reply = await client.ask(model.name, request)
        except RateLimitedError as error:
            return True, f"it is there, but limits the rate now ({_reason(model, error)})"
        except TransientError as error:
            if error.status is None or error.status >= 500:
                raise
            return True, f"it is there, but can not answer now ({_reason(model, error)})"
    return True, f"it has answered in {reply.seconds:.1f} s"
