"""Fake models: a Python callable answers. Limits, retries, costs and the store are as for other models.

If a script returns a text, its usage is the estimate of `antemill.llm.estimate`; an Answer has its own usage.
"""

from __future__ import annotations

import inspect

import msgspec

from antemill.llm.entry import Entry
from antemill.llm.errors import ItemError
from antemill.llm.estimate import count_tokens
from antemill.llm.protocols.openai_chat import NAMES
from antemill.llm.protocols.protocol import Protocol
from antemill.llm.protocols.wire import Json, objects, said_by, sampling
from antemill.llm.types import Answer, Request, Script, Usage


def body(model: Entry, request: Request, schema: Json | None) -> Json:
    """The substitute for a request's body in the key of a stored reply."""
    found: Json = {
        "model": model.remote,
        "messages": [{"role": message.role, "content": message.text} for message in request.messages],
        "max_output": request.max_output or model.max_output,
        **sampling(model, request, NAMES),
    }
    asked = {"effort": model.effort, "thinking_budget": model.thinking_budget}
    found.update((key, value) for key, value in asked.items() if value is not None)
    if schema is not None:
        found["schema"] = schema
    return found


async def run(script: Script, request: Request) -> tuple[str, Answer]:
    """The raw reply (JSON) and the answer. Passes on the script's exceptions."""
    said = script(request)
    if inspect.isawaitable(said):
        said = await said
    if isinstance(said, str):
        read = sum(count_tokens(message.text) for message in request.messages)
        usage = Usage(input_uncached=read, output_visible=count_tokens(said))
        said = Answer(said, "stop", usage)
    elif not isinstance(said, Answer):
        raise ItemError(f"the script answered with {type(said).__name__}; it must be a text or an antemill.llm.Answer")
    return msgspec.json.encode(said).decode(), said


PROTOCOL = Protocol(
    base_url="",
    body=body,
    messages=lambda found: said_by(objects(found, "messages")),
    options=("thinking_budget", "top_k", "min_p"),
)
