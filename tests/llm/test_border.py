"""Errors that no list names are read by what they mean, and each border has a rule for the rest."""

from __future__ import annotations

import asyncio
import base64
import functools
import gzip
import json
import os
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx2
import msgspec
import pytest

from antemill import llm
from antemill.llm.calls import ALONE, LAST
from antemill.llm.cutting import Cutting
from antemill.llm.entry import ErrorRule
from antemill.llm.protocols import http_protocol
from antemill.llm.protocols.failures import read_answer, verdict
from antemill.llm.protocols.wire import excerpt
from antemill.llm.reach import window_in
from antemill.llm.redact import REDACTED, KeyRedactor
from antemill.llm.retry import Backoff
from antemill.llm.surroundings import _trusted, new_client
from tests.llm.clocks import QuickClock, SteppedClock
from tests.llm.dialects import DIALECTS
from tests.llm.events import Say
from tests.llm.stage import HTTP, KEY, KEY_ENV, REQUEST, entry

CORPUS = Path(__file__).parent.parent / "data" / "border" / "errors.jsonl"
WANTED: dict[str, type] = {
    "spent": llm.SpendLimitError,
    "rate": llm.RateLimitedError,
    "context": llm.ContextLengthError,
    "refusal": llm.Answer,
    "account": llm.AuthenticationError,
    "item": llm.BadRequestError,  # by evidence: see antemill.tournament.runs.fault
}
Respond = Callable[[httpx2.Request], httpx2.Response]


def openai(message: str, code: str | None = None, kind: str = "invalid_request_error") -> dict[str, Any]:
    """An error as OpenAI writes it, and many others."""
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


@pytest.mark.parametrize("line", CORPUS.read_text().splitlines(), ids=lambda line: json.loads(line)["label"])
def test_an_error_of_the_corpus_is_what_it_means(line: str) -> None:
    case = json.loads(line)
    assert type(verdict(case["status"], case["body"], case["headers"], 0.0)) is WANTED[case["want"]]


SAID = CORPUS.parent / "said.jsonl"  # what no shape fits


@pytest.mark.parametrize("line", SAID.read_text().splitlines())
def test_an_error_that_no_shape_fits_is_what_it_means(line: str) -> None:
    case = json.loads(line)
    assert type(verdict(case["status"], case["body"], {}, 0.0)) is WANTED[case["want"]]


STRANGERS = CORPUS.parent / "strangers.jsonl"  # gateways, providers and languages that no list knows


@pytest.mark.parametrize("want", [*WANTED, "server"])
def test_errors_of_strangers_are_what_they_mean(want: str) -> None:
    cases = [case for line in STRANGERS.read_text().splitlines() if (case := json.loads(line))["want"] == want]
    kind = WANTED.get(want, llm.ServerError)
    wrong = [case for case in cases if not isinstance(verdict(case["status"], case["body"], {}, 1_764_100_000.0), kind)]
    assert len(cases) > 10 - 8 * (want == "server")
    assert not wrong


