"""OpenAI's responses: the system message is `instructions`, the answer is a list of items, truncation is a status."""

from __future__ import annotations

from llm.models import Model
from llm.protocols.failures import raise_reported
from llm.protocols.openai_chat import NAMES, headers, usage
from llm.protocols.wire import Json, Wire, objects, part, sampling, text_of
from llm.types import Answer, Finish, Request


def body(model: Model, request: Request) -> Json:
    """The request; `extra_body` is laid over it by the caller. Nothing is kept by the provider (`store`)."""
    found: Json = {
        "model": model.remote,
        "input": [{"role": message.role, "content": message.text} for message in request.turns],
        "max_output_tokens": request.max_output or model.max_output,
        "store": False,
        **sampling(model, request, NAMES),
    }
    if request.system:
        found["instructions"] = request.system
    if model.effort is not None:
        found["reasoning"] = {"effort": model.effort}
    if model.structured and request.schema is not None:
        found["text"] = {
            "format": {"type": "json_schema", "name": "answer", "strict": True, "schema": request.schema},
        }
    return found


def answer(found: Json) -> Answer:
    """Raises CallError if the response failed, or is none."""
    if "output" not in found or text_of(found, "status") == "failed" or part(found, "error"):
        raise_reported(found)
    contents = [
        item
        for message in objects(found, "output")
        if text_of(message, "type") == "message"
        for item in objects(message, "content")
    ]
    text = "".join(text_of(item, "text") or text_of(item, "refusal") for item in contents)
    refused = any(text_of(item, "type") == "refusal" for item in contents)
    return Answer(
        text,
        "refusal" if refused else _finish(found),
        usage(part(found, "usage"), ("input", "output")),
        text_of(found, "model"),
    )


def _finish(found: Json) -> Finish:
    status = text_of(found, "status")
    if status == "completed":
        return "stop"
    if status != "incomplete":
        return "other"
    return "refusal" if text_of(part(found, "incomplete_details"), "reason") == "content_filter" else "length"


WIRE = Wire(path=lambda _model: "/responses", headers=headers, body=body, answer=answer)
