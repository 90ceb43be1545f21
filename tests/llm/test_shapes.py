"""Every recorded shape of an error, through the whole client, in all four protocols."""

from __future__ import annotations

import asyncio
import os
from typing import Any
from unittest.mock import patch

import httpx2
import msgspec
import pytest

from antemill.llm import CallStore, Client, PermanentError, ServerError
from antemill.llm.protocols import http_protocol
from antemill.llm.protocols.failures import _KINDS, ERROR_SHAPES, _error_object, _message, _names, read_answer, shape_of
from tests.llm.clocks import QuickClock
from tests.llm.dialects import DIALECTS
from tests.llm.events import Say
from tests.llm.shapes import SHAPES, WROTE, Shape
from tests.llm.stage import HTTP, KEY, KEY_ENV, REQUEST, entry

IDS = [f"{i}-{shape.row or shape.status}-{shape.outcome}" for i, shape in enumerate(SHAPES)]


def content(shape: Shape) -> str:
    """The body as it is sent."""
    return shape.body if isinstance(shape.body, str) else msgspec.json.encode(shape.body).decode()


def fitting(shape: Shape) -> int | None:
    """The place of the row that fits first."""
    body = _error_object(content(shape))
    row = shape_of(shape.status, {name.lower() for name in _names(body)}, _message(body).lower())
    return None if row is None else ERROR_SHAPES.index(row)


def test_every_row_has_a_shape_and_every_shape_its_row() -> None:
    assert len(SHAPES) >= 60
    fits = [fitting(shape) for shape in SHAPES]
    assert [shape.row for shape in SHAPES] == ["" if place is None else ERROR_SHAPES[place].provider for place in fits]
    assert all(shape.outcome == ERROR_SHAPES[place].outcome for shape, place in zip(SHAPES, fits) if place is not None)
    assert {place for place in fits if place is not None} == set(range(len(ERROR_SHAPES)))


@pytest.mark.parametrize("protocol", HTTP)
@pytest.mark.parametrize("shape", SHAPES, ids=IDS)
def test_a_shape_comes_to_its_outcome(protocol: str, shape: Shape) -> None:
    """It is answered once, then comes an answer: what is retried gets that, what is not does not."""
    responses = [
        httpx2.Response(shape.status, text=content(shape), headers=shape.headers),
        httpx2.Response(200, text=DIALECTS[protocol].render(Say("fine")).body),
    ]
    asked = 0

    def respond(_request: httpx2.Request) -> httpx2.Response:
        nonlocal asked
        asked += 1
        return responses[min(asked, 2) - 1]

    async def main() -> None:
        clock = QuickClock()
        with patch.dict(os.environ, {KEY_ENV: KEY}), CallStore(":memory:") as store:
            model = entry(protocol, "http://provider.example/v1", deadline=600.0)
            async with Client({"m": model}, store, transport=httpx2.MockTransport(respond), clock=clock) as client:
                if shape.outcome in ("refusal", "unparsable"):
                    reply = await client.ask("m", REQUEST)
                    assert (asked, reply.attempts) == (1, 1)
                    assert reply.finish == ("refusal" if shape.outcome == "refusal" else "other")
                    assert reply.text == WROTE or shape.outcome == "refusal"
                    assert content(shape) == store.call(reply.call).reply
                    billed = shape.row in ("xai", "groq")
                    assert (reply.usage.cost_assumed is not None) == billed == (reply.usage.cost > 0)
                    assert (await client.ask("m", REQUEST)).stored  # never sent again
                    assert (asked, store.failed_attempts()) == (1, [])
                    return
                kind = _KINDS[shape.outcome]
                if issubclass(kind, PermanentError):
                    with pytest.raises(kind):
                        await client.ask("m", REQUEST)
                    assert asked == 1
                else:
                    assert (await client.ask("m", REQUEST)).text == "fine"
                    assert asked == 2
                [failed] = store.failed_attempts()
                assert (failed.error, failed.status, failed.risk) == (kind.__name__, shape.status, 0.0)
                assert failed.retry_after == (shape.wait if asked == 2 else None)
                assert sum(clock.slept) >= (shape.wait or 0.0)
                halved = client.limiter("m").limit < model.concurrency
                assert halved == (shape.outcome in ("rate", "overloaded"))

    asyncio.run(main())


USAGE = {"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 105}
CHOICE = {"message": {"role": "assistant", "content": "half an ans"}}
POLICY = "Invalid prompt: your prompt was flagged as potentially violating our usage policy."


@pytest.mark.parametrize(
    ("protocol", "found"),
    [
        (
            "openai-responses",
            {"status": "failed", "output": [], "error": {"code": "invalid_prompt", "message": POLICY}},
        ),
        ("openai-chat", {"error": {"code": 403, "message": "Flagged.", "metadata": {"flagged_input": "..."}}}),
        ("openai-chat", {"choices": [{**CHOICE, "error": {"code": 400, "message": POLICY, "type": "invalid_prompt"}}]}),
        (
            "anthropic",
            {"type": "error", "error": {"type": "invalid_request_error", "message": "content filtering policy"}},
        ),
        ("gemini", {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {"promptTokenCount": 9}}),
    ],
)
def test_a_refusal_inside_a_success_is_one(protocol: str, found: dict[str, Any]) -> None:
    assert read_answer(http_protocol(protocol), found).finish == "refusal"


@pytest.mark.parametrize(
    ("protocol", "found", "billed"),
    [
        (
            "openai-chat",
            {"choices": [{**CHOICE, "finish_reason": "insufficient_system_resource"}], "usage": USAGE},
            True,
        ),
        ("openai-chat", {"choices": [{**CHOICE, "finish_reason": "error"}]}, True),
        ("openai-chat", {"error": {"message": "upstream broke"}, "choices": []}, False),
        ("openai-chat", {"choices": [{**CHOICE, "finish_reason": "abort"}], "usage": USAGE}, True),
        (
            "openai-chat",
            {"error": {"message": "upstream broke"}, "choices": [{**CHOICE, "finish_reason": "stop"}]},
            True,
        ),
        ("openai-chat", {"error": "upstream broke", "choices": [{**CHOICE, "finish_reason": "stop"}]}, True),
        ("openai-chat", {"choices": [{**CHOICE, "error": {"code": 502, "message": "broke"}}], "usage": USAGE}, True),
        ("openai-responses", {"status": "failed", "output": []}, False),
        ("openai-responses", {"status": "cancelled", "output": []}, False),
        (
            "openai-responses",
            {"status": "failed", "output": [], "error": {"code": "server_error"}, "usage": USAGE},
            True,
        ),
        ("anthropic", {"type": "error", "error": {"type": "api_error", "message": "broke"}}, False),
        ("gemini", {"error": {"code": 500, "status": "INTERNAL", "message": "broke"}}, False),
    ],
)
def test_a_server_that_breaks_off_is_no_answer_of_the_model(protocol: str, found: dict[str, Any], billed: bool) -> None:
    with pytest.raises(ServerError) as caught:
        read_answer(http_protocol(protocol), found)
    assert caught.value.billed == billed
