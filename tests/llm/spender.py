"""A provider that charges for all that it can, behind a client with 64 calls in flight; also as a process of its own.

python -m tests.llm.spender STORE DOLLARS SEED      asks until the budget is used up; prints what was charged
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
from collections.abc import AsyncIterator

import httpx2
import msgspec

from antemill import llm
from antemill.llm.estimate import worst_cost
from tests.llm.clocks import QuickClock
from tests.llm.dialects import DIALECTS
from tests.llm.events import Say

IN_FLIGHT = 64
PRICES = llm.Prices(input=2.0, output=10.0)
MODEL = llm.Model(
    name="m",
    protocol="openai-chat",
    base_url="http://provider.example/v1",
    prices=PRICES,
    max_output=200,
    concurrency=IN_FLIGHT,
    timeout=0.05,
    deadline=5.0,
)
GOOD = DIALECTS["openai-chat"].good(Say())
REFUSED = {
    "error": {"code": "x", "error": "Content violates usage guidelines.", "message": "violates usage guidelines"}
}


class Provider:
    """Answers in every way. charged: dollars, of all that it may charge for at its most. enough: set when it was asked
    so many times."""

    def __init__(self, seed: int, most: int | None = None) -> None:
        self.charged = 0.0
        self.asked = 0
        self.enough = asyncio.Event()
        self._most = most
        self._rng = random.Random(seed)

    async def respond(self, request: httpx2.Request) -> httpx2.Response:
        """One response, some time later."""
        self.asked += 1
        if self.asked == self._most:
            self.enough.set()
        most = worst_cost(MODEL, len(request.content), MODEL.max_output)
        way = self._rng.choice(
            ("good", "good", "bare", "odd", "broken", "begun", "cut", "html", "late", "refused", "busy", "down")
        )
        await asyncio.sleep(0)
        if way == "busy":
            return httpx2.Response(429, json={"error": {"message": "slow down"}})
        if way == "down":
            return httpx2.Response(502, text="<html>")
        if way == "good":
            self.charged += (120 * PRICES.input + 30 * PRICES.output) / 1e6
            return httpx2.Response(200, json=GOOD)
        if way == "refused":  # which costs nothing
            return httpx2.Response(403, json=REFUSED)
        self.charged += most
        if way == "late":
            await asyncio.sleep(3600)
        bodies = {
            "bare": msgspec.json.encode({**GOOD, "usage": None}),
            "odd": msgspec.json.encode(GOOD).replace(b"120", b"NaN"),
            "broken": msgspec.json.encode({**GOOD, "choices": [{"finish_reason": "error"}]}),
            "begun": msgspec.json.encode({"choices": [{**GOOD["choices"][0], "finish_reason": "error"}]}),
        }
        if way == "cut":
            return httpx2.Response(200, content=_cut())
        return httpx2.Response(200, content=bodies.get(way, b"<html>gateway</html>"))


async def _cut() -> AsyncIterator[bytes]:
    yield b'{"choices": [{"mess'
    raise httpx2.ReadError("broken pipe")


async def spend(path: str, dollars: float, seed: int, most: int | None = None) -> Provider:
    """Ask with 64 calls in flight until the budget is used up, or the provider was asked so many times."""
    provider, rng = Provider(seed, most), random.Random(seed)
    with llm.CallStore(path) as store:
        budget = llm.Budget(dollars, store.spent())
        options = {
            "transport": httpx2.MockTransport(provider.respond),
            "clock": QuickClock(),
            "backoff": llm.Backoff(0.1),
        }
        async with llm.Client({"m": MODEL}, store, budget=budget, **options) as client:  # type: ignore[arg-type]

            async def ask_on() -> None:
                while True:
                    text = "x" * rng.randrange(1, 400)
                    request = llm.Request(messages=(llm.Message("user", text),), sample=str(rng.random()))
                    try:
                        await client.ask("m", request)
                    except llm.BudgetExceededError:
                        return
                    except llm.CallError:
                        continue

            tasks = [asyncio.ensure_future(ask_on()) for _ in range(IN_FLIGHT)]
            ends = [asyncio.ensure_future(end) for end in (asyncio.wait(tasks), provider.enough.wait())]
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            for task in (*tasks, *ends):
                task.cancel()
            await asyncio.gather(*tasks, *ends, return_exceptions=True)
    return provider


if __name__ == "__main__":
    os.environ.pop("ANTEMILL_TEST_KEY", None)
    found = asyncio.run(spend(sys.argv[1], float(sys.argv[2]), int(sys.argv[3])))
    print(found.charged)
