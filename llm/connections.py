"""One attempt over HTTP: send a body, and return the answer or raise the CallError of its status.

The class of an error follows from the status alone (`antemill.llm.errors.class_of`), also from one that is reported in
a success; its text is for people.

Requests to this machine use no proxy, and requests without TLS need no certificates, so that neither setting can block
a local model.
"""

from __future__ import annotations

import asyncio
import functools
import ipaddress
import json
import re
import ssl
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

import httpx2

from antemill.llm.errors import AgainError, CallError, StopError, class_of, malformed, timed_out
from antemill.llm.limits import Clock
from antemill.llm.model import Model
from antemill.llm.protocols import http_protocol
from antemill.llm.protocols.protocol import HttpProtocol
from antemill.llm.protocols.wire import Json, decode, excerpt, objects, part, text_of
from antemill.llm.redact import KeyRedactor, from_environment, sent_headers
from antemill.llm.types import Answer

_CONNECT = 30.0  # seconds
_PARTIAL = 1 << 16  # the most bytes that are kept of an incomplete response
# No compression is asked for: the library's decoders have no limit of size.
_HEADERS = {"accept-encoding": "identity", "content-type": "application/json", "user-agent": "antemill"}
_STATUSES = ("code", "status", "status_code")
_PAID = ("usage", "usageMetadata")
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
        if isinstance(error, TimeoutError):
            return timed_out(f"no answer from {model.gateway} within {timeout:g} s")
        if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
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


def failure(status: int, text: str, headers: Mapping[str, str], now: float) -> CallError:
    """The error of a response that is not a success. text: the body. now: the time in Unix seconds."""
    message = f"HTTP {status}: {excerpt(_message(text)) or 'no text'}"
    return class_of(status)(message, status=status, retry_after=retry_after(headers, now), body=text)


def read_answer(protocol: HttpProtocol, found: Json) -> Answer:
    """The answer in a success. Raises CallError if it carries an error, or is not an answer of the protocol."""
    reported = [found, *objects(found, "choices")]
    error = next((one["error"] for one in reported if one.get("error")), None)
    billed = any(part(found, key) for key in _PAID)
    try:
        if error is None:
            return protocol.answer(found)
    except AgainError as wrong:
        if _failed_status(found) is None:
            raise
        error, billed = found, wrong.billed and billed
    inside = error if isinstance(error, dict) else {}
    message = f"reported error: {excerpt(text_of(inside, 'message') or str(error))}"
    status = _failed_status(inside) or _failed_status(found)
    if status is None:
        raise malformed(message, str(error))
    raise class_of(status)(message, status=status, body=str(error), billed=billed)


def _failed_status(found: Json) -> int | None:
    """The failed status that an object names, as a number or in digits; None if there is none."""
    named = (found.get(key) for key in _STATUSES)
    return next(
        (int(one) for one in named if isinstance(one, int | str) and re.fullmatch("[45]\\d\\d", str(one))), None
    )


def _message(text: str) -> str:
    """The server's sentence, with the provider's behind a gateway; the whole text if it has no known place."""
    try:
        body = decode(text.strip().removeprefix("[").removesuffix("]") if text.lstrip().startswith("[") else text)
    except CallError:
        return re.sub(r"<[^<>]{0,400}>", " ", text[:10_000])  # an HTML page, or plain text
    error = part(body, "error")
    texts = (text_of(error, "message"), *(text_of(body, key) for key in ("error", "message", "detail")))
    said = next((one for one in texts if one), "")
    return f"{said} {text_of(part(error, 'metadata'), 'raw')}".strip() or text


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that the server asks the client to wait: a number of seconds, or a date."""
    said = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{0,9})?", said):
        return float(said)
    try:
        moment = parsedate_to_datetime(said)
        return max(0.0, moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() - now)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
