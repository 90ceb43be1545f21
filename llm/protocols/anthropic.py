"""Anthropic's messages.

`max_tokens` caps thinking and answer together. Effort is `output_config.effort`. Newer models think with
`thinking = "adaptive"` and refuse a budget and sampling parameters (`sampling = false`); older ones take a budget.
The system message is marked for the prompt cache, for it is what stays the same from call to call.
"""

from __future__ import annotations

from llm.models import Model
from llm.protocols.failures import raise_reported
from llm.protocols.wire import Json, Wire, count, objects, part, sampling, text_of
from llm.types import Answer, Finish, Request, Usage

VERSION = "2023-06-01"
_NAMES = {"temperature": "temperature", "top_p": "top_p", "top_k": "top_k"}
_FINISH: dict[str, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}


def headers(key: str | None) -> dict[str, str]:
    """The API's version, and the key."""
    return {"anthropic-version": VERSION, **({} if key is None else {"x-api-key": key})}


def body(model: Model, request: Request) -> Json:
    """The request; `extra_body` is laid over it by the caller."""
    found: Json = {
        "model": model.remote,
        "max_tokens": request.max_output or model.max_output,
        "messages": [{"role": message.role, "content": message.text} for message in request.turns],
        **sampling(model, request, _NAMES),
    }
    if request.system:
        block: Json = {"type": "text", "text": request.system}
        found["system"] = [{**block, "cache_control": {"type": "ephemeral"}} if model.prompt_cache else block]
    if model.thinking_budget is not None:
        found["thinking"] = {"type": "enabled", "budget_tokens": model.thinking_budget}
    elif model.thinking is not None:
        found["thinking"] = {"type": model.thinking}
    output: Json = {} if model.effort is None else {"effort": model.effort}
    if model.structured and request.schema is not None:
        output["format"] = {"type": "json_schema", "schema": request.schema}
    if output:
        found["output_config"] = output
    return found


def answer(found: Json) -> Answer:
    """Raises CallError if it is no message. Thinking blocks are no part of the text."""
    if not isinstance(found.get("content"), list):
        raise_reported(found)
    texts = [text_of(block, "text") for block in objects(found, "content") if text_of(block, "type") == "text"]
    return Answer(
        "".join(texts),
        _FINISH.get(text_of(found, "stop_reason"), "other"),
        _usage(part(found, "usage")),
        text_of(found, "model"),
    )


def _usage(raw: Json) -> Usage:
    """`input_tokens` excludes what was read from and written to the cache. Thinking is inside `output_tokens`."""
    return Usage(
        input_uncached=count(raw, "input_tokens"),
        input_cached=count(raw, "cache_read_input_tokens"),
        cache_write=count(raw, "cache_creation_input_tokens"),
        output_visible=count(raw, "output_tokens"),
        raw=raw,
    )


WIRE = Wire(path=lambda _model: "/messages", headers=headers, body=body, answer=answer)