def test_a_success_of_another_form_is_the_error_that_its_words_name() -> None:
    protocol = http_protocol("openai-chat")
    with pytest.raises(llm.SpendLimitError, match="insufficient balance"):
        read_answer(protocol, {"base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}})
    with pytest.raises(llm.RateLimitedError):
        read_answer(protocol, {"error_code": 17, "error_msg": "Open api daily request limit reached"})
    with pytest.raises(llm.MalformedReplyError):
        read_answer(protocol, {"error_code": 99, "error_msg": "quantum"})


DAY = "Rate limit exceeded: free-models-per-day."


@pytest.mark.parametrize(
    ("headers", "body", "wait", "says"),
    [
        ({}, openai(DAY), 3600.0, "does not say when it ends"),
        ({"retry-after": "1"}, openai(DAY), 3600.0, "does not say when it ends"),
        ({"retry-after": "7200"}, openai(DAY), 7200.0, "ends at 2026-11-26 02:00 UTC"),
        ({"x-ratelimit-reset": "1795665600"}, openai(DAY), 14400.0, "ends at 2026-11-26 04:00 UTC"),
        ({"x-ratelimit-reset": "1795665600000"}, openai(DAY), 14400.0, "ends at 2026-11-26 04:00 UTC"),
        (
            {},
            {"error": {"message": DAY, "metadata": {"headers": {"X-RateLimit-Reset": "1795665600000"}}}},
            14400.0,
            "ends at 2026-11-26 04:00 UTC",
        ),
    ],
)
def test_a_quota_for_a_day_says_when_it_ends(headers: dict[str, str], body: Any, wait: float, says: str) -> None:
    found = verdict(429, json.dumps(body), headers, 1795651200.0)
    assert isinstance(found, llm.RateLimitedError)
    assert found.retry_after == wait
    assert says in str(found)


# ------------------------------------------------------------------------------------------------ through the client


async def asked(respond: Respond, **changes: Any) -> tuple[Any, int, QuickClock]:
    """The reply or the error, how many requests were sent, and the clock that waited."""
    sent, clock = 0, QuickClock()
    found: Any

    def counted(request: httpx2.Request) -> httpx2.Response:
        nonlocal sent
        sent += 1
        return respond(request)

    model = entry(changes.pop("protocol", "openai-chat"), "http://provider.example/v1", **changes)
    with patch.dict(os.environ, {KEY_ENV: KEY}), llm.CallStore(":memory:") as store:
        async with llm.Client({"m": model}, store, transport=httpx2.MockTransport(counted), clock=clock) as client:
            try:
                found = await client.ask("m", REQUEST)
            except llm.CallError as error:
                found = error
    return found, sent, clock


@pytest.mark.parametrize(
    "headers", [{"retry-after": "0"}, {"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, {"retry-after-ms": "0"}]
)
@pytest.mark.parametrize("status", [429, 503, 500])
def test_a_hint_of_no_time_does_not_turn_the_backoff_off(headers: dict[str, str], status: int) -> None:
    plain = asyncio.run(asked(lambda _: httpx2.Response(status, text="x"), deadline=600.0))
    hinted = asyncio.run(asked(lambda _: httpx2.Response(status, text="x", headers=headers), deadline=600.0))
    assert hinted[1] < 1.6 * plain[1] < 200


def test_the_delay_of_gemini_has_the_floor_too() -> None:
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0s"}]
    body = {"error": {"code": 429, "message": "slow down", "status": "RESOURCE_EXHAUSTED", "details": details}}
    found, sent, _clock = asyncio.run(asked(lambda _: httpx2.Response(429, json=body), protocol="gemini"))
    assert isinstance(found, llm.RateLimitedError)
    assert sent < 30


@pytest.mark.parametrize(
    ("status", "kind"), [(401, llm.AuthenticationError), (402, llm.SpendLimitError), (400, llm.BadRequestError)]
)
@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip"])
def test_a_status_is_read_before_its_body(status: int, kind: type[llm.CallError], encoding: str) -> None:
    """Also one that cannot be decoded, or is longer than any answer may be."""

    def respond(_request: httpx2.Request) -> httpx2.Response:
        response = httpx2.Response(status, headers={"content-encoding": encoding})
        response.stream = Pieces(b"\x0b\x02\x80no such encoding\x03")
        return response

    found, sent, _clock = asyncio.run(asked(respond))
    assert isinstance(found, kind)
    assert (sent, found.billed) == (1, False)


class Pieces(httpx2.AsyncByteStream):
    """A body as it is on the wire."""

    def __init__(self, *pieces: bytes) -> None:
        self.pieces = pieces

    async def __aiter__(self) -> Any:
        for piece in self.pieces:
            yield piece


def test_what_a_proxy_refuses_was_never_charged() -> None:
    def respond(_request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ProxyError("407 Proxy Authentication Required")

    found, sent, _clock = asyncio.run(asked(respond))
    assert (type(found), sent, found.billed) == (llm.SetupError, 1, False)
    found, _sent, _clock = asyncio.run(asked(lambda _: httpx2.Response(407)))
    assert (type(found), found.billed) == (llm.AuthenticationError, False)


def bare(data: bytes) -> bytes:
    """Deflate without zlib's form, as some servers understand the word."""
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_what_is_packed_in_any_usual_way_is_read(size: int) -> None:
    body = DIALECTS["openai-chat"].render(Say("fine " * 30_000)).body.encode()
    middle = len(body) // 2
    members = gzip.compress(body[:middle]) + gzip.compress(body[middle:])
    for encoding, data in (("deflate", bare(body)), ("deflate", zlib.compress(body)), ("gzip", members)):

        def respond(_request: httpx2.Request, encoding: str = encoding, data: bytes = data) -> httpx2.Response:
            response = httpx2.Response(200, headers={"content-encoding": encoding})
            response.stream = Pieces(*(data[i : i + size] for i in range(0, len(data), size)))
            return response

        found, sent, _clock = asyncio.run(asked(respond))
        assert (len(found.text), sent) == (150_000, 1)


USAGE = {"prompt_tokens": 10, "completion_tokens": 2}
CHAT = [
    {"model": "m-1", "choices": [{"index": 0, "delta": {"role": "assistant", "content": "be"}}]},
    {"choices": [{"index": 0, "delta": {"content": "t"}, "finish_reason": "stop"}]},
    {"choices": [], "usage": USAGE},
]
MESSAGES = [
    {
        "type": "message_start",
        "message": {"model": "m-1", "content": [], "usage": {"input_tokens": 10, "output_tokens": 1}},
    },
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "be"}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "t"}},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
]
RESPONSES = [
    {"type": "response.created", "response": {"status": "in_progress"}},
    {
        "type": "response.completed",
        "response": {
            "status": "completed",
            "output": [{"type": "message", "content": [{"type": "output_text", "text": "bet"}]}],
            "usage": {"input_tokens": 10, "output_tokens": 2},
        },
    },
]
CONTENTS = [
    {"candidates": [{"content": {"parts": [{"text": "be"}]}}]},
    {
        "candidates": [{"content": {"parts": [{"text": "t"}]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 2},
    },
]


@pytest.mark.parametrize(
    ("protocol", "events"),
    [("openai-chat", CHAT), ("anthropic", MESSAGES), ("openai-responses", RESPONSES), ("gemini", CONTENTS)],
)
@pytest.mark.parametrize("line", ["\n", "\r\n"])
def test_a_stream_that_nobody_asked_for_is_read(protocol: str, events: list[Any], line: str) -> None:
    def stream(those: list[Any]) -> str:
        return "".join(f"event: x{line}data: {json.dumps(event)}{line}{line}" for event in those)

    headers = {"content-type": "text/event-stream"}
    text = f": hello{line}{line}{stream(events)}data: [DONE]{line}{line}"
    found, sent, _clock = asyncio.run(
        asked(lambda _: httpx2.Response(200, text=text, headers=headers), protocol=protocol)
    )
    assert (found.text, found.finish, sent) == ("bet", "stop", 1)
    assert (found.usage.input, found.usage.output) == (10, 2)
    cut = stream(events[:1])
    found, sent, _clock = asyncio.run(asked(lambda _: httpx2.Response(200, text=cut), protocol=protocol))
    assert (type(found), sent) == (llm.MalformedReplyError, 3)
    failed = stream([*events[:1], {"error": {"type": "overloaded_error", "message": "busy"}}])
    found, _sent, _clock = asyncio.run(asked(lambda _: httpx2.Response(200, text=failed), protocol=protocol))
    assert type(found) is llm.ServerError


# ------------------------------------------------------------------------------------------------ finishes


def gemini(finish: str, text: str = "") -> dict[str, Any]:
    """Generated content."""
    candidate = {"content": {"parts": [{"text": text}] if text else []}, "finishReason": finish}
    return {"candidates": [candidate], "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": len(text)}}


@pytest.mark.parametrize(
    ("finish", "want"),
    [("CONTINUATION", "length"), ("MODEL_ARMOR", "refusal"), ("ESCALATION", "refusal"), ("STOP", "stop")],
)
def test_finish_reasons_of_gemini(finish: str, want: str) -> None:
    assert read_answer(http_protocol("gemini"), gemini(finish)).finish == want


def test_an_account_that_google_has_limited_stops_at_once() -> None:
    found, sent, _clock = asyncio.run(
        asked(lambda _: httpx2.Response(200, json=gemini("PUP_LIMITED_DISABLED")), protocol="gemini")
    )
    assert (type(found), sent, found.doubtful) == (llm.AuthenticationError, 1, False)


def empty(protocol: str, finish: str) -> dict[str, Any]:
    """A success without a text, that ended in such a way."""
    if protocol == "gemini":
        return gemini(finish)
    if protocol == "anthropic":
        return {"content": [], "stop_reason": finish, "usage": {"input_tokens": 10, "output_tokens": 0}}
    if protocol == "openai-responses":
        usage = {"input_tokens": 10, "output_tokens": 0}
        return {"status": "incomplete", "incomplete_details": {"reason": finish}, "output": [], "usage": usage}
    return {"choices": [{"message": {"content": ""}, "finish_reason": finish}], "usage": USAGE}


@pytest.mark.parametrize("protocol", HTTP)
def test_an_unknown_finish_without_a_text_is_the_servers_and_asked_three_times(protocol: str) -> None:
    found, sent, _clock = asyncio.run(
        asked(lambda _: httpx2.Response(200, json=empty(protocol, "quantum_flux")), protocol=protocol)
    )
    assert (type(found), sent, found.doubtful, found.billed) == (llm.ServerError, 3, True, True)
    assert "quantum_flux" in str(found)


def test_a_call_of_a_tool_is_the_models_own_and_so_is_an_unknown_finish_with_a_text() -> None:
    found, sent, _clock = asyncio.run(asked(lambda _: httpx2.Response(200, json=empty("openai-chat", "tool_calls"))))
    assert (found.finish, found.text, sent) == ("other", "", 1)
    found, sent, _clock = asyncio.run(
        asked(lambda _: httpx2.Response(200, json=gemini("QUANTUM_FLUX", "bet")), protocol="gemini")
    )
    assert (found.finish, found.text, sent) == ("other", "bet", 1)


@pytest.mark.parametrize("protocol", HTTP)
def test_an_empty_answer_that_names_no_end_is_the_servers_too(protocol: str) -> None:
    body = empty(protocol, "")
    if protocol == "openai-responses":
        del body["status"], body["incomplete_details"]
    found, sent, _clock = asyncio.run(asked(lambda _: httpx2.Response(200, json=body), protocol=protocol))
    assert (type(found), sent, found.doubtful) == (llm.ServerError, 3, True)
    assert "names no end" in str(found)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"status": 400, "error": "Bad Request", "path": "/v1"}, llm.BadRequestError),  # as Spring writes it
        ({"error": {"message": "odd", "code": "422"}}, llm.BadRequestError),
        ({"error": {"message": "odd"}, "status": 422}, llm.BadRequestError),
        ({"statusCode": 401, "message": "nope"}, llm.AuthenticationError),
        ({"status": "403", "message": "nope"}, llm.AuthenticationError),
        ({"code": 400, "msg": "unknown parameter", "success": False}, llm.BadRequestError),
    ],
)
def test_a_failed_status_inside_a_success_is_that_status(body: dict[str, Any], kind: type[llm.CallError]) -> None:
    found, sent, _clock = asyncio.run(asked(lambda _: httpx2.Response(200, json=body)))
    assert (type(found), sent, found.billed) == (kind, 1, False)


