"""Makes an HTTP client, which can fail because of the environment: proxies, certificates, missing libraries.

The error is one sentence that names the variable or the file. Requests to this machine use no proxy, and requests
without TLS use no certificates, so that neither setting can block a local model.
"""

from __future__ import annotations

import functools
import ipaddress
import os
import ssl
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import proxy_bypass

import httpx2

from antemill.llm.errors import SetupError

_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")
_PROXIES = ("ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "all_proxy", "https_proxy", "http_proxy")


def new_client(url: str, transport: httpx2.AsyncBaseTransport | None, **options: Any) -> httpx2.AsyncClient:
    """A client for addresses below a URL. Raises SetupError."""
    local = is_local(url)
    failed = ""
    try:
        return httpx2.AsyncClient(
            transport=transport,
            verify=_trusted() if _needs_certificates(url, local) else False,
            follow_redirects=False,
            trust_env=not local,
            **options,
        )
    except (ImportError, ValueError, OSError, TypeError, httpx2.InvalidURL) as error:
        failed = _explained(error)
    raise SetupError(failed)  # outside of the handler: a proxy's address may hold a password


def proxy_named(url: str) -> str:
    """The environment variable that names the proxy for a URL; "" if there is none."""
    parts = urlsplit(url)
    if is_local(url) or proxy_bypass(parts.hostname or ""):
        return ""
    names = (f"{parts.scheme}_proxy", "all_proxy")
    return _set(tuple(variable for name in names for variable in (name, name.upper()))) or ""


def is_local(url: str) -> bool:
    """Whether a URL names this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _needs_certificates(url: str, local: bool) -> bool:
    return urlsplit(url).scheme == "https" or not (local or _set(_PROXIES) is None)


@functools.cache
def _trusted() -> ssl.SSLContext:
    """The trusted authorities, cached because reading them takes a tenth of a second. Raises SetupError."""
    name = _set(_CERTIFICATES)
    path = os.environ[name] if name else ""
    reason = "there is no such file or folder"
    if not path or Path(path).exists():
        try:
            return httpx2.create_ssl_context()
        except (OSError, ssl.SSLError) as error:
            reason = error.strerror or str(error)
    if name is None:
        raise SetupError(f"the certificates of this machine cannot be read ({reason})")
    raise SetupError(f"{name} names {path}, whose certificates cannot be read ({reason})")


def _set(names: tuple[str, ...]) -> str | None:
    return next((name for name in names if os.environ.get(name)), None)


def _explained(error: Exception) -> str:
    """The mistake in the variables that name proxies. Their values may hold passwords and are not shown."""
    proxies = [name for name in _PROXIES if os.environ.get(name)]
    socks = [name for name in proxies if os.environ[name].lower().startswith("socks")]
    if isinstance(error, ImportError) and socks:
        return f'{socks[0]} names a SOCKS proxy, which needs an extra (pip install "antemill[socks]"); or unset it'
    wrong = next((name for name in proxies if not _is_proxy(os.environ[name])), None)
    if wrong is not None:
        return f"{wrong} is not the address of a proxy; write http://HOST:PORT or socks5://HOST:PORT, or unset it"
    return f"no HTTP client can be made on this machine ({error})"


def _is_proxy(address: str) -> bool:
    try:
        httpx2.Proxy(address if "://" in address else f"http://{address}")
    except (ValueError, httpx2.InvalidURL):
        return False
    return True
