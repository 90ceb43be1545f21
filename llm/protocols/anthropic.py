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
from antemill.llm.types import Answer, Finish, Message, Request

VERSION = "2023-06-01"
_MIN_THINKING = 1024  # the smallest budget_tokens
_NAMES = {"temperature": "temperature", "top_p": "top_p", "top_k": "top_k"}
_FINISH: dict[str, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}
_SUPPORTED = {
    *("type", "enum", "const", "anyOf", "allOf", "$ref", "$defs"),
    *("properties", "required", "additionalProperties", "items", "description", "title", "format"),
}


def headers(key: str | None) -> dict[str, str]:
    """The API's version, and the key."""
    return {"anthropic-version": VERSION, **({} if key is None else {"x-api-key": key})}


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


def messages(body: Json) -> tuple[Message, ...]:
    """The system message and the conversation in a body."""
    system = wire.content_of(body, "system")
    return (*((Message("system", system),) if system else ()), *wire.said_by(wire.objects(body, "messages")))


def reasoning(found: Json) -> str:
    """The text of the thinking blocks. Newer models send a summary or no thinking."""
    return "\n".join(filter(None, (wire.text_of(one, "thinking") for one in wire.objects(found, "content"))))


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


def _supported(schema: Json) -> Json:
    """The schema, with the keywords that the provider refuses moved into the descriptions, as its SDK does."""
    kept = {key: value for key, value in schema.items() if key in _SUPPORTED}
    moved = {key: value for key, value in schema.items() if key not in _SUPPORTED}
    for key in ("properties", "$defs"):
        if isinstance(kept.get(key), dict):
            kept[key] = {name: _supported(inner) for name, inner in kept[key].items()}
    for key in ("anyOf", "allOf"):
        if isinstance(kept.get(key), list):
            kept[key] = [_supported(inner) for inner in kept[key]]
    if isinstance(kept.get("items"), dict):
        kept["items"] = _supported(kept["items"])
    if moved:
        bounds = "{" + ", ".join(f"{key}: {value}" for key, value in moved.items()) + "}"
        kept["description"] = f"{kept['description']}\n\n{bounds}" if "description" in kept else bounds
    return kept


def problem(entry: Entry) -> str | None:
    """The problem of a thinking budget that is out of bounds or combined with the key `thinking`."""
    budget = entry.thinking_budget
    if budget is None:
        return None
    if entry.thinking:
        return "has both thinking and thinking_budget, which the provider refuses; leave one out."
    if not _MIN_THINKING <= budget < entry.max_output:
        return f"has thinking_budget = {budget}, which must be at least {_MIN_THINKING} and less than max_output."
    return None


PROTOCOL = HttpProtocol(
    base_url="https://api.anthropic.com/v1",
    path=lambda _entry: "/messages",
    headers=headers,
    body=body,
    messages=messages,
    reasoning=reasoning,
    answer=answer,
    options=("thinking", "thinking_budget", "top_k", "prompt_cache"),
    problem=problem,
    reserved=("model", "messages", "stream", "max_tokens"),
    listing="/models?limit=1000",
)