def test_what_an_answer_says_is_no_failed_status() -> None:
    body = {"code": 500, "status": "429", **DIALECTS["openai-chat"].good(Say("bet"))}
    found, sent, _clock = asyncio.run(asked(lambda _: httpx2.Response(200, json=body)))
    assert (found.text, sent) == ("bet", 1)
    refused, _sent, _clock = asyncio.run(
        asked(lambda _: httpx2.Response(200, json={"status": 400, "message": "Your prompt was flagged."}))
    )
    assert refused.finish == "refusal"


@pytest.mark.parametrize("error", [{"message": "never heard of"}, "no such luck", {"code": 2064, "message": "odd"}])
def test_an_unknown_error_inside_a_success_is_not_asked_for_ever(error: Any) -> None:
    found, sent, _clock = asyncio.run(asked(lambda _: httpx2.Response(200, json={"error": error})))
    assert (type(found), sent, found.doubtful) == (llm.ServerError, 3, True)


def test_a_call_that_fails_while_others_are_answered_is_given_up() -> None:
    """A failure of the server at one prompt: another is answered before each of its attempts."""
    sent = 0

    class Between(QuickClock):
        """While the call waits to be tried again, another is asked."""

        async def sleep(self, seconds: float) -> None:
            await super().sleep(seconds)
            if seconds > 0:
                await client.ask("m", msgspec.structs.replace(REQUEST, sample=str(sent)))

    def respond(request: httpx2.Request) -> httpx2.Response:
        nonlocal sent
        if b"poison" in request.content:
            sent += 1
            return httpx2.Response(500, text="no")
        return httpx2.Response(200, text=DIALECTS["openai-chat"].render(Say("fine")).body)

    async def main() -> llm.CallError:
        async with client:
            with pytest.raises(llm.CallError) as caught:
                await client.ask("m", llm.Request(messages=(llm.Message("user", "poison"),)))
            return caught.value

    model = entry("openai-chat", "http://provider.example/v1", deadline=1e6)
    with patch.dict(os.environ, {KEY_ENV: KEY}), llm.CallStore(":memory:") as store:
        client = llm.Client({"m": model}, store, transport=httpx2.MockTransport(respond), clock=Between())
        error = asyncio.run(main())
    assert (error.doubtful, sent) == (True, 6)  # none was answered before the first


