"""A server from its port to its end."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn

from antemill.engine.errors import UsageError
from antemill.tournament.runs.interrupts import run_async
from antemill.tournament.view.app import make_app
from antemill.tournament.view.guard import App
from antemill.tournament.view.service import opened, with_follower

PORT = 8484
_PATIENCE = 1  # seconds in which requests in progress may finish at the end


def view(folders: list[Path], host: str, port: int, began: Callable[[str, list[dict[str, Any]]], None]) -> None:
    """Serve the runs in some folders until a signal ends it. began: told the address and the runs.

    Raises UsageError or StorageError, and Interruption at a signal.
    """
    with opened(folders) as service, listening(host, port) as listener:
        server = make_server(make_app(service, host))
        began(address(host, listener), service.runs())
        run_async(with_follower(service, run(server, listener, service.end)))


def make_server(app: App) -> uvicorn.Server:
    """A server that is ready to answer, and logs nothing."""
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="off",
        ws="none",
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_PATIENCE,
    )
    config.load()
    return _Server(config)


async def serve(app: App, listener: socket.socket) -> None:
    """Answer until it is cancelled, see `run`."""
    await run(make_server(app), listener)


async def run(server: uvicorn.Server, listener: socket.socket, end: Callable[[], None] = lambda: None) -> None:
    """Answer until it is cancelled; requests in progress then have a moment to finish. end: called first."""
    task = asyncio.create_task(server.serve([listener]))
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        server.should_exit = True
        end()
        await task
        raise


class _Server(uvicorn.Server):
    """Signals are handled as in all commands."""

    def capture_signals(self) -> contextlib.AbstractContextManager[None]:  # type: ignore[override]
        return contextlib.nullcontext()


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """A socket that is listened at. port: 0 for any that is free. Raises UsageError if that is not possible."""
    if not 0 <= port <= 65535:
        raise UsageError(f"there is no port {port}: name one from 1 to 65535, or 0 for any that is free.")
    try:
        family, _, _, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError) as error:
        raise UsageError(f"there is no host '{host}' to listen at: name an address of this machine.") from error
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(where)
        listener.listen(128)
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        raise UsageError(_why_not(error, host, port)) from error
    with listener:
        yield listener


def _why_not(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is in use: name another one with --port, or --port 0 for any that is free."
    if error.errno == errno.EACCES:
        return f"port {port} is for the system's own servers: name one from 1024 on with --port."
    if error.errno == errno.EADDRNOTAVAIL:
        return f"'{host}' is no address of this machine: name one that is, or leave --host out."
    return f"cannot listen at {host}, port {port}: {(error.strerror or str(error)).lower()}."


def address(host: str, listener: socket.socket) -> str:
    """Where the page is, for a browser on this machine."""
    everywhere = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}
    name = everywhere.get(host, host)
    return f"http://{f'[{name}]' if ':' in name else name}:{listener.getsockname()[1]}/"


def open_browser(url: str) -> bool:
    """Show a page in the browser; False if there is none with a window of its own."""
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return False
    if type(browser) is webbrowser.GenericBrowser:  # in the terminal, which it would take over
        return False
    return browser.open(url)
