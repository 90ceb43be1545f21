"""Speed of the model layer: calls a second to a local server that answers at once, 64 on their way, and to a script.

A call takes its whole way: body, key, look-up, limits, budget, HTTP, reading, and the row in the store's file.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from pathlib import Path

from antemill.llm import Budget, CallStore, Client, Message, Model, Prices, Request
from benches.bench_table import Benchmark
from tests.llm.instant import instant_server

RULEBOOK = "Each player antes one chip, and is dealt three cards.\n" * 200  # about 3,000 tokens, as ours
IN_FLIGHT = 64
CALLS = 1000
PRICES = Prices(input=0.1, output=0.5)


def calls_per_second(model: Model, path: Path, calls: int = CALLS) -> float:
    """With a fresh store at `path`; every call is another one."""
    numbers = itertools.count()

    async def player(client: Client) -> None:
        while (number := next(numbers)) < calls:
            messages = (Message("system", RULEBOOK), Message("user", f"Decision {number}. Bet or check?"))
            reply = await client.ask("m", Request(messages=messages, purpose="move"))
            assert not reply.stored

    async def main() -> float:
        scripts = {"m": lambda _request: "bet"}
        with CallStore(path) as store:
            async with Client({"m": model}, store, budget=Budget(100.0), scripts=scripts) as client:
                begin = time.perf_counter()
                await asyncio.gather(*(player(client) for _ in range(IN_FLIGHT)))
                return calls / (time.perf_counter() - begin)

    return asyncio.run(main())


def bench_calls_over_http(benchmark: Benchmark, quick: bool, tmp_path: Path) -> None:
    with instant_server() as url:
        model = Model(name="m", protocol="openai-chat", base_url=url, prices=PRICES, concurrency=IN_FLIGHT)
        _bench(benchmark, quick, model, tmp_path)


def bench_calls_of_a_script(benchmark: Benchmark, quick: bool, tmp_path: Path) -> None:
    _bench(benchmark, quick, Model(name="m", protocol="scripted", prices=PRICES, concurrency=IN_FLIGHT), tmp_path)


def _bench(benchmark: Benchmark, quick: bool, model: Model, folder: Path) -> None:
    stores, number = itertools.count(), 2 if quick else CALLS
    benchmark.pedantic(
        lambda: calls_per_second(model, folder / f"{next(stores)}.sqlite", number), rounds=3, warmup_rounds=1
    )
    if benchmark.stats is not None:
        benchmark.extra_info["unit"] = "calls/s"
        benchmark.extra_info["figure"] = number / benchmark.stats.stats.median