def test_the_last_call_of_a_run_that_meets_500_is_given_up_also_over_sessions(tmp_path: Path) -> None:
    """Others were answered after its first attempt, and none is left to be answered between two of the next ones."""
    good = DIALECTS["openai-chat"].render(Say("fine")).body
    sent, clock = 0, SteppedClock()

    def respond(request: httpx2.Request) -> httpx2.Response:
        nonlocal sent
        if b"another" in request.content:
            return httpx2.Response(200, text=good)
        sent += 1
        return httpx2.Response(500, text="no")

    async def session(*, others: bool, deadline: float) -> llm.CallError:
        other = llm.Request(messages=(llm.Message("user", f"another {clock.time()}"),))
        model = entry("openai-chat", "http://provider.example/v1", deadline=deadline)
        with llm.CallStore(tmp_path / "calls.sqlite") as store:
            transport = httpx2.MockTransport(respond)
            async with llm.Client(
                {"m": model}, store, transport=transport, clock=clock, backoff=Backoff(0.01, 0.01)
            ) as client:
                lone = asyncio.create_task(client.ask("m", REQUEST))
                if others:
                    while not sent:
                        await asyncio.sleep(0)
                    await client.ask("m", other)
                with pytest.raises(llm.CallError) as caught:
                    await lone
                return caught.value

    with patch.dict(os.environ, {KEY_ENV: KEY}):
        assert not asyncio.run(session(others=False, deadline=0.3)).doubtful  # the server may be down
        assert sent > LAST
        sent = 0
        assert asyncio.run(session(others=True, deadline=60.0)).doubtful
        assert sent <= LAST
        sent = 0
        assert asyncio.run(session(others=False, deadline=60.0)).doubtful
        assert sent == 1


