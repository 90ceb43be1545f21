"""How each protocol says the same events: the provider's side of the wire, written from its documentation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Struct

from tests.llm.events import Cut, Event, Say, Status, Trickle
from tests.llm.server import Response


class Dialect(Struct, frozen=True):
    """One protocol, from the provider's side."""

    path: str
    key_header: str
    key_prefix: str
    good: Callable[[Say], dict[str, Any]]
    error: Callable[[Status], dict[str, Any]]

    def render(self, event: Event) -> Response:
        """The response to an event that is one."""
        if isinstance(event, Status):
            headers = {"x-echo": event.header} if event.header else {}
            if event.retry_after is not None:
                headers["retry-after"] = f"{event.retry_after:g}"
            return Response(event.status, _json(self.error(event)), headers)
        if isinstance(event, Say):
            return Response(200, _json(self.good(event)))
        assert isinstance(event, (Cut, Trickle))
        return Response(200, _json(self.good(Say())))


def _json(found: dict[str, Any]) -> str:
    return msgspec.json.encode(found).decode()


def _chat(say: Say) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": None if say.bare else say.text}
    finish = {"stop": "stop", "length": "length", "refusal": "content_filter", "other": "tool_calls"}[say.finish]
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "gpt-test-2026-01-01",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {
            "prompt_tokens": say.read,
            "completion_tokens": say.written,
            "total_tokens": say.read + say.written,
            "prompt_tokens_details": {"cached_tokens": say.cached},
            "completion_tokens_details": {"reasoning_tokens": say.reasoning},
        },
    }


def _openai_error(status: Status) -> dict[str, Any]:
    code = "rate_limit_exceeded" if status.status == 429 else None
    return {"error": {"message": status.message, "type": "requests", "param": None, "code": code}}


def _responses(say: Say) -> dict[str, Any]:
    contents = [] if say.bare else [{"type": "output_text", "text": say.text, "annotations": []}]
    if say.finish == "refusal":
        contents = [{"type": "refusal", "refusal": say.text}]
    status = {"length": "incomplete", "other": "paused"}.get(say.finish, "completed")
    message = {"type": "message", "id": "msg_1", "role": "assistant", "status": status, "content": contents}
    return {
        "id": "resp_1",
        "object": "response",
        "model": "gpt-test-2026-01-01",
        "status": status,
        "error": None,
        "incomplete_details": {"reason": "max_output_tokens"} if say.finish == "length" else None,
        "output": [{"type": "reasoning", "id": "rs_1", "summary": []}, *([] if say.bare else [message])],
        "usage": {
            "input_tokens": say.read,
            "input_tokens_details": {"cached_tokens": say.cached},
            "output_tokens": say.written,
            "output_tokens_details": {"reasoning_tokens": say.reasoning},
            "total_tokens": say.read + say.written,
        },
    }


def _anthropic(say: Say) -> dict[str, Any]:
    thinking = {"type": "thinking", "thinking": "Let me bluff.", "signature": "abc"}
    stop = {"stop": "end_turn", "length": "max_tokens", "refusal": "refusal", "other": "pause_turn"}[say.finish]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-test-20260101",
        "content": [thinking, *([] if say.bare else [{"type": "text", "text": say.text}])],
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {
            "input_tokens": say.read - say.cached,
            "cache_read_input_tokens": say.cached,
            "cache_creation_input_tokens": 0,
            "output_tokens": say.written,
        },
    }


def _anthropic_error(status: Status) -> dict[str, Any]:
    kinds = {429: "rate_limit_error", 529: "overloaded_error", 401: "authentication_error", 500: "api_error"}
    error: dict[str, Any] = {"type": kinds.get(status.status, "invalid_request_error"), "message": status.message}
    return {"type": "error", "error": error, "request_id": "req_1"}


def _gemini(say: Say) -> dict[str, Any]:
    finish = {"stop": "STOP", "length": "MAX_TOKENS", "refusal": "SAFETY", "other": "OTHER"}[say.finish]
    thought = {"text": "Let me bluff.", "thought": True}
    content = {"role": "model", **({} if say.bare else {"parts": [thought, {"text": say.text}]})}
    return {
        "candidates": [{"content": content, "finishReason": finish, "index": 0}],
        "usageMetadata": {
            "promptTokenCount": say.read,
            "cachedContentTokenCount": say.cached,
            "candidatesTokenCount": say.written - say.reasoning,
            "thoughtsTokenCount": say.reasoning,
            "totalTokenCount": say.read + say.written,
        },
        "modelVersion": "gemini-test-001",
    }


def _gemini_error(status: Status) -> dict[str, Any]:
    names = {
        **{400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 429: "RESOURCE_EXHAUSTED"},
        **{500: "INTERNAL", 503: "UNAVAILABLE"},
    }
    error: dict[str, Any] = {"code": status.status, "message": status.message, "status": names.get(status.status, "X")}
    return {"error": error}


_GEMINI_PATH = "/models/m-1:generateContent"

DIALECTS = {
    "openai-chat": Dialect("/chat/completions", "authorization", "Bearer ", _chat, _openai_error),
    "openai-responses": Dialect("/responses", "authorization", "Bearer ", _responses, _openai_error),
    "anthropic": Dialect("/messages", "x-api-key", "", _anthropic, _anthropic_error),
    "gemini": Dialect(_GEMINI_PATH, "x-goog-api-key", "", _gemini, _gemini_error),
}
