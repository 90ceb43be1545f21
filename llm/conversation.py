"""A recorded call in readable form: the messages, the answer, and the thinking that the provider shows."""

from __future__ import annotations

from msgspec import Struct

from antemill.llm.errors import AgainError
from antemill.llm.protocols import PROTOCOLS
from antemill.llm.protocols.wire import Json, decode
from antemill.llm.records import Call
from antemill.llm.types import Message


class Conversation(Struct, frozen=True):
    """One call. messages: as sent, the system message first. text: the answer. reasoning: "" if there is none."""

    messages: tuple[Message, ...]
    text: str
    reasoning: str


def conversation(call: Call) -> Conversation:
    """Read a call of the store. Parts that were not recorded, or cannot be read, are empty, as in old calls."""
    protocol = PROTOCOLS.get(call.protocol)
    if protocol is None:
        return Conversation((), call.text, "")
    return Conversation(protocol.messages(_object(call.request)), call.text, protocol.reasoning(_object(call.reply)))


def _object(text: str) -> Json:
    try:
        return decode(text)
    except AgainError:
        return {}
