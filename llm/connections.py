"""One attempt over HTTP: send a body, and return the answer or raise a CallError."""

from __future__ import annotations

import asyncio
import functools
import json
import os
import re
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import httpx2
import msgspec

from antemill.llm import errors
from antemill.llm.clock import Clock
from antemill.llm.headers import sent_headers
from antemill.llm.model import Model
from antemill.llm.protocols import http_protocol
from antemill.llm.protocols.failures import read_answer, verdict
from antemill.llm.protocols.stream import events_in, is_stream
from antemill.llm.protocols.wire import decode, excerpt
from antemill.llm.redact import KeyRedactor
from antemill.llm.surroundings import new_client, proxy_named
from antemill.llm.types import Answer

_CONNECT = 30.0  # seconds
_PACKED = ("gzip", "x-gzip", "deflate")
_PARTIAL = 1 << 16  # the most bytes that are kept of an incomplete response
_PIECE = 1 << 16  # the most bytes of a decompressed piece
_GZIP = b"\x1f\x8b"  # first bytes of each gzip member
_ENCODINGS = "gzip, deflate"  # accepted and decoded in this module: the library's decoders have no size limit
_HEADERS = {"accept": "*/*", "accept-encoding": _ENCODINGS, "connection": "keep-alive", "user-agent": "antemill"}
_TIMEOUTS = httpx2.Timeout(None, connect=_CONNECT).as_dict()


def read_key(model: Model) -> str | None:
    """The entry's key from the environment. Raises AuthenticationError, which does not show the key."""
    if model.key_env is None:
        return None
    key = os.environ.get(model.key_env, "").strip()
    if not key:
        raise errors.AuthenticationError(f"the environment variable {model.key_env} with the key is not set; set it")
    if not re.fullmatch(r"[\x21-\x7e]+", key):
        raise errors.AuthenticationError(
            f"the environment variable {model.key_env} does not hold a key: it has blanks or non-ASCII characters"
        )
    return key


class Connections:
    """Connections to all models' servers, kept open between calls.

    Each of the library's clients has one call at a time, and the last used client is used first. A connection pool that
    many calls share would search all its connections at each call, which takes longer than all other work.
    """

    def __init__(self, redactor: KeyRedactor, clock: Clock, transport: httpx2.AsyncBaseTransport | None) -> None:
        self._redactor = redactor
        self._clock = clock
        self._transport = transport
        self._idle: defaultdict[str, list[httpx2.AsyncClient]] = defaultdict(list)  # by base URL

    async def close(self) -> None:
        """Close all connections that are not in use."""
        idle = [client for clients in self._idle.values() for client in clients]
        self._idle.clear()
        for client in idle:
            await client.aclose()

    @contextmanager
    def _client(self, model: Model) -> Iterator[httpx2.AsyncClient]:
        idle = self._idle[model.url]
        client = idle.pop() if idle else new_client(model.url, self._transport)
        try:
            yield client
        finally:
            idle.append(client)

    async def send(self, model: Model, body: bytes, timeout: float) -> tuple[str, Answer]:
        """The raw response, and the answer in it. Raises CallError. Neither the texts nor the error hold a key."""
        response, content = await self.post(model, http_protocol(model.protocol).path(model), body, timeout)
        text = self._redactor.hide(content.decode(json.detect_encoding(content), errors="replace"))
        if response.is_success:
            return text, self._read(model, text)
        if response.is_redirect:
            raise errors.BadRequestError(
                f"{model.gateway} redirects (HTTP {response.status_code}); set base_url to the new address",
                doubtful=False,
            )
        found = verdict(response.status_code, text, response.headers, self._clock.time(), model.errors)
        if isinstance(found, errors.CallError):
            raise found
        return text, found

    async def post(self, model: Model, path: str, body: bytes, timeout: float) -> tuple[httpx2.Response, bytes]:
        """Send a body to a path below the base URL; returns the response and its content. Raises CallError."""
        key = read_key(model)
        headers = http_protocol(model.protocol).headers(key) | sent_headers(model, self._redactor)
        self._redactor.add(key or "")
        return await self._post(model, model.url + path, body, {"content-type": "application/json"} | headers, timeout)

    def _read(self, model: Model, text: str) -> Answer:
        """The answer in a success. Since it is paid for, all other errors become MalformedReplyError, with its text."""
        try:
            protocol = http_protocol(model.protocol)
            if is_stream(text):
                found = protocol.streamed([decode(event, self._redactor.hide) for event in events_in(text)])
            else:
                found = decode(text, self._redactor.hide)
            answer = read_answer(protocol, found, model.errors, text)
            if answer.text.strip() or not protocol.reasoning(found).strip():
                return answer
            return msgspec.structs.replace(answer, thought=True)
        except errors.CallError as error:
            error.body = error.body or text
            raise
        except Exception as error:
            failed = errors.MalformedReplyError(f"the answer cannot be read ({type(error).__name__})", body=text)
        raise failed

    async def _post(
        self, model: Model, url: str, body: bytes, headers: dict[str, str], timeout: float
    ) -> tuple[httpx2.Response, bytes]:
        """The response and its content. Raises CallError, which holds the received part of the content."""
        content = bytearray()
        try:
            with self._client(model) as client:
                async with asyncio.timeout(timeout):
                    response = await client.send(_request(client, url, body, headers), stream=True)
                    try:
                        await _receive(response, content, model.body_limit)
                    except (errors.MalformedReplyError, zlib.error, httpx2.DecodingError):
                        if response.is_success:  # otherwise the status is read in place of the body
                            raise
                    finally:
                        await response.aclose()
                    return response, bytes(content)
        except errors.CallError as error:
            failed = error
        except (TimeoutError, httpx2.HTTPError, httpx2.InvalidURL, zlib.error, ValueError) as error:
            failed = self._explained(model, error, timeout)
        failed.body = self._redactor.hide(bytes(content[:_PARTIAL]).decode(errors="replace"))
        raise failed  # outside the handler: the library's exceptions hold the request with its headers

    def _explained(self, model: Model, error: Exception, timeout: float) -> errors.CallError:
        detail = excerpt(self._redactor.hide(str(error))) or type(error).__name__
        if isinstance(error, httpx2.ProxyError):  # nothing has reached the provider
            if "407" in detail:
                return errors.SetupError(
                    f"the proxy on the way to {model.gateway} needs a name and a password ({detail})"
                )
            return errors.DisconnectedError(f"the proxy on the way to {model.gateway} fails: {detail}", billed=False)
        if isinstance(error, httpx2.ConnectTimeout):
            return errors.TimedOutError(f"{model.gateway} cannot be reached within {_CONNECT:g} s", billed=False)
        if isinstance(error, (TimeoutError, httpx2.TimeoutException)):
            return errors.TimedOutError(f"no answer from {model.gateway} within {timeout:g} s")
        if isinstance(error, httpx2.ConnectError):
            way = f" (by way of the proxy in {name})" if (name := proxy_named(model.url)) else ""
            return errors.DisconnectedError(f"no connection to {model.gateway}{way}: {detail}", billed=False)
        if isinstance(error, (httpx2.DecodingError, zlib.error)):
            return errors.MalformedReplyError(f"the answer of {model.gateway} cannot be decoded: {detail}")
        if isinstance(error, (httpx2.UnsupportedProtocol, httpx2.LocalProtocolError, httpx2.InvalidURL, ValueError)):
            return errors.BadRequestError(f"the request to {model.gateway} cannot be sent: {detail}", doubtful=False)
        return errors.DisconnectedError(f"the connection to {model.gateway} broke: {detail}")


