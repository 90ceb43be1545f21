"""Gemini's generateContent.

Effort is `thinkingConfig.thinkingLevel` (Gemini 3), a thinking budget is `thinkingConfig.thinkingBudget` (2.5), both
inside `generationConfig`: both together are refused, and elsewhere they are silently ignored.
"""

from __future__ import annotations

from urllib.parse import quote

from llm.models import Model
from llm.protocols.failures import raise_reported
from llm.protocols.wire import Json, Wire, count, objects, part, sampling, text_of
from llm.types import Answer, Finish, Request, Usage

_NAMES = {"temperature": "temperature", "top_p": "topP", "top_k": "topK"}
_ROLES = {"system": "user", "user": "user", "assistant": "model"}
_REFUSALS = ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE")
_FINISH: dict[str, Finish] = {"STOP": "stop", "MAX_TOKENS": "length", **dict.fromkeys(_REFUSALS, "refusal")}


def path(model: Model) -> str:
    """The model is part of the path."""
    return f"/models/{quote(model.remote, safe='')}:generateContent"


def headers(key: str | None) -> dict[str, str]:
    """The key, in the provider's own header."""
    return {} if key is None else {"x-goog-api-key": key}


def body(model: Model, request: Request) -> Json:
    """The request; `extra_body` is laid over it by the caller."""
    config: Json = {
        "maxOutputTokens": request.max_output or model.max_output,
        **sampling(model, request, _NAMES),
    }
    if model.effort is not None:
        config["thinkingConfig"] = {"thinkingLevel": model.effort}
    elif model.thinking_budget is not None:
        config["thinkingConfig"] = {"thinkingBudget": model.thinking_budget}
    if model.structured and request.schema is not None:
        config["responseMimeType"] = "application/json"
        config["responseJsonSchema"] = request.schema
    found: Json = {
        "contents": [{"role": _ROLES[turn.role], "parts": [{"text": turn.text}]} for turn in request.turns],
        "generationConfig": config,
    }
    if request.system:
        found["systemInstruction"] = {"parts": [{"text": request.system}]}
    return found


def answer(found: Json) -> Answer:
    """Raises CallError if there is neither a candidate nor a blocked prompt. A candidate may have no text."""
    candidates = objects(found, "candidates")
    blocked = part(found, "promptFeedback").get("blockReason")
    if not candidates and not blocked:
        raise_reported(found)
    candidate = candidates[0] if candidates else {}
    parts = objects(part(candidate, "content"), "parts")
    return Answer(
        "".join(text_of(item, "text") for item in parts if not item.get("thought")),
        _FINISH.get(text_of(candidate, "finishReason"), "other") if candidates else "refusal",
        _usage(part(found, "usageMetadata")),
        text_of(found, "modelVersion"),
    )


def _usage(raw: Json) -> Usage:
    """The prompt's count includes what was cached; thoughts come on top of the candidates' tokens."""
    read = count(raw, "promptTokenCount")
    cached = min(read, count(raw, "cachedContentTokenCount"))
    return Usage(
        input_uncached=read - cached,
        input_cached=cached,
        output_visible=count(raw, "candidatesTokenCount"),
        reasoning=count(raw, "thoughtsTokenCount"),
        raw=raw,
    )


WIRE = Wire(path=path, headers=headers, body=body, answer=answer)