def test_a_call_that_has_stopped_a_run_before_is_given_up_though_none_is_left_to_be_answered(tmp_path: Path) -> None:
    """It comes after all others, so none was ever answered after its first attempt."""
    good = DIALECTS["openai-chat"].render(Say("fine")).body
    sent, clock = 0, SteppedClock()

    def respond(request: httpx2.Request) -> httpx2.Response:
        nonlocal sent
        if b"another" in request.content:
            return httpx2.Response(200, text=good)
        sent += 1
        return httpx2.Response(500, text="no")

    async def session(*, calls: int, deadline: float) -> list[Any]:
        model = entry("openai-chat", "http://provider.example/v1", deadline=deadline)
        with llm.CallStore(tmp_path / "calls.sqlite") as store:
            async with llm.Client(
                {"m": model},
                store,
                transport=httpx2.MockTransport(respond),
                clock=clock,
                backoff=Backoff(0.001, 0.001),
            ) as client:
                asks = [client.ask("m", msgspec.structs.replace(REQUEST, sample=str(i))) for i in range(calls)]
                return await asyncio.gather(*asks, return_exceptions=True)

    async def well() -> None:
        model = entry("openai-chat", "http://provider.example/v1")
        with llm.CallStore(tmp_path / "calls.sqlite") as store:
            async with llm.Client({"m": model}, store, transport=httpx2.MockTransport(respond), clock=clock) as client:
                await client.ask("m", llm.Request(messages=(llm.Message("user", "another"),)))

    with patch.dict(os.environ, {KEY_ENV: KEY}):
        assert not any(error.doubtful for error in asyncio.run(session(calls=3, deadline=0.2)))  # nothing was answered
        assert not any(error.doubtful for error in asyncio.run(session(calls=3, deadline=0.2)))
        (tmp_path / "calls.sqlite").unlink()
        asyncio.run(well())
        assert not any(error.doubtful for error in asyncio.run(session(calls=5, deadline=0.2)))
        assert not any(error.doubtful for error in asyncio.run(session(calls=5, deadline=0.2)))  # it is down
        sent = 0
        assert all(error.doubtful for error in asyncio.run(session(calls=3, deadline=60.0)))
        assert sent == 3 * ALONE


def _parted(protocol: str, body: dict[str, Any], thoughts: dict[str, Any]) -> dict[str, Any]:
    """A reply without text, beside which thoughts stand where the protocol has parts of the answer."""
    match protocol:
        case "openai-chat":
            body["choices"][0]["message"] = {"role": "assistant", "content": None, **thoughts}
        case "anthropic":
            body["content"] = [{"type": "odd", **thoughts}]
        case "gemini":
            body["candidates"][0]["content"]["parts"] = [thoughts]
        case _:
            body["output"] = [{"type": "odd", **thoughts}]
    return body


