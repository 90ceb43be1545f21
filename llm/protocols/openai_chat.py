"""OpenAI's chat completions, which OpenRouter, xAI, Groq, DeepSeek, Together, vLLM, llama.cpp and Ollama speak too.

What differs is a dialect, chosen by the host of the base URL if the entry does not name it:

    dialect      limit of the answer      effort                thinking budget          sampling beyond top_p
    openai       max_completion_tokens    reasoning_effort      -                        -
    openrouter   max_tokens               reasoning: {effort}   reasoning: {max_tokens}  top_k, min_p
    compatible   max_tokens               reasoning_effort      -                        top_k, min_p

`verbosity` has the same name in all of them; OpenRouter makes it the effort of Claude. A gateway may put an error into
a response of status 200, beside a choice too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from llm.model import Model
from llm.protocols.failures import reported, unanswered
from llm.protocols.usage import openai_usage
from llm.protocols.wire import Json, Wire, objects, part, sampling, schema_of, text_of
from llm.types import Answer, Finish, Request

NAMES = {"temperature": "temperature", "top_p": "top_p", "top_k": "top_k", "min_p": "min_p"}
_FINISH: dict[str, Finish] = {
    "stop": "stop",
    "eos": "stop",
    "length": "length",
    "model_length": "length",  # Mistral
    "content_filter": "refusal",
}


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
    if model.verbosity is not None:
        found["verbosity"] = model.verbosity
    if (schema := schema_of(model, request)) is not None:
        found["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": schema},
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
    choice = choices[0] if choices else {}
    finish = text_of(choice, "finish_reason")
    if (refused := reported(found, choice, finish)) is not None:
        return refused
    if not choices:
        raise unanswered(found)
    message = part(choice, "message")
    refusal = text_of(message, "refusal")
    text = _content(message) or refusal
    return Answer(
        text,
        "refusal" if refusal else _FINISH.get(finish, "other"),
        openai_usage(part(found, "usage"), ("prompt", "completion"), text),
        text_of(found, "model"),
        text_of(found, "provider"),
    )


def _content(message: Mapping[str, Any]) -> str:
    """Some gateways answer with a list of parts."""
    return text_of(message, "content") or "".join(text_of(item, "text") for item in objects(message, "content"))


WIRE = Wire(path=lambda _model: "/chat/completions", headers=headers, body=body, answer=answer)
