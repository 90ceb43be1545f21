"""The client beyond the conformance suite: keys of stored replies, calls at once, scripts, redaction, estimates."""

from __future__ import annotations

import asyncio
import os
import traceback
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx2
import pytest

from antemill import llm
from antemill.llm import (
    AgainError,
    Answer,
    Budget,
    CallStore,
    Client,
    ItemError,
    LLMError,
    Message,
    Model,
    ModelFileError,
    Prices,
    Request,
    StopError,
    Usage,
)
from antemill.llm.calls import stored_key
from antemill.llm.errors import TIMED_OUT
from antemill.llm.estimate import count_tokens, estimate_cost, usage_cost, worst_cost
from antemill.llm.limits import Backoff
from antemill.llm.redact import REDACTED, KeyRedactor
from tests.llm.clocks import QuickClock
from tests.llm.dialects import DIALECTS
from tests.llm.events import Body, Event, Say, Status
from tests.llm.stage import HTTP, KEY, PRICES, REQUEST, entry, stage


def test_all_names_are_there() -> None:
    assert sorted(llm.__all__) == list(llm.__all__)
    assert all(hasattr(llm, name) for name in llm.__all__)


def key(request: Request = REQUEST, **fields: Any) -> str:
    """The key of a stored reply, as the client makes it."""
    model = Model(**{"name": "m", "protocol": "openai-chat", "model": "m-1", **fields})
    with CallStore(":memory:") as store:
        return Client({model.name: model}, store)._question(model, request, True).key


def test_the_key_has_everything_that_changes_the_answer_and_nothing_else() -> None:
    given: dict[str, dict[str, Any]] = {
        "plain": {},
        "protocol": {"protocol": "openai-responses"},
        "base URL": {"base_url": "https://example.org/v1"},
        "model": {"model": "m-2"},
        "effort": {"effort": "high"},
        "temperature": {"temperature": 1.0},
        "length": {"max_output": 5},
        "extra": {"extra_body": {"seed": 1}},
        "sample": {"request": Request(messages=REQUEST.messages, sample="1")},
        "prompt": {"request": Request(messages=REQUEST.messages[1:])},
        "request's temperature": {"request": Request(messages=REQUEST.messages, temperature=0.5)},
    }
    keys = {name: key(**fields) for name, fields in given.items()}
    assert len(set(keys.values())) == len(keys)
    same: list[dict[str, Any]] = [
        {"name": "other"},
        {"timeout": 5.0, "concurrency": 1},
        {"prices": PRICES},
        {"key_env": "K"},
        {"base_url": "https://api.openai.com/v1/"},
        {"request": Request(messages=REQUEST.messages, purpose="move")},
    ]
    assert {key(**fields) for fields in same} == {keys["plain"]}
    model = Model(name="m", protocol="scripted")
    assert stored_key(model, b"a", "bc") != stored_key(model, b"ab", "c")


def test_equal_questions_at_once_are_paid_once() -> None:
    async def main() -> None:
        async with stage("openai-chat", Status(500), Say()) as on:
            replies = await asyncio.gather(*(on.ask("1") for _ in range(20)), *(on.ask("2") for _ in range(20)))
            assert on.asked == 3
            assert sum(not reply.stored for reply in replies) == 2
            assert len(on.client._turns) == 0

    asyncio.run(main())


def test_never_more_at_once_than_the_entry_says() -> None:
    async def main() -> None:
        async with stage("openai-chat", Say(), concurrency=5) as on:
            await asyncio.gather(*(on.ask(str(i)) for i in range(100)))
            assert on.server is not None
            assert 2 <= on.server.busiest <= 5

    asyncio.run(main())


def test_a_cancelled_call_leaves_nothing_behind() -> None:
    async def main() -> None:
        budget = Budget(1.0)
        model = Model(name="m", protocol="scripted", prices=PRICES)

        async def script(_request: Request) -> str:
            await asyncio.sleep(3600)
            return "late"

        with CallStore(":memory:") as store:
            async with Client({"m": model}, store, scripts={"m": script}, budget=budget) as client:
                asked = [asyncio.ensure_future(client.ask("m", REQUEST)) for _ in range(2)]
                await asyncio.sleep(0.01)
                assert budget.reserved > 0
                for task in asked:
                    task.cancel()
                await asyncio.gather(*asked, return_exceptions=True)
                assert (budget.reserved, client.limiter("m").active) == (0.0, 0)
                [sent] = store.sent_attempts()  # it may have been answered, and paid
                assert budget.spent == store.spent() == sent.risk > 0

    asyncio.run(main())


