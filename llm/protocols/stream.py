"""Streams of server-sent events, which some servers send without being asked to.

Each protocol assembles its events into the answer that the server would send without a stream
(`HttpProtocol.streamed`).
"""

from __future__ import annotations

import re

from antemill.llm.errors import MalformedReplyError
from antemill.llm.protocols.wire import Json, objects, part, text_of

_END = "[DONE]"


def is_stream(text: str) -> bool:
    """Whether a reply is a stream: JSON never begins with one of a stream's fields."""
    return re.match(r"\ufeff?\s*(?:data|event|id|retry)?:", text) is not None


def events_in(text: str) -> list[str]:
    """The data of the events, in their order."""
    found = []
    for event in re.split(r"(?:\r\n|\n|\r){2,}", text.removeprefix("\ufeff")):
        lines = [
            line.removeprefix("data:").removeprefix(" ") for line in event.splitlines() if line.startswith("data:")
        ]
        data = "\n".join(lines)
        if data.strip() and data.strip() != _END:
            found.append(data)
    return found


def cut_off() -> MalformedReplyError:
    """The error for a stream without its end."""
    return MalformedReplyError("the answer is a stream that is cut off")


def failure_in(events: list[Json]) -> Json | None:
    """The event that is an error; None if there is none."""
    return next((event for event in events if event.get("error") and not event.get("choices")), None)


def chat_streamed(events: list[Json]) -> Json:
    """Chunks of chat completions. Raises MalformedReplyError if the last of them is missing."""
    if (failure := failure_in(events)) is not None:
        return failure
    whole: Json = {}
    message: Json = {"role": "assistant"}
    finish = ""
    for event in events:
        whole.update((key, value) for key, value in event.items() if value is not None and key != "choices")
        for choice in objects(event, "choices"):
            if choice.get("index", 0) == 0:
                delta = part(choice, "delta") or part(choice, "message")
                for key, piece in delta.items():
                    if isinstance(piece, str) and key not in ("role", "name"):
                        message[key] = message.get(key, "") + piece
                finish = text_of(choice, "finish_reason") or finish
    if not finish:
        raise cut_off()
    return {**whole, "choices": [{"index": 0, "message": message, "finish_reason": finish}]}


def responses_streamed(events: list[Json]) -> Json:
    """Events of responses, one of which holds the whole response. Raises MalformedReplyError if it is missing."""
    if (failure := failure_in(events)) is not None:
        return failure
    ends = ("response.completed", "response.incomplete", "response.failed")
    for event in events:
        if text_of(event, "type") in ends and part(event, "response"):
            return part(event, "response")
    raise cut_off()


def messages_streamed(events: list[Json]) -> Json:
    """Events of Anthropic's messages. Raises MalformedReplyError if the last of them is missing."""
    if (failure := failure_in(events)) is not None:
        return failure
    whole: Json = {}
    blocks: dict[int, Json] = {}
    for event in events:
        kind, delta = text_of(event, "type"), part(event, "delta")
        if kind == "message_start":
            whole = part(event, "message")
        elif kind == "content_block_start":
            blocks[event.get("index", 0)] = dict(part(event, "content_block"))
        elif kind == "content_block_delta":
            block = blocks.setdefault(event.get("index", 0), {"type": "text"})
            for key in ("text", "thinking"):
                if text_of(delta, key):
                    block[key] = text_of(block, key) + text_of(delta, key)
        elif kind == "message_delta":
            whole = {**whole, **delta, "usage": {**part(whole, "usage"), **part(event, "usage")}}
    if not text_of(whole, "stop_reason"):
        raise cut_off()
    return {**whole, "content": [blocks[index] for index in sorted(blocks)]}


def contents_streamed(events: list[Json]) -> Json:
    """Parts of Gemini's generated content. Raises MalformedReplyError if the last of them is missing."""
    if (failure := failure_in(events)) is not None:
        return failure
    whole: Json = {}
    parts: list[Json] = []
    finish = ""
    for event in events:
        whole.update(event)
        for candidate in objects(event, "candidates")[:1]:
            parts += objects(part(candidate, "content"), "parts")
            finish = text_of(candidate, "finishReason") or finish
    if not finish and not part(whole, "promptFeedback"):
        raise cut_off()
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": finish}
    return {**whole, "candidates": [candidate] if finish else []}
