"""OpenAI's chat completions, also used by OpenRouter, xAI, Groq, DeepSeek, Together, vLLM, llama.cpp and Ollama.

Their differences are dialects. The host of the base URL determines the dialect if the entry names none:

    dialect      limit of the answer      effort                thinking budget          sampling beyond top_p
    openai       max_completion_tokens    reasoning_effort      -                        -
    openrouter   max_tokens               reasoning: {effort}   reasoning: {max_tokens}  top_k, min_p
    compatible   max_tokens               reasoning_effort      -                        top_k, min_p

`verbosity` has the same name in all of them; OpenRouter uses it as the effort of Claude. A gateway may put an error
into a response of status 200, even together with a choice.
"""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from antemill.llm.entry import Entry
from antemill.llm.protocols import wire
from antemill.llm.protocols.outcomes import ErrorShape
from antemill.llm.protocols.protocol import HttpProtocol, Options
from antemill.llm.protocols.stream import chat_streamed
from antemill.llm.protocols.usage import openai_usage
from antemill.llm.protocols.wire import Json
from antemill.llm.types import Answer, Finish, Message, Request

BASE_URL = "https://api.openai.com/v1"
NAMES = {"temperature": "temperature", "top_p": "top_p", "top_k": "top_k", "min_p": "min_p"}
_FINISH: dict[str, Finish] = {
    "stop": "stop",
    "eos": "stop",
    "length": "length",
    "model_length": "length",  # Mistral
    "content_filter": "refusal",
}


class Dialect(Struct, frozen=True, kw_only=True):
    """The properties that differ between providers of this protocol."""

    provider: str = ""  # for people
    hosts: tuple[str, ...] = ()  # ends of host names, since regions have hosts of their own
    limit: str = "max_tokens"  # the field for the limit of the answer
    reasoning: Callable[[Entry], Json]
    options: frozenset[str] = frozenset()  # of antemill.llm.protocols.protocol.OPTIONS
    listings: tuple[str, ...] = ("/models",)


def _effort(entry: Entry) -> Json:
    return {} if entry.effort is None else {"reasoning_effort": entry.effort}


def _reasoning(entry: Entry) -> Json:
    asked = {"effort": entry.effort, "max_tokens": entry.thinking_budget}
    given = {key: value for key, value in asked.items() if value is not None}
    return {"reasoning": given} if given else {}


_AZURE = ("openai.azure.com", "services.ai.azure.com", "cognitiveservices.azure.com")
DIALECTS = {
    "openai": Dialect(
        provider="OpenAI", hosts=("api.openai.com", *_AZURE), limit="max_completion_tokens", reasoning=_effort
    ),
    "openrouter": Dialect(
        provider="OpenRouter",
        hosts=("openrouter.ai",),
        reasoning=_reasoning,
        options=frozenset({"thinking_budget", "top_k", "min_p"}),
        listings=("/key", "/models"),  # its list of models is public, so the key is checked separately
    ),
    "compatible": Dialect(reasoning=_effort, options=frozenset({"top_k", "min_p"})),
}


def dialect_at(url: str, named: str | None) -> Dialect:
    """The dialect of this name, or if that is None, the dialect of the URL's host."""
    if named is not None:
        return DIALECTS[named]
    host = f".{urlsplit(url).hostname or ''}"
    known = (dialect for dialect in DIALECTS.values() if any(host.endswith(f".{end}") for end in dialect.hosts))
    return next(known, DIALECTS["compatible"])


def dialect_of(entry: Entry) -> Dialect:
    """The dialect of an entry of OpenAI's protocols."""
    return dialect_at(entry.base_url or BASE_URL, entry.dialect)


def headers(key: str | None) -> dict[str, str]:
    """The key as a bearer token."""
    return {} if key is None else {"authorization": f"Bearer {key}"}


def body(model: Entry, request: Request, schema: Json | None) -> Json:
    """The body of a request."""
    dialect = dialect_of(model)
    found: Json = {
        "model": model.remote,
        "messages": [{"role": message.role, "content": message.text} for message in request.messages],
        dialect.limit: request.max_output or model.max_output,
        **wire.sampling(model, request, NAMES),
        **dialect.reasoning(model),
    }
    if model.verbosity is not None:
        found["verbosity"] = model.verbosity
    if schema is not None:
        found["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": schema},
        }
    return found


def messages(body: Json) -> tuple[Message, ...]:
    """The conversation in a body."""
    return wire.said_by(wire.objects(body, "messages"))


def answer(found: Json) -> Answer:
    """The answer of the first choice. Raises CallError if there is none."""
    if not wire.objects(found, "choices"):
        raise wire.unanswered(found)
    choice, finish = _ending(found)
    message = wire.part(choice, "message")
    refusal = wire.text_of(message, "refusal")
    text = wire.content_of(message) or refusal
    return Answer(
        text,
        "refusal" if refusal else _FINISH.get(finish, "other"),
        openai_usage(wire.part(found, "usage"), ("prompt", "completion"), text),
        wire.text_of(found, "model"),
        wire.text_of(found, "provider"),
    )