def test_queueing_does_not_use_the_deadline_up() -> None:
    async def main() -> None:
        clock = QuickClock()

        async def script(_request: Request) -> str:
            await clock.sleep(4)
            return "bet"

        model = Model(name="m", protocol="scripted", concurrency=1, deadline=5, timeout=5)
        with CallStore(":memory:") as store:
            async with Client({"m": model}, store, scripts={"m": script}, clock=clock) as client:
                requests = [Request(messages=REQUEST.messages, sample=str(i)) for i in range(10)]
                replies = await asyncio.gather(*(client.ask("m", request) for request in requests))
                assert [reply.attempts for reply in replies] == [1] * 10
                assert store.call(replies[-1].call).total_seconds > 30

    asyncio.run(main())


def test_a_server_that_is_gone_for_a_minute_is_waited_for() -> None:
    async def main() -> None:
        clock = QuickClock()
        begin = clock.monotonic()

        def respond(_request: httpx2.Request) -> httpx2.Response:
            if clock.monotonic() < begin + 60:
                raise httpx2.ConnectError("All connection attempts failed")
            return httpx2.Response(200, text=DIALECTS["openai-chat"].render(Say("back")).body)

        with patch.dict(os.environ, {"ANTEMILL_TEST_KEY": KEY}), CallStore(":memory:") as store:
            model = entry("openai-chat", "http://gone.example/v1", deadline=600)
            transport = httpx2.MockTransport(respond)
            async with Client({"m": model}, store, transport=transport, clock=clock) as client:
                reply = await client.ask("m", REQUEST)
        assert reply.text == "back"
        assert 60 <= clock.monotonic() - begin < 120
        assert reply.attempts > 4

    asyncio.run(main())


def test_a_call_whose_deadline_passes_while_it_queues_fails_as_its_last_attempt_did() -> None:
    async def main() -> None:
        sent = 0

        def respond(_request: httpx2.Request) -> httpx2.Response:
            nonlocal sent
            sent += 1
            return httpx2.Response(429, json={"error": {"message": "slow down"}})

        with patch.dict(os.environ, {"ANTEMILL_TEST_KEY": KEY}), CallStore(":memory:") as store:
            model = entry("openai-chat", "http://busy.example/v1", deadline=60)
            transport = httpx2.MockTransport(respond)
            async with Client({"m": model}, store, transport=transport, clock=QuickClock()) as client:
                with pytest.raises(AgainError, match="slow down") as found:
                    await client.ask("m", REQUEST)
            assert found.value.attempts == len(list(store.failed_attempts())) == sent

    asyncio.run(main())


@pytest.mark.parametrize("jump", [-86_400.0, 86_400.0])
def test_a_jump_of_the_clock_changes_no_wait(jump: float) -> None:
    async def main() -> None:
        async with stage("anthropic", Status(529, retry_after=5), Say()) as on:
            begun = asyncio.ensure_future(on.ask())
            on.clock.jump = jump
            reply = await begun
            assert reply.attempts == 2
            assert 5 <= sum(on.clock.slept) < 7
            assert 0 <= reply.seconds < 5
            assert on.store.call(reply.call).total_seconds < 20

    asyncio.run(main())


def test_an_attempt_before_the_deadline_has_its_whole_time_out() -> None:
    """A millisecond is left until the deadline, by a clock that the script moves; a time-out is in real time."""

    class Moved(QuickClock):
        def monotonic(self) -> float:
            return sum(self.slept)

    async def main() -> None:
        clock = Moved()

        async def script(_request: Request) -> str:
            if not clock.slept:
                await clock.sleep(30)
                raise AgainError(kind=TIMED_OUT)
            await asyncio.sleep(0.1)
            return "late"

        model = Model(name="m", protocol="scripted", timeout=30, deadline=30.001)
        backoff = Backoff(base=0.0)
        with CallStore(":memory:") as store:
            async with Client({"m": model}, store, scripts={"m": script}, clock=clock, backoff=backoff) as client:
                reply = await client.ask("m", REQUEST)
                assert (reply.text, reply.attempts) == ("late", 2)
                assert [attempt.error for attempt in store.failed_attempts()] == [TIMED_OUT]

    asyncio.run(main())