@pytest.mark.parametrize("protocol", HTTP)
@pytest.mark.parametrize(
    ("thoughts", "shown"),
    [
        ({"reasoning_content": 'I bet: {"action": "bet"}'}, True),
        ({"reasoning": 'I bet: {"action": "bet"}'}, True),
        ({"musings": [{"kind": "draft", "body": {"said": "I should bet."}}]}, True),
        ({"thinking_blocks": [{"thinking": "我应该下注", "signature": "EqQBCkYIAxgCIkA"}]}, True),
        ({"reasoning_details": [{"type": "sealed", "data": "gAAAAABpX9mdkfWq"}], "id": "rs_68af"}, False),
        ({}, False),
    ],
)
def test_reasoning_beside_an_empty_text_is_noticed_in_any_field(
    protocol: str, thoughts: dict[str, Any], shown: bool, tmp_path: Path
) -> None:
    body = _parted(protocol, DIALECTS[protocol].good(Say("x")), thoughts)
    model = entry(protocol, "http://provider.example/v1")
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, json=body))

    async def ask() -> llm.Reply:
        with llm.CallStore(tmp_path / "calls.sqlite") as store:
            async with llm.Client({"m": model}, store, transport=transport) as client:
                return await client.ask("m", REQUEST)

    with patch.dict(os.environ, {KEY_ENV: KEY}):
        new, stored = asyncio.run(ask()), asyncio.run(ask())
    assert (new.text, new.thought, new.stored) == ("", shown, False)
    assert (stored.text, stored.thought, stored.stored) == ("", shown, True)


# ------------------------------------------------------------------------------------------------ the user's rules


def test_rules_of_the_user_go_before_all_others(tmp_path: Path) -> None:
    path = tmp_path / "models.toml"
    rules = (
        '[{ status = 418, says = "Teapot", outcome = "refusal" }, { says = "over there", outcome = "spend" }, '
        '{ status = 400, says = "this one", outcome = "item" }, { status = 401, outcome = "server" }]'
    )
    path.write_text(f'[m]\nprotocol = "openai-chat"\nbase_url = "http://provider.example/v1"\nerrors = {rules}\n')
    given = {"errors": llm.read_models(path)["m"].errors}
    for status, text, kind, times in (
        (418, "I am a teapot", "refusal", 1),
        (404, "money is OVER THERE", llm.SpendLimitError, 1),
        (400, "this one", llm.ItemError, 1),
        (400, "that one", llm.BadRequestError, 1),
    ):
        answer = functools.partial(httpx2.Response, status, text=text)
        found, sent, _clock = asyncio.run(asked(lambda _, answer=answer: answer(), **given))  # type: ignore[misc]
        assert sent == times
        assert found.finish == kind if isinstance(kind, str) else type(found) is kind
    found, sent, _clock = asyncio.run(asked(lambda _: httpx2.Response(401, text="again"), **given))
    assert type(found) is llm.ServerError
    assert sent > 3
    inside = {"error": {"message": "Money is over there"}}
    found, sent, _clock = asyncio.run(asked(lambda _: httpx2.Response(200, json=inside), **given))
    assert (type(found), sent) == (llm.SpendLimitError, 1)
    escaped = '{"error": {"message": "\\u670d\\u52a1 (a+b)*"}}'  # 服务, as most servers write it
    for says in ("服务", "(a+b)*", "\\u670d", '"message": "'):
        rule = ErrorRule(says=says, outcome="item")
        for status in (400, 402, 200):
            reply = functools.partial(httpx2.Response, status, text=escaped, headers={"retry-after": "9"})
            found, sent, _clock = asyncio.run(asked(lambda _, reply=reply: reply(), errors=(rule,)))  # type: ignore[misc]
            assert (type(found), sent) == (llm.ItemError, 1)
    for wrong in ('[{ outcome = "spend" }]', '[{ status = 400, outcome = "nonsense" }]', "[{ status = 400 }]"):
        path.write_text(f'[m]\nprotocol = "openai-chat"\nerrors = {wrong}\n')
        with pytest.raises(llm.ModelFileError, match=r"errors|outcome"):
            llm.read_models(path)
    assert ErrorRule(outcome="item", status=400).fits(400, "")


def test_a_server_that_streams_unless_told_otherwise_can_be_told(tmp_path: Path) -> None:
    path = tmp_path / "models.toml"
    path.write_text('[m]\nprotocol = "openai-chat"\nextra_body = { stream = false }\n')
    assert llm.read_models(path)["m"].extra_body == {"stream": False}
    path.write_text('[m]\nprotocol = "openai-chat"\nextra_body = { stream = true }\n')
    with pytest.raises(llm.ModelFileError, match="stream"):
        llm.read_models(path)


# ------------------------------------------------------------------------------------------------ surroundings


