"""OpenAI's responses: the system message is `instructions`, the answer is a list of items, truncation is a status."""

from __future__ import annotations

from antemill.llm.entry import Entry
from antemill.llm.protocols import wire
from antemill.llm.protocols.openai_chat import BASE_URL, NAMES, headers
from antemill.llm.protocols.protocol import HttpProtocol
from antemill.llm.protocols.usage import openai_usage
from antemill.llm.protocols.wire import Json
from antemill.llm.types import Answer, Finish, Request

_INCOMPLETE: dict[str, Finish] = {
    **dict.fromkeys(("", "max_output_tokens", "max_tokens"), "length"),
    "content_filter": "refusal",
}


_UNFINISHED = ("failed", "cancelled", "queued", "in_progress")


def body(model: Entry, request: Request, schema: Json | None) -> Json:
    """The body of a request. It asks the provider not to store the response (`store`)."""
    found: Json = {
        "model": model.remote,
        "input": [{"role": message.role, "content": message.text} for message in request.turns],
        "max_output_tokens": request.max_output or model.max_output,
        "store": False,
        **wire.sampling(model, request, NAMES),
    }
    if request.system:
        found["instructions"] = request.system
    if model.effort is not None:
        found["reasoning"] = {"effort": model.effort}
    text: Json = {} if model.verbosity is None else {"verbosity": model.verbosity}
    if schema is not None:
        text["format"] = {"type": "json_schema", "name": "answer", "strict": True, "schema": schema}
    if text:
        found["text"] = text
    return found


def reasoning(found: Json) -> str:
    """The text of the reasoning items: their content if the server shows it, else their summaries."""
    items = [item for item in wire.objects(found, "output") if wire.text_of(item, "type") == "reasoning"]
    return "\n".join(filter(None, (wire.content_of(item) or wire.content_of(item, "summary") for item in items)))


def answer(found: Json) -> Answer:
    """The answer in a response. Raises CallError for anything else."""
    if not isinstance(found.get("output"), list) or wire.text_of(found, "status") in _UNFINISHED:
        raise wire.unanswered(found)
    messages = [item for item in wire.objects(found, "output") if wire.text_of(item, "type") == "message"]
    contents = [item for message in messages for item in wire.objects(message, "content")]
    text = "".join(wire.text_of(item, "text") or wire.text_of(item, "refusal") for item in contents)
    refused = any(wire.text_of(item, "type") == "refusal" for item in contents)
    return Answer(
        text,
        "refusal" if refused else _finish(found),
        openai_usage(wire.part(found, "usage"), ("input", "output"), text),
        wire.served(found),
    )


def _finish(found: Json) -> Finish:
    status = wire.text_of(found, "status")
    if status == "completed":
        return "stop"
    reason = wire.text_of(wire.part(found, "incomplete_details"), "reason")
    return _INCOMPLETE.get(reason, "other") if status == "incomplete" else "other"


PROTOCOL = HttpProtocol(
    base_url=BASE_URL,
    path=lambda _entry: "/responses",
    headers=headers,
    body=body,
    messages=lambda body: wire.said(wire.text_of(body, "instructions"), wire.objects(body, "input")),
    reasoning=reasoning,
    answer=answer,
    options=("verbosity", "top_k", "min_p"),
    reserved=("model", "input", "stream", "max_output_tokens"),
    least=16,
)
