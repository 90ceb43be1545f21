"""Which requests the server answers, and the headers of every answer.

Any page that is open in the same browser can send requests to a server on this machine. If its own name is made to
point to this machine (DNS rebinding), it could read the answers. So the name in `Host` must be one of this machine's,
the origin that the browser reports must be this server, and no request changes anything.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import msgspec
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from antemill.tournament.plain import plain

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

READING = frozenset({"GET", "HEAD"})
_HEADERS = (
    (b"cache-control", b"no-store"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
)


def refusal(request: Request, sentence: str, status: int) -> Response:
    """A sentence in place of what was asked for: as JSON to the page's script, as text to a person at a browser."""
    if "text/html" in request.headers.get("accept", ""):
        return PlainTextResponse(f"{plain(sentence)}\n", status)
    return Response(msgspec.json.encode({"error": sentence}), status, media_type="application/json")


def failed(request: Request, error: Exception) -> Response:
    """The answer after an error of the program; the server writes the traceback to stderr."""
    said = f"The server could not answer ({type(error).__name__}): the terminal in which it runs says where it failed."
    return refusal(request, said, 500)


class Guard:
    """A server whose requests are checked before they are answered.

    host: where it listens. methods: what it takes. policy: the content security policy of every answer.
    """

    def __init__(self, app: App, host: str, policy: str, methods: Collection[str] = READING) -> None:
        self._app, self._host, self._methods = app, host, methods
        self._headers = (*_HEADERS, (b"content-security-policy", f"{policy}; frame-ancestors 'none'".encode()))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *self._headers]
            await send(message)

        status, why = self._refusal(scope)
        if not status:
            return await self._app(scope, receive, with_headers)
        kind, body = b"text/plain; charset=utf-8", why.encode()
        length = b"%d" % len(body)
        headers = [(b"content-type", kind), (b"content-length", length)]
        if status == 405:
            headers.append((b"allow", ", ".join(sorted(self._methods)).encode()))
        await with_headers({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def _refusal(self, scope: Scope) -> tuple[int, str]:
        """Status and reason; 0 for a request that is welcome."""
        found = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        hosts = [value for name, value in scope["headers"] if name.lower() == b"host"]
        host = found.get("host", "")
        if len(hosts) != 1 or not is_own(host, self._host):
            return 421, "This server answers to names of this machine only."
        if scope["method"] not in self._methods:
            return 405, "Nothing can be changed here."
        if "origin" in found and urlsplit(found["origin"]).netloc.lower() != host.lower():
            return 403, "This server answers its own pages only."
        visited = found.get("sec-fetch-mode") == "navigate" and scope["method"] in READING
        if found.get("sec-fetch-site", "none") not in ("none", "same-origin") and not visited:
            return 403, "This server answers its own pages only."
        return 0, ""


def is_own(host: str, listens: str) -> bool:
    """Whether the value of `Host` is this machine, as a person in front of it would name it.

    An address cannot be made to point elsewhere, a name can. The names taken are localhost and the one at which the
    server listens; if it listens to other machines too, also this machine's own name.
    """
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    names = {"localhost", listens.lower()} | (set() if is_loopback(listens) else {socket.gethostname().lower()})
    if name in names:
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    return address.is_loopback or not is_loopback(listens)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a server that listens there."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
