"""A recorded call as people read it: what was sent, what came back, and what the model let see of its thinking."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from antemill.llm.protocols.table import PROTOCOLS
from antemill.llm.records import Call
from antemill.llm.types import Message


class Conversation(Struct, frozen=True):
    """One call. messages: as they were sent, the system message first; text: the answer; reasoning: "" if none came."""

    messages: tuple[Message, ...]
    text: str
    reasoning: str


def conversation(call: Call) -> Conversation:
    """Read a call of the store. What was not recorded, or can not be read, is empty: an old call is no error."""
    protocol = PROTOCOLS.get(call.protocol)
    body, reply = _object(call.request), _object(call.reply)
    if protocol is None:
        return Conversation((), call.text, "")
    return Conversation(protocol.messages(body), call.text, protocol.reasoning(reply))


def _object(text: str) -> dict[str, object]:
    try:
        return msgspec.json.decode(text, type=dict[str, object])
    except (msgspec.MsgspecError, RecursionError):
        return {}
