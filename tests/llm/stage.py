"""A client before a server (or a script) that does as it is told."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from antemill import llm
from antemill.llm.connections import failure
from antemill.llm.errors import malformed
from tests.llm.clocks import QuickClock
from tests.llm.dialects import DIALECTS
from tests.llm.events import Body, Cut, Event, Say, Status
from tests.llm.server import FakeServer

HTTP = sorted(DIALECTS)
ALL = [*HTTP, "scripted"]
KEY = "sk-live-0123456789abcdefghij/+="
KEY_ENV = "ANTEMILL_TEST_KEY"
PRICES = llm.Prices(input=2.0, cached_input=0.2, cache_write=2.5, output=10.0)
REQUEST = llm.Request(messages=(llm.Message("system", "The rules of the game."), llm.Message("user", "Bet or check?")))


class Stage:
    """What a test looks at."""

    def __init__(self, client: llm.Client, store: llm.CallStore, clock: QuickClock, server: FakeServer | None) -> None:
        self.client = client
        self.store = store
        self.clock = clock
        self.server = server
        self.scripted = 0  # calls of the script

    @property
    def asked(self) -> int:
        """Attempts that arrived."""
        return self.scripted if self.server is None else len(self.server.received)

    async def ask(self, sample: str = "", **changes: Any) -> llm.Reply:
        """Ask the model."""
        return await self.client.ask("m", llm.Request(messages=REQUEST.messages, sample=sample, **changes))


def entry(protocol: str, url: str = "", **changes: Any) -> llm.Model:
    """The entry "m"."""
    given: dict[str, Any] = {"protocol": protocol, "model": "m-1", "prices": PRICES, "timeout": 20.0, "deadline": 60.0}
    if protocol != "scripted":
        given |= {"base_url": url, "key_env": KEY_ENV}
    return llm.Model(name="m", **{**given, **changes})


@asynccontextmanager
async def stage(
    protocol: str, *events: Event, path: str | Path = ":memory:", budget: llm.Budget | None = None, **changes: Any
) -> AsyncIterator[Stage]:
    """A client for the model "m", whose server or script does `events`; the last one is repeated."""
    async with AsyncExitStack() as stack:
        stack.enter_context(patch.dict(os.environ, {KEY_ENV: KEY}))
        clock, store = QuickClock(), stack.enter_context(llm.CallStore(path))
        if protocol == "scripted":
            left = list(events)

            async def script(_request: llm.Request) -> llm.Answer:
                found.scripted += 1
                return await _act(left.pop(0) if len(left) > 1 else left[0])

            client = llm.Client(
                {"m": entry(protocol, **changes)}, store, budget=budget, scripts={"m": script}, clock=clock
            )
            found = Stage(client, store, clock, None)
        else:
            server = await stack.enter_async_context(FakeServer(DIALECTS[protocol].render, *events))
            client = llm.Client({"m": entry(protocol, server.url, **changes)}, store, budget=budget, clock=clock)
            found = Stage(client, store, clock, server)
        await stack.enter_async_context(client)
        yield found


async def _act(event: Event) -> llm.Answer:
    """The script's version of an event."""
    if isinstance(event, Say):
        usage = llm.Usage(
            input_uncached=event.read - event.cached,
            input_cached=event.cached,
            output_visible=event.written - event.reasoning,
            reasoning=event.reasoning,
            raw={"read": event.read},
        )
        return llm.Answer("" if event.bare else event.text, event.finish, usage)
    if isinstance(event, Status):
        headers = {} if event.retry_after is None else {"retry-after": f"{event.retry_after:g}"}
        raise failure(event.status, DIALECTS["openai-chat"].render(event).body, headers, 0.0)
    if isinstance(event, Cut):
        raise llm.AgainError("the connection broke", kind="broken connection", billed=True)
    if isinstance(event, Body):
        raise malformed("no JSON", event.text)
    await asyncio.sleep(3600)
    raise AssertionError("a script that hangs was not stopped")
