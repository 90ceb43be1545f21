"""The model layer: calls a second to a local server that answers at once, 64 on their way, and to a script.

A call takes its whole way: body, key, look-up, limits, budget, HTTP, reading, and the row in the store's file.
"""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path

from antemill.llm import Budget, CallStore, Client, Message, Model, Prices, Request
from benches.timing import Bench, Piece
from tests.llm.instant import instant_server

_RULEBOOK = "Each player antes one chip, and is dealt three cards.\n" * 200  # about 3,000 tokens, as ours
_IN_FLIGHT = 64
_PRICES = Prices(input=0.1, output=0.5)


def _calls(model: Model, path: Path, number: int) -> None:
    """So many calls with a fresh store at `path`; every call is another one."""
    numbers = itertools.count()

    async def player(client: Client) -> None:
        while (asked := next(numbers)) < number:
            messages = (Message("system", _RULEBOOK), Message("user", f"Decision {asked}. Bet or check?"))
            reply = await client.ask("m", Request(messages=messages, purpose="move"))
            assert not reply.stored

    async def main() -> None:
        scripts = {"m": lambda _request: "bet"}
        with CallStore(path) as store:
            async with Client({"m": model}, store, budget=Budget(100.0), scripts=scripts) as client:
                await asyncio.gather(*(player(client) for _ in range(_IN_FLIGHT)))

    asyncio.run(main())


def bench_calls_over_http(bench: Bench) -> None:
    url = bench.stack.enter_context(instant_server())
    _bench(
        bench,
        "calls-http",
        Model(name="m", protocol="openai-chat", base_url=url, prices=_PRICES, concurrency=_IN_FLIGHT),
    )


def bench_calls_of_a_script(bench: Bench) -> None:
    _bench(bench, "calls-script", Model(name="m", protocol="scripted", prices=_PRICES, concurrency=_IN_FLIGHT))


def _bench(bench: Bench, name: str, model: Model) -> None:
    stores, number = itertools.count(), bench.size(1_000, 2)
    bench(name, "calls/s", [Piece(lambda: _calls(model, bench.folder / f"{next(stores)}.sqlite", number), number)], 3)