def reasoning(found: Json) -> str:
    """The model's reasoning.

    DeepSeek, xAI, Groq, vLLM and llama.cpp have `reasoning_content` or `reasoning`; OpenRouter also has
    `reasoning_details`; Mistral has parts of the content. For other servers: texts in fields that no answer has.
    """
    message = wire.part(_ending(found)[0], "message")
    whole = wire.text_of(message, "reasoning_content") or wire.text_of(message, "reasoning")
    parts = [
        wire.text_of(item, "text") or wire.text_of(item, "summary")
        for item in wire.objects(message, "reasoning_details")
    ]
    parts += [wire.content_of(item, "thinking") for item in wire.objects(message, "content")]
    return whole or "\n".join(filter(None, parts)) or wire.spoken(message, _ANSWERING)


_ANSWERING = ("role", "content", "refusal", "name", "tool_calls", "function_call", "audio", "annotations", "images")


def _ending(found: Json) -> tuple[Json, str]:
    """The first choice, and its finish reason."""
    choice = next(iter(wire.objects(found, "choices")), {})
    return choice, wire.text_of(choice, "finish_reason")


def listings(entry: Entry) -> tuple[str, ...]:
    """The path of the list of models. If that list is public, a path that checks the key comes first."""
    return dialect_of(entry).listings


def lists(entry: Entry, page: bytes) -> bool:
    """Whether a list of models names the entry's model. False for content that is not a list."""
    try:
        listed = msgspec.json.decode(page, type=_Listing)
    except (msgspec.MsgspecError, RecursionError):
        return False
    return any(entry.remote in (one.id, one.id.removesuffix(":latest")) for one in listed.data)


class _Listed(Struct):
    id: str


class _Listing(Struct):
    data: list[_Listed]


def _options(entry: Entry) -> Options:
    dialect = dialect_of(entry)
    return Options(dialect.options | {"dialect", "verbosity"}, dialect.provider or "openai-chat")


_ERRORS = (
    ErrorShape("openai", "refusal", (400,), ("invalid_prompt",), ("usage policy", "safety", "limited access")),
    ErrorShape("openai", "refusal", (400,), ("content_policy_violation", "moderation_blocked")),
    ErrorShape("openai", "spend", (429,), ("insufficient_quota", "billing_not_active")),
    ErrorShape("openai", "spend", (400, 429), ("billing_hard_limit_reached",)),
    ErrorShape("openai", "context", (400,), ("context_length_exceeded",)),
    ErrorShape("azure", "refusal", (400,), ("content_filter", "responsibleaipolicyviolation")),
    ErrorShape("openrouter", "rate", (402,), ("openrouter_in_flight_budget",)),
    ErrorShape("openrouter", "refusal", (403,), ("flagged_input", "content_policy_violation")),
    ErrorShape("openrouter", "spend", (403,), (), ("key limit exceeded",)),
    ErrorShape("xai", "refusal", (400, 403), (), ("violates usage guidelines", "safety_check_type"), billed=True),
    ErrorShape("xai", "spend", (403, 429), (), ("monthly spending limit", "any credits")),
    ErrorShape("xai", "context", (400,), (), ("maximum prompt length",)),
    ErrorShape("groq", "unparsable", (400,), ("json_validate_failed",), billed=True),
    ErrorShape("groq", "rate", (413,), (), ("tokens per minute", "(tpm)")),
    ErrorShape("groq", "overloaded", (498,)),
    ErrorShape("groq", "context", (400,), (), ("reduce the length of the messages",)),
    ErrorShape("deepseek", "refusal", (400,), (), ("content exists risk",)),
    ErrorShape("alibaba", "refusal", (400,), ("data_inspection_failed", "datainspectionfailed")),
    ErrorShape("together", "context", (400, 422), (), ("`inputs` tokens + `max_new_tokens`",)),
    ErrorShape("vllm", "context", (400, 422), (), ("maximum context length",)),  # and DeepSeek, Mistral, OpenRouter
    ErrorShape("llama.cpp", "context", (400, 500), ("exceed_context_size_error",)),  # seen with status 500
)

PROTOCOL = HttpProtocol(
    base_url=BASE_URL,
    path=lambda _entry: "/chat/completions",
    headers=headers,
    body=body,
    messages=messages,
    reasoning=reasoning,
    answer=answer,
    streamed=chat_streamed,
    ending=_ending,
    options=_options,
    reserved=("model", "messages", "stream", "n", "max_tokens", "max_completion_tokens"),
    listings=listings,
    lists=lists,
    errors=_ERRORS,
)
