"""A server that answers chat completions at once, in a process of its own: what is left is the overhead of ours.

    with instant_server() as url: ...       # http://127.0.0.1:PORT/v1

It answers `{"action": NAME}`; where the request has a schema, every property gets the first value of its `enum`.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

ROOT = Path(__file__).parent.parent.parent
_USAGE = {"prompt_tokens": 500, "completion_tokens": 8, "prompt_tokens_details": {"cached_tokens": 400}}


@contextmanager
def instant_server(action: str = "bet") -> Iterator[str]:
    """The base URL; the server ends with the block."""
    command = [sys.executable, "-m", "tests.llm.instant", action]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield f"{process.stdout.readline().strip()}/v1"
    finally:
        process.stdin.close()  # it serves until then
        process.wait(30)
        process.stdout.close()


def answer(body: dict[str, Any], action: str) -> dict[str, str]:
    """What the model says."""
    schema = body.get("response_format", {}).get("json_schema", {}).get("schema", {})
    enums = {name: given["enum"][0] for name, given in schema.get("properties", {}).items() if given.get("enum")}
    return enums or {"action": action}


async def _connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, action: str) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
            body = msgspec.json.decode(await reader.readexactly(length))
            text = msgspec.json.encode(answer(body, action)).decode()
            choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
            reply = msgspec.json.encode({"model": body["model"], "choices": [choice], "usage": _USAGE})
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n")
            writer.write(b"content-length: %d\r\n\r\n" % len(reply) + reply)
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def serve(action: str) -> None:
    """Serve until standard input is closed."""
    server = await asyncio.start_server(lambda reader, writer: _connected(reader, writer, action), "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1]))
