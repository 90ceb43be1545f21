"""The three classes of errors: by status alone, whatever the server says; and what comes back in place of an answer."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antemill import llm
from antemill.llm.connections import failure, read_answer, retry_after
from antemill.llm.estimate import Cutting
from antemill.llm.protocols import http_protocol
from antemill.llm.protocols.wire import excerpt
from tests.llm.clocks import QuickClock
from tests.llm.dialects import DIALECTS
from tests.llm.events import Say, Status
from tests.llm.stage import HTTP, KEY, KEY_ENV, REQUEST, entry, stage

BORDER = Path(__file__).parents[1] / "data" / "border"
CASES = [json.loads(line) for file in sorted(BORDER.glob("*.jsonl")) for line in file.read_text().splitlines()]
STOP, AGAIN = {401, 402, 407}, {408, 409, 425, 429}


def wanted(status: int) -> type[llm.CallError]:
    """The class, written down a second time."""
    if status in STOP:
        return llm.StopError
    return llm.AgainError if status in AGAIN or status > 499 else llm.ItemError


def test_the_status_of_each_recorded_error_decides_and_its_sentence_is_kept() -> None:
    assert len(CASES) > 590
    for case in CASES:
        found = failure(case["status"], case["body"], case.get("headers", {}), 0.0)
        assert type(found) is wanted(case["status"])
        assert str(found).startswith(f"HTTP {case['status']}: ")
        assert "\n" not in str(found)


@pytest.mark.parametrize("protocol", HTTP)
@pytest.mark.parametrize("status", [400, 402, 408, 429, 503])
def test_a_failed_status_inside_a_success_counts_as_that_status(protocol: str, status: int) -> None:
    for found in (
        {"error": {"code": status, "message": "no"}},
        {"error": {"message": "no"}, "status": str(status)},
        {"error": "no", "code": status},
        {"code": status, "message": "no"},
        {"choices": [{"error": {"code": status, "message": "no"}}]},
    ):
        with pytest.raises(wanted(status)) as caught:
            read_answer(http_protocol(protocol), found)
        assert (caught.value.status, caught.value.billed) == (status, False)


def test_an_error_without_a_status_may_be_charged() -> None:
    for found in ({"error": {"code": "server_error"}}, {"error": "odd"}, {"status": "failed", "output": []}):
        with pytest.raises(llm.AgainError) as caught:
            read_answer(http_protocol("openai-responses"), found)
        assert caught.value.billed


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("3", 3.0),
        ("0.5", 0.5),
        ("0", 0.0),
        ("Thu, 01 Jan 1970 00:01:40 GMT", 40.0),
        ("Thu, 01 Jan 1970 00:00:10 GMT", 0.0),
        ("Thu, 01 Jan 99999 00:00:00 GMT", None),
        *[(odd, None) for odd in ("soon", "nan", "inf", "-1", "\u0661\u0662", "")],
    ],
)
def test_retry_after_is_seconds_or_a_date(said: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": said}, 60.0) == seconds


def test_a_hint_of_nothing_keeps_the_backoff() -> None:
    async def main() -> None:
        async with stage("openai-chat", *[Status(500, retry_after=0)] * 6, Say(), deadline=1e6) as on:
            await on.ask()
            assert sum(on.clock.slept) > 1

    asyncio.run(main())


def test_three_attempts_that_may_be_charged_end_a_call() -> None:
    async def main() -> None:
        async with stage("openai-chat", *[Status(500)] * 4, Say("x", read=1), path=":memory:", deadline=1e6) as on:
            assert (await on.ask()).attempts == 5  # refused attempts cost nothing
        for body in ("<html>", '{"choices": []}'):
            transport = httpx2.MockTransport(lambda _request, body=body: httpx2.Response(200, text=body))
            with patch.dict(os.environ, {KEY_ENV: KEY}), llm.CallStore(":memory:") as store:
                model = entry("openai-chat", "http://h.test/v1", deadline=1e6)
                async with llm.Client({"m": model}, store, transport=transport, clock=QuickClock()) as client:
                    with pytest.raises(llm.AgainError) as caught:
                        await client.ask("m", REQUEST)
                assert caught.value.attempts == 3

    asyncio.run(main())


def ask(respond: Any, protocol: str = "openai-chat", **changes: Any) -> llm.Reply:
    """One call before a server that answers so, without a second attempt that may be charged."""

    async def main() -> llm.Reply:
        with patch.dict(os.environ, {KEY_ENV: KEY}), llm.CallStore(":memory:") as store:
            model = entry(protocol, "http://h.test/v1", deadline=1.0, **changes)
            transport = httpx2.MockTransport(respond)
            async with llm.Client({"m": model}, store, transport=transport, clock=QuickClock()) as client:
                return await client.ask("m", REQUEST)

    return asyncio.run(main())


def test_what_was_not_asked_for_is_malformed() -> None:
    packed = httpx2.Response(200, headers={"content-encoding": "gzip"}, stream=httpx2.ByteStream(b"\x1f\x8b"))
    with pytest.raises(llm.AgainError, match="compressed"):
        ask(lambda _request: packed)
    with pytest.raises(llm.AgainError, match="longer than"):
        ask(lambda _request: httpx2.Response(200, text="x" * 200), body_limit=100)
    with pytest.raises(llm.ItemError, match="HTTP 400"):  # the status of a failure counts, whatever its body
        ask(lambda _request: httpx2.Response(400, text="x" * 200), body_limit=100)


def outcome(respond: Any, protocol: str) -> llm.Reply | llm.CallError:
    """The reply, or the error that `ask` raises."""
    try:
        return ask(respond, protocol)
    except llm.CallError as error:
        return error


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "message", "content", "usage", "output", "candidates", "error", "status", "parts"]
            )
            | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("protocol", HTTP)
@given(found=JSON, status=st.sampled_from([200, 200, 200, 400, 429, 500, 302, 402]))
def test_no_body_ends_a_run_otherwise_than_by_a_call_error(protocol: str, found: Any, status: int) -> None:
    reply = outcome(lambda _request: httpx2.Response(status, text=json.dumps(found)), protocol)
    if isinstance(reply, llm.CallError):
        assert status == 200 or type(reply) is wanted(status)
    else:
        assert status == 200


@pytest.mark.parametrize("protocol", HTTP)
def test_an_answer_with_halves_of_characters_or_numbers_beyond_all_bounds_is_read_or_asked_again(protocol: str) -> None:
    good = DIALECTS[protocol].render(Say("@@@", read=77)).body
    for changed in (good.replace("@@@", "a \\ud83d b"), good.replace("77", "9" * 5000), good.replace("77", "NaN")):
        reply = outcome(lambda _request, text=changed: httpx2.Response(200, text=text), protocol)
        assert reply.kind == "malformed answer" if isinstance(reply, llm.CallError) else reply.finish == "stop"


@pytest.mark.parametrize(
    ("sizes", "counts", "noticed"),
    [
        ([20_000], [2_000], "counts 2,000 tokens of a prompt of 20,000 bytes"),
        ([9_000, 12_000, 15_000, 16_000], [4_096] * 4, "counts 4,096 tokens whether a prompt has 9,000 or 16,000"),
        ([20_000], [5_000], ""),
        ([100, 120, 90, 80], [40] * 4, ""),
    ],
)
def test_a_server_that_counts_fewer_tokens_than_it_was_sent_is_noticed(
    sizes: list[int], counts: list[int], noticed: str
) -> None:
    cutting = Cutting()
    assert noticed in [cutting.noticed(*one) for one in zip(sizes, counts, strict=True)][-1]


def test_an_excerpt_is_one_line() -> None:
    assert excerpt("a\n\x00b\u202e  c" + "x" * 300, 10) == "a b cxxxxx…"


# ------------------------------------------------------------------------------------------ schemas

SCHEMA = {"type": "object", "properties": {"action": {"type": "string"}}, "required": ["action"]}
ASKED = llm.Request(messages=REQUEST.messages, schema=SCHEMA)


def server(takes: bool, refuses: str = "@") -> Any:
    """A server with or without schemas, which refuses prompts that have a word; its `bodies` have what it was sent."""
    bodies: list[dict[str, Any]] = []

    def respond(request: httpx2.Request) -> httpx2.Response:
        bodies.append(json.loads(request.content))
        with_schema = "response_format" in bodies[-1]
        if (with_schema and not takes) or refuses in bodies[-1]["messages"][-1]["content"]:
            return httpx2.Response(400, json={"error": {"message": "response_format: unknown field"}})
        return httpx2.Response(200, text=DIALECTS["openai-chat"].render(Say()).body)

    respond.bodies = bodies  # type: ignore[attr-defined]
    return respond


async def told(respond: Any, path: Path, texts: list[str], **changes: Any) -> list[llm.Reply | BaseException]:
    """Ask all at once, in a session of its own."""
    with patch.dict(os.environ, {KEY_ENV: KEY}), llm.CallStore(path) as store:
        models = {"m": entry("openai-chat", "http://h.test/v1", **changes)}
        async with llm.Client(models, store, transport=httpx2.MockTransport(respond), clock=QuickClock()) as client:
            requests = [llm.Request(messages=(llm.Message("user", text),), schema=SCHEMA) for text in texts]
            return await asyncio.gather(*(client.ask("m", one) for one in requests), return_exceptions=True)


@pytest.mark.parametrize("takes", [True, False])
def test_one_refused_call_finds_out_whether_a_server_takes_a_schema_and_it_is_kept(takes: bool, tmp_path: Path) -> None:
    async def main() -> None:
        respond = server(takes)
        replies = await told(respond, tmp_path / "calls.sqlite", list("abcdefgh"))
        assert [isinstance(one, llm.Reply) and one.schema for one in replies] == [takes] * 8
        assert len(respond.bodies) == (8 if takes else 9)
        again = await told(respond, tmp_path / "calls.sqlite", list("abcdefghi"))
        assert sum(isinstance(one, llm.Reply) and one.stored for one in again) == 8
        assert len(respond.bodies) == (9 if takes else 10)  # nothing is asked twice, and nothing refused twice

    asyncio.run(main())


def test_a_prompt_that_is_refused_in_both_forms_says_nothing_of_schemas(tmp_path: Path) -> None:
    async def main() -> None:
        respond = server(True, refuses="long")
        first, *rest = await told(respond, tmp_path / "calls.sqlite", ["long", "a", "long b", "c"])
        assert isinstance(first, llm.ItemError)
        assert isinstance(rest[1], llm.ItemError)
        assert [isinstance(one, llm.Reply) and one.schema for one in (rest[0], rest[2])] == [True, True]
        assert len(respond.bodies) == 5  # only the first prompt was tried without its schema

    asyncio.run(main())


def test_a_stated_answer_to_the_question_of_schemas_is_taken(tmp_path: Path) -> None:
    async def main() -> None:
        respond = server(False)
        assert isinstance((await told(respond, tmp_path / "a", ["a"], structured=True))[0], llm.ItemError)
        (found,) = await told(respond, tmp_path / "b", ["a"], structured=False)
        assert isinstance(found, llm.Reply)
        assert not found.schema
        plain = llm.Request(messages=REQUEST.messages, schema=SCHEMA, plain=True)
        assert entry("openai-chat").schema_of(plain) is None
        assert entry("openai-chat", structured=True).schema_of(plain) == SCHEMA

    asyncio.run(main())
