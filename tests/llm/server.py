"""A small HTTP/1.1 server on loopback that does as it is told, request after request."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

import msgspec
from msgspec import Struct

from tests.llm.events import Body, Cut, Event, Hang, Trickle


class Response(Struct, frozen=True):
    """A status, headers and a body."""

    status: int
    body: str
    headers: dict[str, str] = {}


class Received(Struct, frozen=True):
    """A request as it arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class FakeServer:
    """Events in the order of requests; the last one is repeated. An async context manager."""

    def __init__(self, render: Callable[[Event], Response], *events: Event) -> None:
        self.received: list[Received] = []
        self.busiest = 0  # most requests at once
        self._render = render
        self._events = list(events)
        self._active = 0
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while await self._exchange(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
        body = await reader.readexactly(int(headers["content-length"]))
        self.received.append(Received(head[0].split()[1], headers, msgspec.json.decode(body)))
        event = self._events.pop(0) if len(self._events) > 1 else self._events[0]
        self._active += 1
        self.busiest = max(self.busiest, self._active)
        try:
            return await self._answer(event, writer)
        finally:
            self._active -= 1

    async def _answer(self, event: Event, writer: asyncio.StreamWriter) -> bool:
        if isinstance(event, Hang):
            await asyncio.sleep(3600)
        if isinstance(event, Cut) and not event.midway:
            return False
        response = Response(200, event.text) if isinstance(event, Body) else self._render(event)
        await asyncio.sleep(0)
        length = len(response.body.encode())
        headers = {"content-type": "application/json", "content-length": str(length), **response.headers}
        lines = [f"HTTP/1.1 {response.status} Status", *(f"{name}: {value}" for name, value in headers.items())]
        data = "\r\n".join([*lines, "", response.body]).encode()
        if isinstance(event, Cut):
            writer.write(data[: -length // 2])
            await writer.drain()
            return False
        if isinstance(event, Trickle):
            await self._trickle(data, writer)
        writer.write(data)
        await writer.drain()
        return True

    async def _trickle(self, data: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(data[:-100])
        for byte in data[-100:]:
            await asyncio.sleep(0.02)
            writer.write(bytes([byte]))
            await writer.drain()
        await asyncio.sleep(3600)