def test_scripts_answer_with_texts_answers_and_awaitables() -> None:
    async def late(_request: Request) -> Answer:
        await asyncio.sleep(0)
        return Answer("later", "length", Usage(output_visible=7, cost_reported=0.5))

    async def main() -> None:
        scripts: dict[str, Any] = {
            "a": lambda request: request.messages[-1].text[:3],
            "b": late,
            "c": lambda _request: 5,
        }
        models = {name: Model(name=name, protocol="scripted", prices=PRICES) for name in "abcd"}
        with CallStore(":memory:") as store:
            async with Client(models, store, scripts=scripts) as client:
                first = await client.ask("a", REQUEST)
                assert (first.text, first.gateway, first.model) == ("Bet", "scripted", "a")
                assert first.usage.input_uncached == sum(count_tokens(message.text) for message in REQUEST.messages)
                second = await client.ask("b", REQUEST)
                assert (second.text, second.finish, second.usage.cost) == ("later", "length", 0.5)
                with pytest.raises(ItemError, match="answered with int"):
                    await client.ask("c", REQUEST)
                with pytest.raises(StopError, match="no script"):
                    await client.ask("d", REQUEST)
                with pytest.raises(StopError, match="no script"):
                    client.check(["a", "b", "d"])

    asyncio.run(main())


def test_a_mistake_in_a_script_keeps_its_traceback() -> None:
    def script(_request: Request) -> str:
        raise TimeoutError("the script's own")

    async def main() -> None:
        with CallStore(":memory:") as store:
            models = {"m": Model(name="m", protocol="scripted")}
            async with Client(models, store, scripts={"m": script}) as client:
                with pytest.raises(TimeoutError, match="the script's own"):
                    await client.ask("m", REQUEST)
                assert client.limiter("m").active == 0

    asyncio.run(main())


def test_unknown_models_and_unbounded_costs_are_refused_before_a_call() -> None:
    async def main() -> None:
        with CallStore(":memory:") as store:
            models = {"m": Model(name="m", protocol="gemini", key_env="SOME_KEY")}
            async with Client(models, store, budget=Budget(1.0)) as client:
                with pytest.raises(ModelFileError, match=r'no model "x" .*it has: m'):
                    await client.ask("x", REQUEST)
                with pytest.raises(ModelFileError, match="has no prices"):
                    await client.ask("m", REQUEST)

    asyncio.run(main())


def test_a_prompt_that_is_no_unicode_is_refused() -> None:
    async def main() -> None:
        async with stage("gemini", Say()) as on:
            with pytest.raises(ItemError, match="cannot be written as JSON"):
                await on.client.ask("m", Request(messages=(Message("user", "\ud800"),)))

    asyncio.run(main())


def test_the_gateway_and_the_names_are_recorded() -> None:
    async def main() -> None:
        good = '{"model": "served-1", "provider": "DeepInfra", "choices": [{"message": {"content": "bet"}}]}'
        async with stage("openai-chat", Body(good)) as on:
            reply = await on.ask()
            assert on.server is not None
            assert reply.gateway == on.server.url.removeprefix("http://") + "/DeepInfra"
            row = on.store.call(reply.call)
            assert (row.model, row.remote, row.served, row.gateway) == ("m", "m-1", "served-1", reply.gateway)
            assert row.protocol == "openai-chat"
            assert len(row.prompt_hash) == 64

    asyncio.run(main())


ECHOES: list[Event] = [
    Status(401, message=f"Incorrect API key provided: {KEY}.", header=f"Bearer {KEY}"),
    Status(500, message=f"upstream said {KEY}", header=KEY),
    Body(f"<html>Authorization: Bearer {KEY}</html>"),
    Say(f"your key is {KEY}"),
]