def _request(client: httpx2.AsyncClient, url: str, body: bytes, headers: Mapping[str, str]) -> httpx2.Request:
    """The same request as the client would build, but without merging its defaults each time."""
    given = _HEADERS | {name.lower(): value for name, value in headers.items()}
    cookies = client.cookies or None
    extensions = {"timeout": _TIMEOUTS}
    return httpx2.Request("POST", _parsed(url), content=body, headers=given, cookies=cookies, extensions=extensions)


@functools.lru_cache(maxsize=64)
def _parsed(url: str) -> httpx2.URL:
    return httpx2.URL(url)


async def _receive(response: httpx2.Response, content: bytearray, limit: int) -> None:
    """Append the content, decompressed. Raises MalformedReplyError if it is longer than `limit` bytes or cut off."""
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("", "identity", *_PACKED):
        raise errors.MalformedReplyError(
            f'the answer has the encoding "{excerpt(encoding, 40)}", which was not asked for'
        )
    unpack = _Unpacking() if encoding in _PACKED else None
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    async for chunk in response.stream:
        for piece in [chunk] if unpack is None else unpack.pieces(chunk):
            content += piece
            if len(content) > limit:
                raise errors.MalformedReplyError(f"the answer is longer than {limit / (1 << 20):g} MB (see body_limit)")
    if unpack is not None and not unpack.ended and content:
        raise errors.MalformedReplyError("the compressed answer is cut off")


class _Unpacking:
    """Decompresses gzip, also of several members, and deflate, in zlib's form or bare."""

    def __init__(self) -> None:
        self._head: bytes | None = b""  # the first bytes, until there are the two that show the form; then None
        self._unpack = zlib.decompressobj(zlib.MAX_WBITS | 32)

    @property
    def ended(self) -> bool:
        """Whether the content is complete."""
        return self._unpack.eof

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        """The decompressed chunk in small pieces, so that a decompression bomb is noticed before memory is full."""
        if self._head is not None:
            self._head, chunk = (self._head + chunk, b"") if len(self._head + chunk) < 2 else (None, self._head + chunk)
            if chunk and not (
                chunk[:2] == _GZIP or (chunk[0] & 15 == 8 and int.from_bytes(chunk[:2], "big") % 31 == 0)
            ):
                self._unpack = zlib.decompressobj(-zlib.MAX_WBITS)
        piece = b""
        while chunk or len(piece) == _PIECE:
            if self._unpack.eof:
                if chunk[:1] != _GZIP[:1]:  # bytes after the end are padding
                    return
                self._unpack = zlib.decompressobj(zlib.MAX_WBITS | 32)
            piece = self._unpack.decompress(chunk, _PIECE)
            chunk = self._unpack.unconsumed_tail or (self._unpack.unused_data if self._unpack.eof else b"")
            yield piece
