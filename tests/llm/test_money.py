"""A budget is never exceeded by what providers charge, for any answers, however often a run starts again (D10)."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from antemill.llm import Budget, BudgetExceededError, CallStore, Client, Model, ModelFileError, Request, dollar_text
from antemill.llm.errors import TIMED_OUT
from tests.llm.dialects import DIALECTS
from tests.llm.events import Body, Say
from tests.llm.instant import ROOT
from tests.llm.spender import spend
from tests.llm.stage import HTTP, REQUEST, stage

CAP = 0.3


def spent(path: Path) -> float:
    """What is on record."""
    with CallStore(path) as store:
        return store.spent()


def test_the_cap_holds_over_everything_that_providers_do(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    provider = asyncio.run(spend(str(path), CAP, 1))
    assert provider.asked > 100
    assert provider.charged <= spent(path) + 1e-9 <= CAP + 2e-9
    assert spent(path) > 0.95 * CAP  # and it is used
    with CallStore(path) as store:
        kinds = {attempt.error for attempt in store.failed_attempts()}
        assert kinds >= {"malformed answer", "HTTP 429", "HTTP 502", TIMED_OUT}
        assert store.totals()["m"].assumed > 0


def test_the_cap_holds_over_runs_that_were_broken_off(tmp_path: Path) -> None:
    path, cap, charged, sessions = tmp_path / "calls.sqlite", 3 * CAP, 0.0, 0
    while spent(path) < 0.95 * cap and sessions < 60:
        charged += asyncio.run(spend(str(path), cap, sessions, most=20)).charged
        assert charged <= spent(path) + 1e-9 <= cap + 2e-9
        sessions += 1
    assert 2 <= sessions < 60


def test_the_cap_holds_over_processes_that_are_killed(tmp_path: Path) -> None:
    path, charged = tmp_path / "calls.sqlite", 0.0
    for seed in range(4):
        before = spent(path)
        command = [sys.executable, "-m", "tests.llm.spender", str(path), str(CAP), str(seed)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        while seed < 3 and spent(path) < before + CAP / 10:
            assert process.poll() is None
        if seed < 3:
            process.kill()
        charged += float(process.communicate(timeout=120)[0] or 0.0)
        assert charged <= spent(path) + 1e-9 <= CAP + 2e-9
    assert spent(path) > 0.8 * CAP


@pytest.mark.parametrize("protocol", HTTP)
def test_a_reply_without_counts_is_charged_its_most_and_marked(protocol: str) -> None:
    body = DIALECTS[protocol].render(Say()).body
    key = "usageMetadata" if protocol == "gemini" else "usage"
    bare = body.replace(f'"{key}"', '"elsewhere"')

    async def main() -> None:
        budget = Budget(1.0)
        async with stage(protocol, Body(bare), Say(), budget=budget, max_output=1000) as on:
            reply, other = await on.ask("1"), await on.ask("2")
            assert reply.usage.cost == reply.usage.cost_assumed == pytest.approx(budget.spent - other.usage.cost)
            assert reply.usage.cost > 1000 * 10.0 / 1e6  # all that it may write, and the prompt
            assert (other.usage.cost_assumed, other.usage.counted) == (None, True)
            assert on.store.totals()["m"].assumed == 1
            assert on.store.call(reply.call).usage == reply.usage
            assert (await on.ask("1")).usage == reply.usage

    asyncio.run(main())


@pytest.mark.parametrize("protocol", HTTP)
def test_replies_without_counts_use_a_budget_up(protocol: str) -> None:
    bare = DIALECTS[protocol].render(Say()).body.replace("usage", "elsewhere")

    async def main() -> None:
        async with stage(protocol, Body(bare), budget=Budget(0.5), max_output=1000) as on:
            asks = [asyncio.ensure_future(on.ask(str(i))) for i in range(450)]
            found = await asyncio.gather(*asks, return_exceptions=True)
            assert 30 < on.asked < 50
            assert sum(isinstance(error, BudgetExceededError) for error in found) == 450 - on.asked

    asyncio.run(main())


@pytest.mark.parametrize("key_env", [None, "SOME_KEY"])
def test_a_model_without_prices_is_refused_under_a_budget_unless_it_is_free(key_env: str | None) -> None:
    async def main() -> None:
        with CallStore(":memory:") as store:
            model = Model(name="m", protocol="openai-chat", base_url="http://127.0.0.1:9/v1", key_env=key_env)
            async with Client({"m": model}, store, budget=Budget(1.0)) as client:
                with pytest.raises(ModelFileError, match=r'has no prices.*prices = "free" if it'):
                    client.check(["m"])
                with pytest.raises(ModelFileError, match="has no prices"):
                    await client.ask("m", Request(messages=REQUEST.messages))

    asyncio.run(main())


def test_a_budget_that_can_not_cover_the_next_call_says_what_is_spent_and_what_is_reserved() -> None:
    async def main() -> None:
        budget = Budget(0.1, spent=0.006, possible=0.002)
        async with budget.reserve(0.05):
            with pytest.raises(BudgetExceededError) as caught:
                async with budget.reserve(0.0999):
                    pass
        assert str(caught.value) == (
            "The budget of $0.10 cannot cover the next call, which may cost up to $0.0999: $0.0060 is spent ($0.0020 "
            "of it possibly, for attempts without an answer), $0.0500 is reserved for calls in progress; raise the "
            "budget and resume."
        )

    asyncio.run(main())


@pytest.mark.parametrize("protocol", HTTP)
@pytest.mark.parametrize("said", [Say(read=10**12), Say(written=10**12)])
def test_counts_that_the_request_can_not_have_caused_are_not_believed(protocol: str, said: Say) -> None:
    async def main() -> None:
        budget = Budget(1.0)
        async with stage(protocol, said, Say(), budget=budget, max_output=1000) as on:
            reply = await on.ask("1")
            assert not reply.usage.counted
            assert reply.usage.cost == reply.usage.cost_assumed
            assert 0.01 < reply.usage.cost < 0.1
            assert (
                max(n for n in reply.usage.raw.values() if isinstance(n, int)) > 10**11
            )  # what the server said is kept
            assert (await on.ask("2")).usage.counted  # and the run goes on
            assert on.store.totals()["m"].assumed == 1

    asyncio.run(main())


@pytest.mark.parametrize(("cost", "charged"), [(9e6, None), (0.5, 0.5), (5.0, 5.0)])
def test_a_reported_cost_far_beyond_the_worst_case_is_not_believed(cost: float, charged: float | None) -> None:
    body = DIALECTS["openai-chat"].render(Say()).body.replace('"usage": {', f'"usage": {{"cost": {cost}, ')
    body = body.replace('"usage":{', f'"usage":{{"cost":{cost},')

    async def main() -> None:
        async with stage("openai-chat", Body(body), budget=Budget(10.0), max_output=1000) as on:
            usage = (await on.ask()).usage
            assert usage.cost == (usage.cost_estimated if charged is None else charged)
            assert 0 < usage.cost < 10
            assert usage.counted

    asyncio.run(main())


@pytest.mark.parametrize(
    ("amount", "digits", "text"),
    [
        (0, 4, "$0.0000"),
        (1234.5, 4, "$1,234.5000"),
        (0.0005, 4, "$0.0005"),
        (0.0000046, 4, "$0.0000046"),
        (0.0005, 2, "$0.00050"),
        (0.005, 2, "$0.01"),
        (-1e-18, 4, "$0.0000"),
        (1e-15, 4, "$0.0000"),
    ],
)
def test_small_amounts_are_not_shown_as_nothing(amount: float, digits: int, text: str) -> None:
    assert dollar_text(amount, digits) == text
