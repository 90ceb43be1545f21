"""A server that answers chat completions at once with the first legal action.

`python -m antemill.tournament.bench.answering_server` prints its port. It ends when its standard input is closed.
"""

from __future__ import annotations

import asyncio
import json
import sys

from antemill.tournament.runs.interrupts import run_async

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
_MARK = "- Legal actions: "


def first_legal(prompt: str) -> str:
    """The reply to a prompt with the first action of its menu."""
    menu = prompt[prompt.rindex(_MARK) + len(_MARK) :].partition("\n")[0]
    whole = "a whole number from "
    action = menu.removeprefix(whole).split()[0] if menu.startswith(whole) else menu.split(", ")[0]
    return f'{{"action": {action}}}'


def answer(body: bytes) -> bytes:
    """The response to a request's body."""
    text = json.loads(body)["messages"][-1]["content"]
    message = {"role": "assistant", "content": first_legal(text)}
    usage = {"prompt_tokens": len(body) // 4, "completion_tokens": 8}
    reply = {"model": "instant", "choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}
    return json.dumps(reply).encode()


class Connection(asyncio.Protocol):
    """Requests of one client, one after the other."""

    def __init__(self) -> None:
        self._data = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember where to write."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer the requests that are complete."""
        self._data += data
        while (end := self._data.find(b"\r\n\r\n")) >= 0:
            head = self._data[:end].lower()
            size = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
            if len(self._data) < end + 4 + size:
                return
            body = answer(self._data[end + 4 : end + 4 + size])
            self._data = self._data[end + 4 + size :]
            assert self._transport is not None
            self._transport.write(_HEAD % (len(body), body))


async def serve() -> None:
    """Serve on a free port until standard input is closed."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Connection, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    closed = asyncio.Event()
    loop.add_reader(sys.stdin, closed.set)
    await closed.wait()
    server.close()


if __name__ == "__main__":
    run_async(serve())
