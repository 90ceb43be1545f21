"""A server that answers chat completions at once, in a process of its own: what is left is the overhead of ours.

    with instant_server() as url: ...       # http://127.0.0.1:PORT/v1

It answers with the first legal action of a card game's prompt, and other prompts with `bet`; where the request has a
schema, every property gets the first value of its `enum`.
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
_MARK = "- Legal actions: "


@contextmanager
def instant_server() -> Iterator[str]:
    """The base URL; the server ends with the block."""
    command = [sys.executable, "-m", "tests.llm.instant"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield f"{process.stdout.readline().strip()}/v1"
    finally:
        process.stdin.close()  # it serves until then
        process.wait(30)
        process.stdout.close()


def first_legal(prompt: str) -> str:
    """The reply to a prompt with the first action of its menu."""
    menu = prompt[prompt.rindex(_MARK) + len(_MARK) :].partition("\n")[0]
    whole = "a whole number from "
    action = menu.removeprefix(whole).split()[0] if menu.startswith(whole) else menu.split(", ")[0]
    return f'{{"action": {action}}}'


def answer(body: dict[str, Any]) -> str:
    """What the model says."""
    schema = body.get("response_format", {}).get("json_schema", {}).get("schema", {})
    enums = {name: given["enum"][0] for name, given in schema.get("properties", {}).items() if given.get("enum")}
    if enums:
        return msgspec.json.encode(enums).decode()
    prompt = body["messages"][-1]["content"]
    return first_legal(prompt) if _MARK in prompt else '{"action": "bet"}'


async def _connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
            body = msgspec.json.decode(await reader.readexactly(length))
            usage = {"prompt_tokens": length // 4, "completion_tokens": 8}
            message = {"role": "assistant", "content": answer(body)}
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            reply = msgspec.json.encode({"model": body["model"], "choices": [choice], "usage": usage})
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n")
            writer.write(b"content-length: %d\r\n\r\n" % len(reply) + reply)
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def serve() -> None:
    """Serve until standard input is closed."""
    server = await asyncio.start_server(_connected, "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(serve())
