"""OpenAI's chat completions, which OpenRouter, Together, vLLM, llama.cpp and Ollama speak too.

What differs is a dialect, chosen by the host of the base URL if the entry does not name it:

    dialect      limit of the answer      effort                       thinking budget
    openai       max_completion_tokens    reasoning_effort             -
    openrouter   max_tokens               reasoning: {effort}          reasoning: {max_tokens}
    compatible   max_tokens               reasoning_effort             -

OpenRouter reports dollars in `usage.cost`, and may put an error into a response of status 200.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from llm.models import Model
from llm.protocols.failures import raise_reported
from llm.protocols.wire import Json, Wire, count, dollars, objects, part, sampling, text_of
from llm.types import Answer, Finish, Request, Usage

NAMES = {"temperature": "temperature", "top_p": "top_p", "top_k": "top_k", "min_p": "min_p"}
_FINISH: dict[str, Finish] = {"stop": "stop", "eos": "stop", "length": "length", "content_filter": "refusal"}


def headers(key: str | None) -> dict[str, str]:
    """A bearer token."""
    return {} if key is None else {"authorization": f"Bearer {key}"}


def body(model: Model, request: Request) -> Json:
    """The request; `extra_body` is laid over it by the caller."""
    limit = "max_completion_tokens" if model.chat_dialect == "openai" else "max_tokens"
    found: Json = {
        "model": model.remote,
        "messages": [{"role": message.role, "content": message.text} for message in request.messages],
        limit: request.max_output or model.max_output,
        **sampling(model, request, NAMES),
        **_reasoning(model),
    }
    if model.structured and request.schema is not None:
        found["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": request.schema},
        }
    return found


def _reasoning(model: Model) -> Json:
    if model.chat_dialect != "openrouter":
        return {} if model.effort is None else {"reasoning_effort": model.effort}
    asked = {"effort": model.effort, "max_tokens": model.thinking_budget}
    given = {key: value for key, value in asked.items() if value is not None}
    return {"reasoning": given} if given else {}


def answer(found: Json) -> Answer:
    """Raises CallError if the success carries an error, or no choice."""
    choices = objects(found, "choices")
    if not choices:
        raise_reported(found)
    if part(choices[0], "error"):
        raise_reported(choices[0])
    message = part(choices[0], "message")
    refusal = text_of(message, "refusal")
    finish = _FINISH.get(text_of(choices[0], "finish_reason"), "other")
    return Answer(
        _content(message) or refusal,
        "refusal" if refusal else finish,
        usage(part(found, "usage"), ("prompt", "completion")),
        text_of(found, "model"),
        text_of(found, "provider"),
    )


def _content(message: Mapping[str, Any]) -> str:
    """Some gateways answer with a list of parts."""
    return text_of(message, "content") or "".join(text_of(item, "text") for item in objects(message, "content"))


def usage(raw: Json, kinds: tuple[str, str]) -> Usage:
    """Cached tokens are part of the input and reasoning is part of the output: they are taken out, never added.

    `kinds` is what the API calls its tokens: ("prompt", "completion") or ("input", "output").
    """
    read, written = (count(raw, f"{kind}_tokens") for kind in kinds)
    cached = min(read, count(part(raw, f"{kinds[0]}_tokens_details"), "cached_tokens"))
    reasoning = min(written, count(part(raw, f"{kinds[1]}_tokens_details"), "reasoning_tokens"))
    return Usage(
        input_uncached=read - cached,
        input_cached=cached,
        output_visible=written - reasoning,
        reasoning=reasoning,
        cost_reported=dollars(raw, "cost"),
        raw=raw,
    )


WIRE = Wire(path=lambda _model: "/chat/completions", headers=headers, body=body, answer=answer)
