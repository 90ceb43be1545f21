"""Anthropic's messages.

`max_tokens` limits thinking and answer together. Effort is `output_config.effort`. Models from Opus 4.7 on think with
`thinking = "adaptive"`, most of them by default, and refuse a budget and sampling parameters (`sampling = false`);
older ones take a budget. Opus 5.5 always thinks; Sonnet 5.5 thinks least with `thinking = "between_tools"`. The system
message is marked for the prompt cache, because it is the same in all calls. A schema must not limit numbers or lengths:
see `_supported`.
"""

from __future__ import annotations

from antemill.llm.entry import Entry
from antemill.llm.protocols import wire
from antemill.llm.protocols.protocol import HttpProtocol
from antemill.llm.protocols.usage import anthropic_usage
from antemill.llm.protocols.wire import Json
from antemill.llm.types import Answer, Finish, Request

VERSION = "2023-06-01"
_NAMES = {"temperature": "temperature", "top_p": "top_p", "top_k": "top_k"}
_FINISH: dict[str, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}
_REFUSED = ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems")


def body(model: Entry, request: Request, schema: Json | None) -> Json:
    """The body of a request."""
    found: Json = {
        "model": model.remote,
        "max_tokens": request.max_output or model.max_output,
        "messages": [{"role": message.role, "content": message.text} for message in request.turns],
        **wire.sampling(model, request, _NAMES),
    }
    if request.system:
        block: Json = {"type": "text", "text": request.system}
        found["system"] = [{**block, "cache_control": {"type": "ephemeral"}} if model.prompt_cache else block]
    if model.thinking_budget is not None:
        found["thinking"] = {"type": "enabled", "budget_tokens": model.thinking_budget}
    elif model.thinking is not None:
        found["thinking"] = {"type": model.thinking}
    output: Json = {} if model.effort is None else {"effort": model.effort}
    if schema is not None:
        output["format"] = {"type": "json_schema", "schema": _supported(schema)}
    if output:
        found["output_config"] = output
    return found


def answer(found: Json) -> Answer:
    """The answer in a message. Its text has no thinking blocks. Raises CallError for anything but a message."""
    if not isinstance(found.get("content"), list):
        raise wire.unanswered(found)
    text = "".join(
        wire.text_of(block, "text") for block in wire.objects(found, "content") if wire.text_of(block, "type") == "text"
    )
    return Answer(
        text,
        _FINISH.get(wire.text_of(found, "stop_reason"), "other"),
        anthropic_usage(wire.part(found, "usage"), text),
        wire.text_of(found, "model"),
    )


def _supported(schema: object) -> object:
    """The schema without the bounds that the provider refuses. Our prompts say them too."""
    if isinstance(schema, list):
        return [_supported(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _supported(inner) for key, inner in schema.items() if key not in _REFUSED}


PROTOCOL = HttpProtocol(
    base_url="https://api.anthropic.com/v1",
    path=lambda _entry: "/messages",
    headers=lambda key: {"anthropic-version": VERSION, **({} if key is None else {"x-api-key": key})},
    body=body,
    messages=lambda body: wire.said(wire.content_of(body, "system"), wire.objects(body, "messages")),
    reasoning=lambda found: "\n".join(
        filter(None, (wire.text_of(x, "thinking") for x in wire.objects(found, "content")))
    ),
    answer=answer,
    options=("thinking", "thinking_budget", "top_k", "prompt_cache"),
    reserved=("model", "messages", "stream", "max_tokens"),
    listing="/models?limit=1000",
)
