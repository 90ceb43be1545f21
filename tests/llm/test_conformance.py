"""What every protocol must do, against a server that answers, fails, hangs and breaks off (N3)."""

from __future__ import annotations

import asyncio

import pytest

from antemill import llm
from antemill.llm.errors import TIMED_OUT
from antemill.llm.protocols.anthropic import VERSION
from tests.llm.dialects import DIALECTS
from tests.llm.events import Body, Cut, Event, Hang, Say, Status, Trickle
from tests.llm.stage import ALL, HTTP, KEY, KEY_ENV, PRICES, REQUEST, stage

HTML = "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>cloud</body></html>"
JSON_NOT_OURS = ['{"answer": 42}', "[1, 2]", "null", '"text"', "{}", '{"choices": []}', '{"choices": [{"mess', ""]


@pytest.mark.parametrize("protocol", ALL)
def test_a_good_answer_is_read_recorded_and_never_paid_again(protocol: str) -> None:
    async def main() -> None:
        async with stage(protocol, Say("Bet — ✓"), Say("other")) as on:
            reply = await on.ask("1", purpose="move")
            again = await on.ask("1", purpose="puzzle")
            assert (reply.text, reply.finish, reply.attempts, reply.stored) == ("Bet — ✓", "stop", 1, False)
            assert (again.text, again.stored, again.call, again.usage) == (reply.text, True, reply.call, reply.usage)
            assert (await on.ask("2")).text == "other"
            assert on.asked == 2
            row = on.store.call(reply.call)
            assert (row.status, row.purpose, row.sample, row.text) == ("ok", "move", "1", "Bet — ✓")
            assert "Bet — ✓" in row.reply
            assert REQUEST.messages[1].text in row.request

    asyncio.run(main())


@pytest.mark.parametrize("protocol", ALL)
def test_usage_is_normalised_and_costs_follow_from_it(protocol: str) -> None:
    async def main() -> None:
        async with stage(protocol, Say(read=120, cached=100, written=30, reasoning=20)) as on:
            usage = (await on.ask()).usage
            assert (usage.input_uncached, usage.input_cached, usage.cache_write) == (20, 100, 0)
            # Anthropic does not say how much of the output was thought.
            expected = (30, 0) if protocol == "anthropic" else (10, 20)
            assert (usage.output_visible, usage.reasoning) == expected
            cost = (20 * PRICES.input + 100 * 0.2 + 30 * PRICES.output) / 1e6
            assert usage.cost == usage.cost_estimated == pytest.approx(cost)
            assert on.store.cost() == pytest.approx(cost)
            assert usage.raw
            assert on.store.call(1).usage == usage

    asyncio.run(main())


@pytest.mark.parametrize("protocol", HTTP)
def test_the_request_goes_to_the_right_place_with_the_key(protocol: str) -> None:
    async def main() -> None:
        async with stage(protocol, Say()) as on:
            await on.ask()
            assert on.server is not None
            [request] = on.server.received
            dialect = DIALECTS[protocol]
            assert request.path == dialect.path
            assert request.headers[dialect.key_header] == dialect.key_prefix + KEY
            assert request.headers.get("anthropic-version") == (VERSION if protocol == "anthropic" else None)

    asyncio.run(main())


@pytest.mark.parametrize("protocol", ALL)
@pytest.mark.parametrize(
    ("say", "finish"),
    [
        (Say("half an ans", "length"), "length"),
        (Say("", "length", bare=True), "length"),
        (Say("", "length"), "length"),
        (Say("", "stop", bare=True), "stop"),
        (Say("", "stop"), "stop"),
        (Say("I cannot play this.", "refusal"), "refusal"),
        (Say("odd", "other"), "other"),
    ],
)
def test_truncated_empty_and_refused_answers_are_replies(protocol: str, say: Say, finish: str) -> None:
    async def main() -> None:
        async with stage(protocol, say) as on:
            reply = await on.ask()
            assert (reply.text, reply.finish) == ("" if say.bare else say.text, finish)
            assert (await on.ask()).stored
            assert on.asked == 1

    asyncio.run(main())


@pytest.mark.parametrize("protocol", ALL)
@pytest.mark.parametrize(
    ("event", "kind"),
    [
        (Status(429, retry_after=7), "HTTP 429"),
        *[(Status(status), f"HTTP {status}") for status in (408, 409, 425, 429, 500, 502, 503, 504, 529)],
        (Cut(), "broken connection"),
        (Cut(midway=True), "broken connection"),
        (Body(HTML), "malformed answer"),
        *[(Body(text), "malformed answer") for text in JSON_NOT_OURS],
    ],
)
def test_what_passes_is_tried_again(protocol: str, event: Event, kind: str) -> None:
    async def main() -> None:
        async with stage(protocol, event, event, Say("Bet")) as on:
            reply = await on.ask()
            assert (reply.text, reply.attempts, on.asked) == ("Bet", 3, 3)
            failed = on.store.failed_attempts(reply.call)
            assert [(attempt.error, attempt.number) for attempt in failed] == [(kind, 1), (kind, 2)]
            if isinstance(event, Status) and event.retry_after:
                assert [attempt.retry_after for attempt in failed] == [event.retry_after] * 2
                assert sum(on.clock.slept) >= 2 * event.retry_after

    asyncio.run(main())


