"""One attempt over HTTP: send a body, and return the answer or raise a CallError.

Requests to this machine use no proxy, and requests without TLS need no certificates, so that neither setting can block
a local model.
"""

from __future__ import annotations

import asyncio
import functools
import ipaddress
import json
import ssl
from urllib.parse import urlsplit

import httpx2

from antemill.llm.clock import Clock
from antemill.llm.errors import AgainError, CallError, StopError, malformed, timed_out
from antemill.llm.model import Model
from antemill.llm.protocols import http_protocol
from antemill.llm.protocols.failures import failure, read_answer
from antemill.llm.protocols.wire import decode, excerpt
from antemill.llm.redact import KeyRedactor, from_environment, sent_headers
from antemill.llm.types import Answer

_CONNECT = 30.0  # seconds
_PARTIAL = 1 << 16  # the most bytes that are kept of an incomplete response
# No compression is asked for: the library's decoders have no limit of size.
_HEADERS = {"accept-encoding": "identity", "content-type": "application/json", "user-agent": "antemill"}
_UNSENDABLE = (httpx2.UnsupportedProtocol, httpx2.LocalProtocolError, httpx2.InvalidURL, ValueError)


def read_key(model: Model) -> str | None:
    """The entry's key from the environment. Raises StopError, which does not show the key."""
    return None if model.key_env is None else from_environment(model.key_env, "with the key")


def new_client(url: str, transport: httpx2.AsyncBaseTransport | None = None) -> httpx2.AsyncClient:
    """A client for addresses below a URL. Raises StopError if this machine's proxies or certificates prevent it."""
    local = is_local(url)
    try:
        return httpx2.AsyncClient(
            transport=transport,
            verify=False if local and urlsplit(url).scheme == "http" else _trusted(),
            follow_redirects=False,
            trust_env=not local,
            timeout=httpx2.Timeout(None, connect=_CONNECT),
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=None),
        )
    except (ImportError, ValueError, OSError, TypeError, httpx2.InvalidURL) as error:
        failed = type(error).__name__
    # outside of the handler: a proxy's address may hold a password
    raise StopError(f"no HTTP client can be made on this machine; see its proxies and certificates ({failed})")


def is_local(url: str) -> bool:
    """Whether a URL names this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


@functools.cache
def _trusted() -> ssl.SSLContext:
    """The trusted authorities, cached because reading them takes a tenth of a second."""
    return httpx2.create_ssl_context()


class Connections:
    """Connections to all models' servers, kept open between calls."""

    def __init__(self, redactor: KeyRedactor, clock: Clock, transport: httpx2.AsyncBaseTransport | None) -> None:
        self._redactor = redactor
        self._clock = clock
        self._transport = transport
        self._clients: dict[str, httpx2.AsyncClient] = {}  # by base URL

    async def close(self) -> None:
        """Close all connections."""
        for client in self._clients.values():
            await client.aclose()
        self._clients.clear()

    def _client(self, url: str) -> httpx2.AsyncClient:
        if url not in self._clients:
            self._clients[url] = new_client(url, self._transport)
        return self._clients[url]

    async def send(self, model: Model, body: bytes, timeout: float) -> tuple[str, Answer]:
        """The raw response, and the answer in it. Raises CallError. Neither the texts nor the error hold a key."""
        protocol = http_protocol(model.protocol)
        response, content = await self.ask(model, "POST", protocol.path(model), body, timeout)
        text = self._redactor.hide(content.decode(json.detect_encoding(content), errors="replace"))
        if not response.is_success:
            raise failure(response.status_code, text, response.headers, self._clock.time())
        try:
            return text, read_answer(protocol, decode(text))
        except CallError as error:
            error.body = error.body or text
            raise
        except Exception as error:  # it is paid for, so that it must not end the run
            failed = malformed(f"the answer cannot be read ({type(error).__name__})", text)
        raise failed

    async def ask(
        self, model: Model, method: str, path: str, body: bytes, timeout: float
    ) -> tuple[httpx2.Response, bytes]:
        """The response to a request below the base URL, of any status, and its content. Raises CallError."""
        key = read_key(model)
        extra = sent_headers(model.extra_headers, self._redactor)
        given = http_protocol(model.protocol).headers(key) | extra
        headers = _HEADERS | {name.lower(): value for name, value in given.items()}
        self._redactor.add(key or "")
        content = bytearray()
        try:
            async with asyncio.timeout(timeout):
                sent = self._client(model.url).stream(method, model.url + path, content=body, headers=headers)
                async with sent as response:
                    try:
                        await _receive(response, content, model.body_limit)
                    except AgainError:
                        if response.is_success:  # otherwise the status is read in place of the body
                            raise
                    return response, bytes(content)
        except CallError as error:
            failed = error
        except (TimeoutError, httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
            failed = self._explained(model, error, timeout)
        failed.body = self._redactor.hide(bytes(content[:_PARTIAL]).decode(errors="replace"))
        raise failed  # outside the handler: the library's exceptions hold the request with its headers

    def _explained(self, model: Model, error: Exception, timeout: float) -> CallError:
        detail = excerpt(self._redactor.hide(str(error))) or type(error).__name__
        if isinstance(error, httpx2.ProxyError):  # nothing has reached the provider
            what = f"the proxy on the way to {model.gateway} fails: {detail}"
            return StopError(what, status=407) if "407" in detail else AgainError(what, kind="no connection")
        if isinstance(error, httpx2.ConnectTimeout):
            return AgainError(f"{model.gateway} cannot be reached within {_CONNECT:g} s", kind="no connection")
        if isinstance(error, (TimeoutError, httpx2.TimeoutException)):
            return timed_out(f"no answer from {model.gateway} within {timeout:g} s")
        if isinstance(error, httpx2.ConnectError):
            return AgainError(f"no connection to {model.gateway}: {detail}", kind="no connection")
        if isinstance(error, _UNSENDABLE):
            return StopError(f"the request to {model.gateway} cannot be sent: {detail}")
        return AgainError(f"the connection to {model.gateway} broke: {detail}", kind="broken connection", billed=True)


async def _receive(response: httpx2.Response, content: bytearray, limit: int) -> None:
    """Append the content. Raises AgainError if it is compressed, or longer than `limit` bytes."""
    if response.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
        raise malformed("the answer is compressed, which was not asked for")
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    async for chunk in response.stream:
        content += chunk
        if len(content) > limit:
            raise malformed(f"the answer is longer than {limit / (1 << 20):g} MB (see body_limit)")