@pytest.mark.parametrize("protocol", HTTP)
@pytest.mark.parametrize("event", ECHOES)
def test_a_key_never_reaches_a_file_or_an_exception(protocol: str, event: Event, tmp_path: Path) -> None:
    texts: list[str] = []

    async def main() -> None:
        async with stage(protocol, event, path=tmp_path / "calls.sqlite", deadline=8.0) as on:
            try:
                texts.append(repr(await on.ask()))
            except LLMError as error:
                chain: BaseException | None = error
                while chain is not None:
                    texts.append(f"{chain!r} {vars(chain)}")
                    chain = chain.__cause__ or chain.__context__
                texts.append("".join(traceback.format_exception(error)))
            assert on.server is not None
            sent = on.server.received[0].headers[DIALECTS[protocol].key_header]
            assert KEY in sent  # it did travel
            files = [path.read_bytes() for path in tmp_path.iterdir()]
            assert any(REDACTED.encode() in content for content in files)
            assert not any(KEY.encode() in content or KEY[:16].encode() in content for content in files)

    asyncio.run(main())
    for text in texts:
        assert KEY not in text
        assert KEY[:16] not in text


@pytest.mark.parametrize(
    "error",
    [
        httpx2.ReadError(f"key {KEY}"),
        httpx2.RemoteProtocolError(f"key {KEY}"),
        httpx2.LocalProtocolError(f"Illegal header value b'{KEY}'"),
        httpx2.ReadTimeout(f"key {KEY}"),
        httpx2.DecodingError(f"key {KEY}"),
        ValueError(KEY),
    ],
)
def test_errors_of_the_http_library_are_redacted_and_not_chained(error: Exception) -> None:
    def respond(_request: httpx2.Request) -> httpx2.Response:
        raise error

    async def main() -> None:
        with patch.dict(os.environ, {"ANTEMILL_TEST_KEY": KEY}), CallStore(":memory:") as store:
            model = entry("anthropic", "http://gone.example/v1", deadline=1.0)
            async with Client(
                {"m": model}, store, transport=httpx2.MockTransport(respond), clock=QuickClock()
            ) as client:
                with pytest.raises(LLMError) as caught:
                    await client.ask("m", REQUEST)
        chain: BaseException | None = caught.value
        while chain is not None:
            assert not isinstance(chain, httpx2.HTTPError)
            assert KEY not in str(chain)
            chain = chain.__cause__ or chain.__context__

    asyncio.run(main())


def test_what_is_hidden() -> None:
    redactor = KeyRedactor()
    redactor.add("none")
    redactor.add('quo"te/d+key')
    assert redactor.hide("none harmless words") == "none harmless words"
    assert redactor.hide('a quo"te/d+key b') == f"a {REDACTED} b"


def test_estimates_follow_the_prices() -> None:
    model = Model(name="m", protocol="scripted", prices=Prices(input=3, output=15), max_output=1000)
    assert estimate_cost(model, 1_000_000, 100_000) == pytest.approx(4.5)
    assert estimate_cost(Model(name="m", protocol="scripted"), 10**9, 10**9) == 0.0
    assert [count_tokens(text) for text in ("", "a", "abcdefg", "✓✓✓")] == [0, 1, 2, 3]
    prose = "The player with the higher card wins the pot, unless somebody has folded before. " * 10
    assert 150 < count_tokens(prose) < 250  # 170 by the usual tokenizers


def test_prices_of_the_cache_follow_from_that_of_the_input() -> None:
    usage = Usage(input_uncached=10**6, input_cached=10**6, cache_write=10**6, output_visible=10**6, reasoning=10**6)
    model = Model(name="m", protocol="scripted", prices=Prices(input=2, output=10))
    assert usage_cost(model, usage) == pytest.approx(26.5)
    dear = Model(name="m", protocol="scripted", prices=PRICES)
    assert usage_cost(dear, usage) == pytest.approx(2 + 0.2 + 2.5 + 20)
    assert usage_cost(Model(name="m", protocol="scripted"), usage) is None
    assert worst_cost(dear, 10**6, 10**6) == pytest.approx(12.5)


def test_faults_of_scripts_end_as_with_real_servers() -> None:
    async def main() -> None:
        faults: list[LLMError] = [AgainError("a"), AgainError("b", kind=TIMED_OUT, billed=True), StopError("d")]

        def script(_request: Request) -> str:
            raise faults.pop(0)

        with CallStore(":memory:") as store:
            models = {"m": Model(name="m", protocol="scripted")}
            async with Client(models, store, scripts={"m": script}, clock=QuickClock()) as client:
                with pytest.raises(StopError, match=r'The model "m" gave no answer after 3 attempts: d\.'):
                    await client.ask("m", REQUEST)
                assert [attempt.error for attempt in store.failed_attempts(1)] == ["server", TIMED_OUT, "setup"]

    asyncio.run(main())
