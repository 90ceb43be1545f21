"""The models of a table: connected at the first call. Every call is recorded in the folder of hands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Self

import httpx2
from msgspec.structs import replace

from antemill.llm import Budget, CallStore, Client, Model, Reply, Request, Script
from antemill.tournament.runs.folder import RunFolder

_PATIENCE = 15.0  # seconds after which a model that fails is not asked again before the person says so


class Asking:
    """See `antemill.tournament.runs.Access`. An async context manager.

    begun: called before the first call, when the folder exists. dollars: limit on the cost of all calls in the folder;
    None sets no limit. scripts: fake models by name. transport: of httpx2, for tests.
    """

    def __init__(
        self,
        models: Mapping[str, Model],
        folder: RunFolder,
        begun: Callable[[], None] = lambda: None,
        dollars: float | None = None,
        scripts: Mapping[str, Script] | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self._models = {name: replace(one, deadline=min(one.deadline, _PATIENCE)) for name, one in models.items()}
        self._folder, self._begun, self._dollars = folder, begun, dollars
        self._scripts, self._transport = scripts, transport
        self._stack = AsyncExitStack()
        self._client: Client | None = None
        self._cost = 0.0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    async def ask(self, model: str, request: Request) -> Reply:
        """One reply. Raises what `antemill.llm.Client.ask` raises."""
        if self._client is None:
            self._client = await self._connected()
        reply = await self._client.ask(model, request)
        self._cost += reply.usage.cost
        return reply

    def take_cost(self) -> float:
        """Dollars of the replies since the last call; resets the sum."""
        cost, self._cost = self._cost, 0.0
        return cost

    async def _connected(self) -> Client:
        self._begun()
        calls = self._stack.enter_context(CallStore(self._folder.calls))
        risk = calls.risk()
        budget = None if self._dollars is None else Budget(self._dollars, risk + calls.cost(), risk)
        client = Client(self._models, calls, budget=budget, transport=self._transport, scripts=self._scripts)
        return await self._stack.enter_async_context(client)
