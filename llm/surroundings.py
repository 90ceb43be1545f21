"""Makes an HTTP client. Requests to this machine use no proxy, and requests without TLS need no certificates, so that
neither setting can block a local model."""

from __future__ import annotations

import functools
import ipaddress
import ssl
from typing import Any
from urllib.parse import urlsplit

import httpx2

from antemill.llm.errors import StopError


def new_client(url: str, transport: httpx2.AsyncBaseTransport | None, **options: Any) -> httpx2.AsyncClient:
    """A client for addresses below a URL. Raises StopError if this machine's proxies or certificates prevent it."""
    local = is_local(url)
    failed = ""
    try:
        return httpx2.AsyncClient(
            transport=transport,
            verify=False if local and urlsplit(url).scheme == "http" else _trusted(),
            follow_redirects=False,
            trust_env=not local,
            **options,
        )
    except (ImportError, ValueError, OSError, TypeError, httpx2.InvalidURL) as error:
        failed = (
            f"no HTTP client can be made on this machine; see its proxies and certificates ({type(error).__name__})"
        )
    raise StopError(failed)  # outside of the handler: a proxy's address may hold a password


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