@pytest.mark.parametrize("protocol", ALL)
@pytest.mark.parametrize("event", [Hang(), Trickle()])
def test_a_slow_answer_times_out_and_is_tried_again(protocol: str, event: Event) -> None:
    async def main() -> None:
        async with stage(protocol, event, Say("Bet"), timeout=0.5) as on:
            reply = await on.ask()
            assert (reply.text, reply.attempts) == ("Bet", 2)
            [attempt] = on.store.failed_attempts()
            assert attempt.error == TIMED_OUT
            assert on.store.totals()["m"].timeouts == 1

    asyncio.run(main())


@pytest.mark.parametrize("protocol", ALL)
@pytest.mark.parametrize("event", [Status(429, retry_after=20), Status(500), Cut(), Body(HTML)])
def test_it_gives_up_at_the_deadline_and_can_be_asked_again(protocol: str, event: Event) -> None:
    async def main() -> None:
        events = [event] * 1000
        async with stage(protocol, *events, deadline=50.0) as on:
            with pytest.raises(llm.AgainError) as caught:
                await on.ask()
            error = caught.value
            assert error.model == "m"
            assert sum(on.clock.slept) < 50
            assert error.attempts == on.asked >= 2
            assert str(error).startswith('The model "m" gave no answer after ')
            row = on.store.call(error.call)
            assert (row.status, row.attempts, row.text) == ("failed", error.attempts, "")
            assert len(on.store.failed_attempts(error.call)) == error.attempts
            before = on.asked
            with pytest.raises(llm.AgainError):  # a failure is not stored as an answer
                await on.ask()
            assert on.asked > before

    asyncio.run(main())


@pytest.mark.parametrize("protocol", ALL)
def test_time_outs_alone_end_as_a_time_out(protocol: str) -> None:
    async def main() -> None:
        async with stage(protocol, Hang(), timeout=0.1, deadline=1.0) as on:
            with pytest.raises(llm.AgainError) as caught:
                await on.ask()
            assert caught.value.kind == TIMED_OUT

    asyncio.run(main())


@pytest.mark.parametrize("protocol", ALL)
@pytest.mark.parametrize(
    ("event", "kind"),
    [
        *[(Status(status), llm.ItemError) for status in (400, 403, 404, 405, 413, 422)],
        *[(Status(status), llm.StopError) for status in (401, 402, 407)],
    ],
)
def test_what_stays_wrong_is_not_tried_again(protocol: str, event: Event, kind: type[llm.CallError]) -> None:
    async def main() -> None:
        async with stage(protocol, event, Say()) as on:
            with pytest.raises(kind, match="something went wrong") as caught:
                await on.ask()
            assert type(caught.value) is kind
            assert (on.asked, on.clock.slept) == (1, [])
            assert on.store.call(caught.value.call).error.startswith(caught.value.kind)

    asyncio.run(main())


@pytest.mark.parametrize("protocol", HTTP)
def test_a_redirect_and_a_missing_server_are_explained(protocol: str) -> None:
    async def main() -> None:
        async with stage(protocol, Status(307)) as on:
            with pytest.raises(llm.ItemError, match="HTTP 307"):
                await on.ask()
        async with stage(protocol, Say(), base_url="http://127.0.0.1:9", deadline=5.0) as on:
            with pytest.raises(llm.AgainError, match=r"no connection to 127\.0\.0\.1:9"):
                await on.ask()
            assert on.store.risk() == 0.0

    asyncio.run(main())


@pytest.mark.parametrize("protocol", ALL)
def test_a_budget_ends_the_run_before_it_is_exceeded(protocol: str) -> None:
    async def main() -> None:
        budget = llm.Budget(0.03)
        async with stage(protocol, Say(), budget=budget, max_output=1000) as on:
            answered = 0

            async def ask_on() -> None:
                nonlocal answered
                while answered < 1000:
                    await on.ask(str(answered))
                    answered += 1

            with pytest.raises(llm.BudgetExceededError, match=r"The budget of \$0\.03 cannot cover the next call"):
                await ask_on()
            assert 40 < answered < 60
            assert on.asked == answered
            assert budget.reserved == 0
            assert budget.spent == pytest.approx(on.store.cost())
            assert budget.spent <= 0.03
            assert (await on.ask("0")).stored  # what is stored is free

    asyncio.run(main())


@pytest.mark.parametrize("protocol", HTTP)
def test_a_missing_key_is_named_and_nothing_is_sent(protocol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with stage(protocol, Say()) as on:
            for wrong in ("", "  ", "two words", "new\nline", "ümlaut"):
                monkeypatch.setenv(KEY_ENV, wrong)
                with pytest.raises(llm.StopError, match=KEY_ENV) as caught:
                    await on.ask()
                assert not wrong.strip() or wrong not in str(caught.value)
                with pytest.raises(llm.StopError, match=KEY_ENV):
                    on.client.check(["m"])
            assert on.asked == 0
            monkeypatch.setenv(KEY_ENV, f" {KEY}\n")
            on.client.check(["m"])
            assert (await on.ask()).text

    asyncio.run(main())