REMOTE = "http://provider.example/v1"


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable about proxies and certificates but those that a test sets."""
    for name in os.environ:
        if name.lower().endswith("_proxy") or name.startswith("SSL_CERT"):
            monkeypatch.delenv(name)
    _trusted.cache_clear()


@pytest.mark.parametrize(
    ("variable", "value", "says"),
    [
        ("SSL_CERT_FILE", "/no/such/bundle.pem", "/no/such/bundle.pem"),
        ("SSL_CERT_FILE", __file__, "no certificate"),
        ("SSL_CERT_DIR", "/no/such/folder", "/no/such/folder"),
        ("ALL_PROXY", "socks9://x", "socks5://HOST:PORT"),
        ("ALL_PROXY", "http://user:hunter2@[::1", "http://HOST:PORT"),
        ("HTTPS_PROXY", "http://x:port", "unset it"),
    ],
)
def test_what_keeps_a_client_from_being_made_is_named(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, says: str
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.example:3128")
    monkeypatch.setenv(variable, value)
    with pytest.raises(llm.SetupError, match=variable) as caught:
        new_client("https://provider.example/v1", None)
    assert says in str(caught.value)
    assert "hunter2" not in str(caught.value)
    for local in ("http://127.0.0.1:8080/v1", "http://localhost/v1", "http://[::1]:9/v1"):
        assert not new_client(local, None).trust_env
    monkeypatch.delenv(variable)
    assert new_client("https://provider.example/v1", None).trust_env


def test_exceptions_from_a_proxy_may_be_addresses_in_brackets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "[::1],[::1,::1/x, a b")
    assert new_client("https://provider.example/v1", None).trust_env


@pytest.mark.parametrize("scheme", ["socks5", "socks5h"])
def test_a_socks_proxy_without_its_library_is_one_sentence(monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
    monkeypatch.setenv("ALL_PROXY", f"{scheme}://user:hunter2@127.0.0.1:9")
    monkeypatch.setitem(sys.modules, "socksio", None)
    with pytest.raises(llm.SetupError) as caught:
        new_client(REMOTE, None)
    expected = 'ALL_PROXY names a SOCKS proxy, which needs an extra (pip install "antemill[socks]"); or unset it'
    assert str(caught.value) == expected


def test_a_model_is_asked_by_way_of_a_socks_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The proxy of the test leads every name to a server on this machine."""
    named: list[bytes] = []

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        _version, methods = await reader.readexactly(2)
        await reader.readexactly(methods)
        writer.write(b"\x05\x00")  # no password
        head = await reader.readexactly(5)
        named.append(await reader.readexactly(head[4]))
        await reader.readexactly(2)
        writer.write(b"\x05\x00\x00\x01" + bytes(6))
        await reader.readuntil(b"\r\n\r\n")
        body = DIALECTS["openai-chat"].render(Say("fine")).body.encode()
        writer.write(b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
        writer.close()

    async def ask() -> str:
        async with await asyncio.start_server(connected, "127.0.0.1", 0) as server:
            monkeypatch.setenv("ALL_PROXY", f"socks5h://127.0.0.1:{server.sockets[0].getsockname()[1]}")
            with llm.CallStore(":memory:") as store:
                async with llm.Client({"m": entry("openai-chat", REMOTE)}, store) as client:
                    return (await client.ask("m", REQUEST)).text

    with patch.dict(os.environ, {KEY_ENV: KEY}):
        assert asyncio.run(ask()) == "fine"
    assert named == [b"provider.example"]


# ------------------------------------------------------------------------------------------------ keys and excerpts


@pytest.mark.parametrize(
    "echo",
    [
        f"{KEY[:7]}****{KEY[-4:]}",
        f"{KEY[:5]}...{KEY[-4:]}",
        f"{KEY[:3]}…",
        f"•••••{KEY[-4:]}",
        f"{KEY[:9]}xxxxxxxx",
        base64.b64encode(KEY.encode()).decode(),
        base64.urlsafe_b64encode(f"user:{KEY}".encode()).decode(),
        base64.b64encode(f"ab{KEY}z".encode()).decode(),
        KEY.encode().hex(),
        f"{KEY[:6]}&hellip;{KEY[-4:]}",
        f"{KEY[:6]}&bull;&bull;&#8226;{KEY[-4:]}",
        f"{KEY[:6]}\\u2026{KEY[-4:]}",
        f"{KEY[:6]}[...]{KEY[-4:]}",
        f"{KEY[:6]}####{KEY[-4:]}",
        f"{KEY[:6]}-----{KEY[-4:]}",
        "".join(f"%25{ord(one):02X}" for one in KEY),
    ],
)
def test_a_masked_or_encoded_key_is_hidden(echo: str) -> None:
    redactor = KeyRedactor()
    redactor.add(KEY)
    hidden = redactor.hide(f"Incorrect API key provided: {echo} (see the docs).")
    assert REDACTED in hidden
    assert KEY[4:9] not in hidden
    assert "see the docs" in hidden


def test_masks_of_other_things_stay() -> None:
    redactor = KeyRedactor()
    redactor.add(KEY)
    for text in (
        "card **** 1234",
        "and so on ...",
        "wait… what",
        "xxxx",
        "**bold** text",
        "| --- | ---- |",
        "#### B",
        "a &hellip; b",
    ):
        assert redactor.hide(text) == text


def test_an_excerpt_keeps_its_mark_in_a_sentence() -> None:
    assert excerpt("x" * 300).rstrip(".").endswith("x…")


# ------------------------------------------------------------------------------------------------ windows


def test_a_server_that_cuts_prompts_is_noticed_by_what_it_counts() -> None:
    assert Cutting().noticed(29_000, 2048)
    assert not Cutting().noticed(29_000, 4_000)
    assert not Cutting().noticed(500, 2)
    cutting = Cutting()
    assert not any(cutting.noticed(size, 2048) for size in (10_000, 10_500, 13_000))
    assert "whether a prompt has 10,000 or 14,000" in cutting.noticed(14_000, 2048)
    honest = Cutting()
    assert not any(honest.noticed(size, size // 4) for size in range(10_000, 30_000, 500))
    same = Cutting()
    assert not any(same.noticed(12_000, 3_000) for _ in range(50))


@pytest.mark.parametrize(
    ("page", "window"),
    [
        ({"data": [{"id": "m", "max_model_len": 4096}, {"id": "n", "max_model_len": 9}]}, 4096),
        ({"data": [{"id": "m:latest", "context_length": 131072}]}, 131072),
        ({"data": [{"id": "m", "meta": {"n_ctx_train": 8192}}]}, 8192),
        ({"data": [{"id": "m", "top_provider": {"context_length": 4000}}]}, 4000),
        ({"name": "models/m", "inputTokenLimit": 1048576}, 1048576),
        ({"id": "m", "max_input_tokens": 200000}, 200000),
        ({"data": [{"id": "m"}]}, None),
        ([1, 2], None),
        ({"data": [{"id": "m", "context_length": "long"}]}, None),
    ],
)
def test_the_window_of_a_model_is_read_where_it_is_listed(page: Any, window: int | None) -> None:
    assert window_in(json.dumps(page).encode(), "m") == window
    assert window_in(b"<html>", "m") is None


@pytest.mark.parametrize(
    ("response", "reachable", "says"),
    [
        (DIALECTS["openai-chat"].render(Say('"OK"')).body, True, "tokens of"),
        (DIALECTS["openai-chat"].render(Say("certainly")).body, False, "not JSON"),
        (DIALECTS["openai-chat"].render(Say("", finish="length", bare=True)).body, False, "before the first word"),
        ("", False, "bytes: "),
    ],
)
def test_one_real_question_shows_what_a_list_of_models_does_not(response: str, reachable: bool, says: str) -> None:
    sent: list[dict[str, Any]] = []

    def respond(request: httpx2.Request) -> httpx2.Response:
        sent.append(json.loads(request.content))
        return httpx2.Response(200 if response else 400, text=response or "temperature is not supported")

    model = entry("openai-chat", "http://provider.example/v1", temperature=0.5, structured=True)
    request = msgspec.structs.replace(REQUEST, schema={"type": "string"})
    with patch.dict(os.environ, {KEY_ENV: KEY}), llm.CallStore(":memory:") as store:
        [found] = asyncio.run(llm.ask_models([model], {"m": request}, store, transport=httpx2.MockTransport(respond)))
    assert (found.reachable, bool(found.advice)) == (reachable, not reachable)
    assert says in found.reason
    [body] = sent
    assert body["temperature"] == 0.5
    assert body["response_format"]["json_schema"]["schema"] == {"type": "string"}


def test_a_server_that_is_not_there_is_no_server_to_wait_for() -> None:
    def respond(_request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("refused")

    model, transport = entry("openai-chat", "http://provider.example/v1"), httpx2.MockTransport(respond)
    with patch.dict(os.environ, {KEY_ENV: KEY}), llm.CallStore(":memory:") as store:
        [found] = asyncio.run(llm.ask_models([model], {"m": REQUEST}, store, transport=transport))
    assert (found.reachable, found.advice) == (False, "start its server, or correct its base_url or the proxy")
