"""Gemini's generateContent.

Effort is `thinkingConfig.thinkingLevel` (Gemini 3), a thinking budget is `thinkingConfig.thinkingBudget` (Gemini 2.5),
both inside `generationConfig`. The server refuses both together, and silently ignores them outside of
`generationConfig`.
"""

from __future__ import annotations

from urllib.parse import quote

from antemill.llm.entry import Entry
from antemill.llm.protocols import wire
from antemill.llm.protocols.protocol import HttpProtocol
from antemill.llm.protocols.usage import gemini_usage
from antemill.llm.protocols.wire import Json
from antemill.llm.types import Answer, Finish, Request

_NAMES = {"temperature": "temperature", "top_p": "topP", "top_k": "topK"}
_ROLES = {"system": "user", "user": "user", "assistant": "model"}
_FINISH: dict[str, Finish] = {"STOP": "stop", "MAX_TOKENS": "length", "": "other", "OTHER": "other"}  # else "refusal"


def body(model: Entry, request: Request, schema: Json | None) -> Json:
    """The body of a request."""
    config: Json = {
        "maxOutputTokens": request.max_output or model.max_output,
        **wire.sampling(model, request, _NAMES),
    }
    if model.effort is not None:
        config["thinkingConfig"] = {"thinkingLevel": model.effort}
    elif model.thinking_budget is not None:
        config["thinkingConfig"] = {"thinkingBudget": model.thinking_budget}
    if schema is not None:
        config["responseMimeType"] = "application/json"
        config["responseJsonSchema"] = schema
    found: Json = {
        "contents": [{"role": _ROLES[turn.role], "parts": [{"text": turn.text}]} for turn in request.turns],
        "generationConfig": config,
    }
    if request.system:
        found["systemInstruction"] = {"parts": [{"text": request.system}]}
    return found


def _parts(found: Json) -> list[Json]:
    candidates = wire.objects(found, "candidates")
    return wire.objects(wire.part(candidates[0], "content"), "parts") if candidates else []


def answer(found: Json) -> Answer:
    """The answer of the first candidate, which may have no text.

    Raises CallError if there is neither a candidate nor a blocked prompt.
    """
    candidates = wire.objects(found, "candidates")
    blocked = wire.part(found, "promptFeedback").get("blockReason")
    if not candidates and not blocked:
        raise wire.unanswered(found)
    candidate = candidates[0] if candidates else {}
    text = "".join(wire.text_of(item, "text") for item in _parts(found) if not item.get("thought"))
    return Answer(
        text,
        _FINISH.get(wire.text_of(candidate, "finishReason"), "refusal") if candidates else "refusal",
        gemini_usage(wire.part(found, "usageMetadata"), text),
        wire.text_of(found, "modelVersion"),
    )


PROTOCOL = HttpProtocol(
    base_url="https://generativelanguage.googleapis.com/v1beta",
    path=lambda model: f"/models/{quote(model.remote, safe='')}:generateContent",
    headers=lambda key: {} if key is None else {"x-goog-api-key": key},
    body=body,
    messages=lambda body: wire.said(
        wire.content_of(wire.part(body, "systemInstruction"), "parts"), wire.objects(body, "contents"), "parts"
    ),
    reasoning=lambda found: "\n".join(wire.text_of(item, "text") for item in _parts(found) if item.get("thought")),
    answer=answer,
    options=("thinking_budget", "top_k"),
    reserved=("contents",),
    listing="/models?pageSize=1000",
)
