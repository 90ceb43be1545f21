"""OpenAI's chat completions, also spoken by OpenRouter, LiteLLM, xAI, Groq, DeepSeek, vLLM, llama.cpp and Ollama.

One name differs among them: the field for the limit of the answer is `max_completion_tokens` at OpenAI and Azure, and
`max_tokens` elsewhere; an entry's `limit` names another. A gateway may put an error into a response of status 200.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from antemill.llm.entry import Entry
from antemill.llm.protocols import wire
from antemill.llm.protocols.protocol import HttpProtocol
from antemill.llm.protocols.usage import openai_usage
from antemill.llm.protocols.wire import Json
from antemill.llm.types import Answer, Finish, Request

BASE_URL = "https://api.openai.com/v1"
NAMES = {"temperature": "temperature", "top_p": "top_p", "top_k": "top_k", "min_p": "min_p"}
_FINISH: dict[str, Finish] = {
    "stop": "stop",
    "eos": "stop",
    "length": "length",
    "model_length": "length",  # Mistral
    "content_filter": "refusal",
}

_OWN = ("api.openai.com", "openai.azure.com", "services.ai.azure.com", "cognitiveservices.azure.com")


def headers(key: str | None) -> dict[str, str]:
    """The key as a bearer token."""
    return {} if key is None else {"authorization": f"Bearer {key}"}


def body(model: Entry, request: Request, schema: Json | None) -> Json:
    """The body of a request."""
    host = f".{urlsplit(model.base_url or BASE_URL).hostname or ''}"
    own = any(host.endswith(f".{end}") for end in _OWN)
    found: Json = {
        "model": model.remote,
        "messages": [{"role": message.role, "content": message.text} for message in request.messages],
        model.limit or ("max_completion_tokens" if own else "max_tokens"): request.max_output or model.max_output,
        **wire.sampling(model, request, NAMES),
    }
    if model.effort is not None:
        found["reasoning_effort"] = model.effort
    if model.verbosity is not None:
        found["verbosity"] = model.verbosity
    if schema is not None:
        if not own:  # OpenAI takes no bounds
            schema = wire.fitted(schema, request.max_output or model.max_output)
        found["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": schema},
        }
    return found


def answer(found: Json) -> Answer:
    """The answer of the first choice. Raises CallError if there is none."""
    choices, message = wire.objects(found, "choices"), _message(found)
    if not choices or "message" not in choices[0]:
        raise wire.unanswered(found)
    refusal = wire.text_of(message, "refusal")
    text = wire.content_of(message) or refusal
    return Answer(
        text,
        "refusal" if refusal else _FINISH.get(wire.text_of(choices[0], "finish_reason"), "other"),
        openai_usage(wire.part(found, "usage"), ("prompt", "completion"), text),
        wire.served(found),
        wire.text_of(found, "provider"),
    )


def _message(found: Json) -> Json:
    return wire.part(next(iter(wire.objects(found, "choices")), {}), "message")


PROTOCOL = HttpProtocol(
    base_url=BASE_URL,
    path=lambda _entry: "/chat/completions",
    headers=headers,
    body=body,
    messages=lambda body: wire.said_by(wire.objects(body, "messages")),
    reasoning=lambda found: (
        wire.text_of(_message(found), "reasoning_content") or wire.text_of(_message(found), "reasoning")
    ),
    answer=answer,
    options=("limit", "verbosity", "top_k", "min_p"),
    reserved=("model", "messages", "stream", "n", "max_tokens", "max_completion_tokens"),
)
