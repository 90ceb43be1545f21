"""One attempt over HTTP: send a body, and return what came back, or raise the CallError that it amounts to."""

from __future__ import annotations

import asyncio
import functools
import os
import re
import ssl
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from llm.clock import Clock
from llm.errors import (
    AuthenticationError,
    BadRequestError,
    CallError,
    DisconnectedError,
    MalformedReplyError,
    TimedOutError,
)
from llm.models import Model
from llm.protocols import WIRES
from llm.protocols.failures import failure
from llm.protocols.wire import decode, excerpt
from llm.redact import Vault
from llm.types import Answer

_CONNECT = 30.0  # seconds
_AGENT = "antemill"


def read_key(model: Model) -> str | None:
    """The entry's key from the environment. Raises AuthenticationError, which does not show it."""
    if model.key_env is None:
        return None
    key = os.environ.get(model.key_env, "").strip()
    if not key:
        raise AuthenticationError(f"the environment variable {model.key_env} with the key is not set; set it")
    if not re.fullmatch(r"[\x21-\x7e]+", key):
        raise AuthenticationError(
            f"the environment variable {model.key_env} holds no key: it has blanks or odd characters"
        )
    return key


@functools.cache
def _trusted() -> ssl.SSLContext:
    """The authorities that are trusted: reading them takes a tenth of a second."""
    return httpx.create_ssl_context()


class Connections:
    """Connections to all models' servers, kept open between calls.

    Each of the library's clients carries one call at a time, and the one that was used last is used first: a pool that
    many calls share looks through all its connections at every call, which costs more than all the rest.
    """

    def __init__(self, vault: Vault, clock: Clock, transport: httpx.AsyncBaseTransport | None) -> None:
        self._vault = vault
        self._clock = clock
        self._transport = transport
        self._idle: defaultdict[str, list[httpx.AsyncClient]] = defaultdict(list)  # by base URL

    async def close(self) -> None:
        """Close all connections that are not in use."""
        idle = [client for clients in self._idle.values() for client in clients]
        self._idle.clear()
        for client in idle:
            await client.aclose()

    @contextmanager
    def _client(self, model: Model) -> Iterator[httpx.AsyncClient]:
        idle = self._idle[model.url]
        client = idle.pop() if idle else self._new()
        try:
            yield client
        finally:
            idle.append(client)

    def _new(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            transport=self._transport,
            verify=_trusted(),
            timeout=httpx.Timeout(None, connect=_CONNECT),
            headers={"user-agent": _AGENT},
            follow_redirects=False,
        )

    async def send(self, model: Model, body: bytes, timeout: float) -> tuple[str, Answer]:
        """The raw response and what it says. Raises CallError; no text of it holds a key."""
        wire = WIRES[model.protocol]
        key = read_key(model)
        headers = {"content-type": "application/json", **wire.headers(key), **model.extra_headers}
        self._vault.add(key or "")
        self._vault.add_headers(model.extra_headers)
        response = await self._post(model, model.url + wire.path(model), body, headers, timeout)
        text = self._vault.hide(response.content.decode(errors="replace"))
        if response.is_success:
            return text, wire.answer(decode(text))
        if response.is_redirect:
            raise BadRequestError(
                f"{model.gateway} redirects (HTTP {response.status_code}); set base_url to where it leads"
            )
        raise failure(response.status_code, text, response.headers, self._clock.time())

    async def _post(
        self, model: Model, url: str, body: bytes, headers: dict[str, str], timeout: float
    ) -> httpx.Response:
        try:
            with self._client(model) as client:
                async with asyncio.timeout(timeout):
                    return await client.post(url, content=body, headers=headers)
        except (TimeoutError, httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            failed = self._explained(model, error, timeout)
        raise failed  # outside the handler: the library's exceptions hold the request with its headers

    def _explained(self, model: Model, error: Exception, timeout: float) -> CallError:
        detail = excerpt(self._vault.hide(str(error))) or type(error).__name__
        if isinstance(error, httpx.ConnectTimeout):
            return TimedOutError(f"{model.gateway} can not be reached within {_CONNECT:g} s", billed=False)
        if isinstance(error, (TimeoutError, httpx.TimeoutException)):
            return TimedOutError(f"no answer from {model.gateway} within {timeout:g} s")
        if isinstance(error, httpx.ConnectError):
            return DisconnectedError(f"no connection to {model.gateway}: {detail}", billed=False)
        if isinstance(error, httpx.DecodingError):
            return MalformedReplyError(f"the answer of {model.gateway} can not be decoded: {detail}")
        if isinstance(error, (httpx.UnsupportedProtocol, httpx.LocalProtocolError, httpx.InvalidURL, ValueError)):
            return BadRequestError(f"the request to {model.gateway} can not be sent: {detail}")
        return DisconnectedError(f"the connection to {model.gateway} broke: {detail}")
